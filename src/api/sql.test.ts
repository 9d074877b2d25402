import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { intervalConditions, rangeConditions, statementBuilder, whereClause } from './sql.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test?.drop());

it('holds a column within the same values by ranges as by exclusions, whatever they are', async () => {
  const value = fc.bigInt({ min: -2n, max: 7n });
  const interval = fc.record({
    lower: fc.option(value),
    upper: fc.option(value),
    excluded: fc.array(value, { maxLength: 6 }),
  });
  const heldBy = async (conditionsOf: typeof rangeConditions, asked: Parameters<typeof rangeConditions>[2]) => {
    const builder = statementBuilder();
    const where = whereClause(conditionsOf(builder, 'v', asked));
    return test.database.query(`select v from generate_series(-3, 8) v${where} order by v`, builder.values);
  };
  await fc.assert(
    fc.asyncProperty(interval, async (asked) => {
      expect(await heldBy(rangeConditions, asked)).toEqual(await heldBy(intervalConditions, asked));
    }),
    { numRuns: 200 },
  );
});

it('writes exclusions as the ranges between them', () => {
  const builder = statementBuilder();
  expect(rangeConditions(builder, 'v', { lower: 1n, upper: null, excluded: [9n, 4n, 9n] })).toEqual([
    'v >= $3::bigint',
    '(v < $1::bigint or v > $1::bigint and v < $2::bigint or v > $2::bigint)',
  ]);
  expect(builder.values).toEqual([4n, 9n, 1n]);
});
