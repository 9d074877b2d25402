/**
 * Retention: deletes what is older than a period, counted back from the newest block. It takes small steps in
 * transactions of their own, so that it never holds up the import: rows are deleted under row locks that nothing else
 * asks for, from the oldest on, and where the last pass ended is where the oldest rows are.
 */
import type { Database, DatabaseClient, Queryable } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { type RetainedTable, type RetentionPlan, type RetentionSettings, retentionPlan } from './retention-tables.ts';

/** What one transaction deleted. */
export interface Pruned {
  /** Everything up to here is gone from the tables in `rows`, or from the part of a table that was looked at. */
  readonly upTo: Nanos;
  /** Rows by table, without those that lost none. */
  readonly rows: ReadonlyMap<string, bigint>;
  /** Names of partitions that are gone. */
  readonly partitions: readonly string[];
}

export interface RetentionOptions {
  readonly database: Database;
  /** Only the writer deletes. */
  readonly lease: Pick<WriterLease, 'check'>;
  readonly settings: RetentionSettings;
  /** Ends a pass between two transactions. */
  readonly signal?: AbortSignal;
  readonly onPruned?: (pruned: Pruned) => void;
  /** For tests: transactions and pages of a table that one database transaction takes at most. */
  readonly bounds?: { readonly transactions: number; readonly pages: number };
}

/** A step of one or two seconds: transactions with all their rows, and pages of 8 KB that are read through. */
const BOUNDS = { transactions: 20_000, pages: 1_024 };
/** Most blocks that are looked at to find the end of a step. */
const BLOCKS_PER_STEP = 10_000;

const BEFORE_ALL: Nanos = -1n;
const NANOS_PER_MILLISECOND = 1_000_000n;
const NANOS_PER_DAY = 86_400_000_000_000n;
/** Balances of a time may come from a snapshot that is up to 31 days older. */
const BALANCE_REACH = 31n * NANOS_PER_DAY;
/** Dropping a partition locks its table for a moment, for which it does not keep others waiting in line. */
const DROP_LOCK_TIMEOUT = '500ms';

/**
 * One pass: deletes everything that is too old by now. The newest block always stays. A pass that ends early leaves the
 * rest to the next.
 * @throws KagamiError CONFIG_INVALID for unknown tables in the settings, WRITER_FENCED, and those of the database
 */
export const prune = async (options: RetentionOptions): Promise<void> => {
  const plan = retentionPlan(options.settings);
  const boundary = await lastInstantToPrune(options.database, options.settings.period);
  if (boundary === undefined) return;
  await pruneInSteps(options, plan, boundary);
  for (const table of plan.swept) await sweep(options, table, boundary);
  for (const table of plan.partitioned) await dropPartitions(options, table, boundary - BALANCE_REACH);
};

/** The last instant before the first block that is kept; undefined when there are no blocks. */
const lastInstantToPrune = async (database: Queryable, periodMs: number): Promise<Nanos | undefined> => {
  const period = BigInt(Math.max(periodMs, 1)) * NANOS_PER_MILLISECOND;
  const [kept] = await database.query<{ consensus_start: string }>(
    `select consensus_start from record_file
     where consensus_end > (select max(consensus_end) from record_file) - $1::bigint
     order by consensus_end limit 1`,
    [period],
  );
  return kept === undefined ? undefined : BigInt(kept.consensus_start) - 1n;
};

const pruneInSteps = async (options: RetentionOptions, plan: RetentionPlan, boundary: Nanos): Promise<void> => {
  const { database, settings, signal } = options;
  const longest = BigInt(settings.batchPeriod) * NANOS_PER_MILLISECOND;
  const oldest = oldestQuery(plan);
  let last: Nanos | undefined;
  while (!signal?.aborted && oldest !== undefined) {
    const [found] = await database.query<{ time: string | null }>(oldest, [last ?? BEFORE_ALL, boundary]);
    const start = found?.time ?? null;
    if (start === null) break;
    last = await stepEnd(options, BigInt(start), longest, boundary);
    await deleteOld(options, [...plan.timed, ...plan.ranged], last);
  }
  // Versions that end in times without transactions.
  if (last !== boundary && !signal?.aborted) await deleteOld(options, plan.ranged, boundary);
};

