/** Filling tables with rows that SQL makes, as fast as the server can. */
import type { Database } from '../src/database/connection.ts';

/**
 * Indexes are dropped while the tables are filled, and built again over all rows at once; then everything is analyzed.
 * @param fillings statements, run in order
 */
export const fillTables = async (
  database: Database,
  tables: readonly string[],
  fillings: readonly string[],
): Promise<void> => {
  await database.withClient(async (client) => {
    await client.query("set synchronous_commit = off; set work_mem = '64MB'; set maintenance_work_mem = '512MB'");
    const indexes = await client.query<{ name: string; definition: string }>(
      `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i join pg_class t on t.oid = i.indrelid
       where t.relname = any ($1) and t.relnamespace = 'public'::regnamespace and not i.indisprimary and not t.relispartition`,
      [tables],
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    for (const filling of fillings) {
      try {
        await client.query(filling);
      } catch (error) {
        throw new Error(`cannot fill: ${filling.slice(0, 200)}`, { cause: error });
      }
    }
    for (const { definition } of indexes) await client.query(definition);
    await client.query('vacuum (analyze)');
  });
};
