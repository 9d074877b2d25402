/** Lists against a model: entities of several types, random filters, and plain objects that say what each should give. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { accountRoutes } from './accounts.ts';

const keys = ['11', '22', '33'].map((byte) => byte.repeat(32));

interface Entity {
  readonly id: bigint;
  readonly type: string;
  readonly balance: bigint | null;
  readonly key: string | null;
  readonly tokens: readonly bigint[];
}

const types = ['ACCOUNT', 'ACCOUNT', 'CONTRACT', 'TOKEN', 'TOPIC', 'FILE'];

const entities: readonly Entity[] = Array.from({ length: 90 }, (_, i): Entity => {
  const type = types[(i * 7 + (i >> 2)) % types.length] as string;
  return {
    id: BigInt(1000 + i * (1 + (i % 2))),
    type,
    balance: i % 11 === 0 ? null : BigInt((i * 37) % 50),
    key: i % 4 === 0 ? null : (keys[i % 3] as string),
    tokens: Array.from({ length: i % 5 }, (_token, t) => BigInt(5000 + t * 3 + i)),
  };
}).filter(({ id }, i, all) => all.findIndex((other) => other.id === id) === i);

const accounts = entities
  .filter(({ type }) => type === 'ACCOUNT' || type === 'CONTRACT')
  .toSorted((a, b) => (a.id < b.id ? -1 : 1));

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

const tokenLimit = 3;
const options = { rest: { response: { limit: { tokenBalance: { multipleAccounts: tokenLimit } } } } } as const;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(
    test.database,
    'entity',
    entities.map(({ id, type, balance, key }) => ({
      id,
      num: id,
      realm: 0,
      shard: 0,
      type,
      balance,
      balance_timestamp: balance === null ? null : id,
      public_key: key,
      timestamp_range: '[0,)',
    })),
  );
  await insertRows(
    test.database,
    'token_account',
    entities.flatMap(({ id, tokens }) => [
      ...tokens.map((token) => ({
        account_id: id,
        token_id: token,
        associated: true,
        balance: token + id,
        timestamp_range: '[0,)',
      })),
      { account_id: id, token_id: 4000, associated: false, balance: 9, timestamp_range: '[0,)' },
    ]),
  );
  await test.database.query('analyze');
  get = restRequests(accountRoutes, test.database, options);
});
afterAll(() => test?.drop());

const matches = (operator: string, x: bigint, bound: bigint): boolean => {
  switch (operator) {
    case 'gt':
      return x > bound;
    case 'gte':
      return x >= bound;
    case 'lt':
      return x < bound;
    case 'lte':
      return x <= bound;
    case 'ne':
      return x !== bound;
    default:
      return x === bound;
  }
};

/** Every comparison holds, equalities as well. */
const allHold = (x: bigint | null, comparisons: readonly (readonly [string, bigint])[]): boolean =>
  comparisons.length === 0 || (x !== null && comparisons.every(([operator, bound]) => matches(operator, x, bound)));

/** Every comparison holds; of the equalities, any. */
const satisfies = (x: bigint | null, comparisons: readonly (readonly [string, bigint])[]): boolean => {
  if (x === null) return comparisons.length === 0;
  const equal = comparisons.filter(([operator]) => operator === 'eq');
  const others = comparisons.filter(([operator]) => operator !== 'eq');
  return (
    others.every(([operator, bound]) => matches(operator, x, bound)) &&
    (equal.length === 0 || equal.some(([, bound]) => x === bound))
  );
};

const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'];
const comparisonsOf = (values: fc.Arbitrary<bigint>) =>
  fc.array(fc.tuple(fc.constantFrom(...operators), values), { maxLength: 3 });

