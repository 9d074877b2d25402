import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { airdropRoutes } from './airdrops.ts';

const evmAddress = 'ac384c53f03855fa1b3616052f8ba32c6c2a2fec';
const alias = 'HIQQEXWKW53RKN4W6XXC4Q232SYNZ3SZANVZZSUME5B5PRGXL663UAQA';
const elsewhere = (num: bigint): bigint => encodeEntityId(1n, 2n, num);

let test: TestDatabase;
let get: (url: string) => Promise<FixtureAnswer>;

const airdrop = (
  sender: number | bigint,
  receiver: number | bigint,
  token: number | bigint,
  serial: number,
  rest: Readonly<Record<string, string | number | null>> = {},
) => ({
  amount: serial === 0 ? 10 : null,
  receiver_account_id: receiver,
  sender_account_id: sender,
  serial_number: serial,
  state: 'PENDING',
  timestamp_range: '[1234567890000000001,)',
  token_id: token,
  ...rest,
});

/** What the sender 1000 has sent, in order: receiver, token, serial number. */
const sent = [
  [3, 5, 0],
  [3, 6, 1],
  [3, 6, 2],
  [3, 7, 1],
  [4, 5, 0],
  [4, 6, 3],
  [9, 5, 0],
] as const;

beforeAll(async () => {
  test = await createTestDatabase();
  get = restRequests(airdropRoutes, test.database);
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
      alias: '\\x3a21025ecab777153796f5ee2e435bd4b0dcee59036b9cca8c2743d7c4d75fbdba0200',
    },
  ]);
  await insertRows(test.database, 'token_airdrop', [
    ...sent.map(([receiver, token, serial]) => airdrop(1000, receiver, token, serial)),
    airdrop(1000, 5, 5, 0, { state: 'CLAIMED' }),
    airdrop(1000, 6, 5, 0, { state: 'CANCELLED' }),
    airdrop(1001, 3, 5, 0, { amount: '9223372036854775807', timestamp_range: '[0,1234567890000000009)' }),
    airdrop(elsewhere(1000n), elsewhere(3n), elsewhere(5n), 0),
  ]);
});
afterAll(() => test?.drop());

const path = '/api/v1/accounts/0.0.1000/airdrops/outstanding';
const num = (id: string): number => Number(id.split('.')[2]);
const listed = (pages: readonly FixtureAnswer[]): (readonly number[])[] =>
  pages.flatMap(({ json }) =>
    json.airdrops.map((row: { receiver_id: string; token_id: string; serial_number: number | null }) => [
      num(row.receiver_id),
      num(row.token_id),
      row.serial_number ?? 0,
    ]),
  );
const outstanding = async (query: string) => listed([await get(`${path}?${query}`)]);

