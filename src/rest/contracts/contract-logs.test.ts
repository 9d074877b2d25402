import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { contractRoutes } from './contracts.ts';

const start = 1_639_010_141_000_000_000n;
const day = 86_400_000_000_000n;
const address = '70f2b2914a2a4b783faefb75f459a580616fcb5e';
const fullHash = '01'.repeat(32) + '02'.repeat(16);
const otherFullHash = '01'.repeat(32) + '03'.repeat(16);
const ethereumHash = 'ab'.repeat(32);

interface Log {
  readonly time: bigint;
  readonly index: number;
  readonly contract: bigint;
  readonly topic0: string | null;
}

const storedTopics = ['0a', '0b', '00'];

/** Twelve transactions in four blocks; indices begin anew with each block. */
const logs: readonly Log[] = Array.from({ length: 40 }, (_, i): Log => {
  const block = Math.floor(i / 10);
  return {
    time: start + BigInt(block) * 1000n + BigInt(Math.floor((i % 10) / 4)),
    index: i % 10,
    contract: BigInt(1000 + (i % 3)),
    topic0: i % 5 === 0 ? null : (storedTopics[i % 3] as string),
  };
});

const foreign = encodeEntityId(1n, 2n, 1003n);

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(
    test.database,
    'contract_log',
    logs.map(({ time, index, contract, topic0 }) => ({
      bloom: '\\x0123',
      consensus_timestamp: time,
      contract_id: contract,
      data: index === 0 ? '\\x' : '\\x0123',
      index,
      payer_account_id: 102,
      topic0: topic0 === null ? null : `\\x${topic0}`,
    })),
  );
  await insertRows(test.database, 'contract_log', [
    {
      bloom: '\\x',
      consensus_timestamp: start + 100n * day,
      contract_id: foreign,
      data: `\\x${'ff'.repeat(33)}`,
      index: 2_147_483_647,
      payer_account_id: 102,
      root_contract_id: 1000,
      topic0: '\\x01',
      topic1: '\\x',
      topic2: `\\x${'22'.repeat(32)}`,
      transaction_hash: `\\x${ethereumHash}`,
      transaction_index: 3,
    },
  ]);
  await insertRows(
    test.database,
    'record_file',
    [0, 1, 2, 3].map((block) => ({
      name: `${block}.rcd`,
      load_start: 0,
      load_end: 0,
      hash: block === 0 ? `0x0${block}` : `0${block}`,
      prev_hash: '',
      consensus_start: start + BigInt(block) * 1000n,
      consensus_end: start + BigInt(block) * 1000n + 500n,
      count: 1,
      digest_algorithm: 0,
      version: 6,
      file_hash: '',
      index: block + 7,
    })),
  );
  await insertRows(test.database, 'entity', [
    {
      id: 1000,
      num: 1000,
      realm: 0,
      shard: 0,
      type: 'CONTRACT',
      deleted: false,
      evm_address: `\\x${address}`,
      timestamp_range: '[0,)',
    },
  ]);
  const hash = (time: bigint, hex: string, suffix: string | null) => ({
    consensus_timestamp: time,
    hash: `\\x${hex}`,
    hash_suffix: suffix === null ? null : `\\x${suffix}`,
    payer_account_id: 102,
  });
  await insertRows(test.database, 'transaction_hash', [
    hash(start, '01'.repeat(32), '02'.repeat(16)),
    hash(start + 1001n, '01'.repeat(32), '03'.repeat(16)),
    hash(start + 100n * day, ethereumHash, null),
  ]);
  await insertRows(test.database, 'transaction', [
    { consensus_timestamp: start, payer_account_id: 102, valid_start_ns: start, result: 22, type: 7 },
  ]);
  await test.database.query('analyze');
  get = restRequests(contractRoutes, test.database, { now: start + 200n * day });
});
afterAll(() => test?.drop());

const place = ({ timestamp, index }: { readonly timestamp: string; readonly index: number }) => `${timestamp} ${index}`;
const placeOf = ({ time, index }: Log) => `${formatTimestamp(time)} ${index}`;

