import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { CustomFeeLimit } from '../../protobuf/generated/services/custom_fees.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { transactionRoutes } from './transactions.ts';

const at = 1_234_567_890_000_000_007n;
const big = 9_223_372_036_854_775_807n;
const foreign = encodeEntityId(1n, 2n, 9n);

const feeLimit = Buffer.from(
  CustomFeeLimit.encode(
    CustomFeeLimit.fromPartial({
      accountId: { account: { $case: 'accountNum', accountNum: 8n } },
      fees: [{ amount: big, denominatingTokenId: { tokenNum: 5100n } }, { amount: 2000n }],
    }),
  ).finish(),
).toString('hex');

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  await insertRows(database, 'transaction', [
    {
      consensus_timestamp: at,
      type: 14,
      result: 22,
      payer_account_id: 8,
      valid_start_ns: at - 2n,
      valid_duration_seconds: 120,
      node_account_id: 3,
      entity_id: foreign,
      max_fee: big,
      charged_tx_fee: big,
      memo: `\\x${'61'.repeat(90)}`,
      transaction_hash: `\\x${'0f'.repeat(48)}`,
      transaction_bytes: '\\x6279746573',
      nft_transfer: `[{"token_id": 90000, "serial_number": ${big}, "sender_account_id": null, "receiver_account_id": ${foreign}, "is_approval": true}, {"token_id": 90000, "serial_number": 2, "sender_account_id": 3}]`,
      max_custom_fees: `{"\\\\x${feeLimit}"}`,
      batch_key: '\\x1220bfc9d4a344389324119eed485eb3a875b1e5a54bd189d2fd5ad88ce1d3473dee',
      high_volume: true,
      high_volume_pricing_multiplier: 5,
      parent_consensus_timestamp: 5,
      nonce: 2,
      scheduled: true,
    },
    {
      consensus_timestamp: at + 1n,
      type: 999,
      result: 9999,
      payer_account_id: 8,
      valid_start_ns: 1,
      memo: '\\x',
      entity_id: 0,
    },
  ]);
  await insertRows(database, 'crypto_transfer', [
    { consensus_timestamp: at, entity_id: 800, amount: -150, payer_account_id: 8, is_approval: false },
    { consensus_timestamp: at, entity_id: 8, amount: -3, payer_account_id: 8, is_approval: true },
    { consensus_timestamp: at, entity_id: 8, amount: -big, payer_account_id: 8 },
    { consensus_timestamp: at, entity_id: foreign, amount: big, payer_account_id: 8 },
    { consensus_timestamp: at, entity_id: 98, amount: 1, payer_account_id: 8 },
    { consensus_timestamp: at + 1n, entity_id: 98, amount: 1, payer_account_id: 8 },
  ]);
  await insertRows(database, 'token_transfer', [
    { consensus_timestamp: at, token_id: 90000, account_id: 9, amount: 1200, payer_account_id: 8 },
    { consensus_timestamp: at, token_id: 90000, account_id: 8, amount: -1200, payer_account_id: 8, is_approval: true },
    { consensus_timestamp: at, token_id: 5000, account_id: 10, amount: 1, payer_account_id: 8 },
  ]);
  await insertRows(database, 'staking_reward_transfer', [
    { consensus_timestamp: at, account_id: 9, amount: 100, payer_account_id: 8 },
    { consensus_timestamp: at, account_id: 3, amount: 50, payer_account_id: 8 },
    { consensus_timestamp: at + 1n, account_id: 3, amount: 50, payer_account_id: 8 },
  ]);
  await insertRows(database, 'assessed_custom_fee', [
    {
      consensus_timestamp: at,
      amount: 100,
      collector_account_id: 10,
      token_id: 90001,
      effective_payer_account_ids: '{8,72}',
      payer_account_id: 8,
    },
    {
      consensus_timestamp: at,
      amount: 7,
      collector_account_id: 9,
      effective_payer_account_ids: '{}',
      payer_account_id: 8,
    },
  ]);
});
afterAll(() => test?.drop());

