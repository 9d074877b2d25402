import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CellTable } from './cell-table.ts';

type Cells = readonly (string | null)[];

/** A DataRow message as the server sends it, behind other bytes. */
const message = (cells: Cells, before: number): Buffer => {
  const parts = [Buffer.alloc(before, 0xff), Buffer.from([cells.length >> 8, cells.length & 255])];
  for (const cell of cells) {
    const length = Buffer.alloc(4);
    length.writeInt32BE(cell === null ? -1 : Buffer.byteLength(cell));
    parts.push(length, Buffer.from(cell ?? ''));
  }
  return Buffer.concat(parts);
};

const located = (table: CellTable, row: number): string[] => {
  const bounds = new Int32Array(2 * table.columns);
  table.locate(row, bounds);
  return Array.from({ length: table.columns }, (_, i) =>
    (table.sources[row] as Buffer).toString('utf8', bounds[2 * i], bounds[2 * i + 1]),
  );
};

const rows = fc.integer({ min: 1, max: 6 }).chain((columns) =>
  fc.array(fc.array(fc.option(fc.string({ unit: 'grapheme' })), { minLength: columns, maxLength: columns }), {
    maxLength: 5,
  }),
);

describe('CellTable', () => {
  it('gives the cells of messages and of texts alike, null as no bytes', () => {
    fc.assert(
      fc.property(rows, fc.nat({ max: 9 }), (all, before) => {
        const [received, written] = [new CellTable(), new CellTable()];
        for (const cells of all) {
          received.addMessage(message(cells, before), before);
          written.addTexts(cells);
        }
        for (const table of [received, written]) {
          expect(table.rows).toBe(all.length);
          for (const [row, cells] of all.entries()) {
            const texts = cells.map((cell) => cell ?? '');
            expect(located(table, row)).toEqual(texts);
            expect(texts.map((_, column) => table.text(row, column))).toEqual(texts);
          }
        }
      }),
    );
  });

  it('tells whether the first cells of two rows are the same', () => {
    const table = new CellTable();
    for (const key of ['12', '12', '13', '112', null, '']) table.addTexts([key, '12']);
    expect([0, 1, 2, 3, 4, 5].map((row) => table.isSameKey(0, row))).toEqual([true, true, false, false, false, false]);
  });
});
