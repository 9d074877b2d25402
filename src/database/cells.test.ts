import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellTable } from './cell-table.ts';
import { type CellSource, type Database, openDatabase } from './connection.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

let test: TestDatabase;
/** With shared connections, which take rows as they come. */
let shared: Database;

beforeAll(async () => {
  test = await createTestDatabase({ empty: true });
  shared = openDatabase({ connectionString: test.connectionString, max: 4, shared: 1, readOnly: true });
  await shared.query('select 1', [], 'one');
});

afterAll(async () => {
  await shared?.close();
  await test?.drop();
});

const textsOf = (table: CellTable | undefined): string[][] =>
  Array.from({ length: table?.rows ?? 0 }, (_, row) =>
    Array.from({ length: table?.columns ?? 0 }, (_, column) => table?.text(row, column) ?? ''),
  );

const nameOf = (text: string): string => `of ${text.length} letters`;

const read = async (source: CellSource, text: string, values: readonly unknown[] = []): Promise<string[][]> =>
  textsOf((await source.cells([{ text, values, name: nameOf(text) }]))[0]);

const everyForm = `select n, null, n % 2 = 0, '\\x00ff'::bytea, to_json('a "ä" '||n), array_to_string(array[n, n], ',')
  from generate_series(1, $1::int) n order by n`;

describe('rows in cells', () => {
  const ways: Record<string, () => CellSource> = {
    'of a pool': () => test.database,
    'of a shared connection': () => shared,
    'of a transaction': () => ({
      cells: (asked) => shared.transaction((client) => client.cells(asked), { readOnly: true }),
    }),
  };

  it.each(Object.keys(ways))('%s are texts as the server writes them', async (way) => {
    const source = ways[way]?.() as CellSource;
    expect(await read(source, everyForm, [2])).toEqual([
      ['1', '', 'f', '\\x00ff', '"a \\"ä\\" 1"', '1,1'],
      ['2', '', 't', '\\x00ff', '"a \\"ä\\" 2"', '2,2'],
    ]);
    expect(await read(source, everyForm, [0])).toEqual([]);
    expect((await read(source, everyForm, [20_000])).at(-1)?.[0]).toBe('20000');
  });

  it.each(Object.keys(ways))('%s belong to statements of one transaction', async (way) => {
    const source = ways[way]?.() as CellSource;
    const setting = "set_config('kagami.test', $1, true)";
    const tables = await source.cells([
      { text: `select ${setting}`, values: ['here'], name: 'set' },
      { text: "select current_setting('kagami.test', true)", name: 'get' },
    ]);
    expect(tables.map(textsOf)).toEqual([[['here']], [['here']]]);
    // It ended with its transaction.
    expect(await read(source, "select coalesce(current_setting('kagami.test', true), '')")).toEqual([['']]);
  });

  it.each(Object.keys(ways))('%s are refused as a whole', async (way) => {
    const source = ways[way]?.() as CellSource;
    const failing = source.cells([
      { text: 'select 1', name: 'first' },
      { text: 'select 1 / $1::int', values: [0], name: 'ratio' },
    ]);
    await expect(failing).rejects.toMatchObject({ details: { sqlState: '22012' } });
    expect(await read(source, 'select 5')).toEqual([['5']]);
  });

  it('come in their place among those of others on the same connection', async () => {
    const asked = fc.array(fc.record({ rows: fc.nat({ max: 300 }), inCells: fc.boolean() }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(asked, async (all) => {
        const sizes = await Promise.all(
          all.map(async ({ rows, inCells }) =>
            inCells
              ? (await read(shared, everyForm, [rows])).length
              : (await shared.query(everyForm, [rows], nameOf(everyForm))).length,
          ),
        );
        expect(sizes).toEqual(all.map(({ rows }) => rows));
      }),
      { numRuns: 20 },
    );
  });

  it('of what takes long come from a connection of its own', async () => {
    expect(await read(shared, 'select 7 from pg_sleep(0.2)')).toEqual([['7']]);
    expect(await read(shared, 'select 7 from pg_sleep(0.2)')).toEqual([['7']]);
  });
});
