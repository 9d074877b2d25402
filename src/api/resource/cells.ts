/**
 * How rows travel from PostgreSQL: all rows of a statement as one text, its cells divided by control characters. The
 * driver's cost per row and column outweighs all else on a page of a hundred rows with two dozen columns.
 *
 * A cell is digits, `t` or `f` for a flag, `\x` and hex for bytes, JSON where a text may hold any character, and the empty
 * text for null. None of these holds a control character.
 */

export interface Separators {
  readonly cell: string;
  readonly row: string;
}

/** Of the rows of a statement: unit separator and record separator, as ASCII calls them. */
export const rowSeparators: Separators = { cell: '\x1f', row: '\x1e' };

/** Of a list within a cell: file separator and group separator. */
export const listSeparators: Separators = { cell: '\x1c', row: '\x1d' };

/** A control character as PostgreSQL writes it in a literal. */
export const separatorLiteral = (separator: string): string =>
  `e'\\x${separator.charCodeAt(0).toString(16).padStart(2, '0')}'`;

/** An expression that packs the cells of one row. */
export const packedRow = (cells: readonly string[], separators: Separators): string =>
  `concat(${cells.join(`, ${separatorLiteral(separators.cell)}, `)})`;

/** An aggregate that packs rows; null without rows. */
export const packedRows = (cells: readonly string[], separators: Separators, orderBy: string): string =>
  `string_agg(${packedRow(cells, separators)}, ${separatorLiteral(separators.row)} order by ${orderBy})`;
