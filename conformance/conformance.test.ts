import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../src/api/route.ts';
import { createTestDatabase, type TestDatabase } from '../src/database/testing/test-database.fixture.ts';
import { createAnswerSchemas } from '../src/server/testing/answer-schemas.fixture.ts';
import { createRouteFinder } from '../src/server/testing/route-finder.fixture.ts';
import { type ConformanceCase, loadCases, selects } from './cases.ts';
import { differencesOf } from './difference.ts';
import { parseExactJson, writeExactJson } from './exact-json.ts';
import { loadFeeCases } from './fee-cases.ts';
import { countsOfAll, groupsWithoutRequests, hasFailed, summaryOf } from './report.ts';
import { createRowLoader } from './rows.ts';

describe('exact JSON', () => {
  it('keeps integers beyond 2^53', () => {
    expect(parseExactJson('{"a":9007199254740993,"b":5,"c":1.5,"d":[-9223372036854775808]}')).toEqual({
      a: 9_007_199_254_740_993n,
      b: 5,
      c: 1.5,
      d: [-9_223_372_036_854_775_808n],
    });
  });

  it('reads what it writes', () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.bigInt({ min: 1n << 53n, max: (1n << 63n) - 1n }),
        fc.integer(),
        fc.string(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(
          fc.string().filter((key) => key !== '__proto__'),
          tie('node'),
          { maxKeys: 3, noNullPrototype: true },
        ),
      ),
    })).node;
    fc.assert(
      fc.property(value, (written) => {
        expect(parseExactJson(writeExactJson(written))).toEqual(written);
      }),
    );
  });
});

describe('differences', () => {
  it('finds none between equal values, whatever the order of members', () => {
    expect(differencesOf({ a: [1, { b: null }], c: 2n ** 60n }, { c: 2n ** 60n, a: [1, { b: null }] })).toEqual([]);
  });

  it('names what differs', () => {
    expect(differencesOf({ a: 1, b: [1, 2], c: 'x', d: null }, { a: 2, b: [1], c: 'x', d: {}, e: 2n ** 60n })).toEqual([
      { path: '$.a', expected: '1', actual: '2' },
      { path: '$.b.length', expected: '2', actual: '1' },
      { path: '$.d', expected: 'null', actual: '{}' },
      { path: '$.e', expected: 'absent', actual: '1152921504606846976' },
    ]);
    expect(differencesOf(9_007_199_254_740_993n, 9_007_199_254_740_992n)).toHaveLength(1);
    expect(differencesOf('1', 1)).toHaveLength(1);
  });
});

describe('cases', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kagami-cases-'));
    mkdirSync(join(folder, 'blocks', 'sub'), { recursive: true });
    const written = (requests: object[]) => JSON.stringify({ name: 'x', group: 'blocks', rows: {}, requests });
    writeFileSync(join(folder, 'blocks', 'one.json'), written([{ url: ['/a', '/b'], expect: { status: 200 } }]));
    writeFileSync(join(folder, 'blocks', 'sub', 'two.json'), written([{ url: '/c', expect: { status: 404 } }]));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are read by name, with one request for each URL', () => {
    const cases = loadCases(folder, []);
    expect(cases.map(({ name }) => name)).toEqual(['blocks/one', 'blocks/sub/two']);
    expect(cases[0]?.requests.map(({ url }) => url)).toEqual(['/a', '/b']);
    expect(loadCases(folder, ['blocks/sub']).map(({ name }) => name)).toEqual(['blocks/sub/two']);
  });

  it.each([
    ['blocks', 'blocks/one', true],
    ['blocks/', 'blocks/sub/two', true],
    ['block', 'blocks/one', false],
    ['*/one', 'blocks/one', true],
    ['*/two', 'blocks/sub/two', false],
    ['**/two', 'blocks/sub/two', true],
    ['blocks/{id}/x', 'blocks/{id}/x', true],
  ])('filter %s, case %s', (filter, name, selected) => expect(selects(filter, name)).toBe(selected));
});

describe('cases of fee estimation', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kagami-fees-'));
    const written = { query: { mode: 'STATE' }, content_type: 'x/y', transaction_hex: '2a00', expected_status: 200 };
    const state = { tokens: { 5: { type: 'FUNGIBLE_COMMON', customFees: 2 } }, topics: { 6: { fixedFees: 0 } } };
    writeFileSync(
      join(folder, 'fees.json'),
      JSON.stringify({
        cases: [{ ...written, name: 'one', state, expected: { total: 1 } }],
        error_cases: [{ ...written, name: 'two', query: {}, expected_status: 400, expected_error: { a: 1 } }],
      }),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('become rows and a POST', () => {
    const [one, two, ...others] = loadFeeCases(join(folder, 'rest'));
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      name: 'fees/one',
      group: 'fees',
      rows: {
        file_data: [],
        token: [{ token_id: '5', type: 'FUNGIBLE_COMMON' }],
        topic: [{ id: '6' }],
        custom_fee: [{ entity_id: '5' }, { entity_id: '6', fixed_fees: '[]' }],
      },
    });
    expect(JSON.parse(String(one?.rows.custom_fee?.[0]?.fixed_fees))).toHaveLength(2);
    expect(one?.requests).toEqual([
      {
        method: 'POST',
        url: '/api/v1/network/fees?mode=STATE',
        headers: { 'content-type': 'x/y' },
        payload: Buffer.from([0x2a, 0]),
        expect: { status: 200, body: { total: 1 } },
      },
    ]);
    expect(two?.requests[0]).toMatchObject({ url: '/api/v1/network/fees', expect: { status: 400, body: { a: 1 } } });
  });

  it('are none without their file', () => expect(loadFeeCases(join(folder, 'rest', 'deeper'))).toEqual([]));
});

