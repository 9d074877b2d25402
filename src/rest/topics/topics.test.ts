import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { type FixtureAnswer, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { topicRoutes } from './topics.ts';

const ed25519 = '7a3c5477bdf4a63742647d7cfc4544acc1899d07141caf4cd9fea2f75b28a5cc';
const secp256k1 = '02a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90';

let test: TestDatabase;
let get: (url: string) => Promise<FixtureAnswer>;

const entity = (id: number | bigint, rest: Readonly<Record<string, string | number | boolean | null>> = {}) => ({
  id,
  num: BigInt(id) % 1000n,
  realm: 0,
  shard: 0,
  type: 'TOPIC',
  timestamp_range: '[1234567890000000007,)',
  ...rest,
});

beforeAll(async () => {
  test = await createTestDatabase();
  get = restRequests(topicRoutes, test.database);
  await insertRows(test.database, 'entity', [
    entity(7, {
      auto_renew_account_id: 70,
      auto_renew_period: '7776000',
      created_timestamp: '1234567890000000007',
      deleted: false,
      memo: 'a "topic"',
    }),
    entity(8, { auto_renew_account_id: 0, deleted: true, timestamp_range: '[0,)', created_timestamp: '5' }),
    entity(9),
    entity(encodeEntityId(1n, 2n, 7n)),
  ]);
  await insertRows(test.database, 'topic', [
    {
      id: 7,
      admin_key: `\\x1220${ed25519}`,
      created_timestamp: '1234567890000000007',
      fee_exempt_key_list: `\\x0a221220${ed25519}0a233a21${secp256k1}`,
      fee_schedule_key: `\\x3a21${secp256k1}`,
      submit_key: '\\x3200',
      timestamp_range: '[1234567890000000007,)',
    },
    { id: 8, admin_key: '\\x', fee_exempt_key_list: '\\x', timestamp_range: '[1,)' },
    { id: encodeEntityId(1n, 2n, 7n), timestamp_range: '[1,)' },
  ]);
  await insertRows(test.database, 'custom_fee', [
    {
      entity_id: 7,
      fixed_fees: JSON.stringify([
        { all_collectors_are_exempt: false, amount: 11, collector_account_id: 70, denominating_token_id: null },
        { amount: 12, collector_account_id: 71, denominating_token_id: 30 },
      ]).replace('12,', '9223372036854775807,'),
      timestamp_range: '[1234567890000000009,)',
    },
  ]);
});
afterAll(() => test?.drop());

describe('GET /api/v1/topics/{id}', () => {
  it.each(['7', '0.7', '0.0.7'])('gives the topic %s', async (id) => {
    const answer = await get(`/api/v1/topics/${id}`);
    expect(answer.body).toContain('"amount":9223372036854775807,');
    expect(answer).toMatchObject({
      status: 200,
      json: {
        admin_key: { _type: 'ED25519', key: ed25519 },
        auto_renew_account: '0.0.70',
        auto_renew_period: 7776000,
        created_timestamp: '1234567890.000000007',
        custom_fees: {
          created_timestamp: '1234567890.000000009',
          fixed_fees: [
            { amount: 11, collector_account_id: '0.0.70', denominating_token_id: null },
            { collector_account_id: '0.0.71', denominating_token_id: '0.0.30' },
          ],
        },
        deleted: false,
        fee_exempt_key_list: [
          { _type: 'ED25519', key: ed25519 },
          { _type: 'ECDSA_SECP256K1', key: secp256k1 },
        ],
        fee_schedule_key: { _type: 'ECDSA_SECP256K1', key: secp256k1 },
        memo: 'a "topic"',
        submit_key: null,
        timestamp: { from: '1234567890.000000007', to: null },
        topic_id: '0.0.7',
      },
    });
  });

  it('shows what was cleared or never set as nothing', async () => {
    expect((await get('/api/v1/topics/8')).json).toEqual({
      admin_key: null,
      auto_renew_account: null,
      auto_renew_period: null,
      created_timestamp: '0.000000005',
      custom_fees: { created_timestamp: '0.000000005', fixed_fees: [] },
      deleted: true,
      fee_exempt_key_list: [],
      fee_schedule_key: null,
      memo: '',
      submit_key: null,
      timestamp: { from: '0.0', to: null },
      topic_id: '0.0.8',
    });
  });

  it('assumes the own shard and realm', async () => {
    const ask = restRequests(topicRoutes, test.database, { shard: 1n, realm: 2n });
    expect((await ask('/api/v1/topics/7')).json.topic_id).toBe('1.2.7');
    expect((await ask('/api/v1/topics/0.0.7')).json.topic_id).toBe('0.0.7');
  });

  it.each(['9', '10'])('says that there is no topic %s', async (id) => {
    expect(await get(`/api/v1/topics/${id}`)).toMatchObject({
      status: 404,
      messages: ['Not Found'],
      details: [`Entity not found: 0.0.${id}`],
    });
  });

  it.each(['AABBCC22', '%200.0.1%20', '0.0.0.2', '.0.1000', '-1', '9223372036854775807', `0x${'0'.repeat(38)}07`])(
    'refuses %s',
    async (id) => {
      expect(await get(`/api/v1/topics/${id}`)).toMatchObject({
        status: 400,
        messages: ['Bad Request'],
        details: ["Invalid value for path variable 'id'"],
      });
    },
  );
});
