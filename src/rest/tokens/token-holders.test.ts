/**
 * Balances of tokens against a model: what accounts hold changes from snapshot to snapshot over three months; a plain map
 * says who held what when.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, startOfMonth } from '../../ledger/timestamp.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { type FixtureRow, insertRows } from '../testing/rows.fixture.ts';
import { tokenRoutes } from './tokens.ts';

const seconds = 1_000_000_000n;
const at = (iso: string): bigint => BigInt(Date.parse(iso)) * 1_000_000n;
const now = at('2023-06-20T12:00:00Z');
const keys = ['11', '22'].map((byte) => byte.repeat(32)) as [string, string];
const tokens = [901n, 902n];
const accounts = Array.from({ length: 16 }, (_, i) => BigInt(10 + i * 3));
const keyOf = (account: bigint): string => keys[Number(account % 2n)] as string;

interface Snapshot {
  readonly timestamp: bigint;
  /** By token, then account. */
  readonly held: ReadonlyMap<bigint, ReadonlyMap<bigint, bigint>>;
}

const snapshots: readonly Snapshot[] = (() => {
  const list: Snapshot[] = [];
  const held = new Map(tokens.map((token) => [token, new Map<bigint, bigint>()]));
  let step = 0;
  for (let time = at('2023-04-03T01:00:00Z'); time < now; time += 400_000n * seconds) {
    step++;
    for (const [i, account] of accounts.entries()) {
      if (i > step || (step + i) % 3 !== 0) continue;
      held.get(tokens[(step + i) % 2] as bigint)?.set(account, BigInt((step * 13 + i * 7) % 40));
    }
    list.push({ timestamp: time, held: new Map([...held].map(([token, map]) => [token, new Map(map)])) });
  }
  return list;
})();

const rowsOfSnapshots = (): { readonly marks: FixtureRow[]; readonly balances: FixtureRow[] } => {
  const marks: FixtureRow[] = [];
  const balances: FixtureRow[] = [];
  for (const [i, { timestamp, held }] of snapshots.entries()) {
    const before = snapshots[i - 1];
    const whole = before === undefined || startOfMonth(before.timestamp, 0) !== startOfMonth(timestamp, 0);
    marks.push({ consensus_timestamp: timestamp, account_id: 2, balance: 1 });
    for (const [token_id, holders] of held) {
      for (const [account_id, balance] of holders) {
        if (whole || before.held.get(token_id)?.get(account_id) !== balance) {
          balances.push({ consensus_timestamp: timestamp, account_id, token_id, balance });
        }
      }
    }
  }
  return { marks, balances };
};

const relationship = (account_id: bigint, token_id: bigint, more: FixtureRow = {}): FixtureRow => ({
  account_id,
  token_id,
  associated: true,
  balance: account_id * 10n,
  balance_timestamp: now + account_id,
  timestamp_range: '[0,)',
  ...more,
});

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  const { marks, balances } = rowsOfSnapshots();
  await insertRows(database, 'account_balance', marks);
  await insertRows(database, 'token_balance', balances);
  await insertRows(
    database,
    'entity',
    [...accounts, 500n].map((id) => ({
      id,
      num: id,
      realm: 0,
      shard: 0,
      type: id === 500n ? 'CONTRACT' : 'ACCOUNT',
      public_key: keyOf(id),
      timestamp_range: '[0,)',
    })),
  );
  await insertRows(database, 'token', [
    {
      token_id: 901,
      created_timestamp: 5,
      decimals: 3,
      initial_supply: 0,
      name: 'T',
      symbol: 'T',
      treasury_account_id: 98,
      timestamp_range: '[5,)',
      freeze_status: 0,
      kyc_status: 0,
    },
  ]);
  await insertRows(database, 'token_account', [
    ...accounts.map((account) => relationship(account, 901n)),
    relationship(500n, 901n, { balance: 9_223_372_036_854_775_807n }),
    relationship(600n, 901n, { associated: false }),
    relationship(10n, 902n, { balance: 0, balance_timestamp: null }),
    relationship(encodeEntityId(1n, 2n, 10n), encodeEntityId(1n, 2n, 901n)),
  ]);
  await database.query('analyze');
  get = restRequests(tokenRoutes, database, { now });
});
afterAll(() => test?.drop());

const holders = async (query: string, token = 901n): Promise<string[]> =>
  (await followLinks(get, `/api/v1/tokens/${token}/balances${query}`)).flatMap(({ json }) =>
    json.balances.map(({ account }: { account: string }) => account),
  );
const names = (ids: readonly bigint[]): string[] => ids.map((id) => formatEntityId(id));

