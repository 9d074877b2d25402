import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, DatabaseClient } from '../database/connection.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { everything, type Interval } from './bounds.ts';
import type { Order } from './page.ts';
import type { RouteContext } from './route.ts';
import { searchTurns } from './search-turns.ts';
import { type SteppedResult, searchInSteps } from './stepped-search.ts';

const second = 1_000_000_000n;

let now = 0;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Ledger {
  /** Timestamps of all rows, ascending. */
  readonly rows: readonly bigint[];
  /** Milliseconds that a statement needs for each row it walks over. */
  readonly costOfRow: number;
  readonly isMatch: (row: bigint) => boolean;
}

interface Asked {
  readonly interval?: Interval;
  readonly order?: Order;
  readonly limit?: number;
  readonly maxSearchTime?: number;
  readonly statementTimeout?: number;
  readonly idColumn?: string;
}

/** A database whose statements take as long as they have rows to walk over, by a clock that only they advance. */
const search = (ledger: Ledger, asked: Asked = {}) => {
  const { rows, costOfRow, isMatch } = ledger;
  const { interval = everything, order = 'desc', limit = 10, idColumn } = asked;
  const column = idColumn ?? 'consensus_timestamp';
  let timeout = 0;
  const intervals: Interval[] = [];
  const client = {
    query: async (text: string) => {
      const set = /^set local statement_timeout = (\d+); savepoint step$/.exec(text);
      if (set !== null) timeout = Number(set[1]);
      if (!text.startsWith('select least')) return [];
      expect(text).toContain(`(select min(${column}) from t)`);
      expect(text).toContain(`(select max(${column}) from t)`);
      return [{ first: rows[0]?.toString() ?? null, last: rows.at(-1)?.toString() ?? null }];
    },
  } as unknown as DatabaseClient;
  const db = { transaction: (work: (client: DatabaseClient) => Promise<unknown>) => work(client) } as Database;
  const settings = {
    query: { maxSearchTime: asked.maxSearchTime ?? 1000, maxSearches: 0, maxWaitingSearches: 50 },
    db: { pool: { statementTimeout: asked.statementTimeout ?? 20_000, maxConnections: 10, connectionTimeout: 0 } },
  } as RouteContext['settings'];
  const find = async (_db: unknown, part: Interval, most: number): Promise<bigint[]> => {
    intervals.push(part);
    const found: bigint[] = [];
    let cost = 0;
    for (const row of order === 'asc' ? rows : rows.toReversed()) {
      if ((part.lower !== null && row < part.lower) || (part.upper !== null && row > part.upper)) continue;
      cost += costOfRow;
      if (cost > timeout) {
        now += timeout;
        throw new KagamiError('DATABASE_TIMEOUT', 'canceling statement due to statement timeout');
      }
      if (isMatch(row) && !part.excluded.includes(row)) found.push(row);
      if (found.length === most) break;
    }
    now += cost;
    return found;
  };
  const asSearch = { interval, order, limit, tables: ['t'], find, ...(idColumn === undefined ? {} : { idColumn }) };
  const result: Promise<SteppedResult<bigint>> = searchInSteps(asSearch, {
    db,
    settings,
    searches: searchTurns(settings),
    searchStage: 'long',
  } as RouteContext);
  return { result, intervals };
};

const everySecond = (count: number): bigint[] => Array.from({ length: count }, (_, i) => BigInt(i + 1) * second);

