import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { accountRoutes } from './accounts.ts';

const seconds = 1_000_000_000n;
/** 2023-06-10T00:00:00Z */
const now = 1_686_355_200n * seconds;
/** 2023-06-01T00:00:00Z */
const june = 1_685_577_600n * seconds;

const entity = (id: number, more: Record<string, string | number | bigint | boolean | null> = {}) => ({
  id,
  num: id,
  realm: 0,
  shard: 0,
  type: 'ACCOUNT',
  deleted: false,
  timestamp_range: '[0,)',
  ...more,
});

const evmAddress = 'ac384c53f03855fa1b3616052f8ba32c6c2a2fec';
/** The alias 01 02 03 04 05 */
const alias = 'AEBAGBAF';
const memo = 'tab\t"quote" \\ ℏ\u001f\u001e';

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  await insertRows(database, 'entity', [
    entity(8, {
      alias: '\\x0102030405',
      evm_address: `\\x${evmAddress}`,
      memo,
      balance: 88,
      balance_timestamp: june + 500n,
      staked_node_id: 3,
      stake_period_start: 19_500,
      timestamp_range: `[${june + 500n},)`,
    }),
    entity(9, { alias: '\\x0102030405', deleted: true, memo: 'deleted' }),
    entity(10, { alias: '\\x0a', balance: 5 }),
    entity(11, { alias: '\\x0a', balance: 5 }),
    entity(12, { type: 'TOKEN' }),
    entity(13, { staked_node_id: 3, stake_period_start: 19_600, balance: 1 }),
    entity(14, { staked_node_id: 3, stake_period_start: 19_000, decline_reward: true }),
    entity(15, { staked_node_id: -1, staked_account_id: 8, stake_period_start: 19_000 }),
  ]);
  await insertRows(database, 'entity_history', [
    entity(8, { memo: 'first', balance: 1, timestamp_range: `[${june - 100n},${june + 100n})` }),
    entity(8, {
      memo: 'second',
      balance: 2,
      balance_timestamp: june + 150n,
      staked_node_id: 2,
      stake_period_start: 19_000,
      timestamp_range: `[${june + 100n},${june + 500n})`,
    }),
  ]);
  const stake = (id: number, pending: number, range: string) => ({
    id,
    pending_reward: pending,
    end_stake_period: 19_600,
    staked_node_id_start: 3,
    staked_to_me: 0,
    stake_total_start: 0,
    timestamp_range: range,
  });
  await insertRows(database, 'entity_stake', [
    stake(8, 700, `[${june + 400n},)`),
    ...[13, 14, 15].map((id) => stake(id, 900, '[0,)')),
  ]);
  await insertRows(database, 'entity_stake_history', [stake(8, 300, `[${june},${june + 400n})`)]);
  await insertRows(
    database,
    'token_account',
    [70, 71, 72, 73].map((token_id) => ({
      account_id: 8,
      token_id,
      associated: token_id !== 71,
      balance: token_id * 10,
      timestamp_range: '[0,)',
    })),
  );
  await insertRows(database, 'account_balance', [
    { account_id: 2, consensus_timestamp: june + 10n, balance: 1 },
    { account_id: 8, consensus_timestamp: june + 10n, balance: 1000 },
    { account_id: 2, consensus_timestamp: june + 300n, balance: 1 },
    { account_id: 8, consensus_timestamp: june + 350n, balance: 9999 },
  ]);
  await insertRows(database, 'token_balance', [
    { account_id: 8, token_id: 70, consensus_timestamp: june + 10n, balance: 7 },
    { account_id: 8, token_id: 73, consensus_timestamp: june + 10n, balance: 3 },
    { account_id: 8, token_id: 73, consensus_timestamp: june + 300n, balance: 4 },
    { account_id: 8, token_id: 70, consensus_timestamp: june + 350n, balance: 9999 },
  ]);
  await insertRows(
    database,
    'transaction',
    Array.from({ length: 11 }, (_, i) => ({
      consensus_timestamp: june + BigInt(i * 50),
      type: i % 2 === 0 ? 14 : 11,
      result: 22,
      payer_account_id: i === 10 ? 9 : 8,
      valid_start_ns: june + BigInt(i * 50) - 1n,
    })),
  );
  await insertRows(database, 'entity_transaction', [
    { entity_id: 8, consensus_timestamp: june + 500n, payer_account_id: 9, result: 22, type: 14 },
  ]);
  get = restRequests(accountRoutes, database, {
    now,
    rest: { response: { limit: { tokenBalance: { singleAccount: 2 } } } },
  });
});
afterAll(() => test?.drop());

