import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { contractResultRoutes } from './contract-results.ts';

const start = 1_600_000_000_000_000_000n;
const hash = 'ab'.repeat(48);

const block = (index: number, from: bigint, to: bigint, blockHash: string) => ({
  name: `${index}.rcd`,
  load_start: 0,
  load_end: 0,
  hash: blockHash,
  prev_hash: '',
  consensus_start: from,
  consensus_end: to,
  count: 1,
  digest_algorithm: 0,
  version: 6,
  file_hash: '',
  index,
});

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  await insertRows(database, 'record_file', [
    block(7, start, start + 9_999n, hash),
    block(8, start + 10_000n, start + 19_999n, 'cd'.repeat(48)),
  ]);
  await database.query(
    `insert into contract_result (consensus_timestamp, contract_id, function_parameters, gas_limit, payer_account_id,
        sender_id, transaction_hash, transaction_index, transaction_nonce, transaction_result)
      select $1::bigint + n, 5001, ''::bytea, 1000, 8001, 8001, '\\x16'::bytea, n, 0, 22 from generate_series(0, 5999) n
      union all select $1::bigint + 10000, 5001, ''::bytea, 1000, 8001, 8001, '\\x16'::bytea, 0, 0, 22`,
    [start],
  );
  get = restRequests(contractResultRoutes, database);
});
afterAll(() => test.drop());

describe.each(['/api/v1/contracts/results', '/api/v1/contracts/0.0.5001/results'])('%s', (path) => {
  const size = async (query: string): Promise<number> => (await get(`${path}?${query}`)).json.results.length;

  it('gives up to 5,000 results of one block at once', async () => {
    const [first, last] = [formatTimestamp(start), formatTimestamp(start + 9_999n)];
    for (const filter of [
      'block.number=7',
      'block.number=0x7',
      `block.hash=0x${hash}`,
      `block.hash=${hash.slice(0, 64)}`,
      `timestamp=gte:${first}&timestamp=lte:${last}`,
    ]) {
      expect([filter, await size(`${filter}&limit=300`)]).toEqual([filter, 300]);
    }
    expect(await size('block.number=7&limit=9223372036854775807')).toBe(5000);
    expect(await size('block.number=8&limit=5000')).toBe(1);
  });

  it('keeps the usual size elsewhere', async () => {
    const beyond = formatTimestamp(start + 10_000n);
    expect(await size('limit=300')).toBe(100);
    expect(await size(`timestamp=gte:${formatTimestamp(start)}&limit=300`)).toBe(100);
    expect(await size(`timestamp=gte:${formatTimestamp(start)}&timestamp=lte:${beyond}&limit=300`)).toBe(100);
    expect(await size('block.number=7')).toBe(25);
    expect(await size('block.number=7&limit=90')).toBe(90);
  });

  it('keeps a largest size that was lowered', async () => {
    const lowered = restRequests(contractResultRoutes, test.database, { rest: { response: { limit: { max: 4 } } } });
    expect((await lowered(`${path}?block.number=7&limit=300`)).json.results).toHaveLength(4);
    const raised = restRequests(contractResultRoutes, test.database, { rest: { response: { limit: { max: 200 } } } });
    expect((await raised(`${path}?block.number=7&limit=300`)).json.results).toHaveLength(300);
    const user = { username: 'few', limit: 3 };
    const few = restRequests(contractResultRoutes, test.database, { user });
    expect((await few(`${path}?block.number=7&limit=300`)).json.results).toHaveLength(3);
  });

  it('links through a block that is larger', async () => {
    const pages = await followLinks(get, `${path}?block.number=7&limit=5000&order=asc`);
    expect(pages.map(({ json }) => json.results.length)).toEqual([5000, 1000]);
    expect(pages[0]?.link).toBe(
      `${path}?block.number=7&limit=5000&order=asc&timestamp=gt:${formatTimestamp(start + 4_999n)}`,
    );
  });
});
