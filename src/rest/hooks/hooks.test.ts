import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Queryable } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { type FixtureRow, insertRows } from '../testing/rows.fixture.ts';
import { hookRoutes } from './hooks.ts';

const evmAddress = 'ac384c53f03855fa1b3616052f8ba32c6c2a2fec';
const ed25519 = '7a3c5477bdf4a63742647d7cfc4544acc1899d07141caf4cd9fea2f75b28a5cc';
const second = 1_234_567_890_000_000_000n;
const largest = '9223372036854775807';

let test: TestDatabase;
let get: (url: string) => Promise<FixtureAnswer>;

const word = (digits: string): string => digits.padStart(64, '0');

const hook = (id: number | string, rest: FixtureRow = {}): FixtureRow => ({
  contract_id: 500,
  created_timestamp: second + 1n,
  hook_id: id,
  owner_id: 1000,
  timestamp_range: `[${second + 1n},)`,
  ...rest,
});

const slot = (key: string, value: string, rest: FixtureRow = {}): FixtureRow => ({
  created_timestamp: second,
  hook_id: 1,
  modified_timestamp: second + 5n,
  owner_id: 1000,
  key: `\\x${word(key)}`,
  value: `\\x${value}`,
  ...rest,
});

const change = (key: string, nanos: bigint, read: string, written: string | null, owner = 1000n): FixtureRow => ({
  consensus_timestamp: second + nanos,
  hook_id: 1,
  owner_id: owner,
  // As the network names slots: without leading zeros, or with them.
  key: `\\x${key}`,
  value_read: `\\x${read}`,
  value_written: written === null ? null : `\\x${written}`,
});

/** Whose every statement takes some time on the way. */
const slowed = (database: TestDatabase['database']): TestDatabase['database'] => {
  const later =
    <A extends unknown[], R>(query: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await pause(30);
      return query(...args);
    };
  return {
    ...database,
    query: later(database.query.bind(database)) as typeof database.query,
    transaction: (work, options) =>
      database.transaction(
        (client) => work({ ...client, query: later(client.query.bind(client)) as typeof client.query }),
        options,
      ),
  };
};

beforeAll(async () => {
  test = await createTestDatabase();
  get = restRequests(hookRoutes, test.database);
  await insertRows(test.database, 'entity', [
    {
      id: 1000,
      num: 1000,
      realm: 0,
      shard: 0,
      type: 'ACCOUNT',
      timestamp_range: '[1,)',
      deleted: false,
      evm_address: `\\x${evmAddress}`,
    },
  ]);
  await insertRows(test.database, 'hook', [
    hook(0, { contract_id: null, created_timestamp: null, timestamp_range: null }),
    hook(1, { admin_key: `\\x1220${ed25519}` }),
    hook(2, { deleted: true, timestamp_range: `[${second + 2n},${second + 9n})` }),
    hook(largest),
    hook(7, { owner_id: 1001 }),
    hook(8, { owner_id: encodeEntityId(1n, 2n, 1000n) }),
  ]);
  await insertRows(test.database, 'hook_storage', [
    slot('01', 'aa'),
    slot('02', '', { deleted: true }),
    slot('0f9a15', 'ff'.repeat(32)),
    slot('f'.repeat(64), '01'),
    slot('01', 'bb', { hook_id: 2 }),
    slot('01', 'cc', { owner_id: 1001 }),
  ]);
  await insertRows(test.database, 'hook_storage_change', [
    change(word('01'), 1n, '', '99'),
    change('01', 5n, '99', 'aa'),
    change('02', 2n, '', '22'),
    change('02', 5n, '22', ''),
    change('03', 4n, '33', null),
    change('0004', 6n, '', null),
    change('f'.repeat(64), 5n, '', '01'),
    change('05', 5n, '', '05', 1001n),
  ]);
});
afterAll(() => test?.drop());