describe('a log', () => {
  it('is shown with its block, words filled up and addresses of both kinds', async () => {
    const { json } = await get(`/api/v1/contracts/results/logs?timestamp=${formatTimestamp(start)}&limit=2&order=asc`);
    expect(json.logs).toEqual([
      {
        address: `0x${address}`,
        block_hash: '0x00',
        block_number: 7,
        bloom: '0x0123',
        contract_id: '0.0.1000',
        data: '0x',
        index: 0,
        root_contract_id: null,
        timestamp: '1639010141.000000000',
        topics: [],
        transaction_hash: '0x',
        transaction_index: null,
      },
      {
        address: '0x00000000000000000000000000000000000003e9',
        block_hash: '0x00',
        block_number: 7,
        bloom: '0x0123',
        contract_id: '0.0.1001',
        data: `0x${'0123'.padStart(64, '0')}`,
        index: 1,
        root_contract_id: null,
        timestamp: '1639010141.000000000',
        topics: [`0x${'0b'.padStart(64, '0')}`],
        transaction_hash: '0x',
        transaction_index: null,
      },
    ]);
  });

  it('is shown without a block, with long data, gaps and empty topics', async () => {
    const { json } = await get('/api/v1/contracts/results/logs?limit=1');
    expect(json.logs).toEqual([
      {
        address: '0x00000000000000000000000000000000000003eb',
        block_hash: '0x',
        block_number: null,
        bloom: '0x',
        contract_id: '1.2.1003',
        data: `0x${'ff'.repeat(33)}`,
        index: 2_147_483_647,
        root_contract_id: '0.0.1000',
        timestamp: formatTimestamp(start + 100n * day),
        topics: [`0x${'01'.padStart(64, '0')}`, `0x${'0'.repeat(64)}`, `0x${'22'.repeat(32)}`],
        transaction_hash: `0x${ethereumHash}`,
        transaction_index: 3,
      },
    ]);
  });

  it('is found through its contract by id, address and long-zero address, in another realm too', async () => {
    const elsewhere = restRequests(contractRoutes, test.database, { shard: 1n, realm: 2n });
    for (const text of [
      '1000',
      '0.0.1000',
      address,
      `0x${address}`,
      `0.0.${address}`,
      `0x${'3e8'.padStart(40, '0')}`,
    ]) {
      const { json } = await get(`/api/v1/contracts/${text}/results/logs?limit=1&order=asc`);
      expect(json.logs.map(place)).toEqual([placeOf(logs[0] as Log)]);
    }
    for (const text of ['1003', '2.1003', '1.2.1003', `1.2.${'3eb'.padStart(40, '0')}`]) {
      const { json } = await elsewhere(`/api/v1/contracts/${text}/results/logs`);
      expect(json.logs).toHaveLength(1);
      expect(json.logs[0].contract_id).toBe('1.2.1003');
    }
  });

  it('does not exist for contracts that nobody knows', async () => {
    for (const text of ['77', `0x${'77'.repeat(20)}`]) {
      expect((await get(`/api/v1/contracts/${text}/results/logs`)).json).toEqual({ logs: [], links: { next: null } });
    }
  });
});