const timestampsOf = (json: { transactions: { consensus_timestamp: string }[] }): string[] =>
  json.transactions.map((transaction) => transaction.consensus_timestamp);
const time = (offset: number): string => formatTimestamp(june + BigInt(offset));

describe('an account now', () => {
  it('is found by id, EVM address and alias', async () => {
    const { json } = await get('/api/v1/accounts/8');
    expect(json).toMatchObject({
      account: '0.0.8',
      memo,
      pending_reward: 700,
      balance: {
        balance: 88,
        timestamp: time(500),
        tokens: [
          { token_id: '0.0.70', balance: 700 },
          { token_id: '0.0.72', balance: 720 },
        ],
      },
    });
    const names = [
      '0.8',
      '0.0.8',
      evmAddress,
      `0x${evmAddress}`,
      `0.0.${evmAddress}`,
      alias,
      `0.${alias}`,
      `0.0.${alias}`,
    ];
    for (const name of [...names, '0x0000000000000000000000000000000000000008']) {
      expect((await get(`/api/v1/accounts/${name}`)).json, name).toEqual(json);
    }
  });

  it('lists what it paid for and what moved its NFTs, page by page', async () => {
    for (const order of ['asc', 'desc']) {
      const pages = await followLinks(get, `/api/v1/accounts/8?limit=4&order=${order}`);
      const expected = Array.from({ length: 11 }, (_, i) => time(i * 50));
      if (order === 'desc') expected.reverse();
      expect(pages.flatMap(({ json }) => timestampsOf(json))).toEqual(expected);
      expect(pages[0]?.link).toBe(
        `/api/v1/accounts/8?limit=4&order=${order}&timestamp=${order === 'asc' ? 'gt' : 'lt'}:${expected[3]}`,
      );
    }
  });

  it('narrows transactions by type, and leaves them out', async () => {
    expect(timestampsOf((await get('/api/v1/accounts/8?transactionType=cryptocreateaccount')).json)).toEqual(
      [450, 350, 250, 150, 50].map(time),
    );
    expect(timestampsOf((await get('/api/v1/accounts/8?transactiontype=CRYPTOTRANSFER&limit=1')).json)).toEqual([
      time(500),
    ]);
    const { json } = await get('/api/v1/accounts/8?transactions=False&limit=1');
    expect(json).toMatchObject({ transactions: [], links: { next: null } });
  });

  it('has no pending reward after a later change of the stake, when declined, or staked to an account', async () => {
    for (const id of [13, 14, 15]) {
      expect((await get(`/api/v1/accounts/${id}`)).json.pending_reward, `${id}`).toBe(0);
    }
  });
});