describe('GET /api/v1/accounts/{id}/hooks', () => {
  const path = '/api/v1/accounts/1000/hooks';
  const ids = (pages: readonly FixtureAnswer[]): string[] =>
    pages.flatMap(({ body }) => [...body.matchAll(/"hook_id":(\d+)/g)].map((match) => match[1] as string));

  it('lists all hooks of the owner, the largest id first', async () => {
    const answer = await get(path);
    expect(answer.link).toBeNull();
    expect(ids([answer])).toEqual([largest, '2', '1', '0']);
    expect(answer.json.hooks.slice(1)).toEqual([
      {
        admin_key: null,
        contract_id: '0.0.500',
        created_timestamp: '1234567890.000000001',
        deleted: true,
        extension_point: 'ACCOUNT_ALLOWANCE_HOOK',
        hook_id: 2,
        owner_id: '0.0.1000',
        timestamp_range: { from: '1234567890.000000002', to: '1234567890.000000009' },
        type: 'EVM',
      },
      expect.objectContaining({ admin_key: { _type: 'ED25519', key: ed25519 }, deleted: false, hook_id: 1 }),
      expect.objectContaining({ contract_id: null, created_timestamp: null, timestamp_range: null }),
    ]);
  });

  it.each([
    ['order=asc', ['0', '1', '2', largest]],
    ['hook.id=1', ['1']],
    ['hook.id=eq:1&hook.id=2&hook.id=1', ['2', '1']],
    ['hook.id=1&hook.id=2&hook.id=gt:1', ['2']],
    ['hook.id=1&hook.id=lt:1', []],
    ['hook.id=GTE:1&hook.id=lte:2', ['2', '1']],
    ['hook.id=gt:2&hook.id=lt:2', []],
    [`hook.id=gt:${largest}`, []],
    ['hook.id=lt:0', []],
    ['hook.id=', [largest, '2', '1', '0']],
  ])('?%s', async (query, expected) => expect(ids([await get(`${path}?${query}`)])).toEqual(expected));

  it('links through all hooks in both orders', async () => {
    for (const limit of [1, 2, 3, 4]) {
      const from = async (query: string) => ids(await followLinks(get, `${path}?limit=${limit}&${query}`, 6));
      expect(await from('order=desc')).toEqual([largest, '2', '1', '0']);
      expect(await from('order=asc')).toEqual(['0', '1', '2', largest]);
      expect(await from('hook.id=0&hook.id=2&hook.id=3')).toEqual(['2', '0']);
    }
    expect((await get(`${path}?limit=2&order=asc`)).link).toBe(`${path}?limit=2&order=asc&hook.id=gt:1`);
    expect((await get(`${path}?limit=1&hook.id=gte:1&hook.id=lt:2`)).link).toBeNull();
    expect((await get(`${path}?limit=1&hook.id=1`)).link).toBeNull();
  });

  it('knows the owner by its EVM address, and in its own shard and realm', async () => {
    expect(ids([await get(`/api/v1/accounts/0x${evmAddress}/hooks`)])).toHaveLength(4);
    expect((await get('/api/v1/accounts/9/hooks')).body).toBe('{"hooks":[],"links":{"next":null}}');
    const ask = restRequests(hookRoutes, test.database, { shard: 1n, realm: 2n });
    expect((await ask(path)).json.hooks).toMatchObject([{ hook_id: 8, owner_id: '1.2.1000' }]);
  });

  it.each([
    ['/api/v1/accounts/0..1/hooks', "Failed to convert 'ownerId'"],
    ['/api/v1/accounts/1.2.3.4/hooks', "Failed to convert 'ownerId'"],
    [`${path}?hook.id=lt:abc`, "Failed to convert 'hook.id'"],
    [`${path}?hook.id=foo:1`, "Failed to convert 'hook.id'"],
    [`${path}?hook.id=gte::1`, "Failed to convert 'hook.id'"],
    [`${path}?hook.id=9223372036854775808`, "Failed to convert 'hook.id'"],
    [`${path}?limit=abc`, "Failed to convert 'limit'"],
    [`${path}?order=foo`, "Failed to convert 'order'"],
    [`${path}?limit=0`, 'limit must be greater than 0'],
    [`${path}?hook.id=ne:1`, 'Unsupported range operator ne for hook.id'],
    [`${path}?${'hook.id=1&'.repeat(101)}`, 'hook.id size must be between 0 and 100'],
  ])('refuses %s', async (url, detail) => {
    expect(await get(url)).toMatchObject({ status: 400, messages: ['Bad Request'], details: [detail] });
  });

  it('says that there is no such owner', async () => {
    expect(await get(`/api/v1/accounts/0x${'ab'.repeat(20)}/hooks`)).toMatchObject({
      status: 404,
      messages: ['Not Found'],
      details: ['No account found for the given ID'],
    });
  });
});