describe('pages of logs', () => {
  const bound = fc.option(fc.tuple(fc.bigInt({ min: -2n, max: 3003n }), fc.option(fc.integer({ min: 0, max: 10 }))));

  it('hold every log between two places once, in order, whatever the page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        bound,
        bound,
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(1, 3, 7, 100),
        fc.boolean(),
        async (from, to, order, limit, ofContract) => {
          const parameters = [`order=${order}`, `limit=${limit}`];
          if (from !== null) {
            parameters.push(`timestamp=gte:${formatTimestamp(start + from[0])}`);
            if (from[1] !== null) parameters.push(`index=gte:${from[1]}`);
          }
          if (to !== null) {
            parameters.push(`timestamp=lte:${formatTimestamp(start + to[0])}`);
            if (to[1] !== null) parameters.push(`index=lt:${to[1]}`);
          }
          const isAfter = (log: Log) => {
            if (from === null || log.time > start + from[0]) return true;
            return log.time === start + from[0] && (from[1] === null || log.index >= from[1]);
          };
          const isBefore = (log: Log) => {
            if (to === null || log.time < start + to[0]) return true;
            return log.time === start + to[0] && (to[1] === null || log.index < to[1]);
          };
          const path = ofContract ? '/api/v1/contracts/1001/results/logs' : '/api/v1/contracts/results/logs';
          const pages = await followLinks(get, `${path}?${parameters.join('&')}`);
          const expected = logs
            .filter((log) => isAfter(log) && isBefore(log) && (!ofContract || log.contract === 1001n))
            .map(placeOf);
          const shown = pages
            .flatMap(({ json }) => json.logs)
            .filter((log) => log.contract_id !== '1.2.1003')
            .map(place);
          expect(shown).toEqual(order === 'asc' ? expected : expected.toReversed());
        },
      ),
      { numRuns: 80 },
    );
  });

  it('are linked by time and index together', async () => {
    const at = formatTimestamp(start);
    expect((await get('/api/v1/contracts/1000/results/logs?limit=1&order=asc')).link).toBe(
      `/api/v1/contracts/1000/results/logs?limit=1&order=asc&timestamp=gte:${at}&index=gt:0`,
    );
    expect((await get(`/api/v1/contracts/results/logs?limit=1&order=asc&timestamp=${at}`)).link).toBe(
      `/api/v1/contracts/results/logs?limit=1&order=asc&timestamp=${at}&index=gt:0`,
    );
    expect((await get(`/api/v1/contracts/results/logs?limit=1&timestamp=${at}&index=1`)).link).toBeNull();
    const single = `timestamp=gte:${at}&timestamp=lte:${at}`;
    expect((await get(`/api/v1/contracts/results/logs?limit=1&order=asc&${single}`)).link).toBe(
      `/api/v1/contracts/results/logs?limit=1&order=asc&${single}&index=gt:0`,
    );
  });

  it('are empty for times that hold nothing', async () => {
    for (const query of [
      'timestamp=gt:9999999999.999999999',
      'timestamp=9999999999.999999999',
      'timestamp=gte:5&timestamp=lt:5',
      'timestamp=gte:1639010141&index=gte:9223372036854775807&timestamp=lte:1639010141.000000001&index=lt:0',
    ]) {
      const { json } = await get(`/api/v1/contracts/results/logs?${query}`);
      expect(json).toEqual({ logs: [], links: { next: null } });
    }
  });

  it('reach past the end of what the database can hold', async () => {
    const { json } = await get(
      '/api/v1/contracts/results/logs?limit=1&timestamp=lte:9999999999.999999999&index=lte:5&timestamp=gte:1',
    );
    expect(json.logs[0].contract_id).toBe('1.2.1003');
  });

  it('hold more than the usual limit when they lie in one block, unless the largest page was lowered', async () => {
    const first = 2_000_000_000_000_000_000n;
    const { database } = test;
    await database.query(
      `insert into contract_log (bloom, consensus_timestamp, contract_id, data, index, payer_account_id)
        select '\\x', $1::bigint + n, 7777, '\\x', n, 8001 from generate_series(0, 119) n`,
      [first],
    );
    await database.query(
      `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
          digest_algorithm, version, file_hash, index)
        values ('last', 0, 0, 'aa', 'bb', $1, $1::bigint + 499, 120, 0, 6, 'cc', 7777)`,
      [first],
    );
    const path = '/api/v1/contracts/7777/results/logs';
    const [from, to, after] = [0n, 499n, 500n].map((nanos) => formatTimestamp(first + nanos)) as [
      string,
      string,
      string,
    ];
    const size = async (query: string, request = get) => (await request(`${path}?${query}`)).json.logs.length;
    const within = `timestamp=gte:${from}&timestamp=lte:${to}`;
    expect(await size(`${within}&limit=110`)).toBe(110);
    expect(await size(`${within}&limit=9223372036854775807`)).toBe(120);
    expect(await size(`${within}&limit=2`)).toBe(2);
    expect(await size(`timestamp=gte:${from}&limit=110`)).toBe(100);
    expect(await size(`timestamp=gte:${from}&timestamp=lte:${after}&limit=110`)).toBe(100);
    const lowered = restRequests(contractRoutes, database, { rest: { response: { limit: { max: 3 } } } });
    expect(await size(`${within}&limit=9`, lowered)).toBe(3);
    await database.query('delete from contract_log where contract_id = 7777');
    await database.query('delete from record_file where index = 7777');
  });
});

