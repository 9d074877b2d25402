/**
 * All tables of the ledger, each by its definition. From these follow what a batch collects and in which order it is
 * written, the merge statements, whose indexes a bulk import defers, what retention deletes and what balances are
 * reconciled from. A table of `database/table.ts` that is not defined here does not compile.
 */
import type { RowOf, TableName } from '../../database/table.ts';
import type { StagedTable } from '../state/staged-table.ts';
import { allowanceTables } from './allowance.ts';
import { balanceTables } from './balance.ts';
import { blockTables } from './block.ts';
import { contractTables } from './contract.ts';
import type { ColumnOf, HistoryTable, KeyOf, TableDefinition, VersionOf } from './definition.ts';
import { entityTables } from './entity.ts';
import { hookTables } from './hook.ts';
import { networkTables } from './network.ts';
import { tokenTables } from './token.ts';
import { topicTables } from './topic.ts';
import { transactionTables } from './transaction.ts';

/** In the order of writing. */
export const importerTables = {
  ...entityTables,
  ...allowanceTables,
  ...contractTables,
  ...hookTables,
  ...networkTables,
  ...topicTables,
  ...tokenTables,
  ...balanceTables,
  ...blockTables,
  ...transactionTables,
} satisfies { readonly [T in Exclude<TableName, HistoryTable>]: TableDefinition<T> };

type ImporterTables = typeof importerTables;
export type ImporterTable = keyof ImporterTables;

type Written<Write extends string> = {
  [T in ImporterTable]: ImporterTables[T] extends { readonly write: Write } ? T : never;
}[ImporterTable];

/** Tables that only ever get new rows. */
export type InsertTable = Written<'insert'>;

/** Those of them that grow with every transaction. */
export type GrowingTable = {
  [T in InsertTable]: ImporterTables[T] extends { readonly grows: true } ? T : never;
}[InsertTable];

/** Tables whose rows have successive versions. */
export type UpsertTable = Written<'merge'>;

type KeyColumn<T extends UpsertTable> = ImporterTables[T]['key'][number] & ColumnOf<T>;

/** The key of a merged table's row. */
export type StagedKey<T extends UpsertTable> = KeyOf<T, KeyColumn<T>>;

/** A version of a merged table's row; see `VersionOf`. */
export type StagedVersion<T extends UpsertTable> = VersionOf<T, KeyColumn<T>>;

/** What a batch stages, table by table. */
export type StagedTables = { [T in UpsertTable]: StagedTable<StagedKey<T>, StagedVersion<T>> };

/** One value for each of some tables. */
const perTable = <Values extends object>(
  tables: readonly (keyof Values)[],
  valueFor: (table: keyof Values) => Values[keyof Values],
): Values => {
  const values: Partial<Values> = {};
  for (const table of tables) values[table] = valueFor(table);
  return values as Values;
};

const tableNames = Object.keys(importerTables) as ImporterTable[];

export const isInserted = (table: ImporterTable): table is InsertTable => importerTables[table].write === 'insert';
const isMerged = (table: ImporterTable): table is UpsertTable => importerTables[table].write === 'merge';

const isGrowing = (table: InsertTable): table is GrowingTable => importerTables[table].grows;

/** Each in the order of writing. */
export const insertTables: readonly InsertTable[] = tableNames.filter(isInserted);
export const growingTables: readonly GrowingTable[] = insertTables.filter(isGrowing);
export const upsertTables: readonly UpsertTable[] = tableNames.filter(isMerged);
export const writtenTables: readonly (InsertTable | UpsertTable)[] = tableNames.filter(
  (table) => isInserted(table) || isMerged(table),
);

export type InsertRows = { [T in InsertTable]: RowOf<T>[] };

export const emptyRows = (): InsertRows => perTable<InsertRows>(insertTables, () => []);

/** For some tables nothing staged yet. */
export const emptyStaged = <T extends UpsertTable>(tables: readonly T[]): Pick<StagedTables, T> =>
  perTable<StagedTables>(tables, (table) => importerTables[table].stagedTable());

/** Every definition, for code that walks tables. */
export const tableDefinitions: readonly TableDefinition[] = Object.values(importerTables);
