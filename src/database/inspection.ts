/** What a database holds: nothing, our schema, that of the reference mirror node, or something else. Reads only. */
import type { Queryable } from './connection.ts';
import { tables } from './table.ts';

/**
 * - `empty`: no tables; `migrate` makes the schema.
 * - `kagami`: made or adopted by this or an older Kagami.
 * - `newer-kagami`: migrated by a newer Kagami than this.
 * - `reference`: made by the reference mirror node (`flyway_schema_history`), not adopted: served read-only as it stands.
 * - `foreign`: other tables.
 */
export type DatabaseState = 'empty' | 'kagami' | 'newer-kagami' | 'reference' | 'foreign';

interface Findings {
  readonly has_kagami: boolean;
  readonly has_flyway: boolean;
  readonly has_tables: boolean;
}

const findingsQuery = `
select
  to_regclass('kagami.schema_migration') is not null as has_kagami,
  to_regclass(quote_ident($1) || '.flyway_schema_history') is not null as has_flyway,
  exists (
    select from pg_class c
    where c.relnamespace = to_regnamespace(quote_ident($1))
      and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  ) as has_tables`;

/**
 * @param schema schema of the ledger tables
 * @param newestKnown number of the newest migration that this Kagami has
 */
export const inspectDatabase = async (
  database: Queryable,
  schema: string,
  newestKnown: number,
): Promise<DatabaseState> => {
  const [findings] = await database.query<Findings>(findingsQuery, [schema]);
  if (findings?.has_kagami) {
    const [last] = await database.query<{ version: number | null }>(
      'select max(version) as version from kagami.schema_migration',
    );
    return (last?.version ?? 0) > newestKnown ? 'newer-kagami' : 'kagami';
  }
  if (findings?.has_flyway) return 'reference';
  return findings?.has_tables ? 'foreign' : 'empty';
};

interface ColumnFinding {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/**
 * Tables and columns that Kagami needs and that the schema lacks or has with another type, one text for each
 * (`nft.metadata: missing`). Empty when everything fits; more than Kagami needs does not hurt.
 */
export const schemaDifferences = async (database: Queryable, schema: string): Promise<string[]> => {
  const found = await database.query<ColumnFinding>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = to_regnamespace(quote_ident($1)) and c.relkind in ('r', 'p')`,
    [schema],
  );
  const types = new Map(found.map(({ table, column, type }) => [`${table}.${column}`, type]));
  const present = new Set(found.map(({ table }) => table));
  const differences: string[] = [];
  for (const { name, columns } of Object.values(tables)) {
    if (!present.has(name)) {
      differences.push(`${name}: missing`);
      continue;
    }
    for (const [column, { type }] of Object.entries(columns)) {
      const actual = types.get(`${name}.${column}`)?.replace(/^.*\./, '');
      if (actual === undefined) differences.push(`${name}.${column}: missing`);
      else if (actual !== type) differences.push(`${name}.${column}: ${actual} instead of ${type}`);
    }
  }
  return differences;
};
