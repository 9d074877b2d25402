import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { boundsOf, everything } from '../../api/bounds.ts';
import type { Database, Reader } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { accountRoutes } from '../accounts/accounts.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { withSlowTables } from '../testing/slow-tables.fixture.ts';
import { walksOf } from './transaction-walks.ts';
import { transactionRoutes } from './transactions.ts';

const mostRows = 200;

let test: TestDatabase;
let slow: Database;
let get: ReturnType<typeof restRequests>;

/**
 * 3,000 transfers of account 1001, one a second, and as many token creations of account 1002. Every thousandth transfer
 * fails, and the one at 500 is a token creation. The account of the network's fees has a transfer in each of them, account
 * 1003 in every second one; three token mints are the oldest of all.
 */
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.query(
    `insert into transaction (consensus_timestamp, valid_start_ns, payer_account_id, type, result, nonce)
      select n * 1000000000::bigint, n * 1000000000::bigint - 1, 1001, case n when 500 then 29 else 14 end,
        case when n % 1000 = 0 then 10 else 22 end, 0
      from generate_series(1, 3000) n
      union all select n * 1000000000::bigint + 5, n * 1000000000::bigint, 1002, 29, 22, 0 from generate_series(1, 3000) n
      union all select n, 0, 1003, 37, 22, 0 from generate_series(1, 3) n`,
  );
  await test.database.query(
    `insert into crypto_transfer (entity_id, consensus_timestamp, amount, payer_account_id)
      select 98, consensus_timestamp, 1, 1001 from transaction
      union all select 1003, consensus_timestamp, -1, 1003 from transaction where consensus_timestamp % 1000000000 < 5`,
  );
  await insertRows(test.database, 'entity', [
    { id: 1001, num: 1001, realm: 0, shard: 0, type: 'ACCOUNT', timestamp_range: '[0,)' },
  ]);
  slow = await withSlowTables(test, mostRows, ['transaction']);
  get = restRequests([...transactionRoutes, ...accountRoutes], slow);
});

afterAll(async () => {
  await slow.close();
  await test.drop();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const secondsOf = ({ json }: FixtureAnswer): number[] =>
  json.transactions.map(({ consensus_timestamp }: { consensus_timestamp: string }) => Number(consensus_timestamp));

/** Every look at the clock costs a third of a second, so that a search of 5 seconds ends after a few windows. */
const hurry = () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 330;
    return now;
  });
};

const searches: readonly (readonly [query: string, found: readonly number[]])[] = [
  ['result=fail', [3000, 2000, 1000]],
  ['result=fail&order=asc', [1000, 2000, 3000]],
  ['account.id=0.0.1001&transactiontype=tokencreation', [500]],
  ['account.id=0.0.1001&transactiontype=tokencreation&result=success&order=asc', [500]],
  ['account.id=gte:0.0.900&account.id=lt:0.0.1002&transactiontype=tokencreation', [500]],
  ['result=fail&timestamp=gte:1500&timestamp=lt:3000', [2000]],
  ['account.id=0.0.1001&transactiontype=tokencreation&timestamp=gt:500', []],
];

