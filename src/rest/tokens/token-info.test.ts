import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { type FixtureRow, insertRows } from '../testing/rows.fixture.ts';
import { tokenRoutes } from './tokens.ts';

const start = 1_600_000_000n * 1_000_000_000n;
const range = (from: number, to?: number): string =>
  `[${start + BigInt(from)},${to === undefined ? '' : start + BigInt(to)})`;

const token = (token_id: bigint | number, timestamp_range: string, more: FixtureRow = {}): FixtureRow => ({
  token_id,
  created_timestamp: start,
  decimals: 3,
  initial_supply: 10,
  name: 'Token "1"',
  symbol: 'T\\1',
  treasury_account_id: 98,
  timestamp_range,
  freeze_status: 0,
  kyc_status: 0,
  ...more,
});

const entity = (id: bigint | number, timestamp_range: string, more: FixtureRow = {}): FixtureRow => ({
  id,
  num: id,
  realm: 0,
  shard: 0,
  type: 'TOKEN',
  timestamp_range,
  ...more,
});

const fixedFees = (amount: number): string => `[{"amount": ${amount}, "collector_account_id": 7}]`;
const key = (byte: string): string => `\\x1220${byte.repeat(32)}`;
const nft = 'NON_FUNGIBLE_UNIQUE';
const elsewhere = encodeEntityId(1n, 2n, 1000n);

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  await insertRows(database, 'token', [
    token(1000, range(40), {
      decimals: 9,
      freeze_default: true,
      freeze_key: key('02'),
      kyc_key: key('03'),
      wipe_key: '\\x3200',
      supply_key: key('05'),
      pause_key: key('06'),
      fee_schedule_key: key('07'),
      metadata_key: key('08'),
      metadata: '\\xff00',
      total_supply: 9_223_372_036_854_775_807n,
      max_supply: 9_223_372_036_854_775_806n,
      supply_type: 'FINITE',
      pause_status: 'PAUSED',
    }),
    token(2000, range(1), { type: nft }),
    token(3000, range(1)),
    token(4000, range(1)),
    token(elsewhere, range(1), { name: 'elsewhere' }),
  ]);
  await insertRows(database, 'token_history', [
    token(1000, range(0, 20), { total_supply: 1 }),
    token(1000, range(20, 40), { total_supply: 2 }),
  ]);
  await insertRows(database, 'entity', [
    entity(1000, range(50), {
      auto_renew_account_id: 66,
      auto_renew_period: 90,
      deleted: true,
      expiration_timestamp: 9_000_000_000_000_000_001n,
      key: key('01'),
      memo: 'now\n',
    }),
    entity(2000, range(1), { auto_renew_period: 7_000_000 }),
    entity(3000, range(1)),
    entity(elsewhere, range(1)),
  ]);
  await insertRows(database, 'entity_history', [
    entity(1000, range(0, 30), { memo: 'first', deleted: false, auto_renew_period: 1 }),
    entity(1000, range(30, 50), { memo: 'second', deleted: false }),
  ]);
  await insertRows(database, 'custom_fee', [
    { entity_id: 1000, timestamp_range: range(45), fixed_fees: fixedFees(3) },
    {
      entity_id: 2000,
      timestamp_range: range(1),
      fixed_fees: fixedFees(1),
      fractional_fees: '[{"numerator": 1, "denominator": 2}]',
      royalty_fees:
        '[{"numerator": 1, "denominator": 2, "collector_account_id": 7, "fallback_fee": {"amount": 9223372036854775807, "denominating_token_id": 1000}}]',
    },
    { entity_id: 4000, timestamp_range: range(1) },
    { entity_id: elsewhere, timestamp_range: range(1) },
  ]);
  await insertRows(database, 'custom_fee_history', [
    { entity_id: 1000, timestamp_range: range(10, 12), fixed_fees: fixedFees(1) },
    { entity_id: 1000, timestamp_range: range(12, 45), fixed_fees: fixedFees(2) },
  ]);
  get = restRequests(tokenRoutes, database);
});
afterAll(() => test?.drop());

const at = (offset: number): string => `1600000000.${offset.toString().padStart(9, '0')}`;
const ed25519 = (byte: string): string => `{"_type":"ED25519","key":"${byte.repeat(32)}"}`;

