/** What a field of a resource is: its expressions, its writer, its schema. The kinds of fields are in field.ts. */
import type { JsonSchema } from '../route.ts';

/** The cells that a field reads, by the names its writer knows them by. */
export type Cells<K extends string = string> = { readonly [Name in K]: string };

/** A cell is the empty text where the value is null. The empty text from a writer leaves an optional field out. */
export type FieldWriter =
  | { readonly kind: 'cell'; json(cell: string): string }
  | { readonly kind: 'cells'; json(cells: Cells): string }
  | { readonly kind: 'object'; readonly fields: Fields };

export interface Field {
  /** SQL expressions over a row `p`, by the names that the writer knows them by. */
  readonly cells: Cells;
  readonly write: FieldWriter;
  readonly schema: JsonSchema;
  /** Whether the field may be left out of an answer. */
  readonly isOptional?: boolean;
  /** Rows of another table that the only cell carries (related.ts). */
  readonly related?: RelatedRows;
}

/** Members of an object in the order of the answer. */
export type Fields = Readonly<Record<string, Field>>;

/** Rows of another table that belong to the rows of a page. */
export interface RelatedRows {
  readonly table: string;
  /** An aggregate over rows `p` of the table that packs those of one row of the page. */
  readonly packed: string;
}
