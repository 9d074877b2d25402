import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { withSlowTables } from '../testing/slow-tables.fixture.ts';
import { tokenRoutes } from './tokens.ts';

const mostRows = 200;
const lowKey = '11'.repeat(32);
const highKey = 'ee'.repeat(32);
const snapshot = 1_699_900_000_000_000_000n;

let test: TestDatabase;
let slow: Database;
let get: ReturnType<typeof restRequests>;

/**
 * Tokens from 1 to 3,000, fungible and with the same key but every thousandth and 1,003; account 7 is associated with all.
 * Accounts from 1 to 3,000 hold 1 of token 1,003, but every thousandth and 1,003 hold 7, since the time of their number.
 * They held the same at a snapshot. NFTs from 1 to 3,000 of token 1,000 belong to account 5, but every thousandth and 1,003
 * to account 9.
 */
beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  const isRare = '(n % 1000 = 0 or n = 1003)';
  const numbers = 'generate_series(1, 3000) n';
  await database.query(
    `insert into entity (id, num, realm, shard, type, public_key, timestamp_range)
      select n, n, 0, 0, 'TOKEN', case when ${isRare} then '${highKey}' else '${lowKey}' end, '[0,)' from ${numbers}`,
  );
  await database.query(
    `insert into token (token_id, created_timestamp, decimals, initial_supply, name, symbol, treasury_account_id, type,
        timestamp_range, freeze_status, kyc_status)
      select n, n, 2, 0, 'coin', 'C', 98,
        (case when ${isRare} then 'NON_FUNGIBLE_UNIQUE' else 'FUNGIBLE_COMMON' end)::token_type, '[0,)', 0, 0
      from ${numbers}`,
  );
  await database.query(
    `insert into token_account (account_id, token_id, associated, balance, balance_timestamp, timestamp_range)
      select n, 1003, true, case when ${isRare} then 7 else 1 end, n * 1000000000::bigint, '[0,)'::int8range from ${numbers}
      union all select 7, n, true, 1, 5, '[0,)' from ${numbers} where n <> 1003`,
  );
  await database.query(
    `insert into nft (account_id, created_timestamp, metadata, serial_number, token_id, timestamp_range)
      select case when ${isRare} then 9 else 5 end, n, '', n, 1000, '[0,)' from ${numbers}`,
  );
  await database.query(
    `insert into token_balance (consensus_timestamp, account_id, token_id, balance)
      select ${snapshot}, n, 1003, case when ${isRare} then 7 else 1 end from ${numbers}`,
  );
  await database.query(
    `insert into account_balance (consensus_timestamp, account_id, balance) values (${snapshot}, 2, 1)`,
  );
  await database.query('analyze entity; analyze token; analyze token_account; analyze token_balance; analyze nft');
  slow = await withSlowTables(test, mostRows, ['token', 'token_account', 'token_balance', 'nft']);
  get = restRequests(tokenRoutes, slow);
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

const numsOf = ({ json }: FixtureAnswer): number[] => {
  if (json.nfts !== undefined) {
    return json.nfts.map(({ serial_number }: { serial_number: number }) => serial_number);
  }
  return json.tokens === undefined
    ? json.balances.map(({ account }: { account: string }) => Number(account.replace('0.0.', '')))
    : json.tokens.map(({ token_id }: { token_id: string }) => Number(token_id.replace('0.0.', '')));
};

const past = `timestamp=${snapshot / 1_000_000_000n}`;
const holders = '/api/v1/tokens/0.0.1003/balances';
const searches: readonly (readonly [path: string, found: readonly number[]])[] = [
  ['/api/v1/tokens?type=NON_FUNGIBLE_UNIQUE', [1000, 1003, 2000, 3000]],
  ['/api/v1/tokens?type=ne:FUNGIBLE_COMMON&order=desc&limit=1', [3000, 2000, 1003, 1000]],
  [`/api/v1/tokens?type=NON_FUNGIBLE_UNIQUE&publickey=gte:${lowKey}&token.id=gt:0.0.1000`, [1003, 2000, 3000]],
  ['/api/v1/tokens?type=NON_FUNGIBLE_UNIQUE&account.id=0.0.7', [1000, 1003, 2000, 3000]],
  ['/api/v1/tokens?type=NON_FUNGIBLE_UNIQUE&account.id=0.0.7&order=desc&limit=3', [3000, 2000, 1003, 1000]],
  [`${holders}?account.balance=7`, [3000, 2000, 1003, 1000]],
  [`${holders}?account.balance=gt:1&order=asc&limit=1`, [1000, 1003, 2000, 3000]],
  [`${holders}?account.balance=7&account.id=lt:0.0.3000&account.id=ne:0.0.1003`, [2000, 1000]],
  [`${holders}?account.balance=8`, []],
  [`${holders}?account.balance=7&${past}`, [3000, 2000, 1003, 1000]],
  [`${holders}?account.balance=ne:1&order=asc&limit=2&${past}`, [1000, 1003, 2000, 3000]],
  ['/api/v1/tokens/0.0.1000/nfts?account.id=gt:0.0.5&limit=1', [3000, 2000, 1003, 1000]],
  ['/api/v1/tokens/0.0.1000/nfts?account.id=gte:0.0.9&serialnumber=gte:1003&order=asc&limit=1', [1003, 2000, 3000]],
];

describe('tokens and holders with rare filters', () => {
  it.each(searches)('are found without running into the timeout: %s', async (path, found) => {
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
    const tokens = await get('/api/v1/tokens?type=NON_FUNGIBLE_UNIQUE&token.id=gte:0.0.990');
    expect(tokens.link).toMatch(/^\/api\/v1\/tokens\?type=NON_FUNGIBLE_UNIQUE&token\.id=gt:0\.0\.1[1-9]\d\d$/);
    const { link } = await get(`${holders}?account.balance=7&account.id=gte:0.0.990&order=asc`);
    expect(link).toMatch(
      /^\/api\/v1\/tokens\/0\.0\.1003\/balances\?account\.balance=7&order=asc&account\.id=gt:0\.0\.1/,
    );
  });

  it('have the newest of their timestamps, whatever window they were found in', async () => {
    const { json } = await get(`${holders}?account.balance=7&order=asc`);
    expect([json.balances.length, json.timestamp]).toEqual([4, '3000.000000000']);
  });

  it('run into the timeout when steps are turned off', async () => {
    const unlimited = restRequests(tokenRoutes, slow, { rest: { query: { maxSearchTime: 0 } } });
    for (const path of ['/api/v1/tokens?type=NON_FUNGIBLE_UNIQUE', `${holders}?account.balance=7`]) {
      await expect(unlimited(path)).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    }
  });
});

it('finds what ids name or order with a single statement, without a transaction', async () => {
  const asked: string[] = [];
  const single = restRequests(tokenRoutes, {
    query: (text, values, name) => {
      asked.push(text);
      return test.database.query(text, values, name);
    },
    cells: (statements) => {
      asked.push(...statements.map(({ text }) => text));
      return test.database.cells(statements);
    },
  });
  await single('/api/v1/tokens?limit=2&token.id=gt:0.0.5&type=ALL');
  await single('/api/v1/tokens?token.id=0.0.1000&type=NON_FUNGIBLE_UNIQUE');
  expect(asked).toHaveLength(2);
});
