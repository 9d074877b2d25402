import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { balanceRoutes } from '../balances/balances.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { withSlowTables } from '../testing/slow-tables.fixture.ts';
import { accountRoutes } from './accounts.ts';

const mostRows = 200;
const count = 3000;
const lowKey = '11'.repeat(32);
const highKey = 'ee'.repeat(32);
const snapshot = 1_699_900_000_000_000_000n;

let test: TestDatabase;
let slow: Database;
let get: ReturnType<typeof restRequests>;

/**
 * Accounts from 1 to 3,000, every fifth a contract, all with a balance of 1 and the same key, but every thousandth and
 * 1,003 with a balance of 7, the time of the number as their newest change, and another key. They had the same balances at
 * a snapshot, account 5 another one at the snapshot before.
 */
beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  const isRare = '(n % 1000 = 0 or n = 1003)';
  await database.query(
    `insert into entity (id, num, realm, shard, type, balance, balance_timestamp, public_key, timestamp_range)
      select n, n, 0, 0, (case when n % 5 = 0 then 'CONTRACT' else 'ACCOUNT' end)::entity_type,
        case when ${isRare} then 7 else 1 end, n * 1000000000::bigint,
        case when ${isRare} then '${highKey}' else '${lowKey}' end, '[0,)'
      from generate_series(1, ${count}) n`,
  );
  await database.query(
    `insert into account_balance (consensus_timestamp, account_id, balance)
      select ${snapshot}, n, case when ${isRare} then 7 else 1 end from generate_series(1, ${count}) n
      union all select ${snapshot - 1_000_000_000n}, 5, 7`,
  );
  await database.query('analyze entity; analyze account_balance');
  slow = await withSlowTables(test, mostRows, ['entity', 'account_balance']);
  get = restRequests([...accountRoutes, ...balanceRoutes], slow);
});

afterAll(async () => {
  await slow.close();
  await test.drop();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Every look at the clock costs a third of a second, so that a search of 5 seconds ends after a few windows. */
const hurry = () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 330;
    return now;
  });
};

const numsOf = ({ json }: FixtureAnswer): number[] =>
  (json.accounts ?? json.balances).map(({ account }: { account: string }) => Number(account.replace('0.0.', '')));

const past = `timestamp=${snapshot / 1_000_000_000n}`;
const searches: readonly (readonly [path: string, found: readonly number[]])[] = [
  ['/api/v1/accounts?account.balance=7', [1000, 1003, 2000, 3000]],
  ['/api/v1/accounts?account.balance=gt:1&order=desc&balance=false', [3000, 2000, 1003, 1000]],
  ['/api/v1/accounts?account.balance=ne:1&limit=1', [1000, 1003, 2000, 3000]],
  ['/api/v1/accounts?account.balance=8', []],
  ['/api/v1/accounts?account.balance=7&account.id=gt:0.0.1000&account.id=ne:0.0.2000', [1003, 3000]],
  ['/api/v1/balances?account.balance=7', [3000, 2000, 1003, 1000]],
  ['/api/v1/balances?account.balance=7&account.id=lt:0.0.3000', [2000, 1003, 1000]],
  [`/api/v1/balances?account.balance=7&${past}`, [3000, 2000, 1003, 1000]],
  [`/api/v1/balances?account.balance=gte:7&order=asc&limit=2&${past}`, [1000, 1003, 2000, 3000]],
  [`/api/v1/balances?account.balance=7&account.publickey=gte:${lowKey}&${past}`, [3000, 2000, 1003, 1000]],
  [`/api/v1/balances?account.balance=7&account.publickey=${lowKey}&${past}`, []],
];

/** An index holds the keys. */
const ofOtherKeys: typeof searches = [
  [`/api/v1/accounts?account.publickey=ne:${lowKey}`, [1000, 1003, 2000, 3000]],
  [`/api/v1/balances?account.publickey=ne:${lowKey}&order=asc&limit=3`, [1000, 1003, 2000, 3000]],
  [`/api/v1/balances?account.balance=7&account.publickey=ne:${lowKey}&${past}`, [3000, 2000, 1003, 1000]],
];

