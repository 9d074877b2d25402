/** 50 billion hbar in tinybars. */
export const WHOLE_SUPPLY = 5_000_000_000_000_000_000n;

/** A day, as on public networks. */
export const DEFAULT_STAKING_PERIOD_NANOS = 86_400_000_000_000n;

/**
 * Consensus time between genesis and the first activity: long enough for the founding accounts to have staked for some
 * periods, so that rewards are paid and pending from the start.
 */
export const IDLE_SINCE_FOUNDING_NANOS = 345_600_000_000_000n;
