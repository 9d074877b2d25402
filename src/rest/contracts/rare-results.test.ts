import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { contractResultRoutes } from '../contract-results/contract-results.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { withSlowTables } from '../testing/slow-tables.fixture.ts';
import { contractRoutes } from './contracts.ts';

const mostRows = 200;

let test: TestDatabase;
let slow: Database;
let get: ReturnType<typeof restRequests>;

/** 3,000 results and two logs each, one a second; all were caused by other transactions but every thousandth. */
beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  await database.query(
    `insert into contract_result (consensus_timestamp, contract_id, function_parameters, gas_limit, payer_account_id,
        sender_id, transaction_hash, transaction_index, transaction_nonce, transaction_result)
      select n * 1000000000::bigint, 5001, ''::bytea, 1000, 8001, 8001, '\\x16'::bytea, n,
        case when n % 1000 = 0 then 0 else 1 end, 22
      from generate_series(1, 3000) n`,
  );
  await database.query(
    `insert into contract_log (bloom, consensus_timestamp, contract_id, data, index, payer_account_id, topic0,
        transaction_hash, transaction_index)
      select ''::bytea, n * 1000000000::bigint, 5001, ''::bytea, i, 8001,
        case when n % 1000 = 0 then '\\xaa'::bytea else '\\xbb'::bytea end, '\\x16'::bytea, n
      from generate_series(1, 3000) n, generate_series(0, 1) i`,
  );
  await insertRows(database, 'entity', [
    { id: 5001, num: 5001, realm: 0, shard: 0, type: 'CONTRACT', timestamp_range: '[0,)' },
  ]);
  slow = await withSlowTables(test, mostRows, ['contract_result', 'contract_log']);
  const [logs, results] = [restRequests(contractRoutes, slow), restRequests(contractResultRoutes, slow)];
  get = (url) => (url.includes('/logs') ? logs(url) : results(url));
});

afterAll(async () => {
  await slow.close();
  await test.drop();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Every look at the clock costs a third of a second, so that a search of 5 seconds ends after a few windows. */
const hurry = () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 330;
    return now;
  });
};

const placesOf = ({ json }: FixtureAnswer): string[] =>
  (json.results ?? json.logs).map(
    ({ timestamp, index }: { timestamp: string; index?: number }) =>
      `${Number(timestamp)}${index === undefined ? '' : `/${index}`}`,
  );

const within = 'timestamp=gte:1&timestamp=lte:4000';
const searches: readonly (readonly [path: string, found: readonly string[]])[] = [
  ['/api/v1/contracts/results?limit=100', ['3000', '2000', '1000']],
  ['/api/v1/contracts/results?from=0.0.8001&order=asc', ['1000', '2000', '3000']],
  ['/api/v1/contracts/0.0.5001/results?timestamp=lt:3000', ['2000', '1000']],
  [`/api/v1/contracts/results/logs?topic0=aa&${within}`, ['3000/1', '3000/0', '2000/1', '2000/0', '1000/1', '1000/0']],
  [
    `/api/v1/contracts/results/logs?topic0=aa&${within}&order=asc&limit=1`,
    ['1000/0', '1000/1', '2000/0', '2000/1', '3000/0', '3000/1'],
  ],
  [
    `/api/v1/contracts/results/logs?topic0=aa&${within}&limit=1`,
    ['3000/1', '3000/0', '2000/1', '2000/0', '1000/1', '1000/0'],
  ],
  [
    `/api/v1/contracts/0.0.5001/results/logs?topic0=aa&${within}&limit=4`,
    ['3000/1', '3000/0', '2000/1', '2000/0', '1000/1', '1000/0'],
  ],
  [
    `/api/v1/contracts/results/logs?topic0=aa&timestamp=gte:1000&index=gte:1&timestamp=lte:4000`,
    ['3000/1', '3000/0', '2000/1', '2000/0', '1000/1'],
  ],
  [`/api/v1/contracts/results/logs?topic0=cc&${within}`, []],
];

describe('rare results and logs', () => {
  it.each(searches)('are found without running into the timeout: %s', async (path, found) => {
    const pages = await followLinks(get, path);
    expect(pages.every(({ status }) => status === 200)).toBe(true);
    expect(pages.flatMap(placesOf)).toEqual(found);
  });

  it.each(searches)('are found by following links where one request has not enough time: %s', async (path, found) => {
    hurry();
    const pages = await followLinks(get, path);
    expect(pages.every(({ status }) => status === 200)).toBe(true);
    expect(pages.flatMap(placesOf)).toEqual(found);
    expect(pages.length).toBeGreaterThan(2);
  });
});