describe('an account as it was', () => {
  it('is the version in force, with balances of the snapshot before', async () => {
    expect((await get(`/api/v1/accounts/8?timestamp=${time(200)}`)).json).toMatchObject({
      memo: 'second',
      staked_node_id: 2,
      pending_reward: 300,
      balance: {
        balance: 1000,
        timestamp: time(10),
        tokens: [
          { token_id: '0.0.70', balance: 7 },
          { token_id: '0.0.73', balance: 3 },
        ],
      },
      transactions: [{ consensus_timestamp: time(200) }],
    });
    expect((await get(`/api/v1/accounts/8?timestamp=lt:${time(500)}`)).json).toMatchObject({
      memo: 'second',
      pending_reward: 700,
      balance: {
        balance: 1000,
        timestamp: time(300),
        tokens: [
          { token_id: '0.0.70', balance: 7 },
          { token_id: '0.0.73', balance: 4 },
        ],
      },
    });
    expect((await get(`/api/v1/accounts/8?timestamp=lte:${time(99)}`)).json.memo).toBe('first');
    expect((await get(`/api/v1/accounts/8?timestamp=gte:${time(99)}&timestamp=lt:${time(100)}`)).json.memo).toBe(
      'first',
    );
    expect((await get(`/api/v1/accounts/8?timestamp=gt:${time(99)}`)).json.memo).toBe(memo);
    expect((await get('/api/v1/accounts/8?timestamp=lte:9223372036.854775807')).json.memo).toBe(memo);
  });

  it('keeps its own balance without a snapshot, and has none at a snapshot that it is not in', async () => {
    expect((await get(`/api/v1/accounts/8?timestamp=gt:${time(100)}&timestamp=lt:${time(200)}`)).json.balance).toEqual({
      balance: 2,
      timestamp: time(150),
      tokens: [],
    });
    expect((await get(`/api/v1/accounts/13?timestamp=${time(400)}`)).json.balance).toEqual({
      balance: 0,
      timestamp: time(300),
      tokens: [],
    });
  });

  it('is a version that was not in force at a time that is excluded', async () => {
    const memoWith = async (query: string) => (await get(`/api/v1/accounts/8?${query}`)).json?.memo;
    expect(await memoWith(`timestamp=ne:${time(99)}`)).toBe(memo);
    expect(await memoWith(`timestamp=ne:${time(600)}`)).toBe('second');
    expect(await memoWith(`timestamp=ne:${time(600)}&timestamp=ne:${time(200)}`)).toBe('first');
    expect(await get(`/api/v1/accounts/10?timestamp=ne:${time(1)}`)).toMatchObject({
      status: 404,
      messages: ['Not found'],
    });
    expect(await get(`/api/v1/accounts/8?timestamp=lt:${time(-100)}&timestamp=ne:${time(-200)}`)).toMatchObject({
      status: 404,
      messages: ['Not found'],
    });
  });

  it('is not there before its first version', async () => {
    expect(await get(`/api/v1/accounts/8?timestamp=lt:${formatTimestamp(june - 100n)}`)).toMatchObject({
      status: 404,
      messages: ['Not found'],
    });
  });

  it('refuses an empty range', async () => {
    const empty = { status: 404, messages: ['Timestamp range is empty'] };
    expect(await get(`/api/v1/accounts/8?timestamp=gt:${time(0)}&timestamp=lte:${time(0)}`)).toMatchObject(empty);
    expect(await get(`/api/v1/accounts/8?timestamp=${time(0)}&timestamp=${time(1)}`)).toMatchObject(empty);
  });
});

describe('who is not found', () => {
  it.each([
    ['7', 404, 'Not found'],
    ['12', 404, 'Not found'],
    ['AEBAGBAG', 404, 'No account with a matching alias found'],
    [`0x${'cd'.repeat(20)}`, 404, 'Not found'],
    ['BI', 500, 'Internal error'],
    ['0.1.2.3', 400, 'Invalid parameter: idOrAliasOrEvmAddress'],
    ['abc', 400, 'Invalid parameter: idOrAliasOrEvmAddress'],
    ['274877906944', 400, 'Invalid parameter: idOrAliasOrEvmAddress'],
    [`5.5.${evmAddress}`, 400, 'Invalid parameter: idOrAliasOrEvmAddress'],
  ])('%s: %i %s', async (name, status, message) => {
    expect(await get(`/api/v1/accounts/${name}`)).toMatchObject({ status, messages: [message] });
  });

  it('names faulty parameters in the order of the query', async () => {
    expect(
      (await get('/api/v1/accounts/8?timestamp=a&foo=1&limit=0&transactiontype=x&transactions=1')).messages,
    ).toEqual([
      'Invalid parameter: timestamp',
      'Unknown query parameter: foo',
      'Invalid parameter: limit',
      'Invalid parameter: transactiontype',
      'Invalid parameter: transactions',
    ]);
  });
});