describe('accounts and balances with rare filters', () => {
  it.each([...searches, ...ofOtherKeys])('are found without running into the timeout: %s', async (path, found) => {
    const pages = await followLinks(get, path);
    expect(pages.every(({ status }) => status === 200)).toBe(true);
    expect(pages.flatMap(numsOf)).toEqual(found);
  });

  it.each(searches)('are found by following links where one request has not enough time: %s', async (path, found) => {
    hurry();
    const pages = await followLinks(get, path);
    expect(pages.every(({ status }) => status === 200)).toBe(true);
    expect(pages.flatMap(numsOf)).toEqual(found);
    expect(pages.length).toBeGreaterThan(2);
  });

  it('have links that go on after the last examined id', async () => {
    hurry();
    const { link, json } = await get('/api/v1/accounts?account.balance=7&account.id=gte:0.0.990');
    expect(json.accounts).toHaveLength(2);
    expect(link).toMatch(/^\/api\/v1\/accounts\?account\.balance=7&account\.id=gt:0\.0\.1\d\d\d$/);
    expect(json.links.next).toBe(link);
  });

  it('have the newest of their timestamps, whatever window they were found in', async () => {
    const { json } = await get('/api/v1/balances?account.balance=7');
    expect([json.balances.length, json.timestamp]).toEqual([4, '3000.000000000']);
  });

  it('are found each once and in order, whatever the bounds, order and page size', async () => {
    const asked = fc.record({
      path: fc.constantFrom('accounts?', 'balances?', `balances?${past}&`),
      lower: fc.integer({ min: 1, max: 1500 }),
      upper: fc.integer({ min: 1500, max: 3100 }),
      order: fc.constantFrom('asc', 'desc'),
      limit: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ path, lower, upper, order, limit }) => {
        hurry();
        const bounds = `account.id=gte:0.0.${lower}&account.id=lte:0.0.${upper}&order=${order}&limit=${limit}`;
        const pages = await followLinks(get, `/api/v1/${path}account.balance=7&${bounds}`);
        const expected = [1000, 1003, 2000, 3000].filter((num) => num >= lower && num <= upper);
        expect(pages.flatMap(numsOf)).toEqual(order === 'asc' ? expected : expected.toReversed());
      }),
      { numRuns: 15 },
    );
  });

  it('are sought by a plan for the window, however often the same is asked', async () => {
    const database = openDatabase({ connectionString: test.connectionString, max: 1 });
    try {
      const ask = restRequests(accountRoutes, database);
      for (let balance = 10; balance < 20; balance++) await ask(`/api/v1/accounts?account.balance=${balance}`);
      const plans = await database.query(
        `select sum(custom_plans)::int as custom, sum(generic_plans)::int as generic from pg_prepared_statements
          where statement like '%from entity e%'`,
      );
      expect(plans).toEqual([{ custom: 10, generic: 0 }]);
    } finally {
      await database.close();
    }
  });

  it('run into the timeout when steps are turned off', async () => {
    const unlimited = restRequests(accountRoutes, slow, { rest: { query: { maxSearchTime: 0 } } });
    await expect(unlimited('/api/v1/accounts?account.balance=7')).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
  });
});

it.each([
  [`/api/v1/balances?account.publickey=${lowKey}&limit=3`, [2999, 2998, 2997]],
  [`/api/v1/balances?account.publickey=${lowKey}&order=asc&limit=2&account.id=gt:0.0.1002`, [1004, 1005]],
  [`/api/v1/balances?account.publickey=${highKey}`, [3000, 2000, 1003, 1000]],
  [`/api/v1/accounts?account.publickey=${lowKey}&limit=3`, [1, 2, 3]],
  [`/api/v1/accounts?account.publickey=${highKey}&account.balance=7`, [1000, 1003, 2000, 3000]],
  [`/api/v1/balances?account.publickey=${highKey}&account.balance=7&${past}`, [3000, 2000, 1003, 1000]],
  ['/api/v1/balances?limit=2', [3000, 2999]],
])('reads few rows where an index has them in order: %s', async (path, found) => {
  const once = restRequests([...accountRoutes, ...balanceRoutes], slow, { rest: { query: { maxSearchTime: 0 } } });
  expect(numsOf(await once(path))).toEqual(found);
});

it('asks with a single statement for what ids name or order, without a transaction', async () => {
  const asked: string[] = [];
  const single = restRequests([...accountRoutes], {
    query: (text, values, name) => {
      asked.push(text);
      return test.database.query(text, values, name);
    },
    cells: (statements) => {
      asked.push(...statements.map(({ text }) => text));
      return test.database.cells(statements);
    },
  });
  await single('/api/v1/accounts?limit=2&account.id=gt:0.0.5');
  await single('/api/v1/accounts?account.balance=7&account.id=0.0.1000');
  expect(asked).toHaveLength(2);
});
