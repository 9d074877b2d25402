import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRawQuery } from '../../api/http/raw-query.ts';
import type { HttpProblem } from '../../api/problem.ts';
import { problemBody } from '../../api/problem.ts';
import { MAX_NANOS } from '../../ledger/timestamp.ts';
import { invalidParameter, parseComparison, rangeOf, singleLimit, singleOrder, singleValue } from './parameters.ts';
import { timestampBounds } from './timestamp-bounds.ts';

const messagesOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return JSON.parse(problemBody((error as HttpProblem).messages))._status.messages;
  }
  return 'accepted';
};

describe('timestampBounds', () => {
  const bounds = (query: string) => timestampBounds(parseRawQuery(query));

  it.each([
    ['', 0n, MAX_NANOS],
    ['timestamp=', 0n, MAX_NANOS],
    ['timestamp=1', 0n, 1_000_000_000n],
    ['timestamp=EQ:1', 0n, 1_000_000_000n],
    ['timestamp=gt:1', 1_000_000_001n, MAX_NANOS],
    ['timestamp=gte:1&timestamp=lt:2.000000005', 1_000_000_000n, 2_000_000_004n],
    ['timestamp=lt:0.000000001&timestamp=eq:2', 0n, 2_000_000_000n],
    ['TimeStamp=lte:3', 0n, 3_000_000_000n],
    ['timestamp=gt:9223372036.854775807', MAX_NANOS, MAX_NANOS],
  ])('%s', (query, lower, upper) => expect(bounds(query)).toMatchObject({ lower, upper }));

  it('counts the fraction in nanoseconds, without padding', () => {
    expect(bounds('timestamp=1.5').upper).toBe(1_000_000_005n);
  });

  it.each(['ne:1', 'test', '1.2.3', 'equal:1', '-1', '9223372036.854775808', '1.0000000001'])('refuses %s', (value) => {
    expect(messagesOf(() => bounds(`timestamp=${value}`))).toEqual([
      { message: 'Bad Request', detail: "Failed to convert 'timestamp'" },
    ]);
  });

  it('takes two at most', () => {
    expect(messagesOf(() => bounds('timestamp=1&timestamp=lt:2&timestamp=gt:0'))).toEqual([
      { message: 'Bad Request', detail: 'timestamp size must be between 0 and 2' },
    ]);
  });
});

describe('limit and order', () => {
  it('reads them', () => {
    expect(singleLimit(parseRawQuery('LIMIT=5'))).toBe(5);
    expect(singleLimit([])).toBeUndefined();
    expect(singleOrder(parseRawQuery('order=DESC'), () => invalidParameter('order'))).toBe('desc');
    expect(singleOrder([], () => invalidParameter('order'))).toBe('asc');
  });

  it.each(['0', '-1', 'a', '2147483648', '1.5'])('refuses limit %s', (value) => {
    expect(messagesOf(() => singleLimit(parseRawQuery(`limit=${value}`)))).toEqual([
      { message: 'Invalid parameter: limit' },
    ]);
  });

  it('refuses repeats', () => {
    expect(messagesOf(() => singleValue(parseRawQuery('limit=1&limit=2'), 'limit'))).toEqual([
      { message: 'Bad Request', detail: 'Only a single instance is supported for limit' },
    ]);
  });
});

describe('comparisons', () => {
  it('reads operator and number', () => {
    expect(parseComparison('gte:5')).toEqual({ operator: 'gte', value: 5n });
    expect(parseComparison('5')).toEqual({ operator: 'eq', value: 5n });
    expect(parseComparison('LT:9223372036854775807')).toEqual({ operator: 'lt', value: MAX_NANOS });
  });

  it.each(['-1', 'invalid', '.1', '9223372036854775808', 'a:1', 'eq:1:2', 'ne:1', ''])('refuses %s', (text) => {
    expect(parseComparison(text)).toBeUndefined();
  });

  it('gives the range that satisfies all of them', () => {
    const operator = fc.constantFrom('gt', 'gte', 'lt', 'lte');
    const value = fc.bigInt({ min: 0n, max: 20n });
    fc.assert(
      fc.property(fc.array(fc.record({ operator, value }), { maxLength: 5 }), value, (comparisons, candidate) => {
        const { lower, upper } = rangeOf(comparisons);
        const satisfies = comparisons.every(({ operator: op, value: bound }) => {
          if (op === 'gt') return candidate > bound;
          if (op === 'gte') return candidate >= bound;
          return op === 'lt' ? candidate < bound : candidate <= bound;
        });
        expect(candidate >= lower && candidate <= upper).toBe(satisfies);
      }),
    );
  });
});