describe('the list of accounts', () => {
  it('gives every account that the filters allow once, in order, whatever the page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        comparisonsOf(fc.bigInt({ min: 995n, max: 1185n })),
        comparisonsOf(fc.bigInt({ min: 0n, max: 50n })),
        fc.subarray(keys, { maxLength: 2 }),
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(1, 2, 7, 100),
        async (ids, balances, wantedKeys, order, limit) => {
          const query = [
            ...ids.map(([operator, id]) => `account.id=${operator}:${id}`),
            ...balances.map(([operator, balance]) => `account.balance=${operator}:${balance}`),
            ...wantedKeys.map((key) => `account.publickey=${key}`),
            `order=${order}`,
            `limit=${limit}`,
          ].join('&');
          const pages = await followLinks(get, `/api/v1/accounts?${query}`);
          const expected = accounts.filter(
            ({ id, balance, key }) =>
              satisfies(id, ids) &&
              allHold(balance, balances) &&
              (wantedKeys.length === 0 || (key !== null && wantedKeys.includes(key))),
          );
          if (order === 'desc') expected.reverse();
          const shown = pages.flatMap(({ json }) =>
            json.accounts.map((account: { account: string }) => account.account),
          );
          expect(shown).toEqual(expected.map(({ id }) => formatEntityId(id)));
          for (const page of pages) expect(page.json.accounts.length).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('finds nothing with two balances, and any of several ids', async () => {
    const held = accounts.filter(({ balance }) => balance !== null);
    const [one, other] = [held[0], held.find(({ balance }) => balance !== held[0]?.balance)];
    const shown = async (query: string) => (await get(`/api/v1/accounts?${query}`)).json.accounts.length;
    expect(await shown(`account.balance=${one?.balance}&account.balance=eq:${one?.balance}`)).toBeGreaterThan(0);
    expect(await shown(`account.balance=${one?.balance}&account.balance=${other?.balance}`)).toBe(0);
    expect(await shown(`account.id=${one?.id}&account.id=${other?.id}`)).toBe(2);
  });

  it('shows the first tokens of each account in the order of the list', async () => {
    for (const order of ['asc', 'desc']) {
      const { json } = await get(`/api/v1/accounts?order=${order}&limit=100`);
      const expected = (order === 'asc' ? accounts : accounts.toReversed()).map(({ id, balance, tokens }) => ({
        balance: balance === null ? null : Number(balance),
        timestamp: balance === null ? null : `0.00000${id}`,
        tokens: (order === 'asc' ? tokens : tokens.toReversed())
          .slice(0, tokenLimit)
          .map((token) => ({ token_id: `0.0.${token}`, balance: Number(token + id) })),
      }));
      expect(json.accounts.map((account: { balance: unknown }) => account.balance)).toEqual(expected);
    }
  });

  it('leaves balances out when asked to', async () => {
    const { json } = await get('/api/v1/accounts?balance=FALSE&limit=1');
    expect(json.accounts[0].balance).toBeNull();
  });

  it('refuses what it does not know, in the order of the query', async () => {
    expect(
      (await get('/api/v1/accounts?account.id=a:b:5&foo=1&account.balance=-1&order=up&foo=2&account.publickey=abc'))
        .messages,
    ).toEqual([
      'Invalid parameter: account.id',
      'Unknown query parameter: foo',
      'Invalid parameter: account.balance',
      'Invalid parameter: order',
      'Invalid parameter: account.publickey',
    ]);
  });

  it('finds nothing by an address that is no id', async () => {
    const { json } = await get('/api/v1/accounts?account.id=0xac384c53f03855fa1b3616052f8ba32c6c2a2fec');
    expect(json).toEqual({ accounts: [], links: { next: null } });
  });
});

describe('a treasury made for snapshots', () => {
  const id = encodeEntityId(1n, 2n, 2n);
  const memo = 'Mirror node created synthetic treasury account';
  const entity = (num: bigint, text: string) => ({
    id: encodeEntityId(1n, 2n, num),
    num,
    realm: 2,
    shard: 1,
    type: 'ACCOUNT',
    memo: text,
    balance: 0,
    timestamp_range: '[0,)',
  });

  it('is not shown, but other accounts with that memo are, and a real treasury', async () => {
    const { database, drop } = await createTestDatabase();
    try {
      const request = restRequests(accountRoutes, database, { shard: 1n, realm: 2n });
      await insertRows(database, 'entity', [entity(2n, memo), entity(3n, memo)]);
      const ids = async () =>
        (await request('/api/v1/accounts')).json.accounts.map((account: { account: string }) => account.account);
      expect(await ids()).toEqual(['1.2.3']);
      expect(await request('/api/v1/accounts/2')).toMatchObject({ status: 404, messages: ['Not found'] });
      expect(await request('/api/v1/accounts/2?timestamp=5')).toMatchObject({ status: 404, messages: ['Not found'] });
      await database.query('update entity set memo = $1 where id = $2', ['treasury', id]);
      expect(await ids()).toEqual(['1.2.2', '1.2.3']);
      expect((await request('/api/v1/accounts/2')).json.account).toBe('1.2.2');
      expect((await request('/api/v1/accounts/2')).json.evm_address).toBe(`0x${'2'.padStart(40, '0')}`);
      expect((await request('/api/v1/accounts?limit=1')).link).toBe('/api/v1/accounts?limit=1&account.id=gt:1.2.2');
    } finally {
      await drop();
    }
  });
});
