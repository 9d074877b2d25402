import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database, Queryable } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { BalanceSnapshot } from './snapshot.ts';
import { BalanceSnapshots } from './snapshots.ts';

const minute = 60_000_000_000n;
const first = BigInt(Date.parse('2024-05-10T00:00:00Z')) * 1_000_000n;
const due = first + 17n * minute;
const settings = { initialDelay: 120_000, minFrequency: 900_000, tokenBalances: true, transactionTimeout: 30_000 };

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const block = (end: bigint): Promise<unknown> =>
  test.database.query(
    `insert into record_file (consensus_end, consensus_start, count, digest_algorithm, file_hash, hash, index, load_end,
       load_start, name, prev_hash, version) values ($1, $1, 1, 0, '', $2, $1, 0, 0, $2, '', 6)`,
    [end, String(end)],
  );

beforeEach(async () => {
  await test.database.query(
    `delete from entity; delete from record_file; delete from account_balance; delete from account_balance_file;
     insert into entity (id, num, realm, shard, type, balance, balance_timestamp, timestamp_range)
       values (10, 10, 0, 0, 'ACCOUNT', 5, 1, '[1,)')`,
  );
  await block(first);
});

interface Made {
  readonly work: BalanceSnapshots;
  readonly taken: BalanceSnapshot[];
  readonly faults: unknown[];
}

const snapshots = (changes: { database?: Database; check?: () => Promise<void>; signal?: AbortSignal } = {}): Made => {
  const taken: BalanceSnapshot[] = [];
  const faults: unknown[] = [];
  const work = new BalanceSnapshots({
    database: changes.database ?? test.database,
    lease: { check: changes.check ?? (async () => undefined) },
    network: { shard: 0n, realm: 0n },
    settings,
    signal: changes.signal ?? new AbortController().signal,
    onSnapshot: (snapshot) => taken.push(snapshot),
    onFault: (fault) => faults.push(fault),
  });
  return { work, taken, faults };
};

const commit = async ({ work }: Made, end: bigint): Promise<void> => {
  await block(end);
  work.afterCommit({ consensusEnd: end });
};

it('takes one of the newest block when blocks make one due, and marks it with a treasury of its own', async () => {
  const made = snapshots();
  await commit(made, due - 1n);
  await made.work.settle();
  expect(made.taken).toEqual([]);
  await block(due + minute);
  await commit(made, due + 90n * minute);
  await made.work.settle();
  expect(made.taken).toEqual([{ timestamp: due + 90n * minute, full: true, accounts: 2n, tokens: 0n }]);
  await commit(made, due + 104n * minute);
  await made.work.settle();
  expect(made.taken).toHaveLength(1);
  await commit(made, due + 105n * minute);
  await made.work.settle();
  expect(made.taken[1]).toEqual({ timestamp: due + 105n * minute, full: false, accounts: 1n, tokens: 0n });
  expect(made.faults).toEqual([]);
  expect(
    await test.database.query(
      'select account_id, balance from account_balance order by consensus_timestamp, account_id',
    ),
  ).toEqual([
    { account_id: '2', balance: '0' },
    { account_id: '10', balance: '5' },
    { account_id: '2', balance: '0' },
  ]);
});

it('asks the database nothing for blocks that make none due', async () => {
  let asked = 0;
  const counting: Queryable['query'] = (...of) => {
    asked++;
    return test.database.query(...of);
  };
  const made = snapshots({ database: { ...test.database, query: counting } });
  await commit(made, first + 1n);
  await made.work.settle();
  const before = asked;
  for (let end = first + 2n; end < first + 50n; end++) made.work.afterCommit({ consensusEnd: end });
  await made.work.settle();
  expect(asked).toBe(before);
});

it('takes the one that was left undone by an importer that ended', async () => {
  await block(due);
  const made = snapshots();
  made.work.start();
  await made.work.settle();
  expect(made.taken).toMatchObject([{ timestamp: due }]);
});

it('leaves nothing when it is ended, so that the next one takes it whole', async () => {
  await block(due);
  const stop = new AbortController();
  let checks = 0;
  // The treasury is the first to be written, then the snapshot.
  const check = async (): Promise<void> => {
    if (++checks === 2) stop.abort();
  };
  const made = snapshots({ signal: stop.signal, check });
  made.work.start();
  await made.work.settle();
  expect(checks).toBe(2);
  expect(made).toMatchObject({ taken: [], faults: [] });
  expect(await test.database.query('select from account_balance_file')).toEqual([]);
  const next = snapshots();
  next.work.start();
  await next.work.settle();
  expect(next.taken).toEqual([{ timestamp: due, full: true, accounts: 2n, tokens: 0n }]);
});

it('writes nothing for a writer that was overtaken', async () => {
  await block(due);
  const made = snapshots({
    check: async () => {
      throw new KagamiError('WRITER_FENCED', 'overtaken');
    },
  });
  made.work.start();
  await made.work.settle();
  expect(made.faults).toMatchObject([{ code: 'WRITER_FENCED' }]);
  expect(await test.database.query('select from account_balance')).toEqual([]);
  expect(await test.database.query('select from entity where id = 2')).toEqual([]);
});

it('makes partitions that are missing, and tells when a ledger is ahead of all', async () => {
  const [newest] = await test.database.query<{ name: string; from_timestamp: string; to_timestamp: string }>(
    `select * from mirror_node_time_partitions where parent = 'account_balance' order by from_timestamp desc limit 1`,
  );
  await test.database.query(`drop table ${newest?.name}`);
  const made = snapshots();
  await commit(made, BigInt(newest?.from_timestamp ?? 0) + 1n);
  await made.work.settle();
  expect(made.faults).toEqual([]);
  expect(made.taken).toMatchObject([{ full: true, accounts: 2n }]);
  await commit(made, BigInt(newest?.to_timestamp ?? 0));
  await made.work.settle();
  expect(made.taken).toHaveLength(1);
  expect(made.faults).toMatchObject([{ code: 'BALANCE_PARTITION_MISSING', retryable: true }]);
});
