/**
 * The form in which the importer's tables are defined: one definition for each table says how its rows are written, how
 * versions of them combine, when they are old, and what they say about balances. The columns and their SQL types are
 * those of `database/tables`; a definition can only name columns that its table has, and has to say whatever those
 * columns make necessary.
 */
import type { RowOf, TableName } from '../../database/table.ts';
import { mergeRules } from '../state/merge-rules.ts';
import { type Combination, type Ranged, StagedTable } from '../state/staged-table.ts';
import type { Retention } from './retention.ts';

export type ColumnOf<T extends TableName> = keyof RowOf<T> & string;

/** Tables of superseded versions; they belong to the definition of the table whose versions they keep. */
export type HistoryTable = Extract<TableName, `${string}_history`>;

/** A table that has such a table says what retention does with it. */
type WithHistory<T extends TableName> = `${T}_history` extends TableName
  ? { readonly history: Retention }
  : { readonly history?: never };

/** Rows of a table with amounts move them from or to an account, which changes a balance, or they don't. */
export interface Movement<Column extends string = string> {
  readonly of: 'hbars' | 'tokens';
  readonly account: Column;
}

type WithAmounts<T extends TableName> =
  'amount' extends ColumnOf<T> ? { readonly moves: Movement<ColumnOf<T>> | 'nothing' } : { readonly moves?: never };

/** Balances of accounts: those of now, or those of a time, as balance files and snapshots have them. */
export interface Holding<Column extends string = string> {
  readonly of: 'hbars' | 'tokens';
  readonly at: 'now' | 'time';
  readonly account: Column;
}

type WithBalances<T extends TableName> =
  'balance' extends ColumnOf<T> ? { readonly holds: Holding<ColumnOf<T>> } : { readonly holds?: never };

interface Common<T extends TableName> {
  /** Of the table itself. */
  readonly retention: Retention<ColumnOf<T>>;
}

type Definition<T extends TableName> = Common<T> & WithHistory<T> & WithBalances<T>;

type InsertDefinition<T extends TableName> = Definition<T> & WithAmounts<T>;

interface MergeBehaviour<T extends TableName, Key extends ColumnOf<T>> {
  readonly key: readonly Key[];
  /** Columns that are set when the row is inserted and never changed afterwards. */
  readonly insertOnly?: readonly ColumnOf<T>[];
  /**
   * Columns that a change without timestamp range (a delta) may carry, with the SQL of the new value; `s` is the staged
   * row, `e` the existing one.
   */
  readonly deltas?: { readonly [C in ColumnOf<T>]?: string };
  /** Values that do not follow `coalesce(s.column, e.column, default)`. */
  readonly expressions?: { readonly [C in ColumnOf<T>]?: string };
  /** Versions that do not meet this SQL condition are dropped. */
  readonly condition?: string;
  /** How versions combine in memory, where the usual rules don't fit. Has to agree with the SQL. */
  readonly combination?: Partial<Combination<VersionOf<T, Key>>>;
}

type MergeDefinition<T extends TableName, Key extends ColumnOf<T>> = Definition<T> & MergeBehaviour<T, Key>;

/** What tells the rows of a table apart. */
export type KeyOf<T extends TableName, Key extends ColumnOf<T>> = { [K in Key]: RowOf<T>[K] };

/**
 * One version of a row as a handler gives it: the key, and the columns that it knows. An absent, undefined or null
 * column means "as it was", except where the table's definition says otherwise (fees of `custom_fee`, spenders of
 * `nft`, value of `contract_state`, statuses of a newly created association: there it means NULL).
 * A `timestamp_range` makes it a change that ends the version before; without one it is a delta that alters the current
 * version in place (balances, nonces, supply, allowances).
 */
export type VersionOf<T extends TableName, Key extends ColumnOf<T>> = KeyOf<T, Key> & {
  [K in Exclude<ColumnOf<T>, Key>]?: RowOf<T>[K] | null | undefined;
} & Ranged;

/** What all definitions have in common, for code that walks tables. */
export interface TableDefinition<T extends TableName = TableName> {
  readonly table: T;
  readonly retention: Retention;
  /** Of `<table>_history`, if there is such a table. */
  readonly history?: Retention | undefined;
  readonly moves?: Movement | 'nothing' | undefined;
  readonly holds?: Holding | undefined;
}

/** A table that only ever gets new rows, by COPY. */
export interface InsertedTable<T extends TableName = TableName, Grows extends boolean = boolean>
  extends TableDefinition<T> {
  readonly write: 'insert';
  /** Gets rows with every transaction: they are encoded as they come, and bulk imports defer the table's indexes. */
  readonly grows: Grows;
}

/** What the merge statements are made of. */
export interface MergeDescription {
  readonly key: readonly string[];
  /** Superseded versions go to `<table>_history`, with their timestamp range closed. */
  readonly keepsVersions: boolean;
  readonly insertOnly: readonly string[];
  readonly deltas?: Readonly<Record<string, string | undefined>> | undefined;
  readonly expressions?: Readonly<Record<string, string | undefined>> | undefined;
  readonly condition?: string | undefined;
}

/** A table whose rows have successive versions, by one merge statement for each batch. */
export interface MergedTable<T extends TableName, Key extends ColumnOf<T>>
  extends TableDefinition<T>,
    MergeDescription {
  readonly write: 'merge';
  readonly key: readonly Key[];
  /** What a batch stages of the table. */
  readonly stagedTable: () => StagedTable<KeyOf<T, Key>, VersionOf<T, Key>>;
}

/** A table that other work writes than that of a batch (balances, address books, stakes, jobs), or nobody. */
export interface SeparateTable<T extends TableName = TableName> extends TableDefinition<T> {
  readonly write: 'separate';
}

export const inserted = <const T extends TableName>(
  table: T,
  definition: InsertDefinition<T>,
): InsertedTable<T, false> => ({
  table,
  write: 'insert',
  grows: false,
  ...definition,
});

/** As `inserted`, for tables that grow with every transaction. */
export const growing = <const T extends TableName>(
  table: T,
  definition: InsertDefinition<T>,
): InsertedTable<T, true> => ({
  table,
  write: 'insert',
  grows: true,
  ...definition,
});

export const merged = <const T extends TableName, const Key extends ColumnOf<T>>(
  table: T,
  definition: MergeDefinition<T, Key>,
): MergedTable<T, Key> => {
  const { key, insertOnly = [], combination = {}, ...others } = definition;
  const keepsVersions = definition.history !== undefined;
  const rules = mergeRules<KeyOf<T, Key>, VersionOf<T, Key>>({ key, keepsVersions, insertOnly }, combination);
  return {
    table,
    write: 'merge',
    ...others,
    key,
    keepsVersions,
    insertOnly,
    stagedTable: () => new StagedTable(rules),
  };
};

export const separate = <const T extends TableName>(table: T, definition: InsertDefinition<T>): SeparateTable<T> => ({
  table,
  write: 'separate',
  ...definition,
});
