import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { contractRoutes } from './contracts.ts';

const address = '62cf9068fed962cf9aaabbb962cf9068fed9dddd';
const formerAddress = '11cf9068fed962cf9aaabbb962cf9068fed91111';
const twiceUsed = 'aa'.repeat(20);
const foreign = encodeEntityId(1n, 2n, 8001n);
const foreignFile = encodeEntityId(1n, 2n, 5001n);

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;
let elsewhere: ReturnType<typeof restRequests>;

const entity = (id: bigint | number, more: Record<string, string | number | bigint | boolean | null> = {}) => ({
  id,
  num: BigInt(id) & ((1n << 38n) - 1n),
  realm: 0,
  shard: 0,
  type: 'CONTRACT',
  deleted: false,
  memo: '',
  timestamp_range: '[2000000000,)',
  created_timestamp: 1_000_000_000n,
  ...more,
});

const key = `\\x1220${'4a'.repeat(32)}`;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(test.database, 'entity', [
    entity(8001, {
      auto_renew_account_id: 10,
      auto_renew_period: 9_223_372_036n,
      evm_address: `\\x${address}`,
      ethereum_nonce: 9_007_199_254_740_993n,
      expiration_timestamp: 1_236_987_654_000_000_123n,
      key,
      max_automatic_token_associations: -1,
      memo: 'a "contract"\n',
      obtainer_id: 70,
      permanent_removal: true,
      proxy_account_id: 71,
    }),
    entity(8002, { auto_renew_period: 5, deleted: null, key: '\\x3200', auto_renew_account_id: 0 }),
    entity(8003, { created_timestamp: null, evm_address: `\\x${twiceUsed}`, ethereum_nonce: null }),
    entity(8004, { evm_address: `\\x${twiceUsed}` }),
    entity(8005, { type: 'ACCOUNT', evm_address: `\\x${'55'.repeat(20)}` }),
    entity(foreign, { realm: 2, shard: 1 }),
  ]);
  await insertRows(test.database, 'entity_history', [
    entity(8001, { timestamp_range: '[1000000000,1500000000)', memo: 'first', evm_address: `\\x${formerAddress}` }),
    entity(8001, { timestamp_range: '[1500000000,2000000000)', memo: 'second' }),
  ]);
  await insertRows(test.database, 'contract', [
    { id: 8001, file_id: 5001, runtime_bytecode: '\\x6080' },
    { id: 8002, file_id: 1000, initcode: '\\x0a0b' },
    { id: 8003, file_id: 5001 },
    { id: foreign, file_id: foreignFile },
  ]);
  const text = (value: string) => `\\x${Buffer.from(value).toString('hex')}`;
  await insertRows(test.database, 'file_data', [
    { entity_id: 5001, consensus_timestamp: 1, transaction_type: 17, file_data: text('dead') },
    { entity_id: 5001, consensus_timestamp: 2, transaction_type: 19, file_data: text('60') },
    { entity_id: 5001, consensus_timestamp: 3, transaction_type: 16, file_data: text('80') },
    { entity_id: 5001, consensus_timestamp: 4, transaction_type: 19, file_data: '\\x' },
    { entity_id: 5001, consensus_timestamp: 1_000_000_000, transaction_type: 16, file_data: text('40') },
    { entity_id: 5001, consensus_timestamp: 1_000_000_001, transaction_type: 16, file_data: text('ff') },
    { entity_id: foreignFile, consensus_timestamp: 5, transaction_type: 17, file_data: text('0xab"') },
  ]);
  await test.database.query('analyze');
  get = restRequests(contractRoutes, test.database);
  elsewhere = restRequests(contractRoutes, test.database, { shard: 1n, realm: 2n });
});
afterAll(() => test?.drop());

