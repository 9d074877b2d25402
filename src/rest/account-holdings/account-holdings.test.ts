import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { type FixtureAnswer, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { accountHoldingRoutes } from './account-holdings.ts';

const address = 'ac384c53f03855fa1b3616052f8ba32c6c2a2fec';
const opaque = '71eaa748d5252be68c1185588beca495459fdba4';
const max = '9223372036854775807';
const payer_account_id = 2;
/** Shard 1, realm 2. */
const abroad = (num: number): bigint => encodeEntityId(1n, 2n, BigInt(num));

let test: TestDatabase;
let ask: (path: string) => Promise<FixtureAnswer>;
let askAbroad: (path: string) => Promise<FixtureAnswer>;

const requester = (options: Parameters<typeof restRequests>[2]) => {
  const get = restRequests(accountHoldingRoutes, test.database, options);
  return (path: string) => get(`/api/v1/accounts/${path}`);
};

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  const entity = { realm: 0, shard: 0, type: 'ACCOUNT', timestamp_range: '[1,)' };
  await insertRows(database, 'entity', [
    { ...entity, id: 900, num: 900, evm_address: `\\x${address}`, deleted: false },
    { ...entity, id: 901, num: 901 },
    { ...entity, id: 700, num: 700, type: 'TOKEN', deleted: true },
    { ...entity, id: abroad(900), num: 900, shard: 1, realm: 2 },
  ]);
  const nft = { account_id: 900, token_id: 700, created_timestamp: 1_000_000_005, timestamp_range: '[2000000007,)' };
  await insertRows(database, 'nft', [
    { ...nft, serial_number: 1, metadata: '\\x6d31', deleted: false },
    { ...nft, token_id: 701, serial_number: 1, spender: 60, delegating_spender: 61, deleted: false },
    { ...nft, token_id: 701, serial_number: max, spender: 62, deleted: false },
    { ...nft, token_id: 702, serial_number: 3, spender: 64, deleted: false },
    { ...nft, account_id: 901, token_id: 701, serial_number: 2, deleted: false },
    { ...nft, account_id: abroad(900), token_id: abroad(701), serial_number: 5, deleted: false },
  ]);
  const crypto = { owner: 900, payer_account_id, amount: 7, amount_granted: max, timestamp_range: '[1000000001,)' };
  await insertRows(database, 'crypto_allowance', [
    { ...crypto, spender: 60, amount: max },
    { ...crypto, spender: 61, amount: 0 },
    { ...crypto, spender: 62 },
    { ...crypto, spender: 64, timestamp_range: '[1000000001,1000000009)' },
    { ...crypto, owner: abroad(900), spender: abroad(60) },
    { ...crypto, owner: abroad(900), spender: abroad(61) },
  ]);
  await insertRows(database, 'token_allowance', [
    { ...crypto, spender: 60, token_id: 710 },
    { ...crypto, spender: 60, token_id: 711, amount: 0 },
    { ...crypto, spender: 61, token_id: 710 },
  ]);
  const nftAllowance = { owner: 900, payer_account_id, approved_for_all: true, timestamp_range: '[1000000001,)' };
  await insertRows(database, 'nft_allowance', [
    { ...nftAllowance, spender: 60, token_id: 701 },
    { ...nftAllowance, spender: 60, token_id: 702, approved_for_all: false },
    { ...nftAllowance, spender: 61, token_id: 701 },
    { ...nftAllowance, owner: 901, spender: 900, token_id: 701 },
    { ...nftAllowance, owner: abroad(900), spender: abroad(60), token_id: abroad(701) },
  ]);
  const token = {
    name: 'n',
    symbol: 's',
    decimals: 8,
    created_timestamp: 1,
    initial_supply: 0,
    treasury_account_id: 2,
    timestamp_range: '[1,)',
  };
  await insertRows(database, 'token', [
    { ...token, token_id: 700, freeze_status: 2, kyc_status: 1 },
    { ...token, token_id: 701, freeze_status: 0, kyc_status: 0, decimals: 0 },
  ]);
  const association = { account_id: 900, associated: true, timestamp_range: '[1,)' };
  await insertRows(database, 'token_account', [
    { ...association, token_id: 700, balance: max, automatic_association: true, created_timestamp: 1_000_000_005 },
    { ...association, token_id: 701, freeze_status: 1, kyc_status: 2, automatic_association: false },
    { ...association, token_id: 702, kyc_status: 1 },
    { ...association, token_id: 703, associated: false, balance: 9 },
  ]);
  await insertRows(
    database,
    'staking_reward_transfer',
    [5, 6, 7].map((i) => ({ account_id: 900, amount: i, consensus_timestamp: 1_000_000_000 + i, payer_account_id })),
  );
  ask = requester({});
  askAbroad = requester({ shard: 1n, realm: 2n });
});
afterAll(() => test?.drop());

