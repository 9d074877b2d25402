/** When rows of a table are old, and how they are found; `maintenance/` deletes them. */

/**
 * What retention does with a table.
 * - `kept`: nothing is deleted, however old it is.
 * - `timed`: an index begins with `column`, the time of the row, so that tables are emptied step by step, all at once.
 * - `ranged`: emptied with each step as well; rows have indexed ranges of time, or few of them are old.
 * - `swept`: no index leads to old rows; the table is read through, once for each pass over the database.
 * - `partitioned`: loses whole monthly partitions, and only where settings ask for it.
 */
export type Retention<Column extends string = string> =
  | { readonly kind: 'kept' }
  | { readonly kind: 'timed'; readonly column: Column; readonly isOld: string }
  | { readonly kind: 'ranged' | 'swept'; readonly isOld: string }
  | { readonly kind: 'partitioned' };

/** State that holds, and what it is computed or proven from. */
export const kept = { kind: 'kept' } as const;

export const partitioned = { kind: 'partitioned' } as const;

const isOldBy = (column: string): string => `${column} <= $1::bigint`;

/** Rows with the index that leads to them by `column`, a time in nanoseconds. */
export const timedBy = <const Column extends string>(
  column: Column,
): { readonly kind: 'timed'; readonly column: Column; readonly isOld: string } => ({
  kind: 'timed',
  column,
  isOld: isOldBy(column),
});

/** Rows of a time that no index leads to. */
export const sweptByTime = { kind: 'swept', isOld: isOldBy('consensus_timestamp') } as const;

/** Lookups whose messages are all old. */
export const sweptByRange = { kind: 'swept', isOld: 'upper(timestamp_range) <= $1::bigint + 1' } as const;

const VERSION_IS_OLD = 'timestamp_range << int8range($1::bigint + 1, null)';

/** Superseded versions, where a GiST index begins with their range, and where none does. */
export const rangedVersions = { kind: 'ranged', isOld: VERSION_IS_OLD } as const;
export const sweptVersions = { kind: 'swept', isOld: VERSION_IS_OLD } as const;

/** Rewards look back over 365 staking periods, however short the past is that is kept. */
const NEEDED_PERIODS = 366;

const beyondNeeded = (period: string): string =>
  `${period} <= (select max(epoch_day) from node_stake) - ${NEEDED_PERIODS}`;

/** Stakes of a time, and of versions, that no reward is computed from any more. */
export const stakes = {
  kind: 'ranged',
  isOld: `${isOldBy('consensus_timestamp')} and ${beyondNeeded('epoch_day')}`,
} as const;
export const stakeVersions = {
  kind: 'ranged',
  isOld: `${VERSION_IS_OLD} and ${beyondNeeded('end_stake_period')}`,
} as const;
