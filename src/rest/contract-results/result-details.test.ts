import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { type FixtureRow, insertRows } from '../testing/rows.fixture.ts';
import { contractResultRoutes } from './contract-results.ts';
import { findResultReference } from './result-reference.ts';

const start = 1_600_000_000_000_000_000n;
const address = '70f2b2914a2a4b783faefb75f459a580616fcb5e';
const hashOf = (digits: string) => digits.repeat(32);
const word = (end: string) => `0x${end.padStart(64, '0')}`;

const result = (at: bigint, contract: bigint | number, more: FixtureRow = {}): FixtureRow => ({
  consensus_timestamp: at,
  contract_id: contract,
  call_result: '\\x01',
  failed_initcode: null,
  function_parameters: '\\x',
  gas_limit: 1000,
  payer_account_id: 8001,
  sender_id: 8001,
  transaction_hash: '\\x1656',
  transaction_index: 1,
  transaction_result: 22,
  ...more,
});

const contractTransaction = (at: bigint, contracts: readonly (bigint | number)[], payer: bigint | number = 8001) =>
  contracts.map((entity_id) => ({
    consensus_timestamp: at,
    entity_id,
    contract_ids: `{${contracts.join(',')}}`,
    payer_account_id: payer,
  }));

const transaction = (at: bigint, validStart: bigint, more: FixtureRow = {}): FixtureRow => ({
  consensus_timestamp: at,
  type: 7,
  result: 22,
  payer_account_id: 8001,
  valid_start_ns: validStart,
  nonce: 0,
  ...more,
});

const hashRow = (at: bigint, digits: string, entity: bigint | number, outcome = 22) => ({
  consensus_timestamp: at,
  hash: `\\x${hashOf(digits)}`,
  payer_account_id: 8001,
  entity_id: entity,
  transaction_result: outcome,
});

const log = (at: bigint, index: number, contract: number, more: FixtureRow = {}): FixtureRow => ({
  bloom: '\\x00',
  consensus_timestamp: at,
  contract_id: contract,
  data: '\\x05',
  index,
  payer_account_id: 8001,
  synthetic: false,
  topic0: '\\xdd',
  topic3: null,
  transaction_hash: `\\x${hashOf('ab')}`,
  transaction_index: 3,
  ...more,
});

const change = (contract: number, slot: string, migration: boolean, written: string | null): FixtureRow => ({
  consensus_timestamp: start + 10n,
  contract_id: contract,
  payer_account_id: 8001,
  slot: `\\x${slot}`,
  value_read: '\\x01',
  value_written: written === null ? null : `\\x${written}`,
  migration,
});

const foreign = encodeEntityId(1n, 2n, 5001n);
const foreignPayer = encodeEntityId(1n, 2n, 8001n);

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  const db = test.database;
  await insertRows(db, 'contract_result', [
    result(start + 10n, 5001),
    result(start + 11n, 5001, { transaction_nonce: 1 }),
    result(start + 20n, 5001, { transaction_result: 33, call_result: null }),
    result(start + 21n, 5001),
    result(start + 22n, 5001, { transaction_result: 312 }),
    result(start + 30n, foreign, { payer_account_id: foreignPayer, sender_id: foreignPayer }),
    result(start + 60n, 5009),
    result(start + 70n, 0, { transaction_result: 111, call_result: '\\x' }),
  ]);
  await insertRows(db, 'contract_transaction', [
    ...contractTransaction(start + 10n, [5001, 5002, 8001]),
    ...contractTransaction(start + 11n, [5001, 8001]),
    ...[20n, 21n, 22n].flatMap((offset) => contractTransaction(start + offset, [5001, 8001])),
    ...contractTransaction(start + 30n, [foreign, foreignPayer], foreignPayer),
    ...contractTransaction(start + 40n, [5001, 8001]),
    { consensus_timestamp: start + 60n, entity_id: 8001, contract_ids: '{}', payer_account_id: 8001 },
  ]);
  await insertRows(db, 'transaction', [
    transaction(start + 10n, start),
    transaction(start + 11n, start, { nonce: 1 }),
    transaction(start + 20n, start + 5n, { result: 33 }),
    transaction(start + 21n, start + 5n),
    transaction(start + 22n, start + 5n, { result: 312 }),
    transaction(start + 30n, start, { payer_account_id: foreignPayer }),
    transaction(start + 50n, start + 6n, { type: 14 }),
    transaction(start + 60n, start + 7n),
    transaction(start + 70n, start + 8n, { result: 111 }),
  ]);
  await insertRows(db, 'contract_transaction_hash', [
    hashRow(start + 10n, '10', 5001),
    hashRow(start + 20n, '20', 5001, 33),
    hashRow(start + 21n, '20', 5001),
    hashRow(start + 22n, '20', 5001, 312),
    hashRow(start + 40n, '40', 5001),
    hashRow(start + 70n, '70', 0, 111),
  ]);
  await insertRows(db, 'contract_log', [
    log(start + 10n, 1, 5002),
    log(start + 10n, 0, 5001),
    log(start + 10n, 2, 5003),
    log(start + 11n, 3, 5001),
    log(start + 50n, 5, 7002, { synthetic: true, topic3: '\\xffffffffffffffff' }),
    log(start + 50n, 4, 7001, { synthetic: true }),
  ]);
  await insertRows(db, 'transaction_hash', [
    { consensus_timestamp: start + 50n, hash: `\\x${hashOf('ab')}`, payer_account_id: 8001, hash_suffix: '\\x01' },
    { consensus_timestamp: start + 51n, hash: `\\x${hashOf('ac')}`, payer_account_id: 8001, hash_suffix: '\\x01' },
  ]);
  await insertRows(db, 'contract_state_change', [
    change(5001, '02', true, '05'),
    change(5001, '01', false, null),
    change(5002, '03', true, '06'),
    change(5002, '04', false, ''),
    change(5003, '05', false, '07'),
  ]);
  await insertRows(db, 'ethereum_transaction', [
    {
      consensus_timestamp: start + 10n,
      payer_account_id: 8001,
      call_data_id: 1001,
      data: '\\x',
      gas_limit: 77,
      hash: `\\x${hashOf('10')}`,
      max_gas_allowance: 0,
      nonce: 4,
      signature_r: '\\x0a',
      signature_s: '\\x0b',
      type: 2,
    },
  ]);
  await insertRows(
    db,
    'file_data',
    [
      [1n, 17, '01'],
      [2n, 16, '02'],
      [3n, 19, '0c'],
      [4n, 16, '0b'],
    ].map(([at, type, data]) => ({
      consensus_timestamp: at as bigint,
      transaction_type: type as number,
      entity_id: 1001,
      file_data: `\\x${data}`,
    })),
  );
  await insertRows(db, 'entity', [
    {
      id: 5001,
      num: 5001,
      realm: 0,
      shard: 0,
      evm_address: `\\x${address}`,
      timestamp_range: '[1,)',
      deleted: false,
    },
  ]);
  get = restRequests(contractResultRoutes, db);
});
afterAll(() => test?.drop());

