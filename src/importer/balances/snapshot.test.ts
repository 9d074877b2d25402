import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type BalanceSnapshot, ensureTreasury, nextSnapshotDue, takeSnapshotIfDue } from './snapshot.ts';

const network = { shard: 0n, realm: 0n };
const minute = 60_000_000_000n;
const timing = { minFrequency: 15n * minute, initialDelay: 2n * minute };
const at = (iso: string): bigint => BigInt(Date.parse(iso)) * 1_000_000n;

let test: TestDatabase;
const withDatabase = (): void => {
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());
};

const run = (sql: string, values: readonly unknown[] = []): Promise<unknown[]> => test.database.query(sql, values);

/** Puts a block at `end`, the newest there is. */
const block = (end: bigint, index: number): Promise<unknown> =>
  run(
    `insert into record_file (consensus_end, consensus_start, count, digest_algorithm, hash, index, load_end, load_start,
       name, prev_hash, version, file_hash) values ($1, $1, 1, 0, $2, $3, 0, 0, $2, '', 6, '')`,
    [end, String(end), index],
  );

const account = (id: number, balance: number | null, changed: bigint | null, deleted: boolean | null = false) =>
  run(
    `insert into entity (id, num, realm, shard, type, balance, balance_timestamp, deleted, timestamp_range)
     values ($1, $1, 0, 0, 'ACCOUNT', $2, $3, $4, '[0,)')`,
    [id, balance, changed, deleted],
  );

const holds = (accountId: number, tokenId: number, balance: number, changed: bigint, associated = true) =>
  run(
    `insert into token_account (account_id, token_id, balance, balance_timestamp, associated, timestamp_range)
     values ($1, $2, $3, $4, $5, '[0,)')`,
    [accountId, tokenId, balance, changed, associated],
  );

const take = (options: { tokenBalances?: boolean } = {}): Promise<BalanceSnapshot | undefined> =>
  test.database.transaction(
    (client) => takeSnapshotIfDue(client, { network, timing, tokenBalances: true, ...options }),
    { isolation: 'repeatable read' },
  );

const accountsAt = async (timestamp: bigint): Promise<string[]> =>
  (
    await test.database.query<{ text: string }>(
      `select account_id || '=' || balance as text from account_balance where consensus_timestamp = $1 order by account_id`,
      [timestamp],
    )
  ).map(({ text }) => text);

const tokensAt = async (timestamp: bigint): Promise<string[]> =>
  (
    await test.database.query<{ text: string }>(
      `select account_id || '/' || token_id || '=' || balance as text from token_balance
       where consensus_timestamp = $1 order by account_id, token_id`,
      [timestamp],
    )
  ).map(({ text }) => text);

describe('when a snapshot is due', () => {
  withDatabase();
  const first = at('2024-05-10T00:00:00Z');

  it('is never before the first block', async () => {
    expect(await nextSnapshotDue(test.database, timing)).toBeUndefined();
    expect(await take()).toBeUndefined();
  });

  it('is the delay and the frequency after the end of the first block', async () => {
    await block(first, 0);
    await account(2, 7, first);
    expect(await nextSnapshotDue(test.database, timing)).toBe(first + 17n * minute);
    await block(first + 17n * minute - 1n, 1);
    expect(await take()).toBeUndefined();
    await block(first + 17n * minute, 2);
    expect(await take()).toEqual({ timestamp: first + 17n * minute, full: true, accounts: 1n, tokens: 0n });
  });

  it('is the frequency after the snapshot before, however many blocks came since', async () => {
    expect(await nextSnapshotDue(test.database, timing)).toBe(first + 32n * minute);
    await block(first + 32n * minute - 1n, 3);
    expect(await take()).toBeUndefined();
    // Four points of time at which one was due lie before this block: one snapshot, at its end.
    await block(first + 80n * minute, 4);
    expect(await take()).toEqual({ timestamp: first + 80n * minute, full: false, accounts: 1n, tokens: 0n });
    expect(await take()).toBeUndefined();
    expect(await nextSnapshotDue(test.database, timing)).toBe(first + 95n * minute);
  });

  it('leaves a row of the file it stands for', async () => {
    const end = first + 80n * minute;
    const [row] = await test.database.query<Record<string, unknown>>(
      `select consensus_timestamp, count, file_hash, name, bytes, time_offset, synthetic, load_end >= load_start as loaded
       from account_balance_file order by consensus_timestamp desc limit 1`,
    );
    expect(row).toEqual({
      consensus_timestamp: String(end),
      count: '1',
      file_hash: null,
      name: '2024-05-10T01_20_00.000000000Z_Balances.csv',
      bytes: null,
      time_offset: 0,
      synthetic: true,
      loaded: true,
    });
  });
});