describe('topics of logs', () => {
  const within = `timestamp=gte:${formatTimestamp(start)}&timestamp=lte:${formatTimestamp(start + 5000n)}&order=asc`;
  const found = async (query: string) =>
    (await get(`/api/v1/contracts/results/logs?${query}&${within}&limit=100`)).json.logs.map(place);

  it('match any of the values, whatever their leading zeros', async () => {
    const having = (...topics: (string | null)[]) => logs.filter(({ topic0 }) => topics.includes(topic0)).map(placeOf);
    expect(having('0a').length).toBeGreaterThan(5);
    for (const text of ['0x0a', 'a', 'A', '0x00a', `0x${'a'.padStart(64, '0')}`]) {
      expect(await found(`topic0=${text}`)).toEqual(having('0a'));
    }
    expect(await found('topic0=a&topic0=0xB')).toEqual(having('0a', '0b'));
    expect(await found('topic0=0')).toEqual(having('00'));
    expect(await found('topic0=a&topic1=1')).toEqual([]);
  });

  it('need a short range of time', async () => {
    const refusal = async (query: string) => (await get(`/api/v1/contracts/results/logs?topic2=1${query}`)).messages;
    const prefix = 'Cannot search topics without a valid timestamp range: ';
    expect(await refusal('')).toEqual([`${prefix}No timestamp range or eq operator provided`]);
    expect(await refusal('&timestamp=gte:1')).toEqual([
      `${prefix}Timestamp range must have gt (or gte) and lt (or lte), or eq operator`,
    ]);
    expect(await refusal('&timestamp=gte:0&timestamp=lte:604800')).toEqual([
      `${prefix}Timestamp range by the lower and upper bounds must be positive and within 7d`,
    ]);
    expect(await refusal('&timestamp=gt:0&timestamp=lte:604800')).toBeUndefined();
    expect(await refusal('&timestamp=ne:1')).toEqual([
      `${prefix}Not equals operator not supported for timestamp param`,
    ]);
  });
});

describe('the hash of a transaction', () => {
  const found = async (query: string) => (await get(`/api/v1/contracts/results/logs?${query}`)).json.logs.map(place);
  const at = (time: bigint) => logs.filter((log) => log.time === time).map(placeOf);

  it('finds its logs, by 32 or 48 bytes', async () => {
    expect(await found(`transaction.hash=0x${ethereumHash}`)).toEqual([
      `${formatTimestamp(start + 100n * day)} 2147483647`,
    ]);
    expect(await found(`transaction.hash=${fullHash}&order=asc`)).toEqual(at(start));
    expect(await found(`transaction.hash=eq:0x${otherFullHash.toUpperCase().replace('0X', '')}&order=asc`)).toEqual(
      at(start + 1001n),
    );
    expect(await found(`transaction.hash=${'cd'.repeat(32)}`)).toEqual([]);
  });

  it('stands for the first transaction that has it within the times', async () => {
    const prefix = '01'.repeat(32);
    expect(await found(`transaction.hash=${prefix}&order=asc`)).toEqual(at(start));
    expect(await found(`transaction.hash=${prefix}&order=desc`)).toEqual(at(start + 1001n).toReversed());
    const later = `timestamp=gt:${formatTimestamp(start)}`;
    expect(await found(`transaction.hash=${prefix}&order=asc&${later}`)).toEqual(at(start + 1001n));
  });

  it('pages within the transaction', async () => {
    const pages = await followLinks(
      get,
      `/api/v1/contracts/results/logs?transaction.hash=${fullHash}&limit=1&order=asc`,
    );
    expect(pages.flatMap(({ json }) => json.logs.map(place))).toEqual(at(start));
  });
});

