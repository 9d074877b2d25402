import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { contractRoutes } from './contracts.ts';

const time = 1_676_540_001_234_390_005n;
const payer = encodeEntityId(1n, 2n, 5001n);
const hash = '9d'.repeat(32);
const byHash = `/api/v1/contracts/results/0x${hash}/actions`;
const byId = '/api/v1/contracts/results/1.2.5001-1676540001-234390005/actions';

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

const action = (index: number, more: Record<string, string | number | bigint | null>) => ({
  call_depth: 1,
  call_type: 1,
  caller: payer,
  consensus_timestamp: time,
  gas: 1000,
  gas_used: 900,
  index,
  result_data_type: 11,
  value: 0,
  payer_account_id: payer,
  ...more,
});

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(test.database, 'contract_action', [
    action(0, {
      call_operation_type: 6,
      caller_type: 'ACCOUNT',
      gas: 9_007_199_254_740_993n,
      input: '\\xabcd',
      recipient_account: encodeEntityId(1n, 2n, 98n),
      result_data: '\\x08c379a0',
      result_data_type: 12,
      value: 9_223_372_036_854_775_807n,
    }),
    action(1, { call_type: 3, recipient_address: '\\x0102', call_operation_type: 3, result_data_type: 13 }),
    action(2, {
      call_type: 9,
      recipient_contract: 8002,
      recipient_address: `\\x${'70'.repeat(20)}`,
      result_data_type: 7,
    }),
    action(3, { call_type: 0, caller: 5 }),
    action(4, { payer_account_id: 77 }),
    action(5, { consensus_timestamp: time + 1n }),
  ]);
  await insertRows(test.database, 'contract_transaction_hash', [
    {
      consensus_timestamp: time,
      hash: `\\x${hash}`,
      payer_account_id: payer,
      entity_id: payer,
      transaction_result: 22,
    },
  ]);
  await insertRows(test.database, 'transaction', [
    { consensus_timestamp: time, payer_account_id: payer, valid_start_ns: time, result: 22, type: 7, nonce: 0 },
  ]);
  get = restRequests(contractRoutes, test.database, { shard: 1n, realm: 2n });
});
afterAll(() => test?.drop());

describe('the actions of a transaction', () => {
  it('are shown with exact numbers, names and addresses', async () => {
    const { body, json, link } = await get(byHash);
    expect(link).toBeNull();
    expect(body).toContain('"gas":9007199254740993,');
    expect(body).toContain('"value":9223372036854775807}');
    const caller = { caller: '1.2.5001', from: '0x0000000000000000000000000000000000001389' };
    const common = { call_depth: 1, gas_used: 900, timestamp: '1676540001.234390005' };
    expect(json.actions).toEqual([
      {
        ...common,
        ...caller,
        call_operation_type: 'CREATE2',
        call_type: 'CALL',
        caller_type: 'ACCOUNT',
        gas: 9_007_199_254_740_992,
        index: 0,
        input: '0xabcd',
        recipient: '1.2.98',
        recipient_type: 'ACCOUNT',
        result_data: '0x08c379a0',
        result_data_type: 'REVERT_REASON',
        to: '0x0000000000000000000000000000000000000062',
        value: Number('9223372036854775807'),
      },
      {
        ...common,
        ...caller,
        call_operation_type: 'DELEGATECALL',
        call_type: 'PRECOMPILE',
        caller_type: 'CONTRACT',
        gas: 1000,
        index: 1,
        input: '0x',
        recipient: null,
        recipient_type: null,
        result_data: '0x',
        result_data_type: 'ERROR',
        to: `0x${'0102'.padStart(40, '0')}`,
        value: 0,
      },
      {
        ...common,
        ...caller,
        call_operation_type: 'UNKNOWN',
        caller_type: 'CONTRACT',
        gas: 1000,
        index: 2,
        input: '0x',
        recipient: '0.0.8002',
        recipient_type: 'CONTRACT',
        result_data: '0x',
        to: `0x${'70'.repeat(20)}`,
        value: 0,
      },
      {
        ...common,
        call_operation_type: 'UNKNOWN',
        call_type: 'NO_ACTION',
        caller: '0.0.5',
        caller_type: 'CONTRACT',
        from: '0x0000000000000000000000000000000000000005',
        gas: 1000,
        index: 3,
        input: '0x',
        recipient: null,
        recipient_type: null,
        result_data: '0x',
        result_data_type: 'OUTPUT',
        to: null,
        value: 0,
      },
    ]);
    expect((await get(byId)).json).toEqual(json);
  });

  it('are filtered by index and paged in both orders', async () => {
    const indices = async (query: string) => {
      const { json, link } = await get(`${byId}?${query}`);
      return [json.actions.map(({ index }: { index: number }) => index), link];
    };
    expect(await indices('index=gt:0&index=lte:2')).toEqual([[1, 2], null]);
    expect(await indices('index=2')).toEqual([[2], null]);
    expect(await indices('index=1&index=2')).toEqual([[], null]);
    expect(await indices('index=gte:9223372036854775807')).toEqual([[], null]);
    expect(await indices('limit=2')).toEqual([[0, 1], `${byId}?limit=2&index=gt:1`]);
    expect(await indices('limit=1&order=desc&index=lt:3')).toEqual([[2], `${byId}?limit=1&order=desc&index=lt:2`]);
    expect(await indices('limit=1&index=2')).toEqual([[2], null]);
    const pages = await followLinks(get, `${byHash}?limit=3&order=desc`);
    expect(pages.flatMap(({ json }) => json.actions.map(({ index }: { index: number }) => index))).toEqual([
      3, 2, 1, 0,
    ]);
  });

  it('are refused or not found', async () => {
    expect((await get(`${byId}?order=b&limit=c&nonce=2&index=-1`)).messages).toEqual([
      'Invalid parameter: order',
      'Invalid parameter: limit',
      'Invalid parameter: index',
      'Unknown query parameter: nonce',
    ]);
    expect((await get(`${byId}?index=ne:1`)).messages).toEqual(['Invalid parameter: index']);
    expect(await get(`/api/v1/contracts/results/${'77'.repeat(32)}/actions`)).toMatchObject({ status: 404 });
    expect(await get('/api/v1/contracts/results/1.2.5001-1676540001-5/actions')).toMatchObject({ status: 404 });
    expect(await get('/api/v1/contracts/results/abc/actions')).toMatchObject({ status: 400 });
  });
});
