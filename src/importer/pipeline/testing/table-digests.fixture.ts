import type { Queryable } from '../../../database/connection.ts';

/** After which block a balance snapshot is taken depends on how fast an import goes. */
const snapshotTables: readonly unknown[] = ['account_balance', 'account_balance_file', 'token_balance'];

/** Number and digest of each ledger table's rows. When a block was loaded is no property of the ledger. */
export const tableDigests = async (database: Queryable): Promise<Record<string, string>> => {
  const tables = await database.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') " +
      'and not relispartition order by 1',
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    if (snapshotTables.includes(name)) continue;
    const [row] = await database.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(r, ',' order by r)), '') as digest
       from (select (to_jsonb(t) - 'load_start' - 'load_end')::text as r from ${name} t) rows`,
    );
    found[name] = row?.digest ?? '';
  }
  return found;
};