describe('searchInSteps', () => {
  it('is one statement where the first window is all there is', async () => {
    const ledger = { rows: everySecond(60), costOfRow: 1, isMatch: () => true };
    const { result, intervals } = search(ledger, { limit: 3 });
    expect(await result).toEqual({ rows: [60n * second, 59n * second, 58n * second], examinedTo: null });
    expect(intervals).toEqual([{ lower: second, upper: 60n * second, excluded: [] }]);
  });

  it('examines nothing twice, whatever part of its time that takes', async () => {
    const ledger = { rows: everySecond(900), costOfRow: 1, isMatch: (row: bigint) => row === 100n * second };
    const { result, intervals } = search(ledger, { maxSearchTime: 1000, limit: 1 });
    expect(await result).toEqual({ rows: [100n * second], examinedTo: null });
    expect(now).toBeLessThanOrEqual(900);
    for (const [i, { upper }] of intervals.entries()) {
      expect(upper).toBe(i === 0 ? 900n * second : (intervals[i - 1]?.lower as bigint) - 1n);
    }
  });

  it('takes the rest at once where the first window says that there is time for it', async () => {
    const ledger = { rows: everySecond(2_000), costOfRow: 0.1, isMatch: (row: bigint) => row === second };
    const { result, intervals } = search(ledger);
    expect(await result).toEqual({ rows: [second], examinedTo: null });
    expect(intervals).toEqual([
      { lower: 1_940n * second + 1n, upper: 2_000n * second, excluded: [] },
      { lower: second, upper: 1_940n * second, excluded: [] },
    ]);
  });

  it('goes in windows that take a quarter of what is left of its time, and gives what is there', async () => {
    const ledger = { rows: everySecond(4_000), costOfRow: 0.5, isMatch: (row: bigint) => row % (500n * second) === 0n };
    const { result, intervals } = search(ledger, { maxSearchTime: 790 });
    const { rows, examinedTo } = await result;
    expect(rows).toEqual([4_000n, 3_500n, 3_000n, 2_500n].map((n) => n * second));
    expect(examinedTo).toBeLessThan(2_500n * second);
    expect(examinedTo).toBeGreaterThan(2_400n * second);
    expect(intervals.slice(0, 2)).toEqual([
      { lower: 3_940n * second + 1n, upper: 4_000n * second, excluded: [] },
      // 760 ms are left, 30 ms were 60 s.
      { lower: 3_560n * second + 200_000_001n, upper: 3_940n * second, excluded: [] },
    ]);
  });

  it('goes in windows of ids for a list in their order', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => BigInt(i + 1) * 1_000n);
    const ledger = { rows, costOfRow: 10, isMatch: (row: bigint) => row % 20_000n === 0n };
    const { result, intervals } = search(ledger, { order: 'asc', idColumn: 'id', maxSearchTime: 790 });
    expect(await result).toEqual({ rows: [20_000n, 40_000n], examinedTo: null });
    expect(intervals.slice(0, 2)).toEqual([
      { lower: 1_000n, upper: 10_999n, excluded: [] },
      // 690 ms are left, 100 ms were 10,000.
      { lower: 11_000n, upper: 28_199n, excluded: [] },
    ]);
  });

  it('comes to the matches beyond an emptiness whose width says nothing about what follows', async () => {
    const rows = [...everySecond(3_000), ...everySecond(10).map((row) => row + 1_000_000n * second)];
    const ledger = { rows, costOfRow: 0.25, isMatch: (row: bigint) => row === 1_500n * second };
    const { result, intervals } = search(ledger, { limit: 1 });
    expect(await result).toEqual({ rows: [1_500n * second], examinedTo: null });
    expect(intervals.length).toBeLessThan(25);
  });

  it('stops when its time is over, telling how far it came', async () => {
    const ledger = { rows: everySecond(4000), costOfRow: 1, isMatch: (row: bigint) => row === 5n * second };
    const { rows, examinedTo } = await search(ledger).result;
    expect(rows).toEqual([]);
    expect(examinedTo).toBeGreaterThan(3000n * second);
    expect(examinedTo).toBeLessThan(3100n * second);
    expect(now).toBeLessThanOrEqual(1000);
  });

  it('takes longer windows where there is little, and shorter ones where there is much', async () => {
    const day = 86_400n * second;
    const rows = [...everySecond(300), ...everySecond(300).map((row) => row + 300n * day)];
    const ledger = { rows, costOfRow: 1, isMatch: (row: bigint) => row === 200n * second };
    const { result, intervals } = search(ledger, { limit: 1 });
    expect(await result).toEqual({ rows: [200n * second], examinedTo: null });
    expect(intervals.length).toBeLessThan(30);
    const crowded = { rows: everySecond(300), costOfRow: 10, isMatch: (row: bigint) => row === 290n * second };
    expect(await search(crowded, { limit: 1 }).result).toEqual({ rows: [290n * second], examinedTo: null });
  });

  it('stays below half of the statement timeout', async () => {
    const ledger = { rows: everySecond(4000), costOfRow: 1, isMatch: () => false };
    await search(ledger, { maxSearchTime: 5000, statementTimeout: 600 }).result;
    expect(now).toBeLessThanOrEqual(300);
  });

  it('has as much time as it wants when the setting is 0', async () => {
    const query = vi.fn(async (_text: string) => [1n]);
    const settings = { query: { maxSearchTime: 0 }, db: { pool: { statementTimeout: 10 } } };
    const find = (db: unknown) => (db as { query: typeof query }).query('select all');
    const db = { transaction: (work: (client: unknown) => unknown) => work({ query }) };
    const searches = { long: { running: 2 } };
    const context = { db, settings, searches, searchStage: 'long' } as unknown as RouteContext;
    const asked = { interval: everything, order: 'asc', limit: 1, tables: ['t'], find } as const;
    expect(await searchInSteps(asked, context)).toEqual({ rows: [1n], examinedTo: null });
    expect(query.mock.calls).toEqual([['set local plan_cache_mode = force_custom_plan'], ['select all']]);
  });

  it('fails when not even the shortest step can be done', async () => {
    const ledger = { rows: [second], costOfRow: 5000, isMatch: () => true };
    await expect(search(ledger).result).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
  });

  it('passes on other faults', async () => {
    const ledger = {
      rows: [second],
      costOfRow: 1,
      isMatch: () => {
        throw new KagamiError('DATABASE_UNAVAILABLE', 'gone');
      },
    };
    await expect(search(ledger).result).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  });

  it('gives every match once and in order to who follows, whatever the ledger, order and page size', async () => {
    const ledgers = fc.record({
      rows: fc
        .uniqueArray(fc.bigInt({ min: 1n, max: 3_000n * second }), { minLength: 1, maxLength: 200 })
        .map((rows) => rows.sort((a, b) => (a < b ? -1 : 1))),
      costOfRow: fc.integer({ min: 1, max: 150 }),
      every: fc.bigInt({ min: 1n, max: 7n }),
      order: fc.constantFrom<Order>('asc', 'desc'),
      limit: fc.integer({ min: 1, max: 10 }),
      lower: fc.option(fc.bigInt({ min: 0n, max: 1_500n * second })),
      upper: fc.option(fc.bigInt({ min: 1_500n * second, max: 4_000n * second })),
      idColumn: fc.constantFrom(undefined, 'id'),
    });
    await fc.assert(
      fc.asyncProperty(ledgers, async ({ rows, costOfRow, every, order, limit, lower, upper, idColumn }) => {
        const ledger = { rows, costOfRow, isMatch: (row: bigint) => row % every === 0n };
        const expected = rows.filter(
          (row) => row % every === 0n && (lower === null || row >= lower) && (upper === null || row <= upper),
        );
        const seen: bigint[] = [];
        let interval: Interval = { lower, upper, excluded: [] };
        for (let pages = 0; ; pages++) {
          expect(pages).toBeLessThan(1000);
          const asked = { interval, order, limit, ...(idColumn === undefined ? {} : { idColumn }) };
          const page = await search(ledger, asked).result;
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          seen.push(...page.rows);
          const last = page.rows.length === limit ? page.rows.at(-1) : page.examinedTo;
          if (last === undefined || last === null) break;
          interval = order === 'asc' ? { ...interval, lower: last + 1n } : { ...interval, upper: last - 1n };
        }
        expect(seen).toEqual(order === 'asc' ? expected : expected.toReversed());
      }),
    );
  });
});