const empty = (list: string) => `{"${list}":[],"links":{"next":null}}`;

describe('NFTs', () => {
  const serials = async (query: string): Promise<string[]> => {
    const { json, status, messages } = await ask(`900/nfts?${query}`);
    expect(status, messages?.join()).toBe(200);
    return json.nfts.map((nft: { token_id: string; serial_number: number }) => `${nft.token_id}/${nft.serial_number}`);
  };

  it('shows each in full, and those of a deleted token as deleted', async () => {
    expect((await ask('900/nfts?order=asc&limit=2')).body).toBe(
      '{"nfts":[{"account_id":"0.0.900","created_timestamp":"1.000000005","delegating_spender":null,"deleted":true,' +
        '"metadata":"bTE=","modified_timestamp":"2.000000007","serial_number":1,"spender":null,"token_id":"0.0.700"},' +
        '{"account_id":"0.0.900","created_timestamp":"1.000000005","delegating_spender":"0.0.61","deleted":false,' +
        '"metadata":null,"modified_timestamp":"2.000000007","serial_number":1,"spender":"0.0.60","token_id":"0.0.701"}],' +
        '"links":{"next":"/api/v1/accounts/900/nfts?order=asc&limit=2&token.id=gte:0.0.701&serialnumber=gt:1"}}',
    );
  });

  it('lists the highest first and keeps 64-bit serial numbers exact', async () => {
    const { body, link } = await ask('900/nfts?token.id=701&limit=1');
    expect(body).toContain(`"serial_number":${max},`);
    expect(link).toBe(`/api/v1/accounts/900/nfts?token.id=701&limit=1&serialnumber=lt:${max}`);
    expect((await ask(`900/nfts?token.id=701&serialnumber=gt:${max}`)).body).toBe(empty('nfts'));
  });

  it('filters by spenders', async () => {
    expect(await serials('spender.id=60&spender.id=64')).toEqual(['0.0.702/3', '0.0.701/1']);
    expect(await serials('spender.id=gte:60&spender.id=lt:64&order=asc&token.id=701&serialnumber=1')).toEqual([
      '0.0.701/1',
    ]);
    expect(await serials('spender.id=60&spender.id=gt:60')).toEqual([]);
    expect(await serials(`spender.id=${opaque}`)).toEqual([]);
    expect(await serials(`spender.id=${opaque}&spender.id=60`)).toEqual(['0.0.701/1']);
    expect(await serials(`spender.id=gt:${opaque}`)).toEqual([]);
  });

  it('ends where the row is named, or the range is used up', async () => {
    expect((await ask('900/nfts?token.id=701&serialnumber=1&limit=1')).link).toBeNull();
    expect((await ask('900/nfts?token.id=701&serialnumber=gte:1&serialnumber=lte:1&limit=1')).link).toBeNull();
  });

  it.each([
    ['spender.id=gt:1&spender.id=gte:2', 'Multiple range params not allowed for spender.id'],
    ['spender.id=ne:1', 'Not equals (ne) comparison operator is not supported'],
    ['spender.id=ne:1&token.id=gt:1&serialnumber=gt:1', 'token.id must have gte or eq operator'],
    ['token.id=ne:1', 'Not equal (ne) operator is not supported for token.id'],
    ['serialnumber=1&serialnumber=2&token.id=1&token.id=2', 'Only one equal (eq) operator is allowed for serialnumber'],
    ['token.id=1&token.id=2&serialnumber=1&serialnumber=2', 'Only one equal (eq) operator is allowed for token.id'],
    ['token.id=999999999999', 'Invalid entity ID "0.0.999999999999"'],
  ])('refuses %s', async (query, message) => {
    expect(await ask(`900/nfts?${query}`)).toMatchObject({ status: 400, messages: [message] });
  });

  it('names invalid parameters before unknown ones', async () => {
    const { messages } = await ask(`900/nfts?foo=1&serialnumber=0&token.id=${opaque}&owner=true&limit=0`);
    expect(messages).toEqual([
      'Invalid parameter: serialnumber',
      'Invalid parameter: token.id',
      'Invalid parameter: limit',
      'Unknown query parameter: foo',
      'Unknown query parameter: owner',
    ]);
  });

  it('finds the account by address, and looks for it before it reads the query', async () => {
    expect((await ask(`0x${address}/nfts`)).json.nfts).toHaveLength(4);
    expect(await ask(`${opaque}/nfts?foo=1`)).toMatchObject({ status: 404, messages: ['Not found'] });
    expect(await ask('12345/nfts')).toMatchObject({ status: 200, body: empty('nfts') });
  });

  it('works in other shards and realms', async () => {
    const { body } = await askAbroad('900/nfts?token.id=gte:701&limit=1');
    expect(body).toContain('"account_id":"1.2.900"');
    expect(body).toContain(
      '"next":"/api/v1/accounts/900/nfts?token.id=gte:701&token.id=lte:1.2.701&limit=1&serialnumber=lt:5"',
    );
  });
});

