/**
 * Lists against a model: a small ledger in which every kind of transfer, child and result occurs, random queries over it,
 * and a filter over plain objects that says what each should give.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interval } from '../../api/bounds.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { type FixtureRow, insertRows } from '../testing/rows.fixture.ts';
import type { TransactionSearch } from './transaction-search.ts';
import { walksOf } from './transaction-walks.ts';
import { transactionRoutes } from './transactions.ts';

const start = 1_600_000_000_000_000_000n;
const count = 150;

interface Transfer {
  readonly account: bigint;
  readonly amount: bigint;
}

interface Transaction {
  readonly timestamp: bigint;
  readonly payer: bigint;
  readonly type: number;
  readonly result: number;
  readonly nonce: number;
  readonly parent: bigint | null;
  readonly hbar: readonly Transfer[];
  readonly tokens: readonly Transfer[];
}

const types = [14, 14, 14, 27, 11, 15, 22];
const results = [22, 22, 22, 10, 104, 220];
const accounts = [3n, 5n, 6n, 7n, 8n, 9n, 10n, 98n, 800n, encodeEntityId(1n, 2n, 5n)];

/** A fixed sequence of numbers that looks random. */
const numbers = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
};

const ledger: readonly Transaction[] = (() => {
  const next = numbers(7);
  const pick = <T>(values: readonly T[]): T => values[next(values.length)] as T;
  return Array.from({ length: count }, (_, i): Transaction => {
    const transfers = (most: number): Transfer[] =>
      Array.from({ length: next(most) }, () => ({ account: pick(accounts), amount: BigInt(next(7) - 3) }));
    return {
      timestamp: start + BigInt(i * (1 + (i % 3))) * 1_000_000_000n + BigInt(i),
      payer: pick(accounts),
      type: pick(types),
      result: pick(results),
      nonce: next(3) === 0 ? 1 : 0,
      parent: next(2) === 0 ? start : null,
      hbar: transfers(5),
      tokens: transfers(3),
    };
  });
})();

const byTime = ledger.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(
    test.database,
    'transaction',
    ledger.map((t) => ({
      consensus_timestamp: t.timestamp,
      type: t.type,
      result: t.result,
      payer_account_id: t.payer,
      valid_start_ns: t.timestamp - 1n,
      nonce: t.nonce,
      parent_consensus_timestamp: t.parent,
    })),
  );
  const rows = (of: (t: Transaction) => readonly Transfer[], more: (transfer: Transfer) => FixtureRow) =>
    ledger.flatMap((t) =>
      of(t).map((transfer) => ({
        consensus_timestamp: t.timestamp,
        amount: transfer.amount,
        payer_account_id: t.payer,
        ...more(transfer),
      })),
    );
  await insertRows(
    test.database,
    'crypto_transfer',
    rows(
      ({ hbar }) => hbar,
      ({ account }) => ({ entity_id: account }),
    ),
  );
  await insertRows(
    test.database,
    'token_transfer',
    rows(
      ({ tokens }) => tokens,
      ({ account }) => ({ account_id: account, token_id: 50 }),
    ),
  );
  await test.database.query('analyze');
  get = restRequests(transactionRoutes, test.database);
});
afterAll(() => test?.drop());

interface Query {
  readonly accounts: readonly (readonly [operator: string, num: bigint])[];
  readonly bounds: readonly (readonly [operator: string, index: number])[];
  readonly types: readonly string[];
  readonly result: 'success' | 'fail' | undefined;
  readonly direction: 'credit' | 'debit' | undefined;
  readonly order: 'asc' | 'desc';
}

const compare = (operator: string, a: bigint, b: bigint): boolean => {
  switch (operator) {
    case 'gt':
      return a > b;
    case 'gte':
      return a >= b;
    case 'lt':
      return a < b;
    case 'lte':
      return a <= b;
    case 'ne':
      return a !== b;
    default:
      return a === b;
  }
};

const timestampAt = (index: number): bigint => (byTime[index] as Transaction).timestamp;
const timestampText = (nanos: bigint): string =>
  `${nanos / 1_000_000_000n}.${(nanos % 1_000_000_000n).toString().padStart(9, '0')}`;

const urlOf = (query: Query, limit: number): string => {
  const parts = [
    ...query.accounts.map(([operator, num]) => `account.id=${operator}:${num}`),
    ...query.bounds.map(([operator, index]) => `timestamp=${operator}:${timestampText(timestampAt(index))}`),
    ...query.types.map((type) => `transactiontype=${type}`),
    ...(query.result === undefined ? [] : [`result=${query.result}`]),
    ...(query.direction === undefined ? [] : [`type=${query.direction}`]),
    `order=${query.order}`,
    `limit=${limit}`,
  ];
  return `/api/v1/transactions?${parts.join('&')}`;
};

