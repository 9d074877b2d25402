import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { transactionRoutes } from './transactions.ts';

const seconds = 1_000_000_000n;
const start = 1_600_000_000n * seconds;
const hour = 3600n * seconds;
const hash = (byte: number, last = byte): string =>
  Buffer.concat([Buffer.alloc(47, byte), Buffer.from([last])]).toString('hex');

interface Given {
  readonly at: bigint;
  readonly validStart: bigint;
  readonly payer?: bigint;
  readonly type?: number;
  readonly result?: number;
  readonly nonce?: number;
  readonly scheduled?: boolean;
  readonly hash?: string;
  readonly inner?: string;
}

const schedule = 42;
const given: readonly Given[] = [
  // an ordinary transaction with two children, and the same id once more as a duplicate
  { at: start + 5n, validStart: start, hash: hash(1) },
  { at: start + 6n, validStart: start, nonce: 1, hash: hash(2) },
  { at: start + 7n, validStart: start, nonce: 2, hash: hash(3) },
  { at: start + 9n, validStart: start, result: 11, hash: hash(1) },
  // a schedule and its execution long afterwards
  { at: start + 105n, validStart: start + 100n, type: schedule, hash: hash(4) },
  { at: start + 1000n * hour, validStart: start + 100n, scheduled: true, hash: hash(5) },
  // a failed schedule, and an execution that belongs to something else
  { at: start + 205n, validStart: start + 200n, type: schedule, result: 10, hash: hash(6) },
  { at: start + 1000n * hour + 1n, validStart: start + 200n, scheduled: true, hash: hash(7) },
  // a schedule that still waits
  { at: start + 305n, validStart: start + 300n, type: schedule, hash: hash(8) },
  // a batch with two inner transactions, one of them with a child
  {
    at: start + 405n,
    validStart: start + 400n,
    type: 74,
    inner: `{11,${start + 410n},12,${start + 420n}}`,
    hash: hash(9),
  },
  { at: start + 406n, validStart: start + 410n, payer: 11n, hash: hash(10) },
  { at: start + 407n, validStart: start + 420n, payer: 12n, hash: hash(11) },
  { at: start + 408n, validStart: start + 420n, payer: 12n, nonce: 1, hash: hash(12) },
  // the first 32 bytes of another one's hash
  { at: start + 505n, validStart: start + 500n, hash: hash(1, 2) },
  // another realm
  { at: start + 605n, validStart: start + 600n, payer: encodeEntityId(1n, 2n, 10n), hash: hash(14) },
];

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(
    test.database,
    'transaction',
    given.map((t) => ({
      consensus_timestamp: t.at,
      type: t.type ?? 14,
      result: t.result ?? 22,
      payer_account_id: t.payer ?? 10n,
      valid_start_ns: t.validStart,
      nonce: t.nonce ?? 0,
      scheduled: t.scheduled ?? false,
      transaction_hash: `\\x${t.hash}`,
      inner_transactions: t.inner ?? null,
    })),
  );
  await insertRows(
    test.database,
    'transaction_hash',
    given.map((t, i) => ({
      consensus_timestamp: t.at,
      hash: `\\x${t.hash?.slice(0, 64)}`,
      hash_suffix: `\\x${t.hash?.slice(64)}`,
      payer_account_id: i % 2 === 0 ? (t.payer ?? 10n) : null,
    })),
  );
  get = restRequests(transactionRoutes, test.database, { now: start + 2000n * hour });
});
afterAll(() => test?.drop());

const text = (nanos: bigint): string => `${nanos / seconds}-${(nanos % seconds).toString().padStart(9, '0')}`;
const id = (offset: bigint, payer = '0.0.10'): string => `/api/v1/transactions/${payer}-${text(start + offset)}`;
const timestamps = async (url: string): Promise<bigint[] | number> => {
  const answer = await get(url);
  if (answer.status !== 200) return answer.status;
  return answer.json.transactions.map(
    ({ consensus_timestamp }: { consensus_timestamp: string }) => BigInt(consensus_timestamp.replace('.', '')) - start,
  );
};

