import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { type FixtureAnswer, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { accountHoldingRoutes } from './account-holdings.ts';

const address = 'ac384c53f03855fa1b3616052f8ba32c6c2a2fec';
const home = { shard: 1n, realm: 2n };
const id = (num: number): bigint => encodeEntityId(1n, 2n, BigInt(num));

let test: TestDatabase;
let ask: (path: string) => Promise<FixtureAnswer>;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(test.database, 'entity', [
    {
      id: id(900),
      num: 900,
      realm: 2,
      shard: 1,
      type: 'ACCOUNT',
      timestamp_range: '[1,)',
      evm_address: `\\x${address}`,
      deleted: false,
    },
  ]);
  const allowance = { payer_account_id: id(2), approved_for_all: true, timestamp_range: '[1000000001,)' };
  await insertRows(test.database, 'nft_allowance', [
    { ...allowance, owner: id(900), spender: id(1000), token_id: id(1002) },
    { ...allowance, owner: id(900), spender: id(1000), token_id: id(1003), approved_for_all: false },
    { ...allowance, owner: id(900), spender: id(2002), token_id: id(700), timestamp_range: '[1000000001,1000000009)' },
    { ...allowance, owner: id(950), spender: id(900), token_id: id(700) },
    { ...allowance, owner: id(951), spender: id(900), token_id: id(700) },
  ]);
  const get = restRequests(accountHoldingRoutes, test.database, home);
  ask = (path) => get(`/api/v1/accounts/${path}`);
});
afterAll(() => test?.drop());

const first =
  '{"approved_for_all":true,"owner":"1.2.900","spender":"1.2.1000",' +
  '"timestamp":{"from":"1.000000001","to":null},"token_id":"1.2.1002"}';
const second =
  '{"approved_for_all":true,"owner":"1.2.900","spender":"1.2.2002",' +
  '"timestamp":{"from":"1.000000001","to":"1.000000009"},"token_id":"1.2.700"}';

describe('NFT allowances', () => {
  it('shows those in force, by spender and token', async () => {
    expect((await ask('900/allowances/nfts')).body).toBe(`{"allowances":[${first},${second}],"links":{"next":null}}`);
    expect((await ask('900/allowances/nfts?order=DESC&limit=1')).body).toBe(
      `{"allowances":[${second}],` +
        '"links":{"next":"/api/v1/accounts/900/allowances/nfts?order=desc&limit=1&account.id=lte:1.2.2002&token.id=lt:1.2.700"}}',
    );
  });

  it('shows the same to the spender, by owner', async () => {
    const { json, link } = await ask('900/allowances/nfts?owner=false&account.id=gte:950&limit=1');
    expect(json.allowances).toMatchObject([{ owner: '1.2.950', spender: '1.2.900', token_id: '1.2.700' }]);
    expect(link).toBe(
      '/api/v1/accounts/900/allowances/nfts?owner=false&limit=1&account.id=gte:1.2.950&token.id=gt:1.2.700',
    );
  });

  it('goes on by token beside one account, by account beside one token, nowhere beside both', async () => {
    expect((await ask('900/allowances/nfts?account.id=1000&limit=1')).link).toBe(
      '/api/v1/accounts/900/allowances/nfts?account.id=1000&limit=1&token.id=gt:1.2.1002',
    );
    expect((await ask('900/allowances/nfts?limit=1&account.id=GTE:1000&token.id=EQ:1002')).link).toBe(
      '/api/v1/accounts/900/allowances/nfts?limit=1&token.id=eq:1002&account.id=gt:1.2.1000',
    );
    expect((await ask('900/allowances/nfts?account.id=1000&token.id=1002&limit=1')).link).toBeNull();
  });

  it('lets each bound of tokens belong to its own account', async () => {
    const { body } = await ask(
      '900/allowances/nfts?account.id=gte:1000&account.id=lte:2002&token.id=gt:1000&token.id=lt:800&limit=2',
    );
    expect(body).toBe(
      `{"allowances":[${first},${second}],"links":{"next":"/api/v1/accounts/900/allowances/nfts?` +
        'account.id=lte:2002&account.id=gte:1.2.2002&token.id=lt:800&token.id=gt:1.2.700&limit=2"}}',
    );
  });

  it('ignores unknown and blank parameters', async () => {
    expect((await ask('900/allowances/nfts?foo=1&account.id=&token.id=&limit=1')).link).toBe(
      '/api/v1/accounts/900/allowances/nfts?foo=1&limit=1&account.id=gte:1.2.1000&token.id=gt:1.2.1002',
    );
  });

  it('finds the account by its address; an id may belong to nobody', async () => {
    expect((await ask(`0x${address}/allowances/nfts`)).json.allowances).toHaveLength(2);
    expect((await ask('12345/allowances/nfts')).body).toBe('{"allowances":[],"links":{"next":null}}');
    expect(await ask(`${'1'.repeat(40)}/allowances/nfts`)).toMatchObject({
      status: 404,
      messages: ['Not Found'],
      details: ['No account found for the given ID'],
    });
  });

  it.each([
    ['abc/allowances/nfts', ["Failed to convert 'id'"]],
    ['1/allowances/nfts?account.id=abc&limit=a', ["Failed to convert 'account.id'"]],
    ['1/allowances/nfts?limit=a&limit=1', ["Failed to convert 'limit'"]],
    ['1/allowances/nfts?order=dsc', ["Failed to convert 'order'"]],
    ['1/allowances/nfts?owner=maybe', ["Failed to convert 'owner'"]],
    ['1/allowances/nfts?token.id=0.65536.1', ["Failed to convert 'token.id'"]],
    ['1/allowances/nfts?limit=101', ['limit must be less than or equal to 100']],
    [
      '1/allowances/nfts?token.id=1&token.id=2&token.id=3&limit=0',
      ['limit must be greater than 0', 'token.id size must be between 0 and 2'],
    ],
    ['1/allowances/nfts?account.id=gte:1000&account.id=lte:999', ['Invalid range provided for account.id']],
    ['1/allowances/nfts?token.id=gt:1000', ['token.id parameter must have account.id present']],
    ['1/allowances/nfts?account.id=ne:1', ['Unsupported range operator ne for account.id']],
    ['1/allowances/nfts?account.id=gte:1&token.id=ne:1', ['Unsupported range operator ne for token.id']],
    [
      '1/allowances/nfts?account.id=gt:1&account.id=gte:2',
      ['Only one range operator from [gt, gte] is allowed for the given parameter for account.id'],
    ],
    ['1/allowances/nfts?account.id=1&account.id=lt:3', ["Can't support both range and equal for account.id"]],
    ['1/allowances/nfts?account.id=gte:1&token.id=gt:10&token.id=lt:8', ['Invalid range provided for token.id']],
    [
      '1/allowances/nfts?account.id=gte:1&token.id=lt:8',
      ['Requires the presence of an lte or eq account.id parameter'],
    ],
    ['1/allowances/nfts?account.id=gt:1&token.id=gt:8', ['Requires the presence of an gte or eq account.id parameter']],
  ])('refuses %s', async (path, details) => {
    expect(await ask(path)).toMatchObject({ status: 400, messages: details.map(() => 'Bad Request'), details });
  });
});