const full = {
  batch_key: { _type: 'ED25519', key: 'bfc9d4a344389324119eed485eb3a875b1e5a54bd189d2fd5ad88ce1d3473dee' },
  bytes: 'Ynl0ZXM=',
  consensus_timestamp: '1234567890.000000007',
  entity_id: '1.2.9',
  high_volume: true,
  high_volume_pricing_multiplier: 5,
  max_fee: `${big}`,
  memo_base64: Buffer.from('a'.repeat(90)).toString('base64'),
  name: 'CRYPTOTRANSFER',
  node: '0.0.3',
  nonce: 2,
  parent_consensus_timestamp: '0.000000005',
  result: 'SUCCESS',
  scheduled: true,
  staking_reward_transfers: [
    { account: '0.0.3', amount: 50 },
    { account: '0.0.9', amount: 100 },
  ],
  token_transfers: [
    { token_id: '0.0.5000', account: '0.0.10', amount: 1, is_approval: false },
    { token_id: '0.0.90000', account: '0.0.8', amount: -1200, is_approval: true },
    { token_id: '0.0.90000', account: '0.0.9', amount: 1200, is_approval: false },
  ],
  transaction_hash: Buffer.alloc(48, 15).toString('base64'),
  transaction_id: '0.0.8-1234567890-000000005',
  valid_duration_seconds: '120',
  valid_start_timestamp: '1234567890.000000005',
};

describe('a transaction', () => {
  it('shows every field', async () => {
    const answer = await restRequests(
      transactionRoutes,
      test.database,
    )('/api/v1/transactions?timestamp=1234567890.000000007');
    const [transaction] = answer.json.transactions;
    expect(transaction).toMatchObject(full);
    expect(Object.keys(transaction).toSorted()).toEqual(
      [...Object.keys(full), 'charged_tx_fee', 'max_custom_fees', 'nft_transfers', 'transfers'].toSorted(),
    );
  });

  it('keeps every digit of 64-bit integers', async () => {
    const { body } = await restRequests(
      transactionRoutes,
      test.database,
    )('/api/v1/transactions?timestamp=1234567890.000000007');
    expect(body).toContain(`"charged_tx_fee":${big},`);
    expect(body).toContain(
      `"transfers":[{"account":"0.0.8","amount":-${big},"is_approval":false},` +
        '{"account":"0.0.8","amount":-3,"is_approval":true},{"account":"0.0.98","amount":1,"is_approval":false},' +
        '{"account":"0.0.800","amount":-150,"is_approval":false},' +
        `{"account":"1.2.9","amount":${big},"is_approval":false}]`,
    );
    expect(body).toContain(
      `"max_custom_fees":[{"account_id":"0.0.8","amount":${big},"denominating_token_id":"0.0.5100"},` +
        '{"account_id":"0.0.8","amount":2000,"denominating_token_id":null}]',
    );
    expect(body).toContain(
      `"nft_transfers":[{"is_approval":true,"receiver_account_id":"1.2.9","sender_account_id":null,` +
        `"serial_number":${big},"token_id":"0.0.90000"},{"is_approval":false,"receiver_account_id":null,` +
        '"sender_account_id":"0.0.3","serial_number":2,"token_id":"0.0.90000"}]',
    );
  });

  it('shows assessed fees when asked for alone', async () => {
    const answer = await restRequests(
      transactionRoutes,
      test.database,
    )('/api/v1/transactions/0.0.8-1234567890-000000005');
    expect(answer.json.transactions).toHaveLength(1);
    expect(answer.json.transactions[0].assessed_custom_fees).toEqual([
      { amount: 7, collector_account_id: '0.0.9', effective_payer_account_ids: [], token_id: null },
      {
        amount: 100,
        collector_account_id: '0.0.10',
        effective_payer_account_ids: ['0.0.8', '0.0.72'],
        token_id: '0.0.90001',
      },
    ]);
  });

  it('shows what it lacks as null or empty, and numbers without a name as UNKNOWN', async () => {
    const answer = await restRequests(
      transactionRoutes,
      test.database,
    )('/api/v1/transactions?timestamp=1234567890.000000008');
    expect(answer.json.transactions).toEqual([
      {
        batch_key: null,
        bytes: null,
        charged_tx_fee: null,
        consensus_timestamp: '1234567890.000000008',
        entity_id: null,
        high_volume: false,
        high_volume_pricing_multiplier: null,
        max_custom_fees: [],
        max_fee: null,
        memo_base64: '',
        name: 'UNKNOWN',
        nft_transfers: [],
        node: null,
        nonce: 0,
        parent_consensus_timestamp: null,
        result: 'UNKNOWN',
        scheduled: false,
        staking_reward_transfers: [],
        token_transfers: [],
        transaction_hash: null,
        transaction_id: '0.0.8-0-000000001',
        transfers: [{ account: '0.0.98', amount: 1, is_approval: false }],
        valid_duration_seconds: null,
        valid_start_timestamp: '0.000000001',
      },
    ]);
  });
});
