/**
 * How rows travel from PostgreSQL: all rows of a statement as one text, its cells divided by control characters. The
 * driver's cost per row and column outweighs all else on a page of a hundred rows with two dozen columns.
 *
 * A cell is digits, `t` or `f` for a flag, `\x` and hex for bytes, JSON where a text may hold any character, and the empty
 * text for null. None of these holds a control character.
 */

/** Between cells and between rows, whose cells are as many as the resource has expressions: unit separator, as ASCII calls it. */
export const rowSeparator = '\x1f';

/** Between the rows of a table that belong to a page: record separator. */
export const lineSeparator = '\x1e';

/** Within a cell that holds a list, between cells and rows of that list: group separator. */
export const listSeparator = '\x1d';

/** A control character as PostgreSQL writes it in a literal. */
export const separatorLiteral = (separator: string): string =>
  `e'\\x${separator.charCodeAt(0).toString(16).padStart(2, '0')}'`;

/** An expression that packs the cells of one row. */
export const packedRow = (cells: readonly string[], separator: string): string =>
  `concat(${cells.join(`, ${separatorLiteral(separator)}, `)})`;

/** An aggregate that packs rows; null without rows. */
export const packedRows = (cells: readonly string[], separator: string, orderBy: string): string =>
  `string_agg(${packedRow(cells, separator)}, ${separatorLiteral(separator)} order by ${orderBy})`;
