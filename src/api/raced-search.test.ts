import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, DatabaseClient } from '../database/connection.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { everything, type Interval } from './bounds.ts';
import type { Order } from './page.ts';
import { searchByRacing, type Walk } from './raced-search.ts';
import type { RouteContext } from './route.ts';
import { searchTurns } from './search-turns.ts';
import type { SteppedResult } from './stepped-search.ts';

const second = 1_000_000_000n;

let now = 0;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Index {
  /** Ascending. */
  readonly rows: readonly bigint[];
  /** Milliseconds for each row that is examined. */
  readonly costOfRow: number;
  /** Whether a step reads all of its interval, as a plan does that a limit doesn't end. */
  readonly readsAll?: boolean;
  /** Whether it has no order: a step needs as many rows as there are, or comes to nowhere. */
  readonly isUnordered?: boolean;
  /** Whether only its time bounds a step, which gives all that it finds. */
  readonly isLong?: boolean;
}

interface Asked {
  readonly interval?: Interval;
  readonly order?: Order;
  readonly limit?: number;
  readonly maxSearchTime?: number;
  /** Whether it begins on shared connections, not as one of the long searches. */
  readonly isShared?: boolean;
}

/** A ledger with indexes, in each of which all matches stand. */
const search = (indexes: readonly Index[], isMatch: (row: bigint) => boolean, asked: Asked = {}) => {
  const { interval = everything, order = 'desc', limit = 10, maxSearchTime = 1000, isShared = false } = asked;
  let timeout = Number.POSITIVE_INFINITY;
  const examined = indexes.map(() => 0);
  const all = indexes.flatMap(({ rows }) => rows).sort((a, b) => (a < b ? -1 : 1));
  const client = {
    query: async (text: string) => {
      const set = /^set local statement_timeout = (\d+); savepoint step$/.exec(text);
      if (set !== null) timeout = Number(set[1]);
      if (!text.startsWith('select least')) return [];
      return [{ first: all[0]?.toString() ?? null, last: all.at(-1)?.toString() ?? null }];
    },
  } as unknown as DatabaseClient;
  const db = { transaction: (work: (client: DatabaseClient) => Promise<unknown>) => work(client) } as Database;
  const settings = {
    query: { maxSearchTime, maxSearches: 0, maxWaitingSearches: 50 },
    db: { pool: { statementTimeout: 20_000, maxConnections: 10, connectionTimeout: 0 } },
  } as RouteContext['settings'];
  const walks = indexes.map(
    ({ rows, costOfRow, readsAll, isUnordered, isLong = false }, i): Walk => ({
      isLong,
      step: async (_db, part, asked, wanted) => {
        const most = isLong ? Number.POSITIVE_INFINITY : asked;
        const within = rows.filter(
          (row) => (part.lower === null || row >= part.lower) && (part.upper === null || row <= part.upper),
        );
        const ordered = order === 'asc' ? within : within.toReversed();
        const walked = ordered.slice(0, most);
        const cost = (readsAll ? within.length : walked.length) * costOfRow;
        if (cost > timeout) {
          now += timeout;
          throw new KagamiError('DATABASE_TIMEOUT', 'canceling statement due to statement timeout');
        }
        now += cost;
        examined[i] = (examined[i] ?? 0) + walked.length;
        if (isUnordered && walked.length === most) return { found: [], reached: 'nowhere' };
        const found = walked.filter((row) => isMatch(row) && !part.excluded.includes(row)).slice(0, wanted);
        return { found, reached: walked.length < most ? 'end' : (walked.at(-1) as bigint) };
      },
    }),
  );
  const context = {
    db: isShared ? { ...db, shared: {} } : db,
    settings,
    searches: searchTurns(settings),
    ...(isShared ? {} : { searchStage: 'long' }),
  } as RouteContext;
  const result: Promise<SteppedResult<bigint>> = searchByRacing({ table: 't', interval, order, limit, walks }, context);
  return { result, examined };
};

const everySecond = (count: number): bigint[] => Array.from({ length: count }, (_, i) => BigInt(i + 1) * second);

