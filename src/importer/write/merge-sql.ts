/**
 * The statements that bring staged versions into their tables, generated from the tables' definitions. The staged rows
 * are parameters, one array for each column. Every statement joins by key alone; all values come from the row as it was
 * before the statement (`e`) and the staged row (`s`).
 */
import type { Column } from '../../database/column.ts';
import { tableNamed } from '../../database/table.ts';
import type { MergeDescription } from '../tables/definition.ts';
import { importerTables, type UpsertTable, upsertTables } from '../tables/registry.ts';
import { elementCast, parameterType } from './array-parameters.ts';

export interface StagedSql {
  /** The columns in the order of the statement's array parameters. */
  readonly columns: readonly string[];
  readonly text: string;
}

const quote = (name: string): string => `"${name}"`;

const onKey = (key: readonly string[]): string =>
  key.map((column) => `e.${quote(column)} = s.${quote(column)}`).join(' and ');

const listOf = (columns: readonly string[]): string => columns.map(quote).join(', ');

/** The value of one column when a staged row meets the existing one, if any. */
const mergedValue = (name: string, column: Column, description: MergeDescription): string => {
  const own = description.expressions?.[name];
  if (own !== undefined) return own;
  if (description.key.includes(name) || name === 'timestamp_range') return `s.${quote(name)}`;
  if (description.insertOnly.includes(name)) {
    const [first] = description.key as readonly [string, ...string[]];
    const inserted = column.default === null ? `s.${quote(name)}` : `coalesce(s.${quote(name)}, ${column.default})`;
    return `case when e.${quote(first)} is null then ${inserted} else e.${quote(name)} end`;
  }
  const given = [`s.${quote(name)}`, `e.${quote(name)}`];
  if (column.default !== null) given.push(column.default);
  return `coalesce(${given.join(', ')})`;
};

/** `unnest(...) as s (...)` over the parameters. */
const parameters = (columns: readonly string[], described: Readonly<Record<string, Column>>): string => {
  const arrays = columns.map((name, index) => `$${index + 1}::${parameterType(described[name] as Column)}`);
  return `unnest(${arrays.join(', ')}) as s (${listOf(columns)})`;
};

/** Brings versions into the table, and what they supersede into its history. */
const buildMerge = (table: UpsertTable): StagedSql => {
  const description: MergeDescription = importerTables[table];
  const { key, insertOnly, keepsVersions, condition } = description;
  const described = tableNamed(table).columns;
  const columns = Object.keys(described);
  const values = columns
    .map((name) => `${mergedValue(name, described[name] as Column, description)} as ${quote(name)}`)
    .join(', ');
  const merged = `from staged s left join ${table} e on ${onKey(key)}`;
  const where = (...conditions: readonly (string | undefined)[]): string => {
    const given = conditions.filter((one) => one !== undefined);
    return given.length === 0 ? '' : ` where ${given.join(' and ')}`;
  };
  const assignments = columns
    .filter((name) => !key.includes(name) && !insertOnly.includes(name))
    .map((name) => `${quote(name)} = excluded.${quote(name)}`)
    .join(', ');
  const isOpen = keepsVersions ? 'upper_inf(s.timestamp_range)' : undefined;
  const upsert =
    `insert into ${table} (${listOf(columns)}) select ${values} ${merged}${where(isOpen, condition)} ` +
    `on conflict (${listOf(key)}) do update set ${assignments}`;

  const existing = columns
    .map((name) =>
      name === 'timestamp_range' ? 'int8range(lower(e.timestamp_range), s.first_change)' : `e.${quote(name)}`,
    )
    .join(', ');
  const superseded =
    `insert into ${table}_history (${listOf(columns)}) ` +
    `select ${existing} from (select ${listOf(key)}, min(lower(timestamp_range)) as first_change from staged ` +
    `group by ${listOf(key)}) s join ${table} e on ${onKey(key)} where e.timestamp_range is not null ` +
    `union all select ${values} ${merged}${where('not upper_inf(s.timestamp_range)', condition)}`;

  const casts = columns.map((name) => `s.${quote(name)}${elementCast(described[name] as Column)}`).join(', ');
  const staged = `staged (${listOf(columns)}) as materialized (select ${casts} from ${parameters(columns, described)})`;
  return { columns, text: `with ${staged}${keepsVersions ? `, superseded as (${superseded})` : ''} ${upsert}` };
};

/** Applies deltas to the rows that exist; others are dropped. */
const buildDelta = (table: UpsertTable): StagedSql | undefined => {
  const { key, deltas }: MergeDescription = importerTables[table];
  if (deltas === undefined) return undefined;
  const columns = [...key, ...Object.keys(deltas)];
  const assignments = Object.entries(deltas).map(([column, value]) => `${quote(column)} = ${value}`);
  const described = tableNamed(table).columns;
  return {
    columns,
    text: `update ${table} e set ${assignments.join(', ')} from ${parameters(columns, described)} where ${onKey(key)}`,
  };
};

export const mergeSql = Object.fromEntries(upsertTables.map((table) => [table, buildMerge(table)])) as Readonly<
  Record<UpsertTable, StagedSql>
>;

export const deltaSql = Object.fromEntries(upsertTables.map((table) => [table, buildDelta(table)])) as Readonly<
  Record<UpsertTable, StagedSql | undefined>
>;
