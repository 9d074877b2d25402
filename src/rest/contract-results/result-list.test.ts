import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { contractResultRoutes } from './contract-results.ts';

const second = 1_000_000_000n;
const day = 86_400n * second;
const start = 1_600_000_000n * second;

interface Given {
  readonly at: bigint;
  readonly contract?: bigint;
  readonly sender?: bigint;
  readonly nonce?: number;
  readonly result?: number;
  readonly index?: number;
}

// Two blocks of five seconds, then nothing for 100 days, then a block of another realm's results.
const given: readonly Given[] = [
  { at: start + 1n, contract: 5001n, sender: 8001n, index: 0 },
  { at: start + 2n, contract: 5002n, sender: 8001n, nonce: 1, index: 1 },
  { at: start + 3n, contract: 5001n, sender: 8002n, index: 2 },
  { at: start + 4n, contract: 5001n, sender: 8002n, result: 312, index: 3 },
  { at: start + 5n * second, contract: 5002n, sender: 8002n, index: 0 },
  { at: start + 6n * second, contract: 5001n, sender: 8003n, result: 33, index: 1 },
  { at: start + 100n * day, contract: encodeEntityId(1n, 2n, 5001n), sender: encodeEntityId(1n, 2n, 8001n), index: 0 },
];

const address = '70f2b2914a2a4b783faefb75f459a580616fcb5e';
const senderAddress = 'fbb9a1be370150759408cd7af48e9eda2b8ead57';
const hashOf = (digits: string) => digits.repeat(96).slice(0, 96);

const block = (index: number, from: bigint, to: bigint, hash: string) => ({
  name: `${index}.rcd`,
  load_start: 0,
  load_end: 0,
  hash,
  prev_hash: '',
  consensus_start: from,
  consensus_end: to,
  count: 1,
  digest_algorithm: 0,
  version: 6,
  file_hash: '',
  index,
  gas_used: 500,
});

const log = (at: bigint, index: number, contract: number, more = {}) => ({
  bloom: '\\x00',
  consensus_timestamp: at,
  contract_id: contract,
  data: '\\x05',
  index,
  payer_account_id: 8001,
  synthetic: true,
  topic0: '\\xddf2',
  topic3: null,
  transaction_hash: `\\x${'ab'.repeat(32)}`,
  transaction_index: 7,
  ...more,
});

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;
const routes = contractResultRoutes;
const all = '/api/v1/contracts/results';
const ofContract = (contract: string) => `/api/v1/contracts/${contract}/results`;

beforeAll(async () => {
  test = await createTestDatabase();
  const db = test.database;
  await insertRows(
    db,
    'contract_result',
    given.map((row) => ({
      consensus_timestamp: row.at,
      amount: 10,
      contract_id: row.contract ?? 0n,
      function_parameters: '\\x0707',
      gas_limit: 1000,
      gas_used: 9,
      call_result: '\\x01',
      payer_account_id: 100,
      sender_id: row.sender ?? null,
      transaction_hash: '\\x1656',
      transaction_index: row.index ?? null,
      transaction_nonce: row.nonce ?? 0,
      transaction_result: row.result ?? 22,
    })),
  );
  await insertRows(db, 'ethereum_transaction', [
    {
      consensus_timestamp: start + 3n,
      payer_account_id: 100,
      data: '\\x',
      gas_limit: 5,
      gas_price: '\\x02540be400',
      hash: '\\x1656',
      max_gas_allowance: 0,
      nonce: 4,
      signature_r: '\\x0a',
      signature_s: '\\x0b',
      recovery_id: 1,
      type: 2,
      value: '\\x04a817c800',
      chain_id: '\\x0128',
    },
    // of another payer at the same time: not the one of the result
    {
      consensus_timestamp: start + 1n,
      payer_account_id: 101,
      data: '\\x',
      gas_limit: 5,
      hash: '\\x1657',
      max_gas_allowance: 0,
      nonce: 4,
      signature_r: '\\x0a',
      signature_s: '\\x0b',
      type: 2,
    },
  ]);
  await insertRows(db, 'record_file', [
    block(10, start, start + 4n * second, hashOf('ab')),
    block(11, start + 5n * second, start + 9n * second, hashOf('abcd')),
    block(12, start + 100n * day + 1n, start + 101n * day, hashOf('ef')),
  ]);
  const entity = (id: number, evm: string) => ({
    id,
    num: id,
    realm: 0,
    shard: 0,
    evm_address: `\\x${evm}`,
    timestamp_range: '[1,)',
    deleted: false,
  });
  await insertRows(db, 'entity', [entity(5001, address), entity(8002, senderAddress)]);
  await insertRows(
    db,
    'transaction',
    [start, start + 8n * second].map((at, i) => ({
      consensus_timestamp: at,
      type: 14,
      result: 22,
      payer_account_id: 8001,
      valid_start_ns: at,
      nonce: i,
    })),
  );
  get = restRequests(routes, db, { rest: { query: { syntheticContractResults: false } }, now: start + 101n * day });
});
afterAll(() => test?.drop());