describe('GET /api/v1/accounts/{id}/hooks/{hookId}/storage', () => {
  const path = '/api/v1/accounts/1000/hooks/1/storage';
  const keyDigits = (key: string): string => key.replace(/^0x0*/, '');
  const keys = (pages: readonly FixtureAnswer[]): string[] =>
    pages.flatMap(({ json }) => json.storage.map(({ key }: { key: string }) => keyDigits(key)));
  const values = async (query: string) =>
    (await get(`${path}?${query}`)).json.storage.map(
      (row: { key: string; value: string | null; timestamp: string }) => [
        keyDigits(row.key),
        row.value === null ? null : keyDigits(row.value),
        Number(row.timestamp.split('.')[1]),
      ],
    );
  const ones = 'f'.repeat(64);

  it('lists the slots that are set', async () => {
    expect((await get(`${path}?limit=2`)).json).toEqual({
      hook_id: 1,
      links: { next: `${path}?limit=2&key=gt:0x${word('0f9a15')}` },
      owner_id: '0.0.1000',
      storage: [
        { key: `0x${word('01')}`, timestamp: '1234567890.000000005', value: `0x${word('aa')}` },
        { key: `0x${word('0f9a15')}`, timestamp: '1234567890.000000005', value: `0x${ones}` },
      ],
    });
    expect((await get(`/api/v1/accounts/0x${evmAddress}/hooks/${largest}/storage`)).body).toBe(
      `{"hook_id":${largest},"links":{"next":null},"owner_id":"0.0.1000","storage":[]}`,
    );
  });

  it.each([
    ['order=desc', [ones, 'f9a15', '1']],
    ['key=1', ['1']],
    [`key=eq:0x${word('0F9A15')}&key=01&key=2`, ['1', 'f9a15']],
    ['key=1&key=f9a15&key=gt:1', ['f9a15']],
    ['key=gte:1&key=lt:f9a15', ['1']],
    ['key=gt:0xf9a15', [ones]],
    [`key=gt:${ones}`, []],
    ['key=lt:0', []],
    ['key=gte:3&key=lte:2', []],
    ['key=', ['1', 'f9a15', ones]],
    ['timestamp=&key=1', ['1']],
  ])('?%s', async (query, expected) => expect(keys([await get(`${path}?${query}`)])).toEqual(expected));

  it.each([
    ['timestamp=1234567890.000000001', [['1', '99', 1]]],
    [
      'timestamp=eq:1234567890.000000004',
      [
        ['1', '99', 1],
        ['2', '22', 2],
        ['3', '33', 4],
      ],
    ],
    [
      'timestamp=gte:1234567890.000000004&order=desc',
      [
        [ones, '1', 5],
        ['4', null, 6],
        ['3', '33', 4],
        ['2', null, 5],
        ['1', 'aa', 5],
      ],
    ],
    ['timestamp=gt:1234567890.000000001&timestamp=lt:1234567890.000000005&key=lte:2', [['2', '22', 2]]],
    [
      'timestamp=gt:1234567890&key=3&key=01&key=9',
      [
        ['1', 'aa', 5],
        ['3', '33', 4],
      ],
    ],
    ['timestamp=gte:1234567891&timestamp=lt:1234567890', []],
    ['timestamp=1&key=1', []],
  ])('?%s tells what was', async (query, expected) => expect(await values(query)).toEqual(expected));

  it('links through all slots in both orders, now and in the past', async () => {
    for (const limit of [1, 2, 3, 5]) {
      const from = async (query: string) => keys(await followLinks(get, `${path}?limit=${limit}&${query}`, 7));
      expect(await from('order=asc')).toEqual(['1', 'f9a15', ones]);
      expect(await from('order=desc')).toEqual([ones, 'f9a15', '1']);
      expect(await from('timestamp=gt:0')).toEqual(['1', '2', '3', '4', ones]);
      expect(await from('timestamp=gt:0&order=desc&key=lt:4')).toEqual(['3', '2', '1']);
      expect(await from('timestamp=lte:1234567890.000000005&key=1&key=3&key=4')).toEqual(['1', '3']);
    }
    expect((await get(`${path}?limit=1&timestamp=gt:0&order=desc`)).link).toBe(
      `${path}?limit=1&timestamp=gt:0&order=desc&key=lt:0x${ones}`,
    );
    expect((await get(`${path}?limit=1&order=desc&key=gte:0x${ones}`)).link).toBeNull();
  });

  describe('of a hook of many slots', () => {
    const many = 3_000;
    const ofMany = '/api/v1/accounts/1000/hooks/4/storage';
    const late = 'timestamp=gte:1234567890.000002500';
    // Slots of one to three bytes, with leading zeros or without; every thousandth one changed late.
    const formOf = (index: number): string => {
      const digits = (index * 37).toString(16);
      return [digits.padStart(2 * Math.ceil(digits.length / 2), '0'), digits.padStart(8, '0'), word(digits)][
        index % 3
      ] as string;
    };
    const lateKeys = [1_000, 2_000, 3_000].map((index) => (index * 37).toString(16));

    beforeAll(async () => {
      const changes = Array.from({ length: many }, (_, index) => [
        { ...change(formOf(index + 1), BigInt(index % 100), '', '07'), hook_id: 4 },
        ...((index + 1) % 1_000 === 0 ? [{ ...change(formOf(index + 1), 2_500n, '', '09'), hook_id: 4 }] : []),
      ]);
      // One of them so often that the changes of that time are more than a step examines.
      const often = Array.from({ length: 150 }, (_, index) => ({
        ...change(formOf(2_000), 2_600n + BigInt(index), '', '0a'),
        hook_id: 4,
      }));
      await insertRows(test.database, 'hook_storage_change', [...changes.flat(), ...often]);
      await test.database.query('analyze hook_storage_change');
    });

    it.each(['order=asc', 'order=desc'])('finds those with a change within the time, %s', async (order) => {
      const expected = order === 'order=asc' ? lateKeys : lateKeys.toReversed();
      for (const limit of [1, 2, 3, 100]) {
        expect(keys(await followLinks(get, `${ofMany}?${late}&${order}&limit=${limit}`, 4))).toEqual(expected);
      }
      const [first] = (await get(`${ofMany}?${late}&limit=1`)).json.storage;
      expect(first.value).toBe(`0x${word('09')}`);
    });

    it('ends a page where the time of a search is over, with a link that leads on', async () => {
      const slow = restRequests(hookRoutes, slowed(test.database), { rest: { query: { maxSearchTime: 300 } } });
      const pages = await followLinks(slow, `${ofMany}?${late}`, 100);
      expect(keys(pages)).toEqual(lateKeys);
      expect(pages.length).toBeGreaterThan(1);
      expect(pages[0]?.json.storage.length).toBeLessThan(3);
    });

    it('finds few changes of the time with the first statement', async () => {
      const asked: string[] = [];
      const watching =
        (target: Queryable): Queryable['query'] =>
        (text, values, name) => {
          if (name?.startsWith('hook-storage-past-')) asked.push(name);
          return target.query(text, values, name);
        };
      const transaction: Database['transaction'] = (work, options) =>
        test.database.transaction((client) => work({ ...client, query: watching(client) }), options);
      const watched = restRequests(hookRoutes, {
        ...test.database,
        query: watching(test.database),
        transaction,
      } as Database);
      const { json } = await watched(`${ofMany}?${late}&timestamp=lte:1234567890.000002500`);
      expect(json.storage).toHaveLength(3);
      expect(asked).toEqual(['hook-storage-past-indexed-times']);
    });

    it('finds the same without the indexes by slot and by time', async () => {
      const asked = [`${ofMany}?${late}`, `${ofMany}?timestamp=gt:0&key=gt:1000&limit=30&order=desc`];
      const before = await Promise.all(asked.map(get));
      await test.database.query(
        'drop index hook_storage_change__slot; drop index hook_storage_change__consensus_timestamp',
      );
      const after = await Promise.all(asked.map(get));
      expect(after).toEqual(before);
      expect(before.map(({ json }) => json.storage.length)).toEqual([3, 30]);
    });
  });

  it('finds the newest change of a slot among many', async () => {
    await insertRows(
      test.database,
      'hook_storage_change',
      Array.from({ length: 2000 }, (_, index) => ({ ...change('01', BigInt(index), '', '07'), hook_id: 3 })),
    );
    const url = '/api/v1/accounts/1000/hooks/3/storage?timestamp=lt:1234567890.000001000';
    expect((await get(url)).json.storage).toEqual([
      { key: `0x${word('01')}`, timestamp: '1234567890.000000999', value: `0x${word('07')}` },
    ]);
  });

  it.each([
    ['/api/v1/accounts/abc/hooks/1/storage', "Failed to convert 'ownerId'"],
    ['/api/v1/accounts/1000/hooks/abc/storage', "Failed to convert 'hookId'"],
    ['/api/v1/accounts/1000/hooks/0.0.1/storage', "Failed to convert 'hookId'"],
    ['/api/v1/accounts/1000/hooks/9999999999999999999999999/storage', "Failed to convert 'hookId'"],
    ['/api/v1/accounts/1000/hooks/-1/storage', 'hookId must be greater than or equal to 0'],
    [`${path}?key=lt:gbc`, "Failed to convert 'key'"],
    [`${path}?key=ne:1`, "Failed to convert 'key'"],
    [`${path}?key=gte::1`, "Failed to convert 'key'"],
    [`${path}?key=0${ones}`, "Failed to convert 'key'"],
    [`${path}?timestamp=x`, "Failed to convert 'timestamp'"],
    [`${path}?timestamp=1&timestamp=gt:2&timestamp=lt:3`, 'timestamp size must be between 0 and 2'],
    [`${path}?limit=101`, 'limit must be less than or equal to 100'],
    [`${path}?order=foo`, "Failed to convert 'order'"],
    [`${path}?${'key=1&'.repeat(101)}`, 'key size must be between 0 and 100'],
  ])('refuses %s', async (url, detail) => {
    expect(await get(url)).toMatchObject({ status: 400, messages: ['Bad Request'], details: [detail] });
  });
});
