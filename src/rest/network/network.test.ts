import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CommitWaits } from '../../api/commit-waits.ts';
import { parseRawQuery } from '../../api/http/raw-query.ts';
import { HttpProblem, problemBody } from '../../api/problem.ts';
import type { Route } from '../../api/route.ts';
import { searchTurns } from '../../api/search-turns.ts';
import { loadSettings } from '../../config/load.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { CurrentAndNextFeeSchedule, HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { ExchangeRateSet } from '../../protobuf/generated/services/exchange_rate.ts';
import { exchangeRateRoute } from './exchangerate.ts';
import { feesRoute } from './fees.ts';
import { gasInTinybars } from './gas-price.ts';
import { fractionJson } from './network-stake.ts';
import { nodesRoute } from './nodes.ts';
import { registeredNodesRoute } from './registered-nodes.ts';
import { stakeRoute } from './stake.ts';
import { supplyRoute } from './supply.ts';

let test: TestDatabase;
const { hiero } = loadSettings({ cwd: '/', env: {}, readFile: () => undefined }).settings;

beforeAll(async () => {
  test = await createTestDatabase();
});

afterAll(async () => {
  await test.drop();
});

const { rest, restJava } = hiero.mirror;
/** `query.maxFileAttempts` of the two groups of settings. */
const usualAttempts = { rest: rest.query.maxFileAttempts, restJava: restJava.query.maxFileAttempts };

const ask = async (route: Route, query = '', attempts = usualAttempts) => {
  const context = {
    db: test.database,
    settings: { ...rest, query: { ...rest.query, maxFileAttempts: attempts.rest } },
    javaSettings: { ...restJava, query: { ...restJava.query, maxFileAttempts: attempts.restJava } },
    waits: new CommitWaits(0),
    searches: searchTurns(hiero.mirror.rest),
    shard: 0n,
    realm: 0n,
    clock: () => 0n,
  };
  const request = {
    method: route.method,
    path: route.path,
    linkPrefix: '',
    pathParameters: {},
    query: parseRawQuery(query),
    headers: {},
    body: new Uint8Array(0),
  };
  try {
    const answer = await route.handle(request, context);
    const body = String(answer.body);
    return { ...answer, body, json: answer.contentType === undefined ? JSON.parse(body) : undefined };
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const body = problemBody(error.messages);
    return { status: error.status, body, link: undefined, contentType: undefined, json: JSON.parse(body) };
  }
};

const problem = (message: string, detail?: string) => ({
  _status: { messages: [detail === undefined ? { message } : { message, detail }] },
});

const addFile = (id: number, timestamp: number, type: number, bytes: Uint8Array) =>
  test.database.query(
    'insert into file_data (file_data, consensus_timestamp, entity_id, transaction_type) values ($1, $2, $3, $4)',
    [Buffer.from(bytes), timestamp, id, type],
  );

const rates = (cents: number) =>
  ExchangeRateSet.encode(
    ExchangeRateSet.fromPartial({
      currentRate: { hbarEquiv: 1, centEquiv: cents, expirationTime: { seconds: 4_102_444_800n } },
      nextRate: { hbarEquiv: 1, centEquiv: cents + 3, expirationTime: { seconds: 4_102_448_400n } },
    }),
  ).finish();