const times = (answer: FixtureAnswer): bigint[] =>
  answer.json.results.map(({ timestamp }: { timestamp: string }) => BigInt(timestamp.replace('.', '')) - start);
const timesOf = async (url: string, request = get) => times(await request(url));

describe('results of all contracts', () => {
  it('are listed newest first, without children and refused nonces', async () => {
    expect(await timesOf(all)).toEqual([100n * day, 6n * second, 5n * second, 3n, 1n]);
    expect(await timesOf(`${all}?order=asc&internal=true`)).toEqual([1n, 2n, 3n, 5n * second, 6n * second, 100n * day]);
  });

  it('carry block and Ethereum transaction of their own payer', async () => {
    const { json } = await get(`${all}?timestamp=1600000000.000000003`);
    expect(json.results).toEqual([
      {
        access_list: [],
        address: `0x${address}`,
        amount: 2,
        block_gas_used: 500,
        block_hash: `0x${hashOf('ab')}`,
        block_number: 10,
        bloom: '0x',
        call_result: '0x01',
        chain_id: '0x128',
        contract_id: '0.0.5001',
        created_contract_ids: [],
        error_message: null,
        failed_initcode: null,
        from: '0x0000000000000000000000000000000000001f42',
        function_parameters: '0x0707',
        gas_consumed: null,
        gas_limit: 1000,
        gas_price: '0x1',
        gas_used: 9,
        hash: '0x1656',
        max_fee_per_gas: '0x',
        max_priority_fee_per_gas: '0x',
        nonce: 4,
        r: '0x0a',
        result: 'SUCCESS',
        s: '0x0b',
        status: '0x1',
        timestamp: '1600000000.000000003',
        to: '0x0000000000000000000000000000000000001389',
        transaction_index: 2,
        type: 2,
        v: 1,
      },
    ]);
    const weibars = await get(`${all}?timestamp=1600000000.000000003&hbar=FALSE`);
    expect(weibars.json.results[0]).toMatchObject({ amount: 20_000_000_000, gas_price: '0x2540be400' });
    const other = await get(`${all}?timestamp=1600000000.000000001`);
    expect(other.json.results[0]).toMatchObject({ type: 0, nonce: null, amount: 10 });
  });

  it('have no block where none holds them', async () => {
    const { json } = await get(`${all}?limit=1`);
    expect(json.results[0]).toMatchObject({ block_hash: '0x', block_number: null, block_gas_used: null });
  });

  it('are paged both ways', async () => {
    for (const order of ['asc', 'desc']) {
      const whole = await timesOf(`${all}?order=${order}&internal=true`);
      const pages = await followLinks(get, `${all}?order=${order}&internal=true&limit=2`);
      expect(pages.map(times)).toEqual([whole.slice(0, 2), whole.slice(2, 4), whole.slice(4, 6), []]);
    }
    expect((await get(`${all}?limit=1`)).link).toBe(`${all}?limit=1&timestamp=lt:1608640000.000000000`);
    expect((await get(`${all}?limit=1&timestamp=gte:1608640000`)).link).toBeNull();
  });

  it('stay within timestamps', async () => {
    expect(await timesOf(`${all}?timestamp=1600000000.000000001&timestamp=1600000005`)).toEqual([5n * second, 1n]);
    expect(await timesOf(`${all}?timestamp=gt:1600000000.000000001&timestamp=lt:1600000006`)).toEqual([
      5n * second,
      3n,
    ]);
    expect(await timesOf(`${all}?timestamp=ne:1600000005&timestamp=lt:1600000006`)).toEqual([3n, 1n]);
    expect(await timesOf(`${all}?timestamp=gt:5&timestamp=lt:5`)).toEqual([]);
    expect(await timesOf(`${all}?timestamp=9999999999.999999999`)).toEqual([]);
    expect(await timesOf(`${all}?timestamp=gt:9999999999.999999999`)).toEqual([]);
  });

  it('are found by any of several callers', async () => {
    expect(await timesOf(`${all}?from=8001`)).toEqual([1n]);
    expect(await timesOf(`${all}?from=0.0.8001&from=0x${senderAddress}&limit=2`)).toEqual([5n * second, 3n]);
    expect(await timesOf(`${all}?from=8001&from=8001&order=asc&internal=true`)).toEqual([1n, 2n]);
    expect(await timesOf(`${all}?from=gt:8001&from=lt:8003`)).toEqual([5n * second, 3n]);
    expect(await timesOf(`${all}?from=8009`)).toEqual([]);
    expect((await get(`${all}?from=${'12'.repeat(20)}`)).status).toBe(404);
  });

  it('are found by block', async () => {
    expect(await timesOf(`${all}?block.number=11`)).toEqual([6n * second, 5n * second]);
    expect(await timesOf(`${all}?block.number=0xB&transaction.index=1`)).toEqual([6n * second]);
    expect(await timesOf(`${all}?block.number=11&transaction.index=0&transaction.index=1&order=asc`)).toEqual([
      5n * second,
      6n * second,
    ]);
    expect(await timesOf(`${all}?block.number=11&transaction.index=2147483647`)).toEqual([]);
    for (const number of ['9223372036854775808', '9999999999999999999', '0x8000000000000000', `0x${'f'.repeat(20)}`]) {
      expect(await timesOf(`${all}?block.number=${number}`), number).toEqual([]);
    }
    expect(await timesOf(`${all}?block.hash=${hashOf('ab')}`)).toEqual([3n, 1n]);
    expect(await timesOf(`${all}?block.hash=0x${hashOf('ABCD').slice(0, 64)}`)).toEqual([6n * second, 5n * second]);
    expect(await timesOf(`${all}?block.hash=${hashOf('ab')}&block.hash=${hashOf('abcd')}`)).toEqual([
      6n * second,
      5n * second,
    ]);
    expect(await timesOf(`${all}?block.number=10&timestamp=gt:1600000000.000000001`)).toEqual([3n]);
    expect(await timesOf(`${all}?block.number=99`)).toEqual([]);
    expect(await timesOf(`${all}?block.hash=${hashOf('12')}`)).toEqual([]);
  });

  it('come in windows of time when those are bound', async () => {
    const bound = restRequests(routes, test.database, {
      rest: { query: { bindTimestampRange: true } },
      now: start + 101n * day,
    });
    const pages = await followLinks(bound, all);
    expect(pages.map(times)).toEqual([[100n * day], [6n * second, 5n * second, 3n, 1n]]);
    expect(pages[0]?.link).toBe(`${all}?timestamp=lt:1603542400.000000001`);
    const empty = await bound(`${all}?timestamp=lt:1608640000`);
    expect([times(empty), empty.link]).toEqual([[], `${all}?timestamp=lt:1603456000.000000000`]);
    expect(await timesOf(`${all}?timestamp=1600000000.000000001`, bound)).toEqual([1n]);
  });
});

