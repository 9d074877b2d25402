import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Interval } from '../../api/bounds.ts';
import type { Database } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { withSlowTables } from '../testing/slow-tables.fixture.ts';
import { walksOfKey } from './holder-walks.ts';
import { tokenRoutes } from './tokens.ts';

const mostRows = 250;
const commonKey = '11'.repeat(32);
const rareKey = 'ee'.repeat(32);
const snapshot = { timestamp: 1_699_900_000_000_000_000n };

let test: TestDatabase;
let slow: Awaited<ReturnType<typeof withSlowTables>>;
let get: ReturnType<typeof restRequests>;

/**
 * Accounts from 1 to 3,000 with one key, but for 5 and 2,000; all hold token 700 now and at a snapshot, as much as their
 * number, account 2 more at the snapshot before; account 3 alone holds token 701.
 */
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.query(
    `insert into entity (id, num, realm, shard, type, public_key, timestamp_range)
      select n, n, 0, 0, 'ACCOUNT', case when n in (5, 2000) then '${rareKey}' else '${commonKey}' end, '[0,)'
      from generate_series(1, 3000) n;
    insert into token_account (account_id, token_id, associated, balance, balance_timestamp, timestamp_range)
      select n, 700, true, n, n, '[0,)'::int8range from generate_series(1, 3000) n
      union all select 3, 701, true, 1, 5, '[0,)';
    insert into token_balance (account_id, token_id, balance, consensus_timestamp)
      select n, 700, n, ${snapshot.timestamp} from generate_series(1, 3000) n
      union all select 2, 700, 3000, ${snapshot.timestamp - 1n}`,
  );
  await test.database.query('analyze entity; analyze token_account; analyze token_balance');
  slow = await withSlowTables(test, mostRows, ['entity', 'token_account']);
  get = restRequests(tokenRoutes, slow, { rest: { query: { maxSearchTime: 0 } } });
});

afterAll(async () => {
  await slow?.close();
  await test?.drop();
});

it.each([
  ['a key and a token that are both common', `700/balances?account.publickey=${commonKey}&limit=2`, [3000, 2999]],
  ['a rare key of a common token', `700/balances?account.publickey=${rareKey}`, [2000, 5]],
  ['a common key of a rare token', `701/balances?account.publickey=${commonKey}`, [3]],
  ['a rare key and a common balance', `700/balances?account.publickey=${rareKey}&account.balance=gt:1`, [2000, 5]],
  ['a rare key of a rare token', `701/balances?account.publickey=${rareKey}`, []],
])('reads few rows for %s', async (_name, path, expected) => {
  const { status, json } = await get(`/api/v1/tokens/0.0.${path}`);
  expect(status).toBe(200);
  const nums = json.balances.map(({ account }: { account: string }) => Number(account.replace('0.0.', '')));
  expect(nums).toEqual(expected);
});

const interval = { lower: 1n, upper: 200n, excluded: [] };

/** The holders with the common key that the plain walk finds. */
const foundPlainly = async (db: Database, balances: Interval, at?: { readonly timestamp: bigint }) => {
  const search = {
    tokenId: 700n,
    accounts: interval,
    balances,
    publicKey: commonKey,
    order: 'desc',
    limit: 25,
  } as const;
  return walksOfKey(search, commonKey, at)
    .find(({ isLong }) => isLong)
    ?.step(db, interval, 0, 25);
};

it('asks none but the holders of a rare balance for a common key', async () => {
  const balances = { lower: null, upper: 3n, excluded: [] };
  expect(await foundPlainly(slow, balances)).toEqual({ found: [3n, 2n, 1n], reached: 'end' });
});

it('finds the holders with a key and a balance at a snapshot, not at the one before', async () => {
  const upTo3 = { lower: null, upper: 3n, excluded: [] };
  expect(await foundPlainly(test.database, upTo3, snapshot)).toEqual({ found: [3n, 2n, 1n], reached: 'end' });
  const from3000 = { lower: 3000n, upper: null, excluded: [] };
  expect(await foundPlainly(test.database, from3000, snapshot)).toEqual({ found: [], reached: 'end' });
  const before = { timestamp: snapshot.timestamp - 1n };
  expect(await foundPlainly(test.database, from3000, before)).toEqual({ found: [2n], reached: 'end' });
});