describe('GET /api/v1/network/exchangerate', () => {
  beforeEach(() => test.database.query('delete from file_data'));

  it('picks the file as of the given time', async () => {
    for (const [index, timestamp] of [100, 200, 300].entries()) await addFile(112, timestamp, 17, rates(index + 1));
    const cents = async (query: string) => (await ask(exchangeRateRoute, query)).json.current_rate?.cent_equivalent;
    expect(await cents('')).toBe(3);
    expect(await cents('timestamp=0.000000200')).toBe(2);
    expect(await cents('timestamp=gt:0.000000100')).toBe(3);
    expect(await cents('timestamp=lt:0.000000200')).toBe(1);
    expect(await cents('timestamp=gt:0.000000100&timestamp=lt:0.000000300')).toBe(2);
    expect(await cents('timestamp=lt:0.000000100&timestamp=eq:0.000000300')).toBe(3);
    expect((await ask(exchangeRateRoute)).json).toEqual({
      current_rate: { cent_equivalent: 3, expiration_time: 4_102_444_800, hbar_equivalent: 1 },
      next_rate: { cent_equivalent: 6, expiration_time: 4_102_448_400, hbar_equivalent: 1 },
      timestamp: '0.000000300',
    });
  });

  it('puts appended parts together, and falls back when they are incomplete', async () => {
    const first = rates(1);
    const second = rates(7);
    await addFile(112, 100, 17, first.subarray(0, 5));
    await addFile(112, 200, 16, first.subarray(5));
    await addFile(112, 300, 19, new Uint8Array(0));
    await addFile(112, 400, 19, second.subarray(0, 5));
    expect((await ask(exchangeRateRoute)).json).toMatchObject({
      current_rate: { cent_equivalent: 1 },
      timestamp: '0.000000200',
    });
    await addFile(112, 500, 16, second.subarray(5));
    expect((await ask(exchangeRateRoute)).json).toMatchObject({
      current_rate: { cent_equivalent: 7 },
      timestamp: '0.000000500',
    });
  });

  it('takes a message that reaches beyond the one around it for broken', async () => {
    await addFile(112, 100, 17, rates(1));
    // the current rate says 4 bytes, the expiry within it more
    await addFile(112, 200, 17, Buffer.from('0a041a0608e907120408011002', 'hex'));
    expect((await ask(exchangeRateRoute)).json).toMatchObject({ timestamp: '0.000000100' });
  });

  it('tries as few versions as either of the two settings says', async () => {
    await addFile(112, 100, 17, rates(1));
    await addFile(112, 101, 17, Buffer.from('0a10', 'hex'));
    await addFile(112, 102, 17, Buffer.from('0a10', 'hex'));
    const status = async (attempts: typeof usualAttempts) => (await ask(exchangeRateRoute, '', attempts)).status;
    expect(await status({ rest: 3, restJava: 12 })).toBe(200);
    expect(await status({ rest: 2, restJava: 12 })).toBe(404);
    expect(await status({ rest: 12, restJava: 2 })).toBe(404);
  });

  it('tries twelve versions in all', async () => {
    await addFile(112, 100, 17, rates(1));
    for (let i = 1; i <= 11; i++) await addFile(112, 100 + i, 17, Buffer.from('0a10', 'hex'));
    expect((await ask(exchangeRateRoute)).json).toMatchObject({ timestamp: '0.000000100' });
    await addFile(112, 112, 17, Buffer.from('0a10', 'hex'));
    const missing = await ask(exchangeRateRoute);
    expect([missing.status, missing.json]).toEqual([404, problem('Not Found', 'File 0.0.112 not found')]);
  });
});

