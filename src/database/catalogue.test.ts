import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enums } from './column.ts';
import { schemaDifferences } from './inspection.ts';
import { type TableName, tableNamed, tableNames } from './table.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

interface ReferenceTable {
  readonly columns: readonly { name: string; type: string; nullable: boolean; default?: string | null }[];
  readonly primaryKey: readonly string[] | null;
  readonly indexes?: readonly { name: string; definition: string }[];
  readonly options?: readonly string[];
  readonly partitioning?: { readonly key: string; readonly partitions: readonly { name: string; bound: string }[] };
}

interface Reference {
  readonly tables: Readonly<Record<string, ReferenceTable>>;
  readonly enums: Readonly<Record<string, readonly string[]>>;
  readonly domains: Readonly<Record<string, { readonly base: string }>>;
  readonly functions: readonly {
    name: string;
    kind: string;
    arguments: string;
    result: string | null;
    language: string;
  }[];
  readonly extensions: readonly string[];
}

const referencePath = join(import.meta.dirname, '../../../shared/reference/database-schema.json');
const reference: Reference | undefined = existsSync(referencePath)
  ? JSON.parse(readFileSync(referencePath, 'utf8'))
  : undefined;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const columnsQuery = `
select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
       pg_get_expr(d.adbin, d.adrelid) as default
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
order by c.relname, a.attnum`;

const indexesQuery = `
select t.relname as table, i.relname as name, pg_get_indexdef(i.oid) as definition
from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
where t.relnamespace = 'public'::regnamespace and not t.relispartition
order by i.relname`;

const keysQuery = `
select c.relname as table, array_agg(a.attname::text order by k.position) as columns
from pg_constraint p
join pg_class c on c.oid = p.conrelid and not c.relispartition
cross join unnest(p.conkey) with ordinality as k(number, position)
join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
where p.contype = 'p' and c.relnamespace = 'public'::regnamespace
group by c.relname`;

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly default: string | null;
}

const columnsByTable = async (): Promise<Map<string, Omit<ColumnRow, 'table'>[]>> => {
  const found = new Map<string, Omit<ColumnRow, 'table'>[]>();
  for (const { table, ...column } of await test.database.query<ColumnRow>(columnsQuery)) {
    found.set(table, [...(found.get(table) ?? []), column]);
  }
  return found;
};

const primaryKeys = async (): Promise<Map<string, string[]>> =>
  new Map(
    (await test.database.query<{ table: string; columns: string[] }>(keysQuery)).map((row) => [row.table, row.columns]),
  );

describe('the table descriptions and the migrated schema', () => {
  it('agree in tables, columns, types, nullability, defaults and keys', async () => {
    const [columns, keys] = [await columnsByTable(), await primaryKeys()];
    expect([...columns.keys()].sort()).toEqual([...tableNames].sort());
    for (const name of tableNames) {
      const table = tableNamed(name);
      const described = Object.entries(table.columns).map(([column, description]) => ({
        name: column,
        type: description.type,
        nullable: description.nullable,
        default: description.default,
      }));
      expect(columns.get(name), name).toEqual(described);
      expect(keys.get(name) ?? [], name).toEqual(table.primaryKey);
    }
    expect(await schemaDifferences(test.database, 'public')).toEqual([]);
  });

  it('agree in enumerations', async () => {
    const rows = await test.database.query<{ name: string; labels: string[] }>(
      `select t.typname as name, array_agg(e.enumlabel::text order by e.enumsortorder) as labels
       from pg_enum e join pg_type t on t.oid = e.enumtypid group by t.typname`,
    );
    expect(Object.fromEntries(rows.map(({ name, labels }) => [name, labels]))).toEqual(enums);
  });
});

