import { formatTimestamp, NANOS_PER_SECOND } from '../../ledger/timestamp.ts';

const nanosPerDay = 86_400n * NANOS_PER_SECOND;

/** A staking period, kept as the last nanosecond before it, as JSON: from the next nanosecond to a day later. */
export const stakingPeriodJson = (digits: string): string => {
  const from = BigInt(digits) + 1n;
  return `{"from":"${formatTimestamp(from)}","to":"${formatTimestamp(from + nanosPerDay)}"}`;
};