const typeNumbers: Readonly<Record<string, number>> = {
  CRYPTOTRANSFER: 14,
  consensusSubmitMessage: 27,
  CRYPTOCREATEACCOUNT: 11,
};
const successes = new Set([22, 104, 220]);

const concerns = (query: Query, account: bigint): boolean => {
  const equal = query.accounts.filter(([operator]) => operator === 'eq');
  const others = query.accounts.filter(([operator]) => operator !== 'eq');
  return (
    (equal.length === 0 || equal.some(([, num]) => num === account)) &&
    others.every(([operator, num]) => compare(operator, account, num))
  );
};

const matches = (query: Query, t: Transaction): boolean => {
  if (!query.bounds.every(([operator, index]) => compare(operator, t.timestamp, timestampAt(index)))) return false;
  if (query.types.length > 0 && !query.types.some((type) => typeNumbers[type] === t.type)) return false;
  if (query.result !== undefined && (query.result === 'success') !== successes.has(t.result)) return false;
  const moved = [...t.hbar, ...t.tokens].filter(({ account }) => concerns(query, account));
  if (query.direction !== undefined) {
    return moved.some(({ amount }) => (query.direction === 'credit' ? amount > 0n : amount < 0n));
  }
  if (query.accounts.length === 0) return true;
  const own = t.nonce === 0 || t.parent !== null || t.type === 11 || t.type === 15;
  return moved.length > 0 || (own && concerns(query, t.payer));
};

const expected = (query: Query): string[] => {
  const found = byTime.filter((t) => matches(query, t)).map(({ timestamp }) => timestampText(timestamp));
  return query.order === 'asc' ? found : found.toReversed();
};

const timestamps = (pages: readonly { json: { transactions: { consensus_timestamp: string }[] } }[]): string[] =>
  pages.flatMap(({ json }) => json.transactions.map(({ consensus_timestamp }) => consensus_timestamp));

const operator = fc.constantFrom('eq', 'eq', 'gt', 'gte', 'lt', 'lte', 'ne');
const query: fc.Arbitrary<Query> = fc.record({
  accounts: fc.array(fc.tuple(operator, fc.constantFrom(...accounts.slice(0, 9), 1n, 200n)), { maxLength: 3 }),
  // Links keep an equality of timestamps as it is, so it is left to a test of its own.
  bounds: fc.array(fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte', 'ne'), fc.integer({ min: 0, max: count - 1 })), {
    maxLength: 3,
  }),
  types: fc.array(fc.constantFrom(...Object.keys(typeNumbers)), { maxLength: 2 }),
  result: fc.constantFrom(undefined, undefined, 'success', 'fail'),
  direction: fc.constantFrom(undefined, undefined, 'credit', 'debit'),
  order: fc.constantFrom('asc', 'desc'),
});