describe('GET /api/v1/network/fees', () => {
  beforeEach(() => test.database.query('delete from file_data'));

  const schedules = (expirySeconds: bigint) => {
    const fee = (hederaFunctionality: HederaFunctionality, gas: bigint) => ({
      hederaFunctionality,
      fees: [{ servicedata: { gas } }],
    });
    return CurrentAndNextFeeSchedule.encode(
      CurrentAndNextFeeSchedule.fromPartial({
        currentFeeSchedule: {
          expiryTime: { seconds: expirySeconds },
          transactionFeeSchedule: [
            fee(HederaFunctionality.EthereumTransaction, 953_000n),
            fee(HederaFunctionality.ContractCall, 852_000n),
            fee(HederaFunctionality.CryptoTransfer, 1n),
            fee(HederaFunctionality.ContractCreate, 1_068_000n),
          ],
        },
        nextFeeSchedule: {
          expiryTime: { seconds: expirySeconds + 1n },
          transactionFeeSchedule: [fee(HederaFunctionality.ContractCall, 1n)],
        },
      }),
    ).finish();
  };

  it('gives the price of gas in tinybars', async () => {
    await addFile(112, 99, 17, rates(12));
    await addFile(111, 100, 17, schedules(5n));
    const fees = [
      { gas: 71, transaction_type: 'ContractCall' },
      { gas: 89, transaction_type: 'ContractCreate' },
      { gas: 79, transaction_type: 'EthereumTransaction' },
    ];
    expect((await ask(feesRoute)).json).toEqual({ fees, timestamp: '0.000000100' });
    expect((await ask(feesRoute, 'order=DESC')).json.fees).toEqual([...fees].reverse());
  });

  it('takes the next schedule after the current one has expired', async () => {
    await addFile(112, 99, 17, rates(12));
    await addFile(111, 100, 17, schedules(5n));
    const gasAt = async (query: string) => (await ask(feesRoute, query)).json.fees[0].gas;
    expect(await gasAt('timestamp=5')).toBe(71);
    expect(await gasAt('timestamp=5.000000001')).toBe(1);
  });

  it('names the missing file', async () => {
    expect((await ask(feesRoute)).json).toEqual(problem('Not Found', 'File 0.0.111 not found'));
    await addFile(111, 100, 17, schedules(5n));
    expect((await ask(feesRoute)).json).toEqual(problem('Not Found', 'File 0.0.112 not found'));
  });

  it('is 404 for a file of which none of the versions tried can be read, whatever lies before them', async () => {
    await addFile(112, 99, 17, rates(12));
    await addFile(111, 100, 17, schedules(5n));
    for (let i = 1; i <= 11; i++) await addFile(111, 100 + i, 17, Buffer.from('0a10', 'hex'));
    expect((await ask(feesRoute)).json).toMatchObject({ fees: [{}, {}, {}], timestamp: '0.000000100' });
    await addFile(111, 112, 17, Buffer.from('0a10', 'hex'));
    const schedule = await ask(feesRoute);
    expect([schedule.status, schedule.json]).toEqual([404, problem('Not Found', 'File 0.0.111 not found')]);
    await addFile(111, 113, 17, schedules(5n));
    for (let i = 0; i < 12; i++) await addFile(112, 200 + i, 17, Buffer.from('0a10', 'hex'));
    const exchange = await ask(feesRoute);
    expect([exchange.status, exchange.json]).toEqual([404, problem('Not Found', 'File 0.0.112 not found')]);
  });

  it.each([
    [852_000n, 1, 15, 56n],
    [1_068_000n, 1, 15, 71n],
    [953_000n, 1, 15, 63n],
    [852_000n, 30_000, 851_000, 30n],
    [999n, 1, 1, 1n],
    [852_000n, 1, 0, undefined],
  ])('%d gas at %d hbar to %d cents', (gas, hbarEquiv, centEquiv, tinybars) => {
    expect(gasInTinybars(gas, { hbarEquiv, centEquiv })).toBe(tinybars);
  });
});

describe('GET /api/v1/network/supply', () => {
  beforeEach(() => test.database.query('delete from account_balance; delete from entity'));

  const addBalance = (account: number, timestamp: string, balance: string) =>
    test.database.query('insert into account_balance (account_id, consensus_timestamp, balance) values ($1, $2, $3)', [
      account,
      timestamp,
      balance,
    ]);

  it('takes the newest snapshot of each account in range', async () => {
    for (const account of [2, 42]) {
      await addBalance(account, '1600000000000000000', '1');
      await addBalance(account, '1700000000000000000', '100');
      await addBalance(account, '1700000000000000005', '500');
    }
    await addBalance(43, '1700000000000000000', '7000');
    expect((await ask(supplyRoute, 'timestamp=lte:1700000000.000000000')).json).toEqual({
      released_supply: '4999999999999999800',
      timestamp: '1700000000.000000000',
      total_supply: '5000000000000000000',
    });
    const old = await ask(supplyRoute, 'timestamp=1690000000');
    expect([old.status, old.json]).toEqual([404, problem('Not Found', 'Network supply not found')]);
  });

  it('takes the balances of the entities without a timestamp', async () => {
    const add = (id: number, balance: string, timestamp: number) =>
      test.database.query(
        `insert into entity (id, num, realm, shard, balance, balance_timestamp, timestamp_range, type)
         values ($1, $1, 0, 0, $2, $3, '[0,)', 'ACCOUNT')`,
        [id, balance, timestamp],
      );
    await add(2, '4000000000000000000', 5);
    await add(750, '50800000000000000', 9);
    await add(751, '123', 11);
    expect((await ask(supplyRoute)).json).toEqual({
      released_supply: '949200000000000000',
      timestamp: '0.000000009',
      total_supply: '5000000000000000000',
    });
    const circulating = await ask(supplyRoute, 'q=Circulating');
    expect([circulating.body, circulating.contentType]).toEqual(['9492000000.00000000', 'text/plain;charset=UTF-8']);
    expect((await ask(supplyRoute, 'q=totalcoins')).body).toBe('50000000000.00000000');
  });

  it('refuses inverted ranges and unknown quantities', async () => {
    expect((await ask(supplyRoute, 'timestamp=gt:2&timestamp=lt:1')).json).toEqual(
      problem('Bad Request', 'Invalid range provided for timestamp'),
    );
    expect((await ask(supplyRoute, 'q=foo')).json).toEqual(problem('Bad Request', "Failed to convert 'q'"));
    expect((await ask(supplyRoute, 'q=totalcoins')).status).toBe(404);
  });
});

