import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { committingBetween } from '../testing/commit-between.fixture.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { accountRoutes } from './accounts.ts';

const at = 1_600_000_000_000_000_000n;

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(test.database, 'entity', [
    { id: 1001, num: 1001, realm: 0, shard: 0, type: 'ACCOUNT', balance: 5, timestamp_range: '[0,)' },
  ]);
});
afterAll(() => test.drop());

const commitBlock = () =>
  test.database.transaction(async (client) => {
    await insertRows(client, 'transaction', [
      { consensus_timestamp: at, valid_start_ns: at - 1n, payer_account_id: 1001, type: 14, result: 22, nonce: 0 },
    ]);
    await insertRows(client, 'crypto_transfer', [
      { consensus_timestamp: at, entity_id: 1001, amount: 3, payer_account_id: 1001 },
    ]);
    await client.query('update entity set balance = 8 where id = 1001');
  });

it('shows balance and transactions of an account as of the same block', async () => {
  const db = committingBetween(test.database, [commitBlock]);
  const seen = async () => {
    const { json } = await restRequests(accountRoutes, db)('/api/v1/accounts/0.0.1001');
    return { balance: json.balance.balance, transactions: json.transactions.length };
  };
  expect(await seen()).toEqual({ balance: 5, transactions: 0 });
  expect(await seen()).toEqual({ balance: 8, transactions: 1 });
});

it('shows the balance of a snapshot that came while the account was asked for', async () => {
  const timestamp = at + 1_000_000_000n;
  const takeSnapshot = () =>
    insertRows(
      test.database,
      'account_balance',
      [2, 1001].map((account_id) => ({ account_id, balance: 7, consensus_timestamp: timestamp })),
    );
  const db = committingBetween(test.database, [takeSnapshot]);
  const { json } = await restRequests(accountRoutes, db, { now: timestamp + 1n })(
    `/api/v1/accounts/0.0.1001?timestamp=lte:${timestamp / 1_000_000_000n}`,
  );
  expect(json.balance).toEqual({ balance: 7, timestamp: '1600000001.000000000', tokens: [] });
});