describe('rare transactions', () => {
  it.each(searches)('are found without running into the timeout: %s', async (query, found) => {
    const answer = await get(`/api/v1/transactions?${query}`);
    expect([answer.status, secondsOf(answer), answer.link]).toEqual([200, found, null]);
  });

  it.each(searches.filter(([query]) => query.includes('result=fail')))(
    'are found by following links where one request has not enough time: %s',
    async (query, found) => {
      hurry();
      const pages = await followLinks(get, `/api/v1/transactions?${query}`);
      expect(pages.every(({ status }) => status === 200)).toBe(true);
      expect(pages.flatMap(secondsOf)).toEqual(found);
      expect(pages.length).toBeGreaterThan(1);
    },
  );

  it.each([
    'account.id=98&transactiontype=tokenmint',
    'account.id=0.0.1003&transactiontype=tokenmint',
    'account.id=0.0.1003&account.id=98&transactiontype=tokenmint&transactiontype=filecreate',
    'account.id=gte:98&transactiontype=tokenmint',
    'type=debit&transactiontype=tokenmint',
    'type=credit&transactiontype=tokenmint&account.id=98',
    'result=success&transactiontype=tokenmint',
  ])('of a rare type are found at once, however much the account has: %s', async (query) => {
    hurry();
    const answer = await get(`/api/v1/transactions?${query}`);
    const nanos = answer.json.transactions.map(({ consensus_timestamp: at }: { consensus_timestamp: string }) => at);
    expect([nanos, answer.link]).toEqual([['0.000000003', '0.000000002', '0.000000001'], null]);
  });

  it('have links that go on after the last examined time', async () => {
    hurry();
    const { link, json } = await get('/api/v1/transactions?result=fail&limit=2');
    expect(json.transactions).toHaveLength(1);
    expect(link).toMatch(/^\/api\/v1\/transactions\?result=fail&limit=2&timestamp=lt:2\d{3}\.\d{9}$/);
    expect(json.links.next).toBe(link);
    const rest = await followLinks(get, String(link));
    expect(rest.flatMap(secondsOf)).toEqual([2000, 1000]);
  });

  it('are found on the page of their account', async () => {
    const { json, link } = await get('/api/v1/accounts/0.0.1001?transactiontype=tokencreation');
    expect(json.transactions.map(({ name }: { name: string }) => name)).toEqual(['TOKENCREATION']);
    expect(link).toBeNull();
  });

  it('run into the timeout when steps are turned off', async () => {
    const unlimited = restRequests(transactionRoutes, slow, { rest: { query: { maxSearchTime: 0 } } });
    await expect(unlimited('/api/v1/transactions?result=fail')).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
  });

  it.each([
    ['one account', boundsOf([{ operator: 'eq', value: 98n }])],
    ['all but one', boundsOf([{ operator: 'ne', value: 1003n }])],
  ])('that moved nothing in a direction are known from the transfers of %s alone', async (_name, accounts) => {
    const search = { accounts, timestamps: everything, types: [], result: undefined, direction: 'debit' } as const;
    const walks = walksOf({ ...search, order: 'desc', limit: 25, precedingTypes: [] });
    const plain = walks.find(({ isLong }) => isLong);
    expect(await plain?.step(slow, everything, 0, 25)).toEqual({ found: [], reached: 'end' });
  });

  it('that moved nothing in a direction are read by the index of one account alone, in its order', async () => {
    const accounts = boundsOf([{ operator: 'eq', value: 1004n }]);
    const search = { accounts, timestamps: everything, types: [], result: undefined, direction: 'debit' } as const;
    const plansOf = async (order: 'asc' | 'desc', client: Reader): Promise<string> => {
      const plans: string[] = [];
      const explained: Reader = {
        cells: client.cells,
        query: async (text, values) => {
          const plan = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
          plans.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
          return [];
        },
      };
      const walks = walksOf({ ...search, order, limit: 25, precedingTypes: [] });
      const interval = { lower: 2500n * 1_000_000_000n, upper: 2600n * 1_000_000_000n, excluded: [] };
      await walks.find(({ isLong }) => isLong)?.step(explained, interval, 0, 25);
      return plans.join('\n');
    };
    // An account in so many transfers that an index by time seems as good.
    await test.database.withClient(async (client) => {
      await client.query('begin');
      await client.query('delete from crypto_transfer');
      const times = 'generate_series(0, 3000000000000::bigint, 20000000) n';
      await client.query(
        `insert into crypto_transfer (entity_id, consensus_timestamp, amount, payer_account_id)
           select 1004, n, case when n % 40000000 = 0 then -1 else 1 end, 1004 from ${times}`,
      );
      await client.query(
        `insert into token_transfer (token_id, account_id, consensus_timestamp, amount, payer_account_id)
           select 700, 1004, n, case when n % 40000000 = 0 then -1 else 1 end, 1004 from ${times}`,
      );
      await client.query('analyze crypto_transfer, token_transfer');
      for (const order of ['asc', 'desc'] as const) {
        const plans = await plansOf(order, client);
        expect(plans.match(/\w+(?= on (?:crypto|token)_transfer x)/g)).toEqual([
          'crypto_transfer__entity_id_consensus_timestamp',
          'token_transfer__account_timestamp',
        ]);
        // The two pages together; each of them comes in order.
        expect(plans.match(/Sort Key/g)).toHaveLength(1);
      }
      await client.query('rollback');
    });
  });
});