describe('what a snapshot holds', () => {
  withDatabase();
  const start = at('2024-05-30T23:00:00Z');
  const inMay = at('2024-05-31T23:30:00Z');
  const laterInMay = at('2024-05-31T23:50:00Z');
  const inJune = at('2024-06-01T00:05:00Z');
  const laterInJune = at('2024-06-01T00:25:00Z');

  it('first of all: whatever lives and has a balance', async () => {
    await block(start, 0);
    await account(2, 1_000, start);
    await account(10, 50, start);
    await account(11, 0, start);
    await account(12, null, null);
    await account(13, 9, start, true);
    await account(14, 6, null, null);
    await holds(10, 100, 5, start);
    await holds(10, 101, 0, start);
    await holds(11, 100, 8, start, false);
    await block(inMay, 1);
    expect(await take()).toEqual({ timestamp: inMay, full: true, accounts: 4n, tokens: 2n });
    expect(await accountsAt(inMay)).toEqual(['2=1000', '10=50', '11=0', '14=6']);
    expect(await tokensAt(inMay)).toEqual(['10/100=5', '10/101=0']);
  });

  it('later in the month: what changed since, deleted or not, and always the treasury', async () => {
    await run('update entity set balance = 0, balance_timestamp = $1, deleted = true where id = 10', [inMay + 1n]);
    await run('update entity set balance = 3, balance_timestamp = $1 where id = 11', [inMay]);
    await account(15, 4, inMay + 2n);
    await run('update token_account set balance = 6, balance_timestamp = $1, associated = false where token_id = 100', [
      inMay + 1n,
    ]);
    await block(laterInMay, 2);
    expect(await take()).toEqual({ timestamp: laterInMay, full: false, accounts: 3n, tokens: 2n });
    expect(await accountsAt(laterInMay)).toEqual(['2=1000', '10=0', '15=4']);
    expect(await tokensAt(laterInMay)).toEqual(['10/100=6', '11/100=6']);
  });

  it('first of the next month: everything again, and what was deleted since the snapshot before', async () => {
    await run('update entity set balance = 0, balance_timestamp = $1, deleted = true where id = 11', [laterInMay + 1n]);
    await run('update token_account set balance = 0, balance_timestamp = $1 where account_id = 11', [laterInMay + 1n]);
    await block(inJune, 3);
    expect(await take()).toEqual({ timestamp: inJune, full: true, accounts: 4n, tokens: 2n });
    expect(await accountsAt(inJune)).toEqual(['2=1000', '11=0', '14=6', '15=4']);
    expect(await tokensAt(inJune)).toEqual(['10/101=0', '11/100=0']);
    const parts = await run('select distinct tableoid::regclass::text as part from account_balance order by 1');
    expect(parts).toEqual([{ part: 'account_balance_p2024_05' }, { part: 'account_balance_p2024_06' }]);
  });

  it('without tokens when those are not wanted', async () => {
    await run('update token_account set balance_timestamp = $1', [inJune + 1n]);
    await block(laterInJune, 4);
    expect(await take({ tokenBalances: false })).toEqual({
      timestamp: laterInJune,
      full: false,
      accounts: 1n,
      tokens: 0n,
    });
    expect(await tokensAt(laterInJune)).toEqual([]);
  });
});

describe('a ledger without treasury', () => {
  withDatabase();

  it('gets one, once', async () => {
    expect(await ensureTreasury(test.database, { shard: 1n, realm: 2n })).toBe(true);
    expect(await ensureTreasury(test.database, { shard: 1n, realm: 2n })).toBe(false);
    const [row] = await test.database.query<Record<string, unknown>>(
      `select id, num, realm, shard, type, memo, balance, created_timestamp, decline_reward, deleted, timestamp_range::text,
         staked_node_id from entity`,
    );
    expect(row).toEqual({
      id: String((1n << 54n) + (2n << 38n) + 2n),
      num: '2',
      realm: '2',
      shard: '1',
      type: 'ACCOUNT',
      memo: 'Mirror node created synthetic treasury account',
      balance: '0',
      created_timestamp: '0',
      decline_reward: true,
      deleted: false,
      timestamp_range: '[0,)',
      staked_node_id: '-1',
    });
  });

  it('keeps its own, whose row is in every snapshot even when it has no balance', async () => {
    await run('delete from entity');
    await account(2, null, null, true);
    expect(await ensureTreasury(test.database, network)).toBe(false);
    const first = at('2024-05-10T00:00:00Z');
    await block(first, 0);
    await block(first + 17n * minute, 1);
    expect(await take()).toEqual({ timestamp: first + 17n * minute, full: true, accounts: 1n, tokens: 0n });
    expect(await accountsAt(first + 17n * minute)).toEqual(['2=0']);
  });
});
