/** The moment whose state is read, and the SQL that all reads of a past moment share. */

import type { Queryable } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { startOfMonth } from '../../ledger/timestamp.ts';

/** A balance snapshot: `account_balance` and `token_balance` hold what had changed by this consensus time. */
export type SnapshotTime = bigint;

/** The newest committed state. */
export interface Latest {
  readonly db: Queryable;
  readonly at?: undefined;
}

/** The state after everything up to a consensus time. */
export interface Past {
  readonly db: Queryable;
  /** Nanoseconds, inclusive. */
  readonly at: bigint;
  /** The newest snapshot up to `at` that is young enough to count from; asked for once. */
  readonly snapshot: () => Promise<SnapshotTime | undefined>;
}

export type Moment = Latest | Past;

/** How old a snapshot, or within one the row of an account, may be. */
const LOOK_BACK = 2_678_400_000_000_000n;

/** Snapshots of one month are one partition. Literals, since a plan for parameters carries all partitions along. */
const monthsBetween = (from: bigint, until: bigint): string =>
  `consensus_timestamp >= ${startOfMonth(from, 0)} and consensus_timestamp < ${startOfMonth(until, -1)}`;

/**
 * The newest snapshot up to a time, by the row that each one has of the treasury.
 * @param at nanoseconds
 */
export const findSnapshot = async (
  db: Queryable,
  treasuryId: EntityId,
  at: bigint,
): Promise<SnapshotTime | undefined> => {
  const from = at - LOOK_BACK;
  const [row] = await db.query<{ readonly consensus_timestamp: string }>(
    `select consensus_timestamp from account_balance
     where account_id = $1 and consensus_timestamp > $2 and consensus_timestamp <= $3 and ${monthsBetween(from, at)}
     order by consensus_timestamp desc limit 1`,
    [treasuryId, from, at],
  );
  return row === undefined ? undefined : BigInt(row.consensus_timestamp);
};

/**
 * Condition on rows of `account_balance` and `token_balance` that may still hold at the snapshot: those of earlier
 * snapshots too, since a snapshot leaves out what has not changed. Without a snapshot there are none.
 * @param time expression for the snapshot's time
 */
export const withinSnapshot = (snapshot: SnapshotTime | undefined, time: string): string =>
  snapshot === undefined
    ? 'false'
    : `consensus_timestamp > ${time} - ${LOOK_BACK} and consensus_timestamp <= ${time} and ` +
      monthsBetween(snapshot - LOOK_BACK, snapshot);

/**
 * A subquery with the version of a row that held at a time.
 * @param table its current rows; `<table>_history` holds the earlier ones
 * @param condition on the key
 * @param at expression for the time
 */
export const versionAt = (table: string, columns: string, condition: string, at: string): string =>
  `(select * from (
      (select ${columns}, timestamp_range from ${table} where ${condition} and lower(timestamp_range) <= ${at})
      union all
      (select ${columns}, timestamp_range from ${table}_history where ${condition} and lower(timestamp_range) <= ${at}
        order by lower(timestamp_range) desc limit 1)
    ) versions order by lower(timestamp_range) desc limit 1)`;
