import { describe, expect, it } from 'vitest';
import { everything } from './bounds.ts';
import { HttpProblem } from './problem.ts';
import type { Filter, Operator } from './query.ts';
import { bindTimestampRange, checkTimestamps, type TimestampRules, timestampBounds } from './timestamp-filter.ts';

const boundsOfTexts = (...texts: string[]) =>
  timestampBounds(
    texts.map((text): Filter => {
      const [operator, value] = text.split(':') as [Operator, string];
      return { key: 'timestamp', operator, value };
    }),
  );

const refusal = (rules: TimestampRules, ...texts: string[]): string | undefined => {
  try {
    checkTimestamps(boundsOfTexts(...texts), rules);
    return undefined;
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 400) return error.message;
    throw error;
  }
};

describe('timestampBounds', () => {
  it('pads fractions on the right', () => {
    expect(boundsOfTexts('gt:1.5', 'lte:2').lower).toBe(1_500_000_001n);
    expect(boundsOfTexts('gt:1.5', 'lte:2').upper).toBe(2_000_000_000n);
  });
});

describe('checkTimestamps', () => {
  it('takes anything without rules that forbid it', () => {
    expect(refusal({ allowOpenRange: true })).toBeUndefined();
    expect(refusal({ allowOpenRange: true }, 'ne:1', 'eq:2', 'gt:3', 'gte:4')).toBeUndefined();
    expect(refusal({}, 'eq:2')).toBeUndefined();
    expect(refusal({}, 'gt:2', 'lt:1')).toBeUndefined();
  });

  it.each([
    [{ required: true }, [], 'No timestamp range or eq operator provided'],
    [{}, ['gt:1'], 'Timestamp range must have gt (or gte) and lt (or lte), or eq operator'],
    [{ strict: true }, ['ne:1'], 'Not equals operator not supported for timestamp param'],
    [{ strict: true }, ['gt:1', 'gte:2', 'lt:3'], 'Multiple gt or gte operators not permitted for timestamp param'],
    [{ strict: true }, ['gt:1', 'lte:2', 'lt:3'], 'Multiple lt or lte operators not permitted for timestamp param'],
    [
      { strict: true, allowNotEquals: true },
      ['eq:1', 'ne:2'],
      'Cannot combine eq with ne, gt, gte, lt, or lte for timestamp param',
    ],
    [
      { maxRangeMs: 7 * 86_400_000 },
      ['gte:1000000', 'lte:1604800'],
      'Timestamp range by the lower and upper bounds must be positive and within 7d',
    ],
    [
      { maxRangeMs: 90_000 },
      ['gt:5', 'lt:5'],
      'Timestamp range by the lower and upper bounds must be positive and within 90s',
    ],
  ] as [TimestampRules, string[], string][])('refuses by %j what %j asks', (rules, texts, message) => {
    expect(refusal(rules, ...texts)).toBe(message);
  });

  it('counts the range inclusively', () => {
    expect(refusal({ maxRangeMs: 7 * 86_400_000 }, 'gte:1000000', 'lt:1604800')).toBeUndefined();
  });
});

describe('bindTimestampRange', () => {
  const second = 1_000_000_000n;
  const settings = { bindTimestampRange: true, maxTransactionsTimestampRange: 10_000 };
  const now = 100n * second;
  const db = (first?: bigint) => ({
    query: async <R>() => (first === undefined ? [] : [{ consensus_timestamp: `${first}` }]) as R[],
  });

  it('does nothing unless switched on', async () => {
    const off = { ...settings, bindTimestampRange: false };
    const clock = (): bigint => {
      throw new Error('clock was read');
    };
    expect(await bindTimestampRange(everything, 'desc', off, db(), clock)).toEqual({
      interval: everything,
      next: null,
    });
  });

  it('takes the newest window when descending, the oldest when ascending', async () => {
    const bind = (order: 'asc' | 'desc') =>
      bindTimestampRange(everything, order, settings, db(20n * second), () => now);
    expect(await bind('desc')).toEqual({
      interval: { lower: 90n * second + 1n, upper: now, excluded: [] },
      next: 90n * second + 1n,
    });
    expect(await bind('asc')).toEqual({
      interval: { lower: 20n * second, upper: 30n * second - 1n, excluded: [] },
      next: 30n * second - 1n,
    });
  });

  it('leaves ranges within the window', async () => {
    const interval = { lower: 95n * second, upper: null, excluded: [] };
    expect(await bindTimestampRange(interval, 'desc', settings, db(), () => now)).toEqual({
      interval: { ...interval, upper: now },
      next: null,
    });
  });

  it.each(['asc', 'desc'] as const)('leaves what begins later than the clock open (%s)', async (order) => {
    const interval = { lower: 101n * second, upper: null, excluded: [] };
    expect(await bindTimestampRange(interval, order, settings, db(), () => now)).toEqual({ interval, next: null });
  });

  it('begins at 0 on an empty ledger', async () => {
    expect((await bindTimestampRange(everything, 'asc', settings, db(), () => now)).interval.lower).toBe(0n);
  });
});