describe('GET /api/v1/network/stake', () => {
  it('shows the newest figures', async () => {
    expect((await ask(stakeRoute)).json).toEqual(problem('Not Found', 'No network stake data found'));
    await test.database.query(`
      insert into network_stake (consensus_timestamp, epoch_day, max_staking_reward_rate_per_hbar,
        node_reward_fee_denominator, node_reward_fee_numerator, stake_total, staking_period, staking_period_duration,
        staking_periods_stored, staking_reward_fee_denominator, staking_reward_fee_numerator, staking_reward_rate,
        staking_start_threshold, max_stake_rewarded, max_total_reward, reserved_staking_rewards,
        reward_balance_threshold, unreserved_staking_reward_balance)
      values (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (2, 2, 17808, 0, 1, 9000000000000000003, 1655164799999999999, 1440, 365, 3, 1, 100, 25, 10, 20, 30, 40, 50)`);
    const { body } = await ask(stakeRoute);
    expect(body).toBe(
      '{"max_stake_rewarded":10,"max_staking_reward_rate_per_hbar":17808,"max_total_reward":20,' +
        '"node_reward_fee_fraction":0,"reserved_staking_rewards":30,"reward_balance_threshold":40,' +
        '"stake_total":9000000000000000003,"staking_period":{"from":"1655164800.000000000",' +
        '"to":"1655251200.000000000"},"staking_period_duration":1440,"staking_periods_stored":365,' +
        '"staking_reward_fee_fraction":0.33333334,"staking_reward_rate":100,"staking_start_threshold":25,' +
        '"unreserved_staking_reward_balance":50}',
    );
  });

  it.each([
    ['1', '3', '0.33333334'],
    ['2', '3', '0.6666667'],
    ['1', '1', '1'],
    ['1', '10', '0.1'],
    ['0', '5', '0'],
    ['5', '0', '0'],
  ])('%s/%s is %s', (numerator, denominator, json) => expect(fractionJson(numerator, denominator)).toBe(json));
});