describe('what logs refuse', () => {
  it('names every faulty parameter, then the combination', async () => {
    const refusal = async (query: string) => (await get(`/api/v1/contracts/results/logs?${query}`)).messages;
    expect(
      await refusal('foo=1&index=-1&topic0=gt:0x1&topic1=xyz&timestamp=abc&transaction.hash=0x12&limit=0'),
    ).toEqual([
      'Invalid parameter: index',
      'Invalid parameter: topic0',
      'Invalid parameter: topic1',
      'Invalid parameter: timestamp',
      'Invalid parameter: transaction.hash',
      'Invalid parameter: limit',
      'Unknown query parameter: foo',
    ]);
    expect(await refusal('index=gt:1')).toEqual(['index without a timestamp parameter filter']);
    expect(await refusal('index=1')).toEqual(['timestamp must have eq operator']);
    expect(await refusal('index=gt:1&timestamp=gt:1')).toEqual(['timestamp must have gte or eq operator']);
    expect(await refusal('index=lt:1&timestamp=gte:1')).toEqual(['timestamp must have lte or eq operator']);
    expect(await refusal('timestamp=1&timestamp=2')).toEqual(['Only one equal (eq) operator is allowed for timestamp']);
    expect(await refusal('timestamp=gt:1&timestamp=gte:2')).toEqual([
      'Only one gt/gte operator is allowed for timestamp',
    ]);
    expect(await refusal('timestamp=ne:2')).toEqual(['Not equal (ne) operator is not supported for timestamp']);
    expect(await refusal('timestamp=1&timestamp=lt:2')).toEqual(["Can't support both range and equal for timestamp"]);
    const hash = 'transaction.hash=0x';
    expect(await refusal(`${hash}${ethereumHash}&${hash}${ethereumHash}`)).toEqual([
      'Only one transaction.hash filter is allowed',
    ]);
  });

  it('knows no transaction hash below a contract, and checks the contract first', async () => {
    expect((await get(`/api/v1/contracts/1000/results/logs?transaction.hash=${ethereumHash}`)).messages).toEqual([
      'Unknown query parameter: transaction.hash',
    ]);
    expect((await get('/api/v1/contracts/0.0.x/results/logs?limit=x')).messages).toEqual([
      'Invalid parameter: contractid',
    ]);
    expect((await get('/api/v1/contracts/0.0.274877906944/results/logs')).messages).toEqual([
      'Invalid parameter: contractid',
    ]);
  });
});

describe('a bound window of time', () => {
  const window = { rest: { query: { bindTimestampRange: true, maxTransactionsTimestampRange: 86_400_000 } } } as const;

  it('links on from its end, with or without logs in it', async () => {
    const bound = restRequests(contractRoutes, test.database, { ...window, now: start + 102n * day });
    const first = await bound('/api/v1/contracts/results/logs');
    expect(first.json.logs).toEqual([]);
    expect(first.link).toBe(`/api/v1/contracts/results/logs?timestamp=lte:${formatTimestamp(start + 101n * day + 1n)}`);
    const asc = await bound('/api/v1/contracts/results/logs?order=asc&limit=100');
    expect(asc.json.logs).toHaveLength(40);
    expect(asc.link).toBe(
      `/api/v1/contracts/results/logs?order=asc&limit=100&timestamp=gte:${formatTimestamp(start + day - 1n)}&index=gt:9`,
    );
    const all = await followLinks(bound, '/api/v1/contracts/results/logs?limit=100');
    expect(all.flatMap(({ json }) => json.logs)).toHaveLength(41);
  });
});