const byTransaction = (text: string) => get(`/api/v1/contracts/results/${text}`);
const byTime = (contract: string, nanos: bigint, query = '') =>
  get(`/api/v1/contracts/${contract}/results/1600000000.${nanos.toString().padStart(9, '0')}${query}`);

describe('the result of a transaction', () => {
  it('is found by id, nonce and hash', async () => {
    const timestampOf = async (text: string) => (await byTransaction(text)).json?.timestamp;
    expect(await timestampOf('0.0.8001-1600000000-0')).toBe('1600000000.000000010');
    expect(await timestampOf('0.0.8001-1600000000-0?nonce=0&nonce=1')).toBe('1600000000.000000011');
    expect(await timestampOf(hashOf('10'))).toBe('1600000000.000000010');
    expect(await timestampOf(`0x${hashOf('10')}?nonce=5`)).toBe('1600000000.000000010');
    expect(await timestampOf('1.2.8001-1600000000-0')).toBe('1600000000.000000030');
  });

  it('is the successful attempt of several', async () => {
    expect((await byTransaction(hashOf('20'))).json.timestamp).toBe('1600000000.000000021');
    expect((await byTransaction('0.0.8001-1600000000-5')).json.timestamp).toBe('1600000000.000000021');
  });

  it('has the logs and state changes of the contracts that took part', async () => {
    const { status, json } = await byTransaction(hashOf('10'));
    expect(status).toBe(200);
    expect(json.logs).toEqual([
      {
        address: `0x${address}`,
        bloom: '0x00',
        contract_id: '0.0.5001',
        data: word('05'),
        index: 0,
        topics: [word('dd')],
      },
      {
        address: '0x000000000000000000000000000000000000138a',
        bloom: '0x00',
        contract_id: '0.0.5002',
        data: word('05'),
        index: 1,
        topics: [word('dd')],
      },
    ]);
    const changes = json.state_changes.map(({ contract_id, slot }: Record<string, string>) => [contract_id, slot]);
    expect(changes).toEqual([
      ['0.0.5001', word('1')],
      ['0.0.5002', word('4')],
    ]);
    expect(json.state_changes[1]).toMatchObject({ value_read: word('1'), value_written: word('') });
  });

  it('takes call data from the newest version of its file', async () => {
    const { json } = await byTransaction(hashOf('10'));
    expect(json).toMatchObject({ function_parameters: '0x0c0b', gas_limit: 77, nonce: 4, amount: null });
  });

  it('takes any contract where none is listed', async () => {
    expect((await byTransaction('0.0.8001-1600000000-7')).json.contract_id).toBe('0.0.5009');
  });

  it('is there where the network refused the transaction before any contract took part', async () => {
    for (const text of [hashOf('70'), '0.0.8001-1600000000-8']) {
      const { status, json } = await byTransaction(text);
      expect([status, json.contract_id, json.result]).toEqual([200, null, 'MAX_GAS_LIMIT_EXCEEDED']);
    }
  });

  it('is not there for an unknown transaction, or one that left none', async () => {
    for (const text of [
      '0.0.8001-1600000000-1',
      '0.0.8001-1600000000-0?nonce=2',
      '0.0.8001-9223372036854775807-0',
      hashOf('99'),
      hashOf('40'),
      hashOf('ac'),
    ]) {
      expect(await byTransaction(text)).toMatchObject({ status: 404, messages: ['Not found'] });
    }
  });

  it.each([
    [
      '1',
      'Invalid Transaction id. Please use "shard.realm.num-sss-nnn" format where sss are seconds and nnn are nanoseconds',
    ],
    [
      hashOf('10').slice(2),
      'Invalid Transaction id. Please use "shard.realm.num-sss-nnn" format where sss are seconds and nnn are nanoseconds',
    ],
    ['0.0.10-1-1?nonce=2147483648', 'Invalid parameter: nonce'],
    ['0.0.10-1-1?hbar=x', 'Invalid parameter: hbar'],
    ['x?limit=1', 'Unknown query parameter: limit'],
    ['x?hbar=true&hbar=true', `Invalid hbar parameter value: true,true. Must be 'true' or 'false'`],
  ])('refuses %s', async (text, message) => {
    expect(await byTransaction(text)).toMatchObject({ status: 400, messages: [message] });
  });
});