describe('GET /api/v1/network/nodes', () => {
  beforeAll(async () => {
    await test.database.query(`
      insert into address_book (start_consensus_timestamp, end_consensus_timestamp, file_id, node_count, file_data)
      values (1, 2, 102, 1, ''), (3, null, 102, 3, ''), (4, null, 101, 1, '');
      insert into address_book_entry (consensus_timestamp, memo, public_key, node_id, node_account_id, node_cert_hash,
        description)
      values (1, 'old', 'aa', 0, 3, null, null), (3, '0.0.3', '0xbb', 0, 3, 'c0de', 'first "node"'),
        (3, null, null, 1, 4, null, null), (3, 'm', 'cc', 12, 15, '', ''), (4, '', '', 7, 10, '', '');
      insert into address_book_service_endpoint (consensus_timestamp, ip_address_v4, node_id, port, domain_name)
      values (3, '10.0.0.2', 0, 50212, ''), (3, '10.0.0.2', 0, 50211, ''), (3, '', 0, 443, 'a.example');
      insert into node (admin_key, node_id, timestamp_range, decline_reward, grpc_proxy_endpoint, account_id,
        associated_registered_nodes)
      values ('\\x1220aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899', 0, '[3,)', true,
        '{"domain_name": "proxy.example", "port": 443}', 800, '{1,10}');
      insert into node_stake (consensus_timestamp, epoch_day, node_id, reward_rate, stake, stake_rewarded,
        staking_period, max_stake, min_stake, stake_not_rewarded)
      values (5, 1, 0, 1, 1, 1, 1, 1, 1, 1), (6, 2, 0, 9, 9007199254740993, 5, 86399999999999, -1, -1, -1)`);
  });

  it('shows all there is about a node', async () => {
    const { body } = await ask(nodesRoute, 'node.id=0');
    expect(body).toContain('"stake":9007199254740993,');
    expect(JSON.parse(body)).toEqual({
      nodes: [
        {
          admin_key: { _type: 'ED25519', key: 'aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899' },
          associated_registered_nodes: [1, 10],
          decline_reward: true,
          description: 'first "node"',
          file_id: '0.0.102',
          grpc_proxy_endpoint: { domain_name: 'proxy.example', ip_address_v4: '', port: 443 },
          max_stake: null,
          memo: '0.0.3',
          min_stake: null,
          node_account_id: '0.0.800',
          node_cert_hash: '0xc0de',
          node_id: 0,
          public_key: '0xbb',
          reward_rate_start: 9,
          service_endpoints: [
            { domain_name: 'a.example', ip_address_v4: '', port: 443 },
            { domain_name: '', ip_address_v4: '10.0.0.2', port: 50211 },
            { domain_name: '', ip_address_v4: '10.0.0.2', port: 50212 },
          ],
          stake: Number('9007199254740993'),
          stake_not_rewarded: null,
          stake_rewarded: 5,
          staking_period: { from: '86400.000000000', to: '172800.000000000' },
          timestamp: { from: '0.000000003', to: null },
        },
      ],
      links: { next: null },
    });
  });

  it('shows nulls where nothing is known', async () => {
    const { json } = await ask(nodesRoute, 'node.id=gt:0&limit=1');
    expect(json.nodes[0]).toEqual({
      admin_key: null,
      associated_registered_nodes: [],
      decline_reward: null,
      description: null,
      file_id: '0.0.102',
      grpc_proxy_endpoint: null,
      max_stake: null,
      memo: null,
      min_stake: null,
      node_account_id: '0.0.4',
      node_cert_hash: '0x',
      node_id: 1,
      public_key: '0x',
      reward_rate_start: null,
      service_endpoints: [],
      stake: null,
      stake_not_rewarded: null,
      stake_rewarded: null,
      staking_period: null,
      timestamp: { from: '0.000000003', to: null },
    });
  });

  const idsOf = async (query: string) =>
    (await ask(nodesRoute, query)).json.nodes.map(({ node_id }: { node_id: number }) => node_id);

  it('selects by file and node, and orders', async () => {
    expect(await idsOf('')).toEqual([0, 1, 12]);
    expect(await idsOf('order=desc')).toEqual([12, 1, 0]);
    expect(await idsOf('file.id=0.0.101')).toEqual([7]);
    expect(await idsOf('file.id=0.0.99999')).toEqual([]);
    expect(await idsOf('node.id=1&node.id=12&node.id=5')).toEqual([1, 12]);
    expect(await idsOf('node.id=1&node.id=12&node.id=lt:5')).toEqual([1]);
    expect(await idsOf('node.id=gte:1&node.id=lte:11')).toEqual([1]);
    expect(await idsOf('limit=26')).toEqual([0, 1, 12]);
  });

  it('pages', async () => {
    const first = await ask(nodesRoute, 'limit=2');
    expect(first.link).toBe('/api/v1/network/nodes?limit=2&node.id=gt:1');
    const second = await ask(nodesRoute, 'limit=2&node.id=gt:1');
    expect([second.json.nodes.length, second.link]).toEqual([1, null]);
  });

  it.each([
    ['file.id=x', 'Invalid parameter: file.id', undefined],
    ['file.id=gt:102', 'Bad Request', 'Only equality operator is supported for file.id'],
    ['node.id=-1', 'Invalid parameter: node.id', undefined],
    ['node.id=ne:1', 'Invalid parameter: node.id', undefined],
    ['node.id=gt:5&node.id=lt:5', 'Bad Request', 'Invalid range provided for node.id'],
    ['limit=0', 'Invalid parameter: limit', undefined],
    ['order=up', 'Invalid parameter: order', undefined],
    ['limit=1&limit=2', 'Bad Request', 'Only a single instance is supported for limit'],
  ])('refuses %s', async (query, message, detail) => {
    const { status, json } = await ask(nodesRoute, query);
    expect([status, json]).toEqual([400, problem(message, detail)]);
  });

  it('names every parameter with a wrong value, in the order of the query', async () => {
    const { status, json } = await ask(nodesRoute, 'order=up&node.id=-1&file.id=x&limit=0&node.id=a');
    const messages = ['order', 'node.id', 'file.id', 'limit'].map((name) => ({
      message: `Invalid parameter: ${name}`,
    }));
    expect([status, json]).toEqual([400, { _status: { messages } }]);
    expect((await ask(nodesRoute, 'file.id=gt:102&limit=0')).json).toEqual(problem('Invalid parameter: limit'));
  });
});