describe('hbar allowances', () => {
  it('shows those that are not used up, the highest spender first', async () => {
    expect((await ask('900/allowances/crypto')).body).toBe(
      `{"allowances":[{"amount":7,"amount_granted":${max},"owner":"0.0.900","spender":"0.0.64",` +
        '"timestamp":{"from":"1.000000001","to":"1.000000009"}},' +
        `{"amount":7,"amount_granted":${max},"owner":"0.0.900","spender":"0.0.62",` +
        '"timestamp":{"from":"1.000000001","to":null}},' +
        `{"amount":${max},"amount_granted":${max},"owner":"0.0.900","spender":"0.0.60",` +
        '"timestamp":{"from":"1.000000001","to":null}}],"links":{"next":null}}',
    );
  });

  it('pages both ways, also in other shards and realms', async () => {
    expect((await ask('900/allowances/crypto?limit=2&order=asc&spender.id=lt:99')).link).toBe(
      '/api/v1/accounts/900/allowances/crypto?limit=2&order=asc&spender.id=lt:99&spender.id=gt:0.0.62',
    );
    expect((await ask('900/allowances/crypto?limit=2')).link).toBe(
      '/api/v1/accounts/900/allowances/crypto?limit=2&spender.id=lt:0.0.62',
    );
    expect((await askAbroad('900/allowances/crypto?limit=1')).link).toBe(
      '/api/v1/accounts/900/allowances/crypto?limit=1&spender.id=lt:1.2.61',
    );
    expect((await askAbroad('900/allowances/crypto?spender.id=gte:61&limit=1')).link).toBeNull();
  });

  it('takes any of several spenders, and nobody behind an address that is no id', async () => {
    const { json } = await ask('900/allowances/crypto?spender.id=60&spender.id=61&spender.id=64');
    expect(json.allowances.map(({ spender }: { spender: string }) => spender)).toEqual(['0.0.64', '0.0.60']);
    expect((await ask(`900/allowances/crypto?spender.id=${opaque}`)).body).toBe(empty('allowances'));
  });

  it('refuses inequalities', async () => {
    expect(await ask('900/allowances/crypto?spender.id=60&spender.id=ne:61')).toMatchObject({
      status: 400,
      messages: ['Not equal (ne) comparison operator is not supported for spender.id'],
    });
  });
});

describe('token allowances', () => {
  it('shows those that are not used up, by spender and token', async () => {
    expect((await ask('900/allowances/tokens?limit=1')).body).toBe(
      `{"allowances":[{"amount":7,"amount_granted":${max},"owner":"0.0.900","spender":"0.0.60",` +
        '"timestamp":{"from":"1.000000001","to":null},"token_id":"0.0.710"}],' +
        '"links":{"next":"/api/v1/accounts/900/allowances/tokens?limit=1&spender.id=gte:0.0.60&token.id=gt:0.0.710"}}',
    );
  });

  it('finds nobody behind an address that is no id, after the rules have been looked at', async () => {
    expect((await ask(`900/allowances/tokens?spender.id=${opaque}`)).body).toBe(empty('allowances'));
    expect(await ask('900/allowances/tokens?token.id=710')).toMatchObject({
      status: 400,
      messages: ['token.id without a spender.id parameter filter'],
    });
    expect(await ask(`900/allowances/tokens?spender.id=${opaque}&spender.id=1`)).toMatchObject({
      status: 400,
      messages: ['Only one equal (eq) operator is allowed for spender.id'],
    });
  });
});