describe('a contract', () => {
  it('is shown with exact numbers and the bytecode of its file when it was created', async () => {
    const { body, json, status } = await get('/api/v1/contracts/0.0.8001');
    expect(status).toBe(200);
    expect(body).toContain('"nonce":9007199254740993,');
    expect(json).toEqual({
      admin_key: { _type: 'ED25519', key: '4a'.repeat(32) },
      auto_renew_account: '0.0.10',
      auto_renew_period: 9_223_372_036,
      bytecode: '0x608040',
      contract_id: '0.0.8001',
      created_timestamp: '1.000000000',
      deleted: false,
      evm_address: `0x${address}`,
      expiration_timestamp: '1236987654.000000123',
      file_id: '0.0.5001',
      max_automatic_token_associations: -1,
      memo: 'a "contract"\n',
      nonce: 9_007_199_254_740_992,
      obtainer_id: '0.0.70',
      permanent_removal: true,
      proxy_account_id: '0.0.71',
      runtime_bytecode: '0x6080',
      timestamp: { from: '2.000000000', to: null },
    });
  });

  it('is shown with what little is known of it', async () => {
    expect((await get('/api/v1/contracts/8002')).json).toEqual({
      admin_key: null,
      auto_renew_account: null,
      auto_renew_period: 5,
      bytecode: '0x0a0b',
      contract_id: '0.0.8002',
      created_timestamp: '1.000000000',
      deleted: null,
      evm_address: '0x0000000000000000000000000000000000001f42',
      expiration_timestamp: '6.000000000',
      file_id: '0.0.1000',
      max_automatic_token_associations: null,
      memo: '',
      nonce: 0,
      obtainer_id: null,
      permanent_removal: null,
      proxy_account_id: null,
      runtime_bytecode: '0x',
      timestamp: { from: '2.000000000', to: null },
    });
    expect((await get('/api/v1/contracts/8003')).json).toMatchObject({ bytecode: '0x', created_timestamp: null });
    expect((await get('/api/v1/contracts/8004')).json).toMatchObject({ bytecode: '0x', file_id: null });
  });

  it('is found by address, and in another realm', async () => {
    for (const text of [address, `0x${address.toUpperCase()}`, `0.0.${address}`, `0x${'1f41'.padStart(40, '0')}`]) {
      expect((await get(`/api/v1/contracts/${text}`)).json.contract_id).toBe('0.0.8001');
    }
    for (const text of ['8001', '2.8001', '1.2.8001', `1.2.${'1f41'.padStart(40, '0')}`]) {
      const { json } = await elsewhere(`/api/v1/contracts/${text}`);
      expect(json).toMatchObject({
        bytecode: '0xab"',
        contract_id: '1.2.8001',
        evm_address: '0x0000000000000000000000000000000000001f41',
        file_id: '1.2.5001',
      });
    }
  });

  it('is shown as it was', async () => {
    const memoAt = async (query: string) => {
      const { json, messages } = await get(`/api/v1/contracts/8001?${query}`);
      return json?.memo ?? messages;
    };
    expect(await memoAt('timestamp=1')).toBe('first');
    expect(await memoAt('timestamp=1.499999999')).toBe('first');
    expect(await memoAt('timestamp=1.5')).toBe('second');
    expect(await memoAt('timestamp=lt:1.5')).toBe('first');
    expect(await memoAt('timestamp=lte:1.5')).toBe('second');
    expect(await memoAt('timestamp=gte:0&timestamp=lt:2')).toBe('second');
    expect(await memoAt('timestamp=gt:1.2')).toBe('a "contract"\n');
    expect(await memoAt('timestamp=9999999999.999999999')).toBe('a "contract"\n');
    expect(await memoAt('timestamp=ne:2')).toBe('second');
    expect(await memoAt('timestamp=ne:5&timestamp=ne:1.7')).toBe('first');
    expect(await memoAt('timestamp=0.999999999')).toEqual(['Not found']);
    expect(await memoAt('timestamp=gt:9999999999.999999999')).toEqual(['Not found']);
    expect((await get('/api/v1/contracts/8001?timestamp=1.2')).json).toMatchObject({
      evm_address: `0x${formerAddress}`,
      timestamp: { from: '1.000000000', to: '1.500000000' },
    });
    expect((await get(`/api/v1/contracts/${formerAddress}?timestamp=lt:2`)).json.memo).toBe('first');
    expect((await get(`/api/v1/contracts/${formerAddress}`)).messages).toEqual(['Not found']);
  });

  it('is not found when it is none, or when two have the address', async () => {
    for (const text of ['8005', '55'.repeat(20), twiceUsed, '9000', '24.42.8001']) {
      expect(await get(`/api/v1/contracts/${text}`)).toMatchObject({ status: 404, messages: ['Not found'] });
    }
  });

  it('refuses what names no contract, and unknown parameters', async () => {
    const refusal = async (text: string) => (await get(`/api/v1/contracts/${text}`)).messages;
    expect(await refusal('x')).toEqual(['Invalid parameter: contractid']);
    expect(await refusal('0x1234?timestamp=a')).toEqual(['Invalid parameter: contractid']);
    expect(await refusal('0.0.274877906944')).toEqual(['Invalid entity ID "0.0.274877906944"']);
    expect(await refusal('8001?limit=1&timestamp=x')).toEqual([
      'Invalid parameter: timestamp',
      'Unknown query parameter: limit',
    ]);
  });
});

