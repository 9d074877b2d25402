/**
 * Secondary indexes of the large ledger tables, taken away while history is loaded in bulk and built at its end: building
 * an index once is several times cheaper than adding to it row by row. `kagami.deferred_index` remembers what is missing,
 * in the same transactions that take indexes away and put them back, so that a kill at any point leaves nothing behind
 * that the next importer would not mend. Primary keys stay: they order the ledger, and new rows only ever go to their end.
 */
import type { Database, DatabaseClient } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import { growingTables } from '../tables/registry.ts';

/**
 * Those of growing tables, none of which the importer itself reads by. Partitions stand behind their table, so that an
 * index of a partition comes after the one it is a part of.
 */
const SECONDARY_INDEXES = `
with recursive tables as (
  select c.oid, 0 as depth from pg_class c
    where c.relname = any($1) and c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
  union all
  select i.inhrelid, depth + 1 from tables t join pg_inherits i on i.inhparent = t.oid
)
select ic.relname as index_name, tc.relname as table_name, pc.relname as parent_index,
       pg_get_indexdef(x.indexrelid) as definition
from tables t
join pg_index x on x.indrelid = t.oid and not x.indisprimary and not x.indisunique
join pg_class ic on ic.oid = x.indexrelid and ic.relam = any (select oid from pg_am where amname in ('btree', 'hash'))
join pg_class tc on tc.oid = x.indrelid
left join pg_inherits h on h.inhrelid = x.indexrelid
left join pg_class pc on pc.oid = h.inhparent
order by t.depth, tc.relname, ic.relname`;

/**
 * More memory for the sort than usual makes few runs of it. A server that keeps the least log (wal_level minimal) would
 * write small new indexes into it page by page, compressed, which takes ten times as long as building them; 0 makes it
 * flush their files instead. Indexes are built side by side already: parallel workers of each would only cost their start.
 */
const BUILD_SETTINGS = `
set local maintenance_work_mem = '256MB';
set local wal_skip_threshold = 0;
set local max_parallel_maintenance_workers = 0`;

/** Indexes that are built at once, each on a connection of its own; building one never locks out another. */
const BUILDERS = 2;

interface DeferredIndex {
  readonly index_name: string;
  readonly table_name: string;
  readonly parent_index: string | null;
  readonly definition: string;
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Takes the indexes away. What an earlier bulk import took away stays noted. */
export const deferIndexes = (database: Database, lease: WriterLease): Promise<void> =>
  database.transaction(async (client) => {
    await lease.check(client);
    const indexes = await client.query<DeferredIndex>(SECONDARY_INDEXES, [growingTables]);
    for (const { index_name, table_name, parent_index, definition } of indexes) {
      await client.query(
        'insert into kagami.deferred_index (index_name, table_name, parent_index, definition) values ($1, $2, $3, $4)',
        [index_name, table_name, parent_index, definition],
      );
    }
    // Those of partitions go with the index that they are a part of.
    for (const { index_name, parent_index } of indexes) {
      if (parent_index === null) await client.query(`drop index ${quote(index_name)}`);
    }
  });

export interface IndexProgress {
  readonly index: string;
  readonly table: string;
  readonly done: number;
  readonly total: number;
}

export interface RestoreOptions {
  readonly onProgress?: (progress: IndexProgress) => void;
  /** Ends after the index that is being built. */
  readonly signal?: AbortSignal;
}

/** Builds every index that is missing on purpose, each in a transaction of its own. Readers go on meanwhile. */
export const restoreIndexes = async (
  database: Database,
  lease: WriterLease,
  { onProgress, signal }: RestoreOptions = {},
): Promise<void> => {
  const missing = await database.query<DeferredIndex>(
    'select index_name, table_name, parent_index, definition from kagami.deferred_index ' +
      'order by parent_index is not null, table_name, index_name',
  );
  const total = missing.length;
  const parents = missing.filter((index) => index.parent_index === null);
  // Those of partitions become parts of what is built before them.
  const partitions = missing.filter((index) => index.parent_index !== null);
  let done = 0;
  let failed = false;
  const buildAll = async (queue: Iterator<DeferredIndex>): Promise<void> => {
    for (let next = queue.next(); !next.done && !signal?.aborted && !failed; next = queue.next()) {
      const index = next.value;
      onProgress?.({ index: index.index_name, table: index.table_name, done: done++, total });
      await database
        .transaction(async (client) => {
          await lease.check(client);
          await build(client, index);
        })
        .catch((fault) => {
          failed = true;
          throw fault;
        });
    }
  };
  for (const stage of [parents, partitions]) {
    const queue = stage.values();
    const builders = await Promise.allSettled(Array.from({ length: BUILDERS }, () => buildAll(queue)));
    for (const builder of builders) if (builder.status === 'rejected') throw builder.reason;
  }
};

const build = async (client: DatabaseClient, index: DeferredIndex): Promise<void> => {
  await client.query(BUILD_SETTINGS);
  await client.query(index.definition);
  if (index.parent_index !== null) {
    await client.query(`alter index ${quote(index.parent_index)} attach partition ${quote(index.index_name)}`);
  }
  await client.query('delete from kagami.deferred_index where index_name = $1', [index.index_name]);
};