describe.skipIf(reference === undefined)('the migrated schema and the reference', () => {
  const expected = reference as Reference;

  it('have the same tables, columns, types, nullability and defaults', async () => {
    const columns = await columnsByTable();
    const theirs = Object.entries(expected.tables).map(([table, description]): [string, object[]] => [
      table,
      description.columns.map((column) => ({ ...column, default: column.default ?? null })),
    ]);
    expect(Object.fromEntries(columns)).toEqual(Object.fromEntries(theirs));
  });

  it('have the same primary keys', async () => {
    const theirs = Object.entries(expected.tables).flatMap(([table, { primaryKey }]): [string, readonly string[]][] =>
      primaryKey === null ? [] : [[table, primaryKey]],
    );
    expect(Object.fromEntries(await primaryKeys())).toEqual(Object.fromEntries(theirs));
  });

  it('have the same indexes, and those of lists whose rows are few among many', async () => {
    const ours = await test.database.query<{ name: string; definition: string }>(indexesQuery);
    const theirs = Object.values(expected.tables).flatMap(({ indexes }) => indexes ?? []);
    const isAdded = ({ name }: { readonly name: string }) => !theirs.some((index) => index.name === name);
    expect(
      ours
        .filter(isAdded)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      'crypto_allowance__open',
      'entity__public_key_type_id',
      'entity_transaction__consensus_timestamp',
      'hook_storage__present',
      'hook_storage_change__consensus_timestamp',
      'hook_storage_change__slot',
      'nft_allowance__open',
      'nft_allowance__open_spender',
      'schedule__creator_account_id_schedule_id',
      'token_account__associated',
      'token_account__associated_token',
      'token_airdrop__pending_receiver',
      'token_airdrop__pending_sender',
      'token_allowance__open',
    ]);
    const shared = ours.filter((index) => !isAdded(index));
    expect(Object.fromEntries(shared.map(({ name, definition }) => [name, definition]))).toEqual(
      Object.fromEntries(theirs.map(({ name, definition }) => [name, definition])),
    );
  });

  it('have the same enumerations, domains and extensions', async () => {
    expect(enums).toEqual(expected.enums);
    const domains = await test.database.query<{ name: string; base: string }>(
      `select typname as name, format_type(typbasetype, typtypmod) as base from pg_type
       where typtype = 'd' and typnamespace = 'public'::regnamespace`,
    );
    expect(Object.fromEntries(domains.map(({ name, base }) => [name, base]))).toEqual(
      Object.fromEntries(Object.entries(expected.domains).map(([name, { base }]) => [name, base])),
    );
    const extensions = await test.database.query<{ name: string }>('select extname as name from pg_extension');
    const names = extensions.map(({ name }) => name);
    const needed = expected.extensions.filter((name) => name !== 'pg_stat_statements');
    expect(names).toEqual(expect.arrayContaining(needed));
  });

  it('have the same partition keys, list partitions and storage parameters', async () => {
    const keys = await test.database.query<{ name: string; key: string }>(
      'select partrelid::regclass::text as name, pg_get_partkeydef(partrelid) as key from pg_partitioned_table',
    );
    const theirs = Object.entries(expected.tables).flatMap(([table, { partitioning }]): [string, string][] =>
      partitioning === undefined ? [] : [[table, partitioning.key]],
    );
    expect(Object.fromEntries(keys.map(({ name, key }) => [name, key]))).toEqual(Object.fromEntries(theirs));

    const hashes = await test.database.query<{ name: string; bound: string }>(
      `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
       from pg_inherits join pg_class c on c.oid = inhrelid
       where inhparent = 'transaction_hash'::regclass order by c.relname`,
    );
    const partitions = expected.tables.transaction_hash?.partitioning?.partitions ?? [];
    expect(hashes).toEqual(partitions.map(({ name, bound }) => ({ name, bound })));

    const options = await test.database.query<{ name: string; options: string[] }>(
      `select relname as name, reloptions as options from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' and not relispartition and reloptions is not null`,
    );
    // Ours alone: room for updates in place.
    const ours = { entity: ['fillfactor=80'], token_account: ['fillfactor=80'] };
    expect(Object.fromEntries(options.map((row) => [row.name, row.options]))).toEqual({
      ...ours,
      ...Object.fromEntries(
        Object.entries(expected.tables).flatMap(([table, description]): [string, readonly string[]][] =>
          description.options === undefined ? [] : [[table, description.options]],
        ),
      ),
    });
  });

  it('have the same functions and procedures', async () => {
    const rows = await test.database.query(
      `select p.proname as name, case p.prokind when 'p' then 'procedure' else 'function' end as kind,
              pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result, l.lanname as language
       from pg_proc p join pg_language l on l.oid = p.prolang
       where p.pronamespace = 'public'::regnamespace
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
       order by p.proname`,
    );
    expect(rows).toEqual(
      expected.functions.map(({ name, kind, arguments: taken, result, language }) => ({
        name,
        kind,
        arguments: taken,
        result: result ?? null,
        language,
      })),
    );
  });
});

describe('table descriptions', () => {
  it('name only columns of the table in the primary key', () => {
    for (const name of tableNames) {
      const { columns, primaryKey } = tableNamed(name as TableName);
      expect(Object.keys(columns)).toEqual(expect.arrayContaining([...primaryKey]));
    }
  });
});
