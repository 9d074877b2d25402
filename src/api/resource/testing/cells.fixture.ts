/** Rows and cells of resources without a database. */
import { CellTable } from '../../../database/cell-table.ts';
import type { CellPut } from '../cells.ts';
import type { Field } from '../field-type.ts';
import { JsonBytes } from '../json-bytes.ts';
import type { Resource, ResourceRow } from '../resource.ts';

/** A row of cells in the order of the resource's expressions, the empty text for null; without its keys. */
export const rowOfTexts = <Key extends string>(texts: readonly string[]): ResourceRow<Key> => {
  const table = new CellTable();
  table.addTexts(texts.map((text) => (text === '' ? null : text)));
  return { table, row: 0, related: { rangeOf: () => undefined } } as unknown as ResourceRow<Key>;
};

/** A row whose cells are given by their expressions; all others are null. */
export const cellsOf = <Key extends string>(
  { expressions }: Pick<Resource<Key>, 'expressions' | 'replace'>,
  values: Readonly<Record<string, string>>,
): ResourceRow<Key> => rowOfTexts(expressions.map((sql) => values[sql] ?? ''));

/** What a writer makes of the texts of its cells. */
export const writtenBy = (put: CellPut, ...texts: readonly string[]): string => {
  const out = new JsonBytes(1);
  // Other bytes around the cells, as there are among those that arrive.
  const before = '\x01"';
  const bytes = Buffer.from(before + texts.join(before) + before);
  let at = 0;
  const bounds = texts.flatMap((text) => {
    const start = at + before.length;
    at = start + Buffer.byteLength(text);
    return [start, at];
  });
  put(out, bytes, ...bounds);
  return out.toString();
};

/** The JSON that a field makes of the texts of its cells, in their order. */
export const fieldJson = ({ write }: Field, ...texts: readonly string[]): string => {
  if (write.kind !== 'cells') throw new TypeError('The field has other cells');
  return writtenBy(write.put, ...texts);
};

/** What a writer writes. */
export const jsonOf = (put: (out: JsonBytes) => void): string => {
  const out = new JsonBytes();
  put(out);
  return out.toString();
};
