/**
 * Balances against a model: a ledger whose accounts and tokens change from day to day over three months, snapshots of it
 * as the importer takes them, and plain maps that say what was held when.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, startOfMonth } from '../../ledger/timestamp.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { type FixtureRow, insertRows } from '../testing/rows.fixture.ts';
import { balanceRoutes } from './balances.ts';

const seconds = 1_000_000_000n;
const at = (iso: string): bigint => BigInt(Date.parse(iso)) * 1_000_000n;
const now = at('2023-06-20T12:00:00Z');

const keys = ['11', '22'].map((byte) => byte.repeat(32));
const nums = [2n, ...Array.from({ length: 24 }, (_, i) => BigInt(10 + i * 3))];

interface Snapshot {
  readonly timestamp: bigint;
  readonly balances: ReadonlyMap<bigint, bigint>;
  /** By account, then token. */
  readonly tokens: ReadonlyMap<bigint, ReadonlyMap<bigint, bigint>>;
}

/** One snapshot each third day or so; an account appears when it is created. */
const snapshots: readonly Snapshot[] = (() => {
  const list: Snapshot[] = [];
  const balances = new Map<bigint, bigint>();
  const tokens = new Map<bigint, Map<bigint, bigint>>();
  let step = 0;
  for (let time = at('2023-04-03T01:00:00Z'); time < now; time += 250_000n * seconds) {
    step++;
    for (const [i, num] of nums.entries()) {
      if (i > step) continue;
      if (!balances.has(num) || (step + i) % 4 === 0) balances.set(num, BigInt(((step * 13 + i * 7) % 40) + 1));
      if (i % 3 === 1 && (step + i) % 5 === 0) {
        const held = tokens.get(num) ?? new Map<bigint, bigint>();
        held.set(BigInt(900 + ((step * i) % 7)), BigInt(step * 100 + i));
        tokens.set(num, held);
      }
    }
    list.push({
      timestamp: time,
      balances: new Map(balances),
      tokens: new Map([...tokens].map(([num, held]) => [num, new Map(held)])),
    });
  }
  return list;
})();

/** The first of a month whole, the others only with what changed, and always the treasury. */
const rows = (() => {
  const balances: FixtureRow[] = [];
  const tokens: FixtureRow[] = [];
  for (const [i, { timestamp, ...state }] of snapshots.entries()) {
    const before = snapshots[i - 1];
    const whole = before === undefined || startOfMonth(before.timestamp, 0) !== startOfMonth(timestamp, 0);
    for (const [account_id, balance] of state.balances) {
      if (whole || account_id === 2n || before.balances.get(account_id) !== balance) {
        balances.push({ consensus_timestamp: timestamp, account_id, balance });
      }
    }
    for (const [account_id, held] of state.tokens) {
      for (const [token_id, balance] of held) {
        if (whole || before.tokens.get(account_id)?.get(token_id) !== balance) {
          tokens.push({ consensus_timestamp: timestamp, account_id, token_id, balance });
        }
      }
    }
  }
  return { balances, tokens };
})();

const keyOf = (num: bigint): string | undefined => (num % 2n === 0n ? keys[Number(num % 4n) / 2] : undefined);

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;
const tokenLimit = 2;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(test.database, 'account_balance', rows.balances);
  await insertRows(test.database, 'token_balance', rows.tokens);
  await insertRows(
    test.database,
    'entity',
    nums.map((num) => ({
      id: num,
      num,
      realm: 0,
      shard: 0,
      type: num % 5n === 0n ? 'CONTRACT' : 'ACCOUNT',
      balance: num * 1000n,
      balance_timestamp: now + num,
      public_key: keyOf(num) ?? null,
      alias: num === 13n ? '\\x0102030405' : null,
      evm_address: num === 16n ? `\\x${'ab'.repeat(20)}` : null,
      deleted: false,
      timestamp_range: '[0,)',
    })),
  );
  await insertRows(
    test.database,
    'entity',
    [
      { id: 12, type: 'TOKEN', balance: 5 },
      { id: 14, type: 'ACCOUNT', balance: null },
    ].map((entity) => ({ ...entity, num: entity.id, realm: 0, shard: 0, timestamp_range: '[0,)' })),
  );
  await test.database.query('analyze');
  const rest = { response: { limit: { tokenBalance: { multipleAccounts: tokenLimit } } } };
  get = restRequests(balanceRoutes, test.database, { rest, now });
});
afterAll(() => test?.drop());

