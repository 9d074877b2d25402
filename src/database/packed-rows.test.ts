import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PackedRows, packedRows } from './packed-rows.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

interface Values {
  readonly long: bigint | null;
  readonly time: bigint | null;
  readonly int: number | null;
  readonly short: number | null;
  readonly bytes: Buffer | null;
}

const throughPostgres = async (rows: readonly Values[]): Promise<Values[]> => {
  const column = <T>(pick: (row: Values) => T) => rows.map(pick);
  const [answer] = await test.database.query<{ readonly content: Buffer | null }>(
    `select ${packedRows(['long', 'time::nanos_timestamp', 'int', 'short', 'bytes'], 'place')} as content
     from unnest($1::bigint[], $2::bigint[], $3::int[], $4::smallint[], $5::bytea[]) with ordinality
       as u (long, time, int, short, bytes, place)`,
    [
      column(({ long }) => long),
      column(({ time }) => time),
      column(({ int }) => int),
      column(({ short }) => short),
      column(({ bytes }) => bytes),
    ],
  );
  const packed = new PackedRows(answer?.content ?? null);
  const read: Values[] = [];
  while (packed.nextRow()) {
    read.push({
      long: packed.values.int8(),
      time: packed.values.int8(),
      int: packed.values.int(),
      short: packed.values.int(),
      bytes: packed.values.bytes(),
    });
  }
  return read;
};

it('reads nothing where there is no row', async () => {
  expect(await throughPostgres([])).toEqual([]);
});

it('reads every value as it was written, nulls and bounds of the types among them', async () => {
  const or = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
  const bytes = fc.uint8Array({ maxLength: 40 }).map((values) => Buffer.from(values));
  const row = fc.record({
    long: or(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n })),
    time: or(fc.bigInt({ min: 0n, max: (1n << 63n) - 1n })),
    int: or(fc.integer()),
    short: or(fc.integer({ min: -32_768, max: 32_767 })),
    bytes: or(bytes),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 10 }), async (rows) => {
      expect(await throughPostgres(rows)).toEqual(rows);
    }),
    { numRuns: 100 },
  );
});