describe('GET /api/v1/transactions', () => {
  it('gives what the filters ask for, and its pages add up to it', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 40 }), async (asked, limit) => {
        const whole = expected(asked);
        expect(timestamps([await get(urlOf(asked, 100))])).toEqual(whole.slice(0, 100));
        expect(timestamps(await followLinks(get, urlOf(asked, limit)))).toEqual(whole);
      }),
      { numRuns: 120 },
    );
  });

  it('finds the same whichever way a sparse search goes', async () => {
    const unbounded = { lower: null, upper: null, unequal: [], lowerCount: 0, upperCount: 0 };
    const everywhere: Interval = { lower: null, upper: timestampAt(count - 3), excluded: [timestampAt(4)] };
    const searches = [undefined, [98n], [5n], [7n, 800n], [5n, 6n, 7n, 8n]].flatMap((ids) =>
      (['credit', 'debit', undefined] as const).flatMap((direction) =>
        (['success', 'fail', undefined] as const).flatMap((result) =>
          [[], [14], [11, 27]].map((ofTypes, index): TransactionSearch => {
            const accountBounds = ids === undefined ? undefined : { ...unbounded, equal: ids };
            const order = index % 2 === 0 ? 'asc' : 'desc';
            return {
              ...{ accounts: accountBounds, timestamps: everywhere, types: ofTypes, result, direction, order },
              ...{ limit: 20, precedingTypes: [11, 15] },
            };
          }),
        ),
      ),
    );
    let plain = 0;
    for (const search of searches) {
      const walks = walksOf(search);
      const found = await Promise.all(walks.map((walk) => walk.step(test.database, everywhere, 10_000, 20)));
      for (const one of found)
        expect(one, `${search.accounts?.equal} ${search.direction} ${search.result} ${search.types}`).toEqual({
          ...found[0],
          reached: 'end',
        });
      plain += walks.filter(({ isLong }) => isLong).length;
    }
    expect(searches.length - plain).toBe(18);
  });

  it('links through all transactions in both orders', async () => {
    const all = byTime.map(({ timestamp }) => timestampText(timestamp));
    expect(timestamps(await followLinks(get, '/api/v1/transactions?limit=7&order=asc'))).toEqual(all);
    expect(timestamps(await followLinks(get, '/api/v1/transactions?limit=100'))).toEqual(all.toReversed());
  });

  it('finds one timestamp, and nothing at two', async () => {
    const [first, second] = [timestampText(timestampAt(5)), timestampText(timestampAt(6))];
    expect(timestamps([await get(`/api/v1/transactions?timestamp=${first}`)])).toEqual([first]);
    expect(timestamps([await get(`/api/v1/transactions?timestamp=${first}&timestamp=${second}`)])).toEqual([]);
    expect(timestamps([await get(`/api/v1/transactions?timestamp=${first}&timestamp=gt:${second}`)])).toEqual([]);
  });

  it.each([
    'timestamp=gt:9999999999.999999999',
    'timestamp=gt:1600000005&timestamp=lt:1600000004',
    'type=credit&type=debit',
    'account.id=ac384c53f03855fa1b3616052f8ba32c6c2a2fec',
    'account.id=5&account.id=gt:5',
    'account.id=gt:9&account.id=lt:8',
  ])('gives nothing for ?%s', async (text) => {
    expect((await get(`/api/v1/transactions?${text}`)).json).toEqual({ transactions: [], links: { next: null } });
  });

  it('assumes the shard and realm of the network', async () => {
    const elsewhere = restRequests(transactionRoutes, test.database, { shard: 1n, realm: 2n });
    const num = encodeEntityId(1n, 2n, 5n);
    const own = byTime
      .filter((t) =>
        matches(
          { accounts: [['eq', num]], bounds: [], types: [], result: undefined, direction: undefined, order: 'asc' },
          t,
        ),
      )
      .map(({ timestamp }) => timestampText(timestamp));
    expect(own.length).toBeGreaterThan(0);
    for (const id of ['5', '2.5', '1.2.5', '0000000000000000000000000000000000000005']) {
      expect(timestamps([await elsewhere(`/api/v1/transactions?account.id=${id}&order=asc&limit=100`)])).toEqual(own);
    }
  });

  it('searches window by window under bindTimestampRange', async () => {
    const bound = restRequests(transactionRoutes, test.database, {
      rest: { query: { bindTimestampRange: true, maxTransactionsTimestampRange: 20_000 } },
      now: timestampAt(count - 1) + 90_000_000_000n,
    });
    const all = byTime.map(({ timestamp }) => timestampText(timestamp));
    const pages = await followLinks(bound, '/api/v1/transactions?limit=10&account.id=gte:0');
    expect(pages[0]?.json.transactions).toEqual([]);
    expect(timestamps(pages)).toEqual(
      timestamps(await followLinks(get, '/api/v1/transactions?limit=10&account.id=gte:0')),
    );
    expect(timestamps(await followLinks(bound, '/api/v1/transactions?limit=10&order=asc'))).toEqual(all);
  });

  it('takes the limit of a user', async () => {
    const premium = restRequests(transactionRoutes, test.database, { user: { username: 'premium', limit: 120 } });
    expect((await premium('/api/v1/transactions?limit=150')).json.transactions).toHaveLength(120);
    expect((await get('/api/v1/transactions?limit=150')).json.transactions).toHaveLength(100);
    expect((await get('/api/v1/transactions')).json.transactions).toHaveLength(25);
  });

  it.each([
    ['account.id=0.1.2.3', ['Invalid parameter: account.id']],
    ['account.id=274877906944', ['Invalid entity ID "0.0.274877906944"']],
    ['type=both&result=maybe', ['Invalid parameter: type', 'Invalid parameter: result']],
    ['nonce=1&transactiontype=x', ['Invalid parameter: transactiontype', 'Unknown query parameter: nonce']],
  ])('refuses ?%s', async (text, messages) => {
    expect(await get(`/api/v1/transactions?${text}`)).toMatchObject({ status: 400, messages });
  });
});