/** The oldest time after $1 and not after $2 in any table; each is found by the table's index. */
const oldestQuery = ({ timed }: RetentionPlan): string | undefined =>
  timed.length === 0
    ? undefined
    : `select least(${timed
        .map(
          ({ name, column }) =>
            `(select min(${column}) from ${name} where ${column} > $1::bigint and ${column} <= $2::bigint)`,
        )
        .join(', ')}) as time`;

interface StepBlocks {
  readonly within: string | null;
  readonly first_start: string | null;
  readonly first_end: string | null;
}

/** Where a step ends: with a block, or in a time without blocks, so that a block goes whole. */
const stepEnd = async (
  { database, bounds = BOUNDS }: RetentionOptions,
  start: Nanos,
  longest: Nanos,
  boundary: Nanos,
): Promise<Nanos> => {
  const limit = start + longest < boundary ? start + longest : boundary;
  const [blocks] = await database.query<StepBlocks>(
    `with block as (
       select consensus_start, consensus_end, sum(count) over (order by consensus_end) as transactions
       from record_file where consensus_end >= $1::bigint and consensus_end <= $2::bigint
       order by consensus_end limit ${BLOCKS_PER_STEP}
     )
     select
       max(consensus_end) filter (where consensus_end <= $3::bigint and transactions <= $4) as within,
       min(consensus_start) as first_start,
       min(consensus_end) as first_end
     from block`,
    [start, boundary, limit, bounds.transactions],
  );
  const { within = null, first_start = null, first_end = null } = blocks ?? {};
  if (first_start === null || first_end === null || BigInt(first_start) > limit) return limit;
  return BigInt(within ?? first_end);
};

const deleteOld = (options: RetentionOptions, tables: readonly RetainedTable[], upTo: Nanos): Promise<void> =>
  inTransaction(options, upTo, async (client, rows) => {
    for (const { name, isOld } of tables) {
      const count = await deletedRows(client, `delete from ${name} where ${isOld}`, [upTo]);
      if (count > 0n) rows.set(name, count);
    }
    return [];
  });

/** Reads a table through and deletes what is old, some pages at a time. */
const sweep = async (options: RetentionOptions, { name, isOld }: RetainedTable, upTo: Nanos): Promise<void> => {
  const { database, signal, bounds = BOUNDS } = options;
  const [size] = await database.query<{ pages: string }>(
    `select pg_relation_size($1::regclass) / current_setting('block_size')::bigint as pages`,
    [name],
  );
  const pages = Number(size?.pages ?? 0);
  for (let page = 0; page < pages && !signal?.aborted; page += bounds.pages) {
    const here = `ctid >= '(${page},0)'::tid and ctid < '(${page + bounds.pages},0)'::tid and ${isOld}`;
    const [seen] = await database.query<{ some: boolean }>(
      `select exists (select from ${name} where ${here}) as some`,
      [upTo],
    );
    if (seen?.some !== true) continue;
    await inTransaction(options, upTo, async (client, rows) => {
      rows.set(name, await deletedRows(client, `delete from ${name} where ${here}`, [upTo]));
      return [];
    });
  }
};

const dropPartitions = async (options: RetentionOptions, table: string, upTo: Nanos): Promise<void> => {
  const partitions = await options.database.query<{ name: string }>(
    `select quote_ident(name) as name from mirror_node_time_partitions
     where parent = $1 and to_timestamp <= $2::bigint order by from_timestamp`,
    [table, upTo + 1n],
  );
  for (const { name } of partitions) {
    if (options.signal?.aborted) return;
    await inTransaction(options, upTo, async (client) => {
      await client.query(`set local lock_timeout = '${DROP_LOCK_TIMEOUT}'`);
      await client.query(`drop table ${name}`);
      return [name];
    });
  }
};

/** One transaction of the writer, told about when it is committed and took something away. */
const inTransaction = async (
  { database, lease, onPruned }: RetentionOptions,
  upTo: Nanos,
  work: (client: DatabaseClient, rows: Map<string, bigint>) => Promise<readonly string[]>,
): Promise<void> => {
  const rows = new Map<string, bigint>();
  const partitions = await database.transaction(async (client) => {
    await lease.check(client);
    return work(client, rows);
  });
  if (rows.size > 0 || partitions.length > 0) onPruned?.({ upTo, rows, partitions });
};

const deletedRows = async (client: Queryable, statement: string, values: readonly unknown[]): Promise<bigint> => {
  const [gone] = await client.query<{ count: string }>(
    `with gone as (${statement} returning 1) select count(*) as count from gone`,
    values,
  );
  return BigInt(gone?.count ?? 0);
};