const expectedAt = (snapshot: Snapshot, order: string, keep: (num: bigint, balance: bigint) => boolean) =>
  [...snapshot.balances]
    .filter(([num, balance]) => keep(num, balance))
    .sort(([a], [b]) => (a < b ? -1 : 1) * (order === 'asc' ? 1 : -1))
    .map(([num, balance]) => ({
      account: formatEntityId(num),
      balance: Number(balance),
      tokens: [...(snapshot.tokens.get(num) ?? [])]
        .sort(([a], [b]) => (a < b ? -1 : 1) * (order === 'asc' ? 1 : -1))
        .slice(0, tokenLimit)
        .map(([token, amount]) => ({ token_id: formatEntityId(token), balance: Number(amount) })),
    }));

describe('balances at a snapshot', () => {
  it('are those of the newest snapshot that the timestamps allow, page by page', async () => {
    const earliest = startOfMonth(now, 1);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: snapshots.length - 1 }),
        fc.constantFrom(-1n, 0n, 1n, 100n * seconds),
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(1, 3, 100),
        fc.constantFrom('none', 'balance', 'balances', 'range', 'ids', 'key', 'not'),
        async (index, offset, order, limit, filter) => {
          const time = (snapshots[index] as Snapshot).timestamp + offset;
          const found = snapshots.findLast(({ timestamp }) => timestamp <= time);
          const usable = found !== undefined && found.timestamp >= startOfMonth(time, 1);
          const [query, keep] = {
            none: ['', () => true],
            balance: ['&account.balance=gt:20', (_: bigint, balance: bigint) => balance > 20n],
            balances: ['&account.balance=20&account.balance=21', () => false],
            range: ['&account.id=gte:13&account.id=lt:49', (num: bigint) => num >= 13n && num < 49n],
            ids: ['&account.id=13&account.id=0.0.22&account.id=40', (num: bigint) => [13n, 22n, 40n].includes(num)],
            key: [`&account.publickey=${keys[1]}`, (num: bigint) => keyOf(num) === keys[1]],
            not: ['&account.id=ne:13&account.id=ne:22', (num: bigint) => num !== 13n && num !== 22n],
          }[filter] as [string, (num: bigint, balance: bigint) => boolean];
          const pages = await followLinks(
            get,
            `/api/v1/balances?timestamp=${formatTimestamp(time)}&order=${order}&limit=${limit}${query}`,
          );
          const expected = usable ? expectedAt(found, order, keep) : [];
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
    const last = snapshots.at(-1) as Snapshot;
    expect((await get(`/api/v1/balances?timestamp=gte:${formatTimestamp(earliest)}`)).json.timestamp).toBe(
      formatTimestamp(last.timestamp),
    );
  });

  it('pass over a snapshot that is excluded', async () => {
    const [before, excluded] = snapshots.slice(-2) as [Snapshot, Snapshot];
    const { json } = await get(
      `/api/v1/balances?timestamp=ne:${formatTimestamp(excluded.timestamp)}&timestamp=gt:1&order=asc`,
    );
    expect(json.timestamp).toBe(formatTimestamp(before.timestamp));
    expect(json.balances).toEqual(expectedAt(before, 'asc', () => true));
  });

  it('are none without a snapshot', async () => {
    for (const timestamp of ['gt:1687262400', 'lt:1680480000', 'gte:1719273600&timestamp=lt:1657065600']) {
      expect((await get(`/api/v1/balances?timestamp=${timestamp}`)).json).toEqual({
        timestamp: null,
        balances: [],
        links: { next: null },
      });
    }
  });

  it('leave out a treasury made for them', async () => {
    const time = formatTimestamp((snapshots.at(-1) as Snapshot).timestamp);
    const first = async () =>
      (await get(`/api/v1/balances?timestamp=${time}&order=asc&limit=1`)).json.balances[0].account;
    expect(await first()).toBe('0.0.2');
    const setMemo = (memo: string) => test.database.query('update entity set memo = $1 where id = 2', [memo]);
    await setMemo('Mirror node created synthetic treasury account');
    expect(await first()).toBe('0.0.10');
    expect((await get('/api/v1/balances?account.id=2')).json.balances).toEqual([]);
    await setMemo('');
  });
});