describe('current balances of a token', () => {
  it('are those of associated accounts, with the newest change on the page', async () => {
    expect((await get('/api/v1/tokens/0.0.901/balances?limit=2')).body).toBe(
      `{"timestamp":"${formatTimestamp(now + 500n)}","balances":[` +
        '{"account":"0.0.500","balance":9223372036854775807,"decimals":3},' +
        '{"account":"0.0.55","balance":550,"decimals":3}],' +
        '"links":{"next":"/api/v1/tokens/0.0.901/balances?limit=2&account.id=lt:0.0.55"}}',
    );
    expect((await get('/api/v1/tokens/902/balances')).body).toBe(
      '{"timestamp":null,"balances":[{"account":"0.0.10","balance":0,"decimals":null}],"links":{"next":null}}',
    );
    expect((await get('/api/v1/tokens/9/balances')).body).toBe(
      '{"timestamp":null,"balances":[],"links":{"next":null}}',
    );
  });

  it('page both ways', async () => {
    const all = names([...accounts, 500n]);
    for (const limit of [1, 4, 17, 100]) {
      expect(await holders(`?limit=${limit}&order=asc`)).toEqual(all);
      expect(await holders(`?limit=${limit}`)).toEqual(all.toReversed());
    }
  });

  it('take filters that must all hold', async () => {
    expect(await holders('?account.id=13&limit=1')).toEqual(['0.0.13']);
    expect(await holders('?account.id=13&account.id=16')).toEqual([]);
    expect(await holders('?account.id=gt:13&account.id=lte:0.0.25&account.id=ne:19&limit=1')).toEqual(
      names([25n, 22n, 16n]),
    );
    expect(await holders('?account.balance=gte:130&account.balance=lt:190&order=asc')).toEqual(names([13n, 16n]));
    expect(await holders('?account.balance=130&account.balance=160')).toEqual([]);
    expect(await holders(`?account.id=13&account.id=${'ab'.repeat(20)}`)).toEqual([]);
  });

  it('look up accounts, not contracts, by the last public key', async () => {
    const even = accounts.filter((account) => account % 2n === 0n);
    expect(await holders(`?account.publickey=${keys[1]}&account.publickey=${keys[0]}&limit=3&order=asc`)).toEqual(
      names(even),
    );
    expect(await holders(`?account.publickey=0x${keys[0]}&account.id=lt:20&account.balance=ne:100`)).toEqual(
      names([16n]),
    );
  });

  it('assume the shard and realm of the network', async () => {
    const foreign = restRequests(tokenRoutes, test.database, { shard: 1n, realm: 2n });
    expect((await foreign('/api/v1/tokens/901/balances?account.id=gt:8&limit=1')).json).toMatchObject({
      balances: [{ account: '1.2.10' }],
      links: { next: '/api/v1/tokens/901/balances?account.id=gt:8&account.id=lt:1.2.10&limit=1' },
    });
  });

  it.each([
    ['x/balances?limit=0', ['Invalid parameter: tokenid']],
    [
      '1/balances?a=1&account.balance=-1&account.publickey=12&account.id=x',
      [
        'Invalid parameter: account.balance',
        'Invalid parameter: account.publickey',
        'Invalid parameter: account.id',
        'Unknown query parameter: a',
      ],
    ],
    ['1/balances?account.id=274877906944', ['Invalid entity ID "0.0.274877906944"']],
  ])('refuse %s', async (path, messages) => {
    expect(await get(`/api/v1/tokens/${path}`)).toMatchObject({ status: 400, messages });
  });
});

describe('balances of a token at a snapshot', () => {
  it('are those of the newest snapshot that the timestamps allow, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: snapshots.length - 1 }),
        fc.constantFrom(-1n, 0n, 1n, 100n * seconds),
        fc.constantFrom(...tokens),
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(1, 3, 100),
        fc.constantFrom('none', 'balance', 'range', 'one', 'key', 'not'),
        async (index, offset, token, order, limit, filter) => {
          const time = (snapshots[index] as Snapshot).timestamp + offset;
          const found = snapshots.findLast(({ timestamp }) => timestamp <= time);
          const [query, keep] = {
            none: ['', () => true],
            balance: ['&account.balance=gt:20', (_: bigint, balance: bigint) => balance > 20n],
            range: ['&account.id=gte:13&account.id=lt:49', (account: bigint) => account >= 13n && account < 49n],
            one: ['&account.id=22', (account: bigint) => account === 22n],
            key: [`&account.publickey=${keys[1]}`, (account: bigint) => keyOf(account) === keys[1]],
            not: ['&account.id=ne:13&account.id=ne:22', (account: bigint) => account !== 13n && account !== 22n],
          }[filter] as [string, (account: bigint, balance: bigint) => boolean];
          const expected = [...(found?.held.get(token) ?? [])]
            .filter(([account, balance]) => keep(account, balance))
            .sort(([a], [b]) => (a < b ? -1 : 1) * (order === 'asc' ? 1 : -1))
            .map(([account, balance]) => ({
              account: formatEntityId(account),
              balance: Number(balance),
              decimals: token === 901n ? 3 : null,
            }));
          const pages = await followLinks(
            get,
            `/api/v1/tokens/${token}/balances?timestamp=${formatTimestamp(time)}&order=${order}&limit=${limit}${query}`,
          );
          expect(pages.flatMap(({ json }) => json.balances)).toEqual(expected);
          for (const { json } of pages) {
            expect(json.timestamp).toBe(
              json.balances.length === 0 ? null : formatTimestamp((found as Snapshot).timestamp),
            );
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  it('are none without a snapshot', async () => {
    for (const timestamp of ['gt:1687262400', 'lt:1680480000', 'gte:1719273600&timestamp=lt:1657065600']) {
      expect((await get(`/api/v1/tokens/901/balances?timestamp=${timestamp}`)).body).toBe(
        '{"timestamp":null,"balances":[],"links":{"next":null}}',
      );
    }
  });
});
