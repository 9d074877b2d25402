/**
 * Balance snapshots. The first of a month holds every account; each later one only what has changed since the one before,
 * and always the treasury, whose row marks that there is a snapshot.
 */
import { type Bounds, conjunction, type Interval } from '../../api/bounds.ts';
import { MAX_INT8 } from '../../api/parameter-checks.ts';
import type { RouteContext } from '../../api/route.ts';
import { intervalConditions, type StatementBuilder, statementBuilder, statementName } from '../../api/sql.ts';
import { type Nanos, startOfMonth } from '../../ledger/timestamp.ts';
import { treasuryOf } from '../accounts/account-filters.ts';

export interface BalanceSnapshot {
  readonly timestamp: Nanos;
}

/** Timestamp filters where an equality asks for the state as of that time. Undefined when they exclude each other. */
export const asOfInterval = (timestamps: Bounds): Interval | undefined => {
  const upper = [timestamps.upper, ...timestamps.equal].reduce<Nanos | null>(
    (least, value) => (value !== null && (least === null || value < least) ? value : least),
    null,
  );
  return conjunction({ ...timestamps, upper, equal: [] });
};

/**
 * Whole months as literals, so that the plan of a prepared statement touches their partitions alone: with parameters it
 * would carry the partitions of all months along.
 */
const monthConditions = (from: Nanos, until: Nanos | null): string[] => [
  `consensus_timestamp >= ${from}`,
  ...(until === null || until > MAX_INT8 ? [] : [`consensus_timestamp < ${until}`]),
];

/** Conditions on the rows of `account_balance` and `token_balance` that may still hold at a snapshot. */
export const snapshotConditions = (builder: StatementBuilder, { timestamp }: BalanceSnapshot): string =>
  [
    ...monthConditions(startOfMonth(timestamp, 0), startOfMonth(timestamp, -1)),
    `consensus_timestamp <= ${builder.bind(timestamp)}::bigint`,
  ].join(' and ');

/**
 * The newest snapshot in the interval, searched from the start of the month before the interval's end, or before now if
 * that is earlier.
 */
export const findBalanceSnapshot = async (
  interval: Interval,
  context: RouteContext,
): Promise<BalanceSnapshot | undefined> => {
  const now = context.clock();
  const end = interval.upper === null || interval.upper > now ? now : interval.upper;
  const builder = statementBuilder();
  const conditions = [
    `account_id = ${builder.bind(treasuryOf(context))}::bigint`,
    ...monthConditions(startOfMonth(end, 1), interval.upper === null ? null : startOfMonth(interval.upper, -1)),
    ...intervalConditions(builder, 'consensus_timestamp', interval),
  ];
  const text = `select consensus_timestamp from account_balance where ${conditions.join(' and ')}
    order by consensus_timestamp desc limit 1`;
  const [row] = await context.db.query<{ readonly consensus_timestamp: string }>(
    text,
    builder.values,
    statementName(text),
  );
  return row === undefined ? undefined : { timestamp: BigInt(row.consensus_timestamp) };
};