describe('GET /api/v1/network/registered-nodes', () => {
  beforeAll(async () => {
    await test.database.query(`
      insert into registered_node (admin_key, created_timestamp, deleted, description, registered_node_id,
        service_endpoints, timestamp_range, type)
      values ('\\x3200', 5, false, 'a', 1,
          '[{"block_node": {"endpoint_apis": ["STATUS", "PUBLISH"]}, "domain_name": "b.example", "port": 40840,
            "requires_tls": true}, {"ip_address": "10.0.0.1", "mirror_node": {}, "port": 443, "requires_tls": false}]',
          '[6,)', '{1,3}'),
        (null, null, false, null, 2, null, '[0,)', '{4}'),
        (null, 1, true, 'gone', 3, null, '[1,)', '{1}')`);
  });

  it('shows nodes and their endpoints', async () => {
    const { json, link } = await ask(registeredNodesRoute, 'limit=1');
    expect(link).toBe('/api/v1/network/registered-nodes?limit=1&registerednode.id=gt:1');
    expect(json).toEqual({
      registered_nodes: [
        {
          admin_key: null,
          created_timestamp: '0.000000005',
          description: 'a',
          registered_node_id: 1,
          service_endpoints: [
            {
              block_node: { endpoint_apis: ['STATUS', 'PUBLISH'] },
              domain_name: 'b.example',
              general_service: null,
              ip_address: null,
              mirror_node: null,
              port: 40840,
              requires_tls: true,
              rpc_relay: null,
              type: 'BLOCK_NODE',
            },
            {
              block_node: null,
              domain_name: null,
              general_service: null,
              ip_address: '10.0.0.1',
              mirror_node: {},
              port: 443,
              requires_tls: false,
              rpc_relay: null,
              type: 'MIRROR_NODE',
            },
          ],
          timestamp: { from: '0.000000006', to: null },
        },
      ],
      links: { next: link },
    });
    expect((await ask(registeredNodesRoute, 'registerednode.id=2')).json.registered_nodes).toEqual([
      {
        admin_key: null,
        created_timestamp: null,
        description: null,
        registered_node_id: 2,
        service_endpoints: [],
        timestamp: { from: '0.0', to: null },
      },
    ]);
  });

  it('selects by type and id, without deleted nodes', async () => {
    const ids = async (query: string) =>
      (await ask(registeredNodesRoute, query)).json.registered_nodes.map(
        ({ registered_node_id }: { registered_node_id: number }) => registered_node_id,
      );
    expect(await ids('')).toEqual([1, 2]);
    expect(await ids('order=desc')).toEqual([2, 1]);
    expect(await ids('type=block_node')).toEqual([1]);
    expect(await ids('type=MIRROR_NODE')).toEqual([1]);
    expect(await ids('type=RPC_RELAY')).toEqual([2]);
    expect(await ids('registerednode.id=gt:0&registerednode.id=gte:2')).toEqual([2]);
  });

  it.each([
    ['limit=101', 'Invalid parameter: limit'],
    ['type=x', 'Invalid parameter: type'],
    ['registerednode.id=a:1', 'Invalid parameter: registerednode.id'],
    ['registerednode.id=gt:1&registerednode.id=gt:2&registerednode.id=gt:3', 'Invalid parameter: registerednode.id'],
    ['registerednode.id=1&registerednode.id=gt:2', "The 'eq' operator cannot be combined with other operators"],
    ['registerednode.id=gt:5&registerednode.id=lt:5', 'Invalid range: lower bound exceeds upper bound'],
  ])('refuses %s', async (query, message) => {
    const { status, json } = await ask(registeredNodesRoute, query);
    expect([status, json]).toEqual([400, problem(message)]);
  });
});