describe('results of one contract', () => {
  it('are found by id, long-zero and own address', async () => {
    const expected = [6n * second, 3n, 1n];
    for (const name of ['5001', '0.0.5001', '0x0000000000000000000000000000000000001389', address, `0.0.${address}`]) {
      expect(await timesOf(ofContract(name))).toEqual(expected);
    }
    // The specification's pattern allows 0x behind shard and realm, and a num of ten digits at most.
    expect(await timesOf(ofContract(`0.0.0x${address}`))).toEqual(expected);
    expect((await get(ofContract('10000000000'))).messages).toEqual(['Invalid parameter: contractid']);
    expect(await timesOf(ofContract('9999999999'))).toEqual([]);
    const home = restRequests(routes, test.database, { shard: 1n, realm: 2n });
    expect(await timesOf(ofContract('5001'), home)).toEqual([100n * day]);
  });

  it('have all members of the specification, in its types', async () => {
    const { json } = await get(`${ofContract('5001')}?timestamp=1600000000.000000003`);
    expect(json.results).toEqual([
      {
        access_list: '0x',
        address: `0x${address}`,
        amount: 2,
        block_gas_used: 500,
        block_hash: `0x${hashOf('ab')}`,
        block_number: 10,
        bloom: '0x',
        call_result: '0x01',
        chain_id: '0x128',
        contract_id: '0.0.5001',
        created_contract_ids: [],
        error_message: null,
        failed_initcode: null,
        from: '0x0000000000000000000000000000000000001f42',
        function_parameters: '0x0707',
        gas_consumed: null,
        gas_limit: 1000,
        gas_price: '0x1',
        gas_used: 9,
        hash: '0x1656',
        max_fee_per_gas: '0x',
        max_priority_fee_per_gas: '0x',
        nonce: 4,
        r: '0x0a',
        result: 'SUCCESS',
        s: '0x0b',
        status: 1,
        timestamp: '1600000000.000000003',
        to: '0x0000000000000000000000000000000000001389',
        transaction_index: 2,
        type: 2,
        v: 1,
      },
    ]);
    const weibars = await get(`${ofContract('5001')}?timestamp=1600000000.000000003&hbar=false`);
    expect(weibars.json.results[0]).toMatchObject({ amount: 20_000_000_000, gas_price: '0x2540be400' });
    const plain = await get(`${ofContract('5001')}?timestamp=1600000000.000000001`);
    expect(plain.json.results[0]).toMatchObject({ access_list: '0x', nonce: null, status: 1, type: 0 });
  });

  it('have neither block nor signature where the server is set to brief ones', async () => {
    const brief = restRequests(routes, test.database, { rest: { response: { briefContractResults: true } } });
    const { json } = await brief(`${ofContract('5001')}?limit=1&hbar=false`);
    expect(Object.keys(json.results[0])).toEqual([
      'address',
      'amount',
      'bloom',
      'call_result',
      'contract_id',
      'created_contract_ids',
      'error_message',
      'from',
      'function_parameters',
      'gas_consumed',
      'gas_limit',
      'gas_used',
      'timestamp',
      'to',
      'hash',
    ]);
    expect(json.links.next).toBe(`${ofContract('5001')}?limit=1&hbar=false&timestamp=lt:1600000006.000000000`);
  });

  it('narrow by every filter', async () => {
    expect(await timesOf(`${ofContract('5002')}?internal=true&order=asc`)).toEqual([2n, 5n * second]);
    expect(await timesOf(`${ofContract('5001')}?from=8002&from=8003`)).toEqual([6n * second, 3n]);
    expect(await timesOf(`${ofContract('5001')}?block.number=10&transaction.index=0`)).toEqual([1n]);
    expect((await followLinks(get, `${ofContract('5001')}?limit=2&order=asc`)).map(times)).toEqual([
      [1n, 3n],
      [6n * second],
    ]);
  });

  it('are none for a contract that is not known', async () => {
    for (const name of ['5009', '0x5555555555555555555555555555555555555555']) {
      expect((await get(ofContract(name))).body).toBe('{"results":[],"links":{"next":null}}');
    }
  });
});