describe('tokens', () => {
  it('shows associations with the statuses of the account or else of the token', async () => {
    expect((await ask('900/tokens?limit=3')).body).toBe(
      `{"tokens":[{"automatic_association":true,"balance":${max},"created_timestamp":"1.000000005","decimals":8,` +
        '"freeze_status":"UNFROZEN","kyc_status":"GRANTED","token_id":"0.0.700"},' +
        '{"automatic_association":false,"balance":0,"created_timestamp":null,"decimals":0,' +
        '"freeze_status":"FROZEN","kyc_status":"REVOKED","token_id":"0.0.701"},' +
        '{"automatic_association":null,"balance":0,"created_timestamp":null,"decimals":null,' +
        '"freeze_status":null,"kyc_status":"GRANTED","token_id":"0.0.702"}],' +
        '"links":{"next":"/api/v1/accounts/900/tokens?limit=3&token.id=gt:0.0.702"}}',
    );
  });

  it('pages downwards within a range', async () => {
    expect((await ask('900/tokens?token.id=gte:700&order=DESC&limit=2')).link).toBe(
      '/api/v1/accounts/900/tokens?token.id=gte:700&token.id=lt:0.0.701&order=desc&limit=2',
    );
    expect((await ask('900/tokens?token.id=gte:700&token.id=lt:701&order=desc&limit=1')).link).toBeNull();
  });

  it('takes any of several tokens', async () => {
    const { json } = await ask('900/tokens?token.id=700&token.id=702&token.id=703');
    expect(json.tokens.map((token: { token_id: string }) => token.token_id)).toEqual(['0.0.700', '0.0.702']);
  });

  it('tells an unknown account from one without tokens', async () => {
    expect((await ask('901/tokens')).body).toBe(empty('tokens'));
    expect(await ask('902/tokens?foo=1')).toMatchObject({ status: 404, messages: ['Not found'] });
    expect((await askAbroad('900/tokens')).body).toBe(empty('tokens'));
  });

  it('refuses inequalities', async () => {
    expect(await ask('900/tokens?token.id=ne:700')).toMatchObject({
      status: 400,
      messages: ['Not equal (ne) comparison operator is not supported for token.id'],
    });
  });
});

describe('rewards', () => {
  const amounts = async (query: string): Promise<number[]> =>
    (await ask(`900/rewards?${query}`)).json.rewards.map(({ amount }: { amount: number }) => amount);

  it('lists the newest first', async () => {
    expect((await ask('900/rewards?limit=1')).body).toBe(
      '{"rewards":[{"account_id":"0.0.900","amount":7,"timestamp":"1.000000007"}],' +
        '"links":{"next":"/api/v1/accounts/900/rewards?limit=1&timestamp=lt:1.000000007"}}',
    );
  });

  it('filters by timestamps', async () => {
    expect(await amounts('timestamp=gt:1.000000005&order=asc')).toEqual([6, 7]);
    expect(await amounts('timestamp=1.000000005&timestamp=1.000000007')).toEqual([7, 5]);
    expect(await amounts('timestamp=gt:1.000000006&timestamp=lt:1.000000006')).toEqual([]);
  });

  it('knows that nothing lies beyond 64 bits', async () => {
    expect(await amounts('timestamp=9999999999.999999999')).toEqual([]);
    expect(await amounts('timestamp=9999999999.999999999&timestamp=1.000000005')).toEqual([5]);
    expect(await amounts('timestamp=gt:9999999999.999999999')).toEqual([]);
    expect(await amounts('timestamp=lt:9999999999.999999999')).toEqual([7, 6, 5]);
  });

  it('refuses inequalities, and unknown accounts first', async () => {
    expect(await ask('900/rewards?timestamp=ne:1')).toMatchObject({
      status: 400,
      messages: ['Not equals (ne) operator is not supported for timestamp'],
    });
    expect(await ask('902/rewards?timestamp=ne:1')).toMatchObject({ status: 404, messages: ['Not found'] });
  });
});
