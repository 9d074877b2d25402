import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { type FixtureRow, insertRows } from '../testing/rows.fixture.ts';
import { tokenRoutes } from './tokens.ts';

const firstKey = 'ab'.repeat(32);
const otherKey = 'cd'.repeat(32);
const elsewhere = encodeEntityId(1n, 2n, 110n);

interface Given {
  readonly id: bigint;
  readonly name: string;
  readonly type?: string;
  readonly publicKey?: string;
  readonly decimals?: bigint | number;
  readonly metadata?: string;
}

const given: readonly Given[] = [
  { id: 110n, name: 'Gold coin', publicKey: firstKey, metadata: '\\x0102' },
  { id: 120n, name: 'Silver COIN', publicKey: otherKey },
  { id: 130n, name: 'Cats', type: 'NON_FUNGIBLE_UNIQUE', publicKey: firstKey },
  { id: 140n, name: '100% cotton', decimals: 9_223_372_036_854_775_807n },
  { id: 150n, name: '100 coins', type: 'NON_FUNGIBLE_UNIQUE' },
  { id: 160n, name: 'a_b\\c "quoted"' },
  { id: elsewhere, name: 'Foreign coin', publicKey: firstKey },
];

const tokenRow = ({ id, name, type, decimals, metadata }: Given): FixtureRow => ({
  token_id: id,
  created_timestamp: 5,
  decimals: decimals ?? 2,
  initial_supply: 0,
  name,
  symbol: 'S',
  treasury_account_id: 98,
  type: type ?? 'FUNGIBLE_COMMON',
  metadata: metadata ?? null,
  timestamp_range: '[5,)',
  freeze_status: 0,
  kyc_status: 0,
});

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  await insertRows(database, 'token', [...given, { id: 170n, name: 'Coin without entity' }].map(tokenRow));
  await insertRows(
    database,
    'entity',
    given.map(({ id, publicKey }) => ({
      id,
      num: id,
      realm: 0,
      shard: 0,
      type: 'TOKEN',
      key: publicKey === undefined ? null : `\\x1220${publicKey}`,
      public_key: publicKey ?? null,
      timestamp_range: '[5,)',
    })),
  );
  const association = (account_id: bigint, token_id: bigint, associated = true): FixtureRow => ({
    account_id,
    token_id,
    associated,
    timestamp_range: '[6,)',
  });
  await insertRows(database, 'token_account', [
    association(8n, 110n),
    association(8n, 120n, false),
    association(8n, 130n),
    association(8n, 150n),
    association(9n, 120n),
  ]);
  get = restRequests(tokenRoutes, database);
});
afterAll(() => test?.drop());

const ids = ({ json }: FixtureAnswer): string[] => json.tokens.map(({ token_id }: { token_id: string }) => token_id);
const allIds = async (query: string): Promise<string[]> =>
  (await followLinks(get, `/api/v1/tokens${query}`)).flatMap(ids);
const home = [110, 120, 130, 140, 150, 160].map((num) => `0.0.${num}`);