describe('results made from synthetic logs', () => {
  const synthetic = (name: string) => `${all}?${name}`;
  beforeAll(() =>
    insertRows(test.database, 'contract_log', [
      log(start + 1n, 0, 5001), // of a transaction with a result
      log(start + 7n * second, 4, 7002),
      log(start + 7n * second, 3, 7001),
      log(start + 8n * second, 5, 7001), // of a child
      log(start + 9n * second, 6, 7001, { topic3: '\\xffffffffffffffff' }), // all serials at once
      log(start + 9n * second + 1n, 7, 7001, { synthetic: false }),
    ]),
  );

  it('stand among the others, one for each transaction', async () => {
    const plain = restRequests(routes, test.database, { now: start + 101n * day });
    expect(await timesOf(synthetic('timestamp=gte:1600000005&timestamp=lt:1600000100'), plain)).toEqual([
      7n * second,
      6n * second,
      5n * second,
    ]);
    expect(await timesOf(synthetic('limit=2&timestamp=gte:1600000006&order=asc&internal=true'), plain)).toEqual([
      6n * second,
      7n * second,
    ]);
    expect(await timesOf(synthetic('timestamp=gte:1600000008&internal=true&order=asc&limit=1'), plain)).toEqual([
      8n * second,
    ]);
    expect(await timesOf(synthetic('block.number=11&transaction.index=7'), plain)).toEqual([7n * second]);
    expect(await timesOf(synthetic('from=8001'), plain)).toEqual([1n]);
    const { json } = await plain(synthetic('timestamp=1600000007'));
    expect(json.results).toMatchObject([
      {
        address: '0x0000000000000000000000000000000000001b59',
        amount: null,
        block_number: 11,
        bloom: '0x',
        call_result: '0x',
        contract_id: '0.0.7001',
        from: '0x0000000000000000000000000000000000001f41',
        function_parameters: '0x',
        gas_limit: 0,
        gas_used: null,
        hash: `0x${'ab'.repeat(32)}`,
        result: 'SUCCESS',
        status: '0x1',
        transaction_index: 7,
      },
    ]);
  });

  it('are paged with the others', async () => {
    const plain = restRequests(routes, test.database, { now: start + 101n * day });
    for (const order of ['asc', 'desc']) {
      const url = synthetic(`order=${order}&internal=true&timestamp=gte:1600000005&limit=`);
      const whole = await timesOf(`${url}100`, plain);
      expect(whole.length).toBe(5);
      const pages = await followLinks(plain, `${url}1`);
      expect(pages.flatMap(times)).toEqual(whole);
    }
  });

  it('are listed below their token when set so', async () => {
    expect(await timesOf(ofContract('7001'))).toEqual([]);
    const set = restRequests(routes, test.database, { rest: { query: { syntheticContractIdResults: true } } });
    expect(await timesOf(ofContract('7001'), set)).toEqual([7n * second]);
    expect(await timesOf(ofContract('7002'), set)).toEqual([]);
  });
});