describe('searchByRacing', () => {
  it('costs a small multiple of the best index, wherever that stands', async () => {
    const common = { rows: everySecond(100_000), costOfRow: 0.001 };
    const rare = { rows: everySecond(5), costOfRow: 0.001 };
    const isMatch = (row: bigint) => row <= 3n * second;
    for (const indexes of [
      [common, rare],
      [rare, common],
    ]) {
      const { result, examined } = search(indexes, isMatch);
      expect(await result).toEqual({ rows: [3n * second, 2n * second, second], examinedTo: null });
      expect(examined.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(200);
    }
  });

  it('goes on where the other one has come to', async () => {
    const newer = { rows: [...everySecond(3), ...everySecond(60_000).slice(30_000)], costOfRow: 0.001 };
    const older = { rows: everySecond(30_000), costOfRow: 0.001 };
    const { result, examined } = search([newer, older], (row) => row === 2n * second, { maxSearchTime: 10_000 });
    expect(await result).toEqual({ rows: [2n * second], examinedTo: null });
    expect(examined.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(1_000);
  });

  it('has a walk that only its time bounds join after a moment', async () => {
    const walk = { rows: everySecond(4_000), costOfRow: 0.5 };
    const whole = { rows: everySecond(4_000), costOfRow: 0.1, isLong: true };
    const isMatch = (row: bigint) => row === 5n * second;
    const { result, examined } = search([walk, whole], isMatch);
    expect(await result).toEqual({ rows: [5n * second], examinedTo: null });
    expect(examined[0]).toBe(2 * 100);
    expect(examined[1]).toBe(4_000 - 200);
    const alone = search([{ ...whole, costOfRow: 0.12 }], isMatch);
    expect(await alone.result).toEqual({ rows: [5n * second], examinedTo: null });
    expect(alone.examined).toEqual([4_000]);
    const soon = search([walk, whole], (row) => row > 3_900n * second);
    expect((await soon.result).rows).toHaveLength(10);
    expect(soon.examined).toEqual([100, 0]);
  });

  it('examines nothing twice that it has examined on shared connections, and keeps what it found there', async () => {
    const walk = { rows: everySecond(4_000), costOfRow: 0.09 };
    const whole = { rows: everySecond(4_000), costOfRow: 0.05, isLong: true };
    const isMatch = (row: bigint) => row === 3_990n * second || row === 5n * second;
    const { result, examined } = search([walk, whole], isMatch, { isShared: true });
    expect(await result).toEqual({ rows: [3_990n * second, 5n * second], examinedTo: null });
    // Twelve steps of a hundred rows take a hundred milliseconds.
    expect(examined).toEqual([1_200, 2_800]);
  });

  it('tries every other walk once before the long one joins, however slow the first of them is', async () => {
    const slow = { rows: everySecond(4_000), costOfRow: 2 };
    const rare = { rows: everySecond(5), costOfRow: 1 };
    const whole = { rows: everySecond(4_000), costOfRow: 1, isLong: true };
    const { result, examined } = search([slow, rare, whole], (row) => row <= 5n * second);
    expect(await result).toEqual({ rows: [5n, 4n, 3n, 2n, 1n].map((n) => n * second), examinedTo: null });
    expect(examined).toEqual([100, 5, 0]);
  });

  it('comes to the end where the long walk needs most of the time, and nothing of it is lost', async () => {
    const walk = { rows: everySecond(4_000), costOfRow: 1 };
    const whole = { rows: everySecond(4_000), costOfRow: 0.16, isLong: true };
    const { result, examined } = search([walk, whole], (row: bigint) => row === 5n * second);
    expect(await result).toEqual({ rows: [5n * second], examinedTo: null });
    expect(examined[1]).toBeGreaterThan(3_500);
    expect(now).toBeLessThan(1_000);
  });

  it('leaves the turns to the other walk where the long one gets on worse', async () => {
    const rare = { rows: everySecond(4_000).filter((_, i) => i % 50 === 0), costOfRow: 2 };
    const whole = { rows: everySecond(4_000), costOfRow: 1, isLong: true };
    const { result, examined } = search([rare, whole], () => false);
    expect(await result).toEqual({ rows: [], examinedTo: null });
    expect(examined[1]).toBeLessThan(1_000);
  });

  it('does not ask a walk without an order again that could come to nowhere only', async () => {
    const ordered = { rows: everySecond(40_000), costOfRow: 0.02 };
    const unordered = { rows: everySecond(40_000), costOfRow: 0.02, isUnordered: true };
    const { result, examined } = search([ordered, unordered], (row) => row === second);
    expect(await result).toEqual({ rows: [second], examinedTo: null });
    expect(examined).toEqual([40_000, 100 + 400 + 1_600]);
    const few = search([ordered, { ...unordered, rows: everySecond(1_000) }], (row) => row === second);
    expect(await few.result).toEqual({ rows: [second], examinedTo: null });
    expect(few.examined).toEqual([100 + 400 + 1_600, 100 + 400 + 1_000]);
  });

  it('stops when its time is over, telling how far it came', async () => {
    const { rows, examinedTo } = await search([{ rows: everySecond(4000), costOfRow: 1 }], (row) => row === 5n * second)
      .result;
    expect(rows).toEqual([]);
    expect(examinedTo).toBeGreaterThan(3000n * second);
    expect(examinedTo).toBeLessThan(3600n * second);
    expect(now).toBeLessThanOrEqual(1000);
  });

  it('goes on in windows of time where a limit does not end its plan', async () => {
    const index = { rows: everySecond(4000), costOfRow: 0.1, readsAll: true };
    const { result } = search([index], (row) => row > 3000n * second, { limit: 1000, maxSearchTime: 1500 });
    const { rows, examinedTo } = await result;
    expect([rows.length, rows[0], rows.at(-1), examinedTo]).toEqual([1000, 4000n * second, 3001n * second, null]);
  });

  it('gives every match once and in order to who follows, whatever the indexes, order and page size', async () => {
    const times = fc.uniqueArray(fc.bigInt({ min: 1n, max: 3_000n * second }), { maxLength: 300 });
    const ledgers = fc.record({
      matches: fc.uniqueArray(fc.bigInt({ min: 1n, max: 3_000n * second }), { maxLength: 30 }),
      others: fc.array(fc.record({ rows: times, costOfRow: fc.integer({ min: 1, max: 9 }), readsAll: fc.boolean() }), {
        minLength: 1,
        maxLength: 3,
      }),
      order: fc.constantFrom<Order>('asc', 'desc'),
      limit: fc.integer({ min: 1, max: 10 }),
      lower: fc.option(fc.bigInt({ min: 0n, max: 1_500n * second })),
      upper: fc.option(fc.bigInt({ min: 1_500n * second, max: 4_000n * second })),
    });
    await fc.assert(
      fc.asyncProperty(ledgers, async ({ matches, others, order, limit, lower, upper }) => {
        const ascending = (rows: readonly bigint[]) => [...new Set(rows)].sort((a, b) => (a < b ? -1 : 1));
        const indexes = others.map((index) => ({ ...index, rows: ascending([...index.rows, ...matches]) }));
        const expected = ascending(matches).filter(
          (row) => (lower === null || row >= lower) && (upper === null || row <= upper),
        );
        const seen: bigint[] = [];
        let interval: Interval = { lower, upper, excluded: [] };
        for (let pages = 0; ; pages++) {
          expect(pages).toBeLessThan(1000);
          const isMatch = (row: bigint) => matches.includes(row);
          const page = await search(indexes, isMatch, { interval, order, limit }).result;
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          seen.push(...page.rows);
          const end = page.rows.length === limit ? page.rows.at(-1) : page.examinedTo;
          if (end === undefined || end === null) break;
          interval = order === 'asc' ? { ...interval, lower: end + 1n } : { ...interval, upper: end - 1n };
        }
        expect(seen).toEqual(order === 'asc' ? expected : expected.toReversed());
      }),
    );
  });
});