describe('current balances', () => {
  it('are those of accounts and contracts that have one, with the newest change on the page', async () => {
    const pages = await followLinks(get, '/api/v1/balances?limit=4');
    expect(pages.flatMap(({ json }) => json.balances)).toEqual(
      nums.toReversed().map((num) => ({ account: formatEntityId(num), balance: Number(num) * 1000, tokens: [] })),
    );
    expect(pages.map(({ json }) => json.timestamp).slice(0, 2)).toEqual([
      formatTimestamp(now + (nums.at(-1) as bigint)),
      formatTimestamp(now + (nums.at(-5) as bigint)),
    ]);
    expect(pages.at(-1)?.json.balances.length).toBe(1);
  });

  it('finds accounts by address and alias, and ends after them', async () => {
    for (const [account, expected] of [
      [`0x${'ab'.repeat(20)}`, ['0.0.16']],
      ['AEBAGBAF', ['0.0.13']],
      ['eq:AEBAGBAF&account.id=22', ['0.0.22', '0.0.13']],
      ['0x000000000000000000000000000000000000000d', ['0.0.13']],
      [`0x${'cd'.repeat(20)}`, []],
    ] as const) {
      const pages = await followLinks(get, `/api/v1/balances?account.id=${account}&limit=1`);
      const shown = pages.flatMap(({ json }) => json.balances.map((entry: { account: string }) => entry.account));
      expect(shown, account).toEqual(expected);
    }
  });

  it('refuses addresses and aliases in ranges, and several of them', async () => {
    const details = async (query: string) => get(`/api/v1/balances?${query}`);
    expect(await details('account.id=gt:AEBAGBAF')).toMatchObject({
      status: 400,
      messages: ['Invalid parameter: account.id'],
    });
    expect(await details(`account.id=AEBAGBAF&account.id=${'ab'.repeat(20)}`)).toMatchObject({ status: 400 });
    expect(await details('account.id=0.0.AEBAGBAF')).toMatchObject({ status: 400 });
  });
});

describe('a network of another shard and realm', () => {
  it('finds snapshots by its own treasury', async () => {
    const { database, drop } = await createTestDatabase();
    try {
      const id = (num: bigint): bigint => encodeEntityId(1n, 2n, num);
      const time = at('2023-06-10T00:00:00Z');
      await insertRows(database, 'account_balance', [
        { account_id: id(2n), consensus_timestamp: time, balance: 7 },
        { account_id: id(9n), consensus_timestamp: time, balance: 8 },
        { account_id: 2, consensus_timestamp: time + 5n, balance: 9 },
      ]);
      const request = restRequests(balanceRoutes, database, { shard: 1n, realm: 2n, now });
      expect((await request('/api/v1/balances?timestamp=1686700000&account.id=gte:1&limit=2')).json).toEqual({
        timestamp: formatTimestamp(time),
        balances: [
          { account: '1.2.9', balance: 8, tokens: [] },
          { account: '1.2.2', balance: 7, tokens: [] },
        ],
        links: { next: '/api/v1/balances?timestamp=1686700000&account.id=gte:1&account.id=lt:1.2.2&limit=2' },
      });
    } finally {
      await drop();
    }
  });
});
