/** What a field of a resource is: its expressions, its writer, its schema. The kinds of fields are in field.ts. */
import type { CellTable } from '../../database/cell-table.ts';
import type { JsonSchema } from '../route.ts';
import type { CellPut, GivenPut } from './cells.ts';
import type { JsonBytes } from './json-bytes.ts';

/** Texts or SQL expressions of the cells that a field reads, by the names its writer knows them by. */
export type Cells<K extends string = string> = { readonly [Name in K]: string };

/** An optional field is left out where its writer writes nothing. */
export type FieldWriter =
  | { readonly kind: 'cells'; readonly put: CellPut }
  | { readonly kind: 'given'; readonly put: GivenPut }
  | { readonly kind: 'object'; readonly fields: Fields }
  | { readonly kind: 'related'; put(out: JsonBytes, related: Related): void };

export interface Field {
  /** SQL expressions over a row `p`, by the names that the writer knows them by. */
  readonly cells: Cells;
  readonly write: FieldWriter;
  readonly schema: JsonSchema;
  /** Whether the field may be left out of an answer. */
  readonly isOptional?: boolean;
  /** Rows of another table that the field shows (resource.ts). */
  readonly related?: RelatedRows;
}

/** Members of an object in the order of the answer. */
export type Fields = Readonly<Record<string, Field>>;

/** Rows of another table that belong to the rows of a page (related.ts). */
export interface RelatedRows {
  readonly table: string;
  /** SQL expressions over a row `p` of the table. */
  readonly expressions: readonly string[];
  /** Of those that belong to one row. */
  readonly orderBy: string;
}

/** Rows of a table that belong to one row of a page: those from `from` to before `to`, their cells behind the key. */
export interface RelatedRange {
  readonly table: CellTable;
  readonly from: number;
  readonly to: number;
}

/** What belongs to one row of a page, by the table; nothing where there is none. */
export interface Related {
  rangeOf(table: string): RelatedRange | undefined;
}