describe('the result of a contract at a time', () => {
  it('is found by the id and address of every contract that took part', async () => {
    for (const name of ['5001', `0x${address}`, '0.0.5002', '8001']) {
      expect((await byTime(name, 10n)).json.contract_id).toBe('0.0.5001');
    }
  });

  it('has the migrated state of this contract too', async () => {
    const slots = async (name: string) =>
      (await byTime(name, 10n)).json.state_changes.map(({ slot }: { slot: string }) => slot);
    expect(await slots('5001')).toEqual([word('1'), word('2'), word('4')]);
    expect(await slots('5002')).toEqual([word('1'), word('3'), word('4')]);
  });

  it('is partial while what the call returned is missing', async () => {
    expect(await byTime('5001', 20n)).toMatchObject({
      status: 206,
      json: { call_result: '0x', result: 'CONTRACT_REVERT_EXECUTED', status: '0x0', error_message: null },
    });
  });

  it('shows amounts in the unit asked for', async () => {
    await test.database.query('update contract_result set amount = 3 where consensus_timestamp = $1', [start + 21n]);
    expect((await byTime('5001', 21n)).json.amount).toBe(3);
    expect((await byTime('5001', 21n, '?hbar=false')).json.amount).toBe(30_000_000_000);
  });

  it('is not there at other times, or for others', async () => {
    for (const [name, nanos] of [
      ['5001', 9n],
      ['5003', 10n],
      ['5001', 40n],
      ['0x5555555555555555555555555555555555555555', 10n],
    ] as const) {
      expect(await byTime(name, nanos)).toMatchObject({ status: 404, messages: ['Not found'] });
    }
    expect((await get('/api/v1/contracts/5001/results/9999999999')).status).toBe(404);
  });

  it('refuses what it does not know', async () => {
    const messages = async (path: string) => (await get(`/api/v1/contracts/${path}`)).messages;
    expect(await messages('x/results/1.2.3?limit=1')).toEqual([
      'Invalid parameter: contractid',
      'Invalid parameter: timestamp',
    ]);
    expect(await messages('5001/results/1?index=3&limit=2')).toEqual([
      'Unknown query parameter: index',
      'Unknown query parameter: limit',
    ]);
    expect(await messages('x/results/1?hbar=ne:true')).toEqual([
      `Invalid hbar parameter value: ne:true. Must be 'true' or 'false'`,
    ]);
  });
});

describe('a result made from synthetic logs', () => {
  it('is found by id, hash, and time of its tokens', async () => {
    for (const text of ['0.0.8001-1600000000-6', hashOf('ab')]) {
      const { status, json } = await byTransaction(text);
      expect(status).toBe(206);
      expect(json).toMatchObject({
        contract_id: '0.0.7001',
        from: '0x0000000000000000000000000000000000001f41',
        gas_limit: 0,
        hash: `0x${hashOf('ab')}`,
        state_changes: [],
        timestamp: '1600000000.000000050',
        transaction_index: 3,
      });
      expect(json.logs.map(({ index }: { index: number }) => index)).toEqual([4]);
    }
    expect((await byTime('7001', 50n)).json.logs).toHaveLength(1);
    expect((await byTime('7002', 50n)).json).toMatchObject({ contract_id: '0.0.7002', logs: [] });
    expect((await byTime('7003', 50n)).status).toBe(404);
  });
});

describe('the reference to a transaction', () => {
  it('names its payer, and the entity under which its contracts are listed', async () => {
    const context = { db: test.database, settings: { query: {} } } as unknown as Parameters<
      typeof findResultReference
    >[2];
    expect(await findResultReference(hashOf('10'), '0', context)).toEqual({
      consensusTimestamp: (start + 10n).toString(),
      payerAccountId: '8001',
      entityId: '5001',
    });
    await expect(findResultReference(hashOf('99'), '0', context)).rejects.toMatchObject({ status: 404 });
  });
});
