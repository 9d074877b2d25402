/** Lists without what nearly all of their rows have: the few others are read, in one statement. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { accountRoutes } from './accounts/accounts.ts';
import { contractResultRoutes } from './contract-results/contract-results.ts';
import { scheduleRoutes } from './schedules/schedules.ts';
import { restRequests } from './testing/rest-request.fixture.ts';
import { withSlowTables } from './testing/slow-tables.fixture.ts';
import { tokenRoutes } from './tokens/tokens.ts';

const mostRows = 250;
const commonKey = '99'.repeat(32);
const [smallKey, greatKey] = ['11'.repeat(32), 'ee'.repeat(32)];

let test: TestDatabase;
let slow: Awaited<ReturnType<typeof withSlowTables>>;
let get: ReturnType<typeof restRequests>;

/** NFTs, results, schedules and accounts from 1 to 3,000, all of 1001 or of one key, but 5 of 1000 and 2,000 of 1002. */
beforeAll(async () => {
  test = await createTestDatabase();
  const owner = 'case n when 5 then 1000 when 2000 then 1002 else 1001 end';
  const key = `case n when 5 then '${smallKey}' when 2000 then '${greatKey}' else '${commonKey}' end`;
  const numbers = 'generate_series(1, 3000) n';
  await test.database.query(
    `insert into nft (account_id, created_timestamp, metadata, serial_number, token_id, timestamp_range)
      select ${owner}, n, '', n, 700, '[0,)' from ${numbers};
    insert into contract_result (consensus_timestamp, contract_id, function_parameters, gas_limit, payer_account_id,
        sender_id, transaction_hash, transaction_index, transaction_nonce, transaction_result)
      select n * 1000000000::bigint, 5001, '', 1000, 8001, ${owner}, '\\x16', n, 0, 22 from ${numbers};
    insert into schedule (consensus_timestamp, creator_account_id, payer_account_id, schedule_id, transaction_body)
      select n, ${owner}, 8001, n, '' from ${numbers};
    insert into entity (id, num, realm, shard, type, public_key, timestamp_range)
      select n, n, 0, 0, 'ACCOUNT', ${key}, '[0,)' from ${numbers};
    insert into entity (id, num, realm, shard, type, timestamp_range) values (5001, 5001, 0, 0, 'CONTRACT', '[0,)')`,
  );
  await test.database.query('analyze nft; analyze contract_result; analyze schedule; analyze entity');
  slow = await withSlowTables(test, mostRows, ['nft', 'contract_result', 'schedule', 'entity']);
  const routes = [...tokenRoutes, ...contractResultRoutes, ...scheduleRoutes, ...accountRoutes];
  get = restRequests(routes, slow, { rest: { query: { maxSearchTime: 0 } } });
});

afterAll(async () => {
  await slow?.close();
  await test?.drop();
});

const numsOf = (json: Record<string, readonly Record<string, string>[]>): number[] =>
  Object.values(json)
    .filter(Array.isArray)
    .flat()
    .map((row) => Number(row.serial_number ?? row.timestamp ?? (row.schedule_id ?? row.account)?.replace('0.0.', '')));

it.each([
  ['tokens/0.0.700/nfts?account.id=ne:0.0.1001', [2000, 5]],
  ['tokens/0.0.700/nfts?account.id=ne:0.0.1001&account.id=ne:0.0.1000&order=asc', [2000]],
  ['tokens/0.0.700/nfts?account.id=ne:0.0.1002&account.id=ne:0.0.1001&account.id=lt:0.0.1002', [5]],
  ['contracts/results?from=ne:0.0.1001', [2000, 5]],
  ['contracts/results?from=ne:0.0.1001&from=ne:0.0.1002', [5]],
  ['contracts/0.0.5001/results?from=ne:0.0.1001&order=asc', [5, 2000]],
  ['schedules?account.id=ne:0.0.1001', [5, 2000]],
  ['schedules?account.id=ne:0.0.1001&account.id=gt:0.0.1000&order=desc', [2000]],
  [`accounts?account.publickey=ne:${commonKey}`, [5, 2000]],
  [`accounts?account.publickey=ne:${commonKey}&order=desc&limit=1`, [2000]],
])('reads few rows for %s', async (path, expected) => {
  const { status, json } = await get(`/api/v1/${path}`);
  expect([status, numsOf(json)]).toEqual([200, expected]);
});

it.each([
  ['tokens/0.0.700/nfts?account.id=ne:0.0.1000&limit=2', [3000, 2999]],
  ['contracts/results?from=ne:0.0.1000&limit=2', [3000, 2999]],
  ['schedules?account.id=ne:0.0.1000&limit=2', [1, 2]],
  [`accounts?account.publickey=ne:${smallKey}&limit=2`, [1, 2]],
])('reads few rows where few are excluded: %s', async (path, expected) => {
  const { status, json } = await get(`/api/v1/${path}`);
  expect([status, numsOf(json)]).toEqual([200, expected]);
});
