import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from './connection.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

let test: TestDatabase;
let pipelined: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  pipelined = openDatabase({ connectionString: test.connectionString, max: 2, shared: 1, readOnly: true });
});

afterAll(async () => {
  await pipelined.close();
  await test.drop();
});

describe.each([
  ['connections of their own', () => test.database],
  ['pipelined connections', () => pipelined],
] as const)('rows that are copied out over %s', (_name, database) => {
  const rowsOf = async (text: string): Promise<unknown[]> => {
    const rows: unknown[] = [];
    await database().copyOut(text, (values) => {
      rows.push([values.int8(), values.int(), values.bytes()?.toString('hex') ?? null]);
    });
    return rows;
  };

  it('come one after the other, with their nulls', async () => {
    expect(
      await rowsOf(
        `values (1::bigint, 2::int, '\\x0304'::bytea), (null, -1, null), (9223372036854775807, null, '\\x')`,
      ),
    ).toEqual([
      [1n, 2, '0304'],
      [null, -1, null],
      [9223372036854775807n, null, ''],
    ]);
  });

  it('are none where there is none', async () => {
    expect(await rowsOf('select 1::bigint, 2, null::bytea where false')).toEqual([]);
  });

  it('come whole when they are many and large', async () => {
    let sum = 0n;
    let bytes = 0;
    await database().copyOut(
      `select n::bigint, convert_to(repeat('x', (n * 37 % 5000)::int), 'UTF8') from generate_series(1, 5000) n`,
      (values) => {
        sum += values.int8() ?? 0n;
        bytes += values.bytes()?.length ?? 0;
      },
    );
    expect([sum, bytes]).toEqual([
      12_502_500n,
      Array.from({ length: 5_000 }, (_, i) => ((i + 1) * 37) % 5_000).reduce((a, b) => a + b, 0),
    ]);
  });

  it('end with an error of the server, or of who takes them, and the connection goes on', async () => {
    await expect(
      rowsOf('select 1::bigint, 1 / (n - 3), null::bytea from generate_series(1, 9) n'),
    ).rejects.toMatchObject({
      code: 'DATABASE_QUERY_FAILED',
      details: { sqlState: '22012' },
    });
    let taken = 0;
    const refusing = database().copyOut('select n from generate_series(1, 9) n', () => {
      taken++;
      throw new Error('no room');
    });
    await expect(refusing).rejects.toThrow('no room');
    expect(taken).toBe(1);
    expect(await rowsOf('select 5::bigint, 6, null::bytea')).toEqual([[5n, 6, null]]);
  });
});