describe('refusals', () => {
  it.each([
    ['block.hash=12', ['Invalid parameter: block.hash']],
    [`block.hash=ne:${hashOf('ab')}`, ['Invalid parameter: block.hash']],
    ['block.number=gt:1', ['Invalid parameter: block.number']],
    ['block.number=99999999999999999999', ['Invalid parameter: block.number']],
    ['block.number=1&transaction.index=2147483648', ['Invalid parameter: transaction.index']],
    ['from=0.0.x', ['Invalid parameter: from']],
    [`from=0.0.${address}`, ['Invalid parameter: from']],
    ['from=0.0.274877906944', ['Invalid parameter: from']],
    ['hbar=1', ['Invalid parameter: hbar']],
    ['hbar=eq:true', [`Invalid hbar parameter value: eq:true. Must be 'true' or 'false'`]],
    ['hbar=true&hbar=false', [`Invalid hbar parameter value: true,false. Must be 'true' or 'false'`]],
    ['internal=ne:true', ['Invalid parameter: internal']],
    ['limit=0&x=1&order=up', ['Invalid parameter: limit', 'Invalid parameter: order', 'Unknown query parameter: x']],
    ['timestamp=x', ['Invalid parameter: timestamp']],
    ['transaction.index=-1&block.number=1', ['Invalid parameter: transaction.index']],
    [
      'transaction.index=1',
      [
        'Invalid parameter usage: transaction.index - transaction.index requires block.number or block.hash filter to be specified',
      ],
    ],
    [
      `block.number=1&block.hash=${hashOf('ab')}`,
      ['Invalid parameter usage: block.hash - cannot combine block.number and block.hash'],
    ],
  ])('%s', async (query, messages) => {
    expect(await get(`${all}?${query}`)).toMatchObject({ status: 400, messages });
  });

  it('names the contract before anything else', async () => {
    for (const name of ['x', '-1.0.1', '0.0.274877906944', `1.2.${address}`]) {
      const { status, messages } = await get(`${ofContract(name)}`);
      expect([status, messages]).toEqual([400, ['Invalid parameter: contractid']]);
    }
    expect((await get(`${ofContract('x')}?limit=0`)).messages).toEqual(['Invalid parameter: contractid']);
  });
});