describe('by id', () => {
  it('gives the transaction, its children and its duplicates', async () => {
    expect(await timestamps(id(0n))).toEqual([5n, 6n, 7n, 9n]);
    expect(await timestamps('/api/v1/transactions/0.0.10-1600000000-0')).toEqual([5n, 6n, 7n, 9n]);
  });

  it('narrows by the last nonce and scheduled', async () => {
    expect(await timestamps(`${id(0n)}?nonce=1`)).toEqual([6n]);
    expect(await timestamps(`${id(0n)}?nonce=1&nonce=0`)).toEqual([5n, 9n]);
    expect(await timestamps(`${id(0n)}?nonce=2&scheduled=FALSE`)).toEqual([7n]);
    expect(await timestamps(`${id(0n)}?nonce=3`)).toBe(404);
    expect(await timestamps(`${id(0n)}?scheduled=true`)).toBe(404);
    expect(await timestamps(`${id(0n)}?scheduled=true&scheduled=false&nonce=1`)).toEqual([6n]);
  });

  it('looks further ahead for what a schedule executed', async () => {
    expect(await timestamps(id(100n))).toEqual([105n, 1000n * hour]);
    expect(await timestamps(`${id(100n)}?scheduled=true`)).toEqual([1000n * hour]);
    expect(await timestamps(`${id(100n)}?scheduled=false`)).toEqual([105n]);
    expect(await timestamps(id(200n))).toEqual([205n]);
  });

  it('gives the inner transactions of a batch after it', async () => {
    expect(await timestamps(id(400n))).toEqual([405n, 406n, 407n, 408n]);
    expect(await timestamps(`${id(400n)}?nonce=0`)).toEqual([405n, 406n, 407n]);
    expect(await timestamps(id(420n, '0.0.12'))).toEqual([407n, 408n]);
  });

  it('knows shard and realm', async () => {
    expect(await timestamps(id(600n, '1.2.10'))).toEqual([605n]);
    expect(await timestamps(id(600n))).toBe(404);
  });

  it('is kept shortly while a schedule waits', async () => {
    const soon = restRequests(transactionRoutes, test.database, { now: start + hour });
    const later = restRequests(transactionRoutes, test.database, { now: start + 1489n * hour });
    expect((await soon(id(300n))).cacheSeconds).toBe(5);
    expect((await later(id(300n))).cacheSeconds).toBeUndefined();
    expect((await soon(`${id(300n)}?scheduled=false`)).cacheSeconds).toBeUndefined();
    expect((await soon(id(100n))).cacheSeconds).toBeUndefined();
    expect((await soon(id(200n))).cacheSeconds).toBeUndefined();
    expect((await soon(`/api/v1/transactions/${hash(8)}`)).cacheSeconds).toBeUndefined();
  });
});

describe('by hash', () => {
  const of = (name: string) => `/api/v1/transactions/${name}`;

  it('takes hex and base64url, and gives every transaction with the hash', async () => {
    const bytes = Buffer.from(hash(1), 'hex');
    const standard = encodeURIComponent(bytes.toString('base64'));
    for (const name of [hash(1), `0x${hash(1).toUpperCase()}`, bytes.toString('base64url'), standard]) {
      expect(await timestamps(of(name))).toEqual([5n, 9n]);
    }
    expect(await timestamps(of(hash(1, 2)))).toEqual([505n]);
  });

  it('does not add what a batch contains', async () => {
    expect(await timestamps(of(hash(9)))).toEqual([405n]);
  });

  it('narrows by nonce', async () => {
    expect(await timestamps(`${of(hash(2))}?nonce=1`)).toEqual([6n]);
    expect(await timestamps(`${of(hash(2))}?nonce=0`)).toBe(404);
  });

  it('finds nothing by an unknown hash or by 32 bytes', async () => {
    expect(await timestamps(of(hash(200)))).toBe(404);
    expect(await timestamps(of(hash(1).slice(0, 64)))).toBe(404);
  });
});

describe('refusals', () => {
  const malformed =
    'Invalid Transaction id. Please use "shard.realm.num-sss-nnn" format where sss are seconds and nnn are nanoseconds';
  it.each([
    ['0.1.10-1234567891.000000000', malformed],
    [`0x${hash(1).slice(0, 64)}`, malformed],
    [hash(1).slice(2), malformed],
    ['0.0.10-9999999999999999999-0', malformed],
    ['0.0.274877906944-1-1', 'Invalid entity ID "0.0.274877906944"'],
    ['0.0.10-1-1?nonce=-1', 'Invalid parameter: nonce'],
    ['0.0.10-1-1?limit=1', 'Unknown query parameter: limit'],
  ])('%s', async (name, message) => {
    expect(await get(`/api/v1/transactions/${name}`)).toMatchObject({ status: 400, messages: [message] });
  });

  it('takes times beyond the ledger for not found', async () => {
    expect((await get('/api/v1/transactions/0.0.10-9223372036854775807-0')).status).toBe(404);
    expect((await get('/api/v1/transactions/0.0.10-9223372036-854775807')).status).toBe(404);
  });
});