describe('the list of contracts', () => {
  const ids = async (query: string) => {
    const { json, link } = await get(`/api/v1/contracts?${query}`);
    return [json.contracts.map((contract: { contract_id: string }) => contract.contract_id), link];
  };
  const foreignId = '1.2.8001';

  it('shows contracts only, newest ids first, without bytecode', async () => {
    expect(await ids('')).toEqual([[foreignId, '0.0.8004', '0.0.8003', '0.0.8002', '0.0.8001'], null]);
    const { json } = await get('/api/v1/contracts?contract.id=8003');
    expect(json.contracts).toEqual([
      {
        admin_key: null,
        auto_renew_account: null,
        auto_renew_period: null,
        contract_id: '0.0.8003',
        created_timestamp: null,
        deleted: false,
        evm_address: `0x${twiceUsed}`,
        expiration_timestamp: null,
        file_id: '0.0.5001',
        max_automatic_token_associations: null,
        memo: '',
        nonce: 0,
        obtainer_id: null,
        permanent_removal: null,
        proxy_account_id: null,
        timestamp: { from: '2.000000000', to: null },
      },
    ]);
  });

  it('pages in both orders', async () => {
    const pages = async (query: string) =>
      (await followLinks(get, `/api/v1/contracts?${query}`)).map(({ json }) =>
        json.contracts.map((contract: { contract_id: string }) => contract.contract_id),
      );
    expect(await pages('limit=2')).toEqual([[foreignId, '0.0.8004'], ['0.0.8003', '0.0.8002'], ['0.0.8001']]);
    expect(await pages('limit=2&order=asc&contract.id=lt:8004')).toEqual([['0.0.8001', '0.0.8002'], ['0.0.8003']]);
    expect(await pages('limit=1&contract.id=8001&contract.id=8004&contract.id=eq:0.0.8002')).toEqual([
      ['0.0.8004'],
      ['0.0.8002'],
      ['0.0.8001'],
    ]);
    expect(await ids('limit=2')).toEqual([
      [foreignId, '0.0.8004'],
      '/api/v1/contracts?limit=2&contract.id=lt:0.0.8004',
    ]);
    expect(await ids('limit=1&contract.id=8001&contract.id=8004')).toEqual([
      ['0.0.8004'],
      '/api/v1/contracts?limit=1&contract.id=8001',
    ]);
    expect(await ids('limit=1&contract.id=8001')).toEqual([['0.0.8001'], null]);
    expect(await ids('limit=3&order=asc&contract.id=lte:8003')).toEqual([['0.0.8001', '0.0.8002', '0.0.8003'], null]);
  });

  it('takes every operator on ids, and addresses by equality', async () => {
    expect(await ids('contract.id=gt:8001&contract.id=lte:8003')).toEqual([['0.0.8003', '0.0.8002'], null]);
    expect(await ids('contract.id=lt:8004&contract.id=ne:8002')).toEqual([['0.0.8003', '0.0.8001'], null]);
    expect(await ids('contract.id=8001&contract.id=8002&contract.id=gt:8001')).toEqual([['0.0.8002'], null]);
    expect(await ids(`contract.id=${address}&contract.id=8002`)).toEqual([['0.0.8002', '0.0.8001'], null]);
    expect(await ids(`contract.id=0.0.${address}`)).toEqual([['0.0.8001'], null]);
    expect(await ids(`contract.id=${'77'.repeat(20)}`)).toEqual([[], null]);
    expect(await ids(`contract.id=${'77'.repeat(20)}&contract.id=8002`)).toEqual([['0.0.8002'], null]);
    expect(await ids(`contract.id=${address}&contract.id=8002&limit=1`)).toEqual([
      ['0.0.8002'],
      `/api/v1/contracts?contract.id=${address}&limit=1`,
    ]);
    expect(await ids('contract.id=8005')).toEqual([[], null]);
    expect(await ids('contract.id=gt:8001&contract.id=lt:8001')).toEqual([[], null]);
  });

  it('refuses what it does not know', async () => {
    const refusal = async (query: string) => (await get(`/api/v1/contracts?${query}`)).messages;
    expect(await refusal(`foo=1&contract.id=0x${address}&contract.id=gt:${address}&order=up`)).toEqual([
      'Invalid parameter: contract.id',
      'Invalid parameter: contract.id',
      'Invalid parameter: order',
      'Unknown query parameter: foo',
    ]);
    expect(await refusal('contract.id=0.0.274877906944')).toEqual(['Invalid parameter: contractid']);
  });
});
