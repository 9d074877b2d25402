import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { committingBetween } from '../testing/commit-between.fixture.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { transactionRoutes } from './transactions.ts';

const start = 1_600_000_000_000_000_000n;

let test: TestDatabase;

const commit = (at: bigint, payer: number, validStart: bigint, more = {}) =>
  insertRows(test.database, 'transaction', [
    {
      consensus_timestamp: at,
      valid_start_ns: validStart,
      payer_account_id: payer,
      type: 14,
      result: 22,
      nonce: 0,
      ...more,
    },
  ]);

beforeAll(async () => {
  test = await createTestDatabase();
  await commit(start + 5n, 10, start, { type: 74, inner_transactions: `{11,${start + 1n}}` });
  await commit(start + 6n, 11, start + 1n);
});
afterAll(() => test.drop());

it('shows a batch and what it contains as of the same block', async () => {
  const commits = [7n, 8n, 9n].map((offset) => () => commit(start + offset, 11, start + 1n, { nonce: Number(offset) }));
  const db = committingBetween(test.database, commits);
  const get = restRequests(transactionRoutes, db);
  const nonces = async () =>
    (await get('/api/v1/transactions/0.0.10-1600000000-000000000')).json.transactions.map(
      ({ nonce }: { nonce: number }) => nonce,
    );
  // The first commit comes before the snapshot, the second between its two statements.
  expect(await nonces()).toEqual([0, 0, 7]);
  expect(await nonces()).toEqual([0, 0, 7, 8, 9]);
});