describe('GET /api/v1/tokens/{tokenId}', () => {
  it('shows everything about the token', async () => {
    expect((await get('/api/v1/tokens/0.0.1000')).body).toBe(
      `{"admin_key":${ed25519('01')},"auto_renew_account":"0.0.66","auto_renew_period":90,` +
        '"created_timestamp":"1600000000.000000000",' +
        '"custom_fees":{"created_timestamp":"1600000000.000000045","fixed_fees":[{"all_collectors_are_exempt":false,' +
        '"amount":3,"collector_account_id":"0.0.7","denominating_token_id":null}],"fractional_fees":[]},' +
        '"decimals":"9","deleted":true,"expiry_timestamp":9000000000000000001,' +
        `"fee_schedule_key":${ed25519('07')},"freeze_default":true,"freeze_key":${ed25519('02')},` +
        `"initial_supply":"10","kyc_key":${ed25519('03')},"max_supply":"9223372036854775806","memo":"now\\n",` +
        `"metadata":"/wA=","metadata_key":${ed25519('08')},"modified_timestamp":"1600000000.000000050",` +
        `"name":"Token \\"1\\"","pause_key":${ed25519('06')},"pause_status":"PAUSED","supply_key":${ed25519('05')},` +
        '"supply_type":"FINITE","symbol":"T\\\\1","token_id":"0.0.1000","total_supply":"9223372036854775807",' +
        '"treasury_account_id":"0.0.98","type":"FUNGIBLE_COMMON","wipe_key":null}',
    );
  });

  it('shows royalties of NFTs, and the first renewal as expiry', async () => {
    const answer = await get('/api/v1/tokens/2000');
    expect(answer.body).toContain(
      '"royalty_fees":[{"all_collectors_are_exempt":false,"amount":{"denominator":2,"numerator":1},' +
        '"collector_account_id":"0.0.7",' +
        '"fallback_fee":{"amount":9223372036854775807,"denominating_token_id":"0.0.1000"}}]}',
    );
    expect(answer.body).not.toContain('fractional_fees');
    expect(answer.body).toContain('"expiry_timestamp":1607000000000000000,');
    expect(answer.json).toMatchObject({ deleted: null, metadata: '', admin_key: null, auto_renew_account: null });
  });

  it('is found by the address that holds its num, in the shard and realm of the network', async () => {
    const digits = 1000n.toString(16).padStart(40, '0');
    for (const id of ['1000', '0.1000', '0.0.1000', digits, `0x${digits.toUpperCase()}`, `0.0.${digits}`]) {
      expect((await get(`/api/v1/tokens/${id}`)).json.token_id, id).toBe('0.0.1000');
    }
    const foreign = restRequests(tokenRoutes, test.database, { shard: 1n, realm: 2n });
    for (const id of ['1000', '2.1000', '1.2.1000', digits, `0x${digits}`, `2.${digits}`]) {
      expect((await foreign(`/api/v1/tokens/${id}`)).json.token_id, id).toBe('1.2.1000');
    }
    expect((await foreign('/api/v1/tokens/0.0.1000')).json.token_id).toBe('0.0.1000');
  });

  it('shows the token, its entity and its fees as they were', async () => {
    const shown = async (timestamp: string) => {
      const { json } = await get(`/api/v1/tokens/1000?timestamp=${timestamp}`);
      return [
        json.total_supply,
        json.memo,
        json.custom_fees.fixed_fees[0].amount,
        json.custom_fees.created_timestamp,
        json.modified_timestamp,
      ];
    };
    expect(await shown(at(10))).toEqual(['1', 'first', 1, at(10), at(0)]);
    expect(await shown(`lt:${at(20)}`)).toEqual(['1', 'first', 2, at(12), at(0)]);
    expect(await shown(`lte:${at(20)}`)).toEqual(['2', 'first', 2, at(12), at(20)]);
    expect(await shown(`eq:${at(39)}`)).toEqual(['2', 'second', 2, at(12), at(30)]);
    expect(await shown(at(45))).toEqual(['9223372036854775807', 'second', 3, at(45), at(40)]);
    expect(await shown('9999999999.999999999')).toEqual(['9223372036854775807', 'now\n', 3, at(45), at(50)]);
  });

  it('takes the last timestamp', async () => {
    expect((await get(`/api/v1/tokens/1000?timestamp=${at(50)}&timestamp=lt:${at(20)}`)).json.total_supply).toBe('1');
  });

  it.each([
    ['999', 'an unknown token'],
    ['3000', 'a token without fees'],
    ['4000', 'a token without an entity'],
    [`1000?timestamp=${at(9)}`, 'a time before its fees'],
    ['1000?timestamp=lt:0', 'a time before the ledger'],
  ])('%s: 404 for %s', async (path) => {
    expect(await get(`/api/v1/tokens/${path}`)).toMatchObject({ status: 404, messages: ['Not found'] });
  });

  it.each([
    ['x', ['Invalid parameter: tokenid']],
    ['x?limit=1', ['Invalid parameter: tokenid']],
    ['0.0.0.1', ['Invalid parameter: tokenid']],
    ['274877906944', ['Invalid parameter: tokenid']],
    ['AEBAGBAF', ['Invalid parameter: tokenid']],
    ['ab'.repeat(20), ['Invalid parameter: tokenid']],
    [`1.0.${'0'.repeat(38)}12`, ['Invalid parameter: tokenid']],
    ['1?timestamp=gt:1&timestamp=ne:1&timestamp=x', Array(3).fill('Invalid parameter: timestamp')],
    ['1?a=1&timestamp=gte:1&a=2', ['Unknown query parameter: a', 'Invalid parameter: timestamp']],
  ])('refuses %s', async (path, messages) => {
    expect(await get(`/api/v1/tokens/${path}`)).toMatchObject({ status: 400, messages });
  });
});
