import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { tokenRoutes } from './tokens.ts';

const start = 1_600_000_000n * 1_000_000_000n;
const largest = 9_223_372_036_854_775_807n;
const elsewhere = encodeEntityId(1n, 2n, 1500n);

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  const nft = (token_id: bigint | number, serial_number: bigint | number, account_id: number | null) => ({
    account_id,
    created_timestamp: start,
    metadata: `\\x${serial_number.toString(16).padStart(16, '0')}`,
    serial_number,
    token_id,
    timestamp_range: `[${start + 1n},)`,
  });
  await insertRows(database, 'nft', [
    ...[1, 2, 3, 4, 5, 6].map((serial) => nft(1500, serial, 1000 + (serial % 2))),
    nft(1500, largest, 1000),
    nft(elsewhere, 1, 1000),
    nft(1600, 1, 1000),
  ]);
  await insertRows(database, 'nft', [
    { ...nft(1500, 7, null), deleted: true },
    { ...nft(1500, 8, 1000), spender: 77, delegating_spender: 78 },
    { token_id: 1700, serial_number: 1, timestamp_range: `[${start},)` },
  ]);
  await insertRows(database, 'entity', [
    { id: 1500, num: 1500, realm: 0, shard: 0, type: 'TOKEN', deleted: false, timestamp_range: '[0,)' },
    { id: 1600, num: 1600, realm: 0, shard: 0, type: 'TOKEN', deleted: true, timestamp_range: '[0,)' },
  ]);
  get = restRequests(tokenRoutes, database);
});
afterAll(() => test?.drop());

const serials = async (query: string): Promise<number[]> =>
  (await followLinks(get, `/api/v1/tokens/1500/nfts${query}`)).flatMap(({ json }) =>
    json.nfts.map(({ serial_number }: { serial_number: number }) => serial_number),
  );

describe('GET /api/v1/tokens/{tokenId}/nfts', () => {
  it('shows the latest serial numbers first, with all their digits', async () => {
    expect((await get('/api/v1/tokens/0.0.1500/nfts?limit=3')).body).toBe(
      '{"nfts":[{"account_id":"0.0.1000","created_timestamp":"1600000000.000000000","delegating_spender":null,' +
        '"deleted":false,"metadata":"f/////////8=","modified_timestamp":"1600000000.000000001",' +
        '"serial_number":9223372036854775807,"spender":null,"token_id":"0.0.1500"},' +
        '{"account_id":"0.0.1000","created_timestamp":"1600000000.000000000","delegating_spender":"0.0.78",' +
        '"deleted":false,"metadata":"AAAAAAAAAAg=","modified_timestamp":"1600000000.000000001",' +
        '"serial_number":8,"spender":"0.0.77","token_id":"0.0.1500"},' +
        '{"account_id":null,"created_timestamp":"1600000000.000000000","delegating_spender":null,' +
        '"deleted":true,"metadata":"AAAAAAAAAAc=","modified_timestamp":"1600000000.000000001",' +
        '"serial_number":7,"spender":null,"token_id":"0.0.1500"}],' +
        '"links":{"next":"/api/v1/tokens/0.0.1500/nfts?limit=3&serialnumber=lt:7"}}',
    );
  });

  it('pages both ways', async () => {
    for (const limit of [1, 2, 4, 100]) {
      expect(await serials(`?serialnumber=lte:8&limit=${limit}`)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
      expect(await serials(`?serialnumber=lte:8&order=asc&limit=${limit}`)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(await serials(`?serialnumber=gt:2&serialnumber=lt:7&limit=${limit}`)).toEqual([6, 5, 4, 3]);
    }
  });

  it('takes filters that must all hold', async () => {
    expect(await serials('?serialnumber=3&limit=1')).toEqual([3]);
    expect(await serials('?serialnumber=3&serialnumber=4')).toEqual([]);
    expect(await serials('?serialnumber=ne:3&serialnumber=ne:5&serialnumber=lt:7')).toEqual([6, 4, 2, 1]);
    expect(await serials('?account.id=0.0.1001&limit=2')).toEqual([5, 3, 1]);
    expect(await serials('?account.id=gt:1000')).toEqual([5, 3, 1]);
    expect(await serials('?account.id=ne:1000')).toEqual([5, 3, 1]);
    expect(await serials('?account.id=1000&account.id=1001')).toEqual([]);
    expect(await serials(`?account.id=1001&account.id=${'ab'.repeat(20)}`)).toEqual([]);
    expect(await serials('?account.id=00000000000000000000000000000000000003e9&serialnumber=lt:4')).toEqual([3, 1]);
  });

  it('is empty for a token without NFTs', async () => {
    expect((await get('/api/v1/tokens/9/nfts')).body).toBe('{"nfts":[],"links":{"next":null}}');
  });

  it('assumes the shard and realm of the network', async () => {
    const foreign = restRequests(tokenRoutes, test.database, { shard: 1n, realm: 2n });
    expect((await foreign('/api/v1/tokens/1500/nfts')).json.nfts).toMatchObject([
      { token_id: '1.2.1500', account_id: '0.0.1000' },
    ]);
    expect((await foreign('/api/v1/tokens/1500/nfts?account.id=1000')).json.nfts).toEqual([]);
  });

  it.each([
    ['x/nfts?limit=0', ['Invalid parameter: tokenid']],
    ['1/nfts?a=1&limit=0&serialnumber=0', ['limit', 'serialnumber']],
    ['1/nfts?a=1&account.id=x&serialnumber=9223372036854775808', ['account.id', 'serialnumber']],
  ])('refuses %s', async (path, invalid) => {
    const expected = path.startsWith('x')
      ? invalid
      : [...invalid.map((name) => `Invalid parameter: ${name}`), 'Unknown query parameter: a'];
    expect(await get(`/api/v1/tokens/${path}`)).toMatchObject({ status: 400, messages: expected });
  });
});

describe('GET /api/v1/tokens/{tokenId}/nfts/{serialNumber}', () => {
  it('shows one NFT', async () => {
    expect((await get('/api/v1/tokens/1500/nfts/9223372036854775807')).body).toContain(
      '"serial_number":9223372036854775807,',
    );
    expect((await get('/api/v1/tokens/1500/nfts/2')).json).toMatchObject({ account_id: '0.0.1000', deleted: false });
  });

  it('is deleted with its token', async () => {
    expect((await get('/api/v1/tokens/1600/nfts/1')).json.deleted).toBe(true);
  });

  it('may be known in part', async () => {
    expect((await get('/api/v1/tokens/1700/nfts/1')).body).toBe(
      '{"account_id":null,"created_timestamp":null,"delegating_spender":null,"deleted":false,"metadata":null,' +
        '"modified_timestamp":"1600000000.000000000","serial_number":1,"spender":null,"token_id":"0.0.1700"}',
    );
  });

  it.each([
    ['1500/nfts/99', 404, ['Not found']],
    ['99/nfts/1', 404, ['Not found']],
    ['1500/nfts/0', 400, ['Invalid parameter: serialnumber']],
    ['1500/nfts/9223372036854775808', 400, ['Invalid parameter: serialnumber']],
    ['x/nfts/x', 400, ['Invalid parameter: tokenid']],
    ['x/nfts/1?a=1&b=2', 400, ['Unknown query parameter: a', 'Unknown query parameter: b']],
  ])('%s: %i', async (path, status, messages) => {
    expect(await get(`/api/v1/tokens/${path}`)).toMatchObject({ status, messages });
  });
});
