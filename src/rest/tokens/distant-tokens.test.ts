/** Tokens whose ids lie far apart, with all other entities between them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { withSlowTables } from '../testing/slow-tables.fixture.ts';
import { tokenRoutes } from './tokens.ts';

let test: TestDatabase;
let slow: Awaited<ReturnType<typeof withSlowTables>>;
let get: ReturnType<typeof restRequests>;

const key = 'aa'.repeat(32);
const greaterKey = 'bb'.repeat(32);

/** Tokens 1 and 2, accounts from 3 to 30,000, tokens from 40,001 to 43,000; account 7 is associated with all tokens. */
beforeAll(async () => {
  test = await createTestDatabase();
  const tokens = `(select generate_series(1, 2) n union all select generate_series(40001, 43000)) t`;
  await test.database.query(
    `insert into entity (id, num, realm, shard, type, timestamp_range, public_key)
      select n, n, 0, 0, 'ACCOUNT', '[0,)', '${key}' from generate_series(3, 30000) n;
    insert into entity (id, num, realm, shard, type, timestamp_range, public_key)
      select n, n, 0, 0, 'TOKEN', '[0,)', '${key}' from ${tokens};
    insert into token (token_id, created_timestamp, decimals, initial_supply, name, symbol, treasury_account_id, type,
        timestamp_range, freeze_status, kyc_status)
      select n, n, 2, 0, 'coin', 'C', 98, 'FUNGIBLE_COMMON', '[0,)', 0, 0 from ${tokens};
    insert into token_account (account_id, token_id, associated, balance, balance_timestamp, timestamp_range)
      select 7, n, true, 1, 5, '[0,)' from ${tokens}`,
  );
  await test.database.query('vacuum analyze entity, token, token_account');
  slow = await withSlowTables(test, 500, ['entity']);
  get = restRequests(tokenRoutes, slow);
});

afterAll(async () => {
  await slow?.close();
  await test?.drop();
});

it.each([
  ['limit=4', [1, 2, 40_001, 40_002]],
  ['limit=4&token.id=gt:0.0.1', [2, 40_001, 40_002, 40_003]],
  ['limit=4&account.id=0.0.7', [1, 2, 40_001, 40_002]],
  ['limit=2&order=desc&token.id=lt:0.0.40002', [40_001, 2]],
  ['limit=3&type=FUNGIBLE_COMMON', [1, 2, 40_001]],
  ['limit=4&name=coin', [1, 2, 40_001, 40_002]],
])('are listed without a walk over what lies between them: %s', async (query, expected) => {
  const { status, json } = await get(`/api/v1/tokens?${query}`);
  const nums = json.tokens.map(({ token_id }: { token_id: string }) => Number(token_id.replace('0.0.', '')));
  expect([status, nums]).toEqual([200, expected]);
});

it('are compared by key among the entities of the same ids, whichever of the two tables is read first', async () => {
  const plans: string[] = [];
  await test.database.withClient(async (client) => {
    await client.query('begin; set local enable_nestloop = off; set local enable_hashjoin = off');
    const cells: Database['cells'] = async (statements) => {
      for (const { text, values } of statements) {
        const plan = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
        plans.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
      }
      return test.database.cells(statements);
    };
    const explaining: Database = {
      ...test.database,
      transaction: (work, options) => test.database.transaction((own) => work({ ...own, cells }), options),
    };
    const asked = restRequests(tokenRoutes, explaining, { rest: { query: { maxSearchTime: 0 } } });
    await asked(`/api/v1/tokens?publickey=lt:${greaterKey}&token.id=gt:0.0.2`);
    await client.query('rollback');
  });
  const plan = plans.join('\n');
  expect(plan).toContain('Merge Join');
  for (const table of ['token t', 'entity e']) {
    expect(plan).toMatch(new RegExp(`on ${table} .*\\n.*Cond: .*id\\)?(?:::bigint)?\\)? >=? '[23]'::bigint`));
  }
});
