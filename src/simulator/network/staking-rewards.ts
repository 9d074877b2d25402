import type { Account } from '../state/ledger-entities.ts';
import type { LedgerState } from '../state/ledger-state.ts';

/** Tinybars that a whole staked hbar earns per staking period. */
export const REWARD_PER_HBAR = 2_000n;
export const TINYBARS_PER_HBAR = 100_000_000n;
export const PERIODS_STORED = 365n;

export const currentStakingPeriod = (state: LedgerState): bigint => state.stakingPeriod;

/** Tinybars due to an account that is rewarded now, for every full period since it was last. */
export const rewardOf = (account: Account, period: bigint): bigint => {
  const periods = period - account.unrewardedFrom;
  if (periods <= 0n) return 0n;
  return (
    (account.balance / TINYBARS_PER_HBAR) * REWARD_PER_HBAR * (periods > PERIODS_STORED ? PERIODS_STORED : periods)
  );
};