const operation = {
  operationId: 'x',
  summary: 'x',
  tags: [],
  parameters: [],
  answer: {
    description: 'x',
    schema: { type: 'object', properties: { a: { type: 'integer', format: 'int64' } }, required: ['a'] },
  },
  problems: [],
};
const route = (path: string): Route => ({
  method: 'GET',
  path,
  flavour: 'js',
  operation,
  handle: () => Promise.reject(new Error('unused')),
});

describe('the route table', () => {
  const routes = ['/api/v1/contracts/{id}', '/api/v1/contracts/results', '/api/v1/contracts/{id}/results'].map(route);
  const find = createRouteFinder(routes);
  const pathFor = (url: string) => find({ url })?.path;

  it('finds the route with the fewest parameters', () => {
    expect(pathFor('/api/v1/Contracts/results/?limit=1')).toBe('/api/v1/contracts/results');
    expect(pathFor('/api/v1/contracts/5')).toBe('/api/v1/contracts/{id}');
    expect(pathFor('/api/v1/contracts/5/results')).toBe('/api/v1/contracts/{id}/results');
    expect(pathFor('/api/v1/contracts/5/state')).toBeUndefined();
  });
});

describe('answer schemas', () => {
  const schemas = createAnswerSchemas([route('/api/v1/a/{id}')]);
  const [only] = [route('/api/v1/a/{id}')];

  it('finds what the schema does not allow', () => {
    expect(schemas.violations(only as Route, 200, '{"a":5}')).toEqual([]);
    expect(schemas.violations(only as Route, 200, '{"a":"5"}')).toMatchObject([
      { path: 'schema /a', expected: 'must be integer' },
    ]);
    expect(schemas.violations(only as Route, 503, '{"_status":{"messages":[{"message":"x"}]}}')).toEqual([]);
    expect(schemas.violations(only as Route, 503, '{"a":5}')).toHaveLength(1);
    expect(schemas.violations(only as Route, 404, '{"_status":{"messages":[{"message":"x"}]}}')).toEqual([
      { path: 'schema', expected: 'a documented status', actual: '404' },
    ]);
  });
});

describe('rows', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it('are loaded exactly, in place of those of the case before', async () => {
    const loader = createRowLoader(test.database);
    const rowsOf = (rows: ConformanceCase['rows']) => loader.load({ name: 'x', group: 'x', rows, requests: [] });
    await rowsOf({
      file_data: [
        {
          consensus_timestamp: '1234567890000000001',
          entity_id: 5,
          file_data: '\\x2700',
          transaction_type: 17,
        },
      ],
      node: [
        {
          node_id: 1,
          timestamp_range: '[5,)',
          grpc_proxy_endpoint: '{"port": 1}',
          associated_registered_nodes: '{1,2}',
        },
        { node_id: 2, timestamp_range: '[5,7)', deleted: true, admin_key: null },
      ],
    });
    expect(await test.database.query('select * from file_data')).toEqual([
      {
        consensus_timestamp: '1234567890000000001',
        entity_id: '5',
        file_data: Buffer.from([0x27, 0]),
        transaction_type: 17,
      },
    ]);
    expect(
      await test.database.query(
        'select node_id, timestamp_range, grpc_proxy_endpoint, associated_registered_nodes, deleted from node order by 1',
      ),
    ).toEqual([
      {
        node_id: '1',
        timestamp_range: '[5,)',
        grpc_proxy_endpoint: '{"port": 1}',
        associated_registered_nodes: ['1', '2'],
        deleted: false,
      },
      {
        node_id: '2',
        timestamp_range: '[5,7)',
        grpc_proxy_endpoint: null,
        associated_registered_nodes: null,
        deleted: true,
      },
    ]);
    await rowsOf({ address_book_entry: [{ consensus_timestamp: 1, node_id: 1, node_account_id: 3, memo: "it's" }] });
    expect(await test.database.query('select node_id from node')).toEqual([]);
    expect(await test.database.query('select memo from address_book_entry')).toEqual([{ memo: "it's" }]);
  });
});

describe('the report', () => {
  const passed = { url: '/1', outcome: 'passed' as const };
  const outcomes = [
    { name: 'a/1', group: 'a', requests: [passed] },
    { name: 'a/2', group: 'a', requests: [{ url: '/1', outcome: 'failed' as const }, passed] },
    { name: 'b/1', group: 'b', requests: [] },
    { name: 'c/1', group: 'c', requests: [passed], error: 'rows' },
  ];

  it('counts', () => {
    expect(countsOfAll(outcomes)).toEqual({ cases: 4, casesPassed: 1, requests: 4, requestsPassed: 3 });
    expect(outcomes.filter(hasFailed).map(({ name }) => name)).toEqual(['a/2', 'b/1', 'c/1']);
    expect(summaryOf(outcomes).split('\n')[1]?.split(/\s+/)).toEqual(['a', '1/2', '2/3']);
  });

  it('names groups of which nothing ran', () => {
    const cases = ['a', 'b', 'c', 'd', 'd'].map((group) => ({ group }));
    expect(groupsWithoutRequests(cases, outcomes)).toEqual(['b', 'd']);
  });
});