describe('GET /api/v1/accounts/{id}/airdrops/outstanding', () => {
  it('lists what waits for its receiver', async () => {
    expect(await get(`${path}?limit=2`)).toMatchObject({
      status: 200,
      link: `${path}?limit=2&receiver.id=gte:0.0.3&token.id=gte:0.0.6&serialnumber=gt:1`,
      json: {
        airdrops: [
          {
            amount: 10,
            receiver_id: '0.0.3',
            sender_id: '0.0.1000',
            serial_number: null,
            timestamp: { from: '1234567890.000000001', to: null },
            token_id: '0.0.5',
          },
          { amount: null, receiver_id: '0.0.3', serial_number: 1, token_id: '0.0.6' },
        ],
        links: { next: `${path}?limit=2&receiver.id=gte:0.0.3&token.id=gte:0.0.6&serialnumber=gt:1` },
      },
    });
    expect(await outstanding('')).toEqual(sent);
    expect(await outstanding('order=DESC')).toEqual(sent.toReversed());
  });

  it('knows the account by its EVM address and its alias', async () => {
    for (const name of [evmAddress, `0x${evmAddress}`, alias, `0.0.${alias}`, '1000', '0.1000']) {
      expect(listed([await get(`/api/v1/accounts/${name}/airdrops/outstanding`)])).toEqual(sent);
    }
  });

  it.each([
    ['receiver.id=4', [4, 5]],
    ['receiver.id=eq:0.0.4&token.id=0.5', [4]],
    ['receiver.id=gt:3&receiver.id=lt:9', [4, 5]],
    ['receiver.id=gte:3&token.id=gte:6&serialnumber=gte:2', [2, 3, 4, 5, 6]],
    ['receiver.id=lte:4&token.id=lte:5', [0, 1, 2, 3, 4]],
    ['receiver.id=gte:3&receiver.id=lte:4&token.id=gt:6&token.id=lt:6', [3, 4]],
    ['receiver.id=3&token.id=gte:6&serialnumber=gt:1', [2, 3]],
    ['token.id=5', [0, 4, 6]],
    ['token.id=gt:6', [3]],
    ['token.id=6&serialnumber=gte:2', [2, 5]],
    ['serialnumber=gt:1', [2, 5]],
    ['serialnumber=eq:0', [0, 4, 6]],
    ['token.id=5&token.id=6', []],
    ['receiver.id=&token.id=', [0, 1, 2, 3, 4, 5, 6]],
    ['serialnumber=gt:9223372036854775807', []],
    ['account.id=7&limit=100', [0, 1, 2, 3, 4, 5, 6]],
  ])('?%s', async (query, places) => expect(await outstanding(query)).toEqual(places.map((place) => sent[place])));

  it('links through all airdrops in both orders, whatever the page holds', async () => {
    for (const limit of [1, 2, 3, 7]) {
      const from = async (query: string) => listed(await followLinks(get, `${path}?${query}&limit=${limit}`, 9));
      expect(await from('order=asc')).toEqual(sent);
      expect(await from('order=desc')).toEqual(sent.toReversed());
      expect(await from('token.id=6')).toEqual([sent[1], sent[2], sent[5]]);
      expect(await from('receiver.id=3&order=desc')).toEqual([sent[3], sent[2], sent[1], sent[0]]);
      expect(await from('receiver.id=lte:4')).toEqual(sent.slice(0, 6));
      expect(await from('receiver.id=lte:4&token.id=lte:5')).toEqual(sent.slice(0, 5));
      expect(await from('receiver.id=gte:3&token.id=gte:6&serialnumber=gt:1&order=desc')).toEqual(
        sent.slice(2).toReversed(),
      );
    }
  });

  it('keeps the bounds against the direction of a link, and drops what a fungible token has none of', async () => {
    expect((await get(`${path}?limit=1&receiver.id=gt:2&token.id=gte:4&serialnumber=gt:0`)).link).toBe(
      `${path}?limit=1&receiver.id=gte:0.0.3&token.id=gt:0.0.5`,
    );
    expect((await get(`${path}?limit=1&receiver.id=gte:3&order=desc`)).link).toBe(
      `${path}?limit=1&receiver.id=gte:3&receiver.id=lte:0.0.9&order=desc&token.id=lt:0.0.5`,
    );
    expect((await get(`${path}?limit=1&receiver.id=9&token.id=5`)).link).toBeNull();
  });

  it('is empty of an account without any, known or not', async () => {
    expect((await get('/api/v1/accounts/77/airdrops/outstanding')).body).toBe('{"airdrops":[],"links":{"next":null}}');
  });

  it.each([
    ['/api/v1/accounts/abc/airdrops/outstanding', "Failed to convert 'id'"],
    ['/api/v1/accounts/0.65537.1001/airdrops/outstanding', "Failed to convert 'id'"],
    ['/api/v1/accounts/9223372036854775807/airdrops/outstanding', "Failed to convert 'id'"],
    [`${path}?limit=a`, "Failed to convert 'limit'"],
    [`${path}?order=dsc`, "Failed to convert 'order'"],
    [`${path}?receiver.id=0.0.-1001`, "Failed to convert 'receiver.id'"],
    [`${path}?receiver.id=gt:1:2`, "Failed to convert 'receiver.id'"],
    [`${path}?token.id=0x00000001000000000000000200000000000000034`, "Failed to convert 'token.id'"],
    [`${path}?serialnumber=-1`, "Failed to convert 'serialnumber'"],
    [`${path}?serialnumber=9223372036854775808`, "Failed to convert 'serialnumber'"],
    [`${path}?receiver.id=ne:5`, 'Unsupported range operator ne for receiver.id'],
    [`${path}?receiver.id=gt:5&receiver.id=lt:5`, 'Invalid range provided for account.id'],
    [`${path}?limit=101`, 'limit must be less than or equal to 100'],
    [`${path}?token.id=1&token.id=2&token.id=3`, 'token.id size must be between 0 and 2'],
  ])('refuses %s', async (url, detail) => {
    expect(await get(url)).toMatchObject({ status: 400, messages: ['Bad Request'], details: [detail] });
  });

  it('says that there is no such account', async () => {
    expect(await get(`/api/v1/accounts/${evmAddress.replace('a', 'b')}/airdrops/outstanding`)).toMatchObject({
      status: 404,
      messages: ['Not Found'],
      details: ['No account found for the given ID'],
    });
  });
});

describe('GET /api/v1/accounts/{id}/airdrops/pending', () => {
  it('lists what the account may claim, by sender', async () => {
    const answer = await get('/api/v1/accounts/3/airdrops/pending?limit=1&order=desc&sender.id=gt:1000');
    expect(answer.body).toContain('"amount":9223372036854775807,');
    expect(answer).toMatchObject({
      link: '/api/v1/accounts/3/airdrops/pending?limit=1&order=desc&sender.id=gt:1000&sender.id=lte:0.0.1001&token.id=lt:0.0.5',
      json: {
        airdrops: [
          {
            receiver_id: '0.0.3',
            sender_id: '0.0.1001',
            timestamp: { from: '0.0', to: '1234567890.000000009' },
            token_id: '0.0.5',
          },
        ],
      },
    });
    const all = await followLinks(get, '/api/v1/accounts/3/airdrops/pending?limit=1', 9);
    expect(all.flatMap(({ json }) => json.airdrops).map(({ sender_id }) => sender_id)).toEqual([
      '0.0.1000',
      '0.0.1000',
      '0.0.1000',
      '0.0.1000',
      '0.0.1001',
    ]);
  });

  it('assumes the own shard and realm', async () => {
    const ask = restRequests(airdropRoutes, test.database, { shard: 1n, realm: 2n });
    expect(await ask('/api/v1/accounts/3/airdrops/pending?sender.id=1000&token.id=2.5&limit=1')).toMatchObject({
      json: { airdrops: [{ receiver_id: '1.2.3', sender_id: '1.2.1000', token_id: '1.2.5' }] },
    });
  });
});