describe('GET /api/v1/tokens', () => {
  it('shows tokens by id', async () => {
    expect((await get('/api/v1/tokens?limit=1')).body).toBe(
      `{"tokens":[{"admin_key":{"_type":"ED25519","key":"${firstKey}"},"decimals":2,"metadata":"AQI=",` +
        '"name":"Gold coin","symbol":"S","token_id":"0.0.110","type":"FUNGIBLE_COMMON"}],' +
        '"links":{"next":"/api/v1/tokens?limit=1&token.id=gt:0.0.110"}}',
    );
    expect((await get('/api/v1/tokens?token.id=140')).body).toBe(
      '{"tokens":[{"admin_key":null,"decimals":9223372036854775807,"metadata":"","name":"100% cotton","symbol":"S",' +
        '"token_id":"0.0.140","type":"FUNGIBLE_COMMON"}],"links":{"next":null}}',
    );
  });

  it('pages both ways', async () => {
    for (const limit of [1, 2, 3, 7, 100]) {
      expect(await allIds(`?limit=${limit}`)).toEqual([...home, '1.2.110']);
      expect(await allIds(`?order=DESC&limit=${limit}`)).toEqual(['1.2.110', ...home.toReversed()]);
    }
    expect(await allIds('?token.id=gte:0.0.120&token.id=lt:160&limit=2&order=desc')).toEqual([
      '0.0.150',
      '0.0.140',
      '0.0.130',
      '0.0.120',
    ]);
    expect(await allIds('?token.id=lte:120&limit=2')).toEqual(['0.0.110', '0.0.120']);
  });

  it('takes several ids for any of them, and comes to an end', async () => {
    expect(await allIds('?token.id=130&token.id=eq:0.0.110&token.id=150&token.id=999&limit=1')).toEqual([
      '0.0.110',
      '0.0.130',
      '0.0.150',
    ]);
    expect(await allIds('?token.id=130&token.id=110&token.id=gt:110&limit=1')).toEqual(['0.0.130']);
    expect(await allIds(`?token.id=${110n.toString(16).padStart(40, '0')}&limit=1`)).toEqual(['0.0.110']);
    expect(await allIds('?token.id=ne:110&token.id=lt:140')).toEqual(['0.0.120', '0.0.130']);
  });

  it('finds parts of names in any letter case, on one page', async () => {
    expect(await allIds('?name=coin')).toEqual(['0.0.110', '0.0.120', '0.0.150', '1.2.110']);
    expect(await allIds('?name=COIN&limit=2&order=desc')).toEqual(['1.2.110', '0.0.150']);
    expect(await allIds('?name=coin&name=100')).toEqual(['0.0.150']);
    expect(await allIds('?name=coin&type=non_fungible_unique')).toEqual(['0.0.150']);
    expect(await allIds('?name=nothing')).toEqual([]);
  });

  it('reads no wildcards into names', async () => {
    expect(await allIds('?name=100%25')).toEqual(['0.0.140']);
    expect(await allIds('?name=%25%25%25')).toEqual([]);
    expect(await allIds('?name=a_b%5C')).toEqual(['0.0.160']);
    expect(await allIds('?name=___')).toEqual([]);
  });

  it('filters by type', async () => {
    expect(await allIds('?type=NON_FUNGIBLE_UNIQUE&limit=1')).toEqual(['0.0.130', '0.0.150']);
    expect(await allIds('?type=ne:NON_FUNGIBLE_UNIQUE&token.id=lt:140')).toEqual(['0.0.110', '0.0.120']);
    expect(await allIds('?type=all&token.id=lt:130')).toEqual(['0.0.110', '0.0.120']);
    expect(await allIds('?type=NON_FUNGIBLE_UNIQUE&type=FUNGIBLE_COMMON')).toEqual([]);
  });

  it('filters by admin key', async () => {
    expect(await allIds(`?publickey=${firstKey}&limit=1`)).toEqual(['0.0.110', '0.0.130', '1.2.110']);
    expect(await allIds(`?publickey=0x${firstKey.toUpperCase()}&token.id=gt:110`)).toEqual(['0.0.130', '1.2.110']);
    expect(await allIds(`?publickey=ne:${firstKey}`)).toEqual(['0.0.120']);
    expect(await allIds(`?publickey=${firstKey}&publickey=${otherKey}`)).toEqual([]);
  });

  it('filters by an account that is associated', async () => {
    expect(await allIds('?account.id=8')).toEqual(['0.0.110', '0.0.130', '0.0.150']);
    expect(await allIds('?account.id=eq:0.0.8&limit=1&order=desc')).toEqual(['0.0.150', '0.0.130', '0.0.110']);
    expect(await allIds('?account.id=0.0.8&token.id=150&token.id=120')).toEqual(['0.0.150']);
    expect(await allIds(`?account.id=8&publickey=${firstKey}&type=FUNGIBLE_COMMON`)).toEqual(['0.0.110']);
    expect(await allIds('?account.id=10')).toEqual([]);
    expect(await allIds(`?account.id=${'ab'.repeat(20)}`)).toEqual([]);
  });

  it('assumes the shard and realm of the network', async () => {
    const foreign = restRequests(tokenRoutes, test.database, { shard: 1n, realm: 2n });
    expect(ids(await foreign('/api/v1/tokens?token.id=110'))).toEqual(['1.2.110']);
    expect(ids(await foreign('/api/v1/tokens?token.id=2.110&token.id=0.0.110'))).toEqual(['0.0.110', '1.2.110']);
  });

  it.each([
    ['limit=0&bad=1&name=ab&type=NFT', ['limit', 'name', 'type'], ['bad']],
    ['bad=1&token.id=x&bad=2', ['token.id'], ['bad', 'bad']],
    ['name=ne:abc&publickey=12', ['name', 'publickey'], []],
    [`name=${'x'.repeat(101)}&order=up`, ['name', 'order'], []],
    ['name=ab%00c', ['name'], []],
    ['account.id=gt:5', ['account.id'], []],
    ['account.id=5&account.id=6', ['account.id'], []],
    [`token.id=${'ab'.repeat(20)}`, ['token.id'], []],
  ])('refuses %s', async (query, invalid, unknown) => {
    expect(await get(`/api/v1/tokens?${query}`)).toMatchObject({
      status: 400,
      messages: [
        ...invalid.map((name) => `Invalid parameter: ${name}`),
        ...unknown.map((name) => `Unknown query parameter: ${name}`),
      ],
    });
  });

  it('refuses names together with ids, before anything else', async () => {
    const messages = async (query: string) => (await get(`/api/v1/tokens?${query}`)).messages;
    expect(await messages('NAME=x&token.id=1&account.id=y')).toEqual([
      'token.id and name can not be used together. Use a more specific name instead.',
    ]);
    expect(await messages('name=abc&account.id=1&limit=0')).toEqual(['account.id and name cannot be used together']);
    expect(await messages('name=&token.id=1')).toEqual(['Invalid parameter: name']);
  });
});
