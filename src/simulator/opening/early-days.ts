import type { BlockPlan } from '../ledger-plan.ts';
import { IDLE_SINCE_FOUNDING_NANOS } from '../simulator-defaults.ts';

/** Days between founding and activity on which the network does a little, so that staking periods end and rewards come. */
export const EARLY_DAYS = 3;
const NANOS_PER_DAY = 86_400_000_000_000n;
const EARLY_TRANSACTIONS = 24;

/**
 * Plans of the blocks that stand between the founding block and activity that starts at `activityStart`, one a day.
 * `newest` is the number of the newest block there is.
 */
export const earlyDays = (activityStart: bigint, interval: bigint, newest: bigint): BlockPlan[] => {
  const genesis = activityStart - IDLE_SINCE_FOUNDING_NANOS;
  const plans: BlockPlan[] = [];
  for (let day = newest < 1n ? 1n : newest; day <= BigInt(EARLY_DAYS); day++) {
    plans.push({ start: genesis + day * NANOS_PER_DAY, interval, transactions: EARLY_TRANSACTIONS });
  }
  return plans;
};
