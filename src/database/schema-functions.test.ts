import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyRows } from './copy.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

const second = 1_000_000_000n;
const nanosOf = (iso: string): string => String(BigInt(Date.parse(iso)) * 1_000_000n);

describe('functions of the schema', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it('cover all time with monthly partitions from September 2019 to a month ahead', async () => {
    const rows = await test.database.query<{ name: string; from_timestamp: string; to_timestamp: string }>(
      `select name, from_timestamp, to_timestamp from mirror_node_time_partitions where parent = 'account_balance'`,
    );
    expect(rows[0]).toEqual({
      name: 'account_balance_p1970_01',
      from_timestamp: '0',
      to_timestamp: nanosOf('2019-09-01T00:00:00Z'),
    });
    expect(rows[1]).toEqual({
      name: 'account_balance_p2019_09',
      from_timestamp: nanosOf('2019-09-01T00:00:00Z'),
      to_timestamp: nanosOf('2019-10-01T00:00:00Z'),
    });
    for (let i = 1; i < rows.length; i += 1) expect(rows[i]?.from_timestamp).toBe(rows[i - 1]?.to_timestamp);
    const now = new Date();
    const ahead = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    expect(rows.at(-1)?.name).toBe(
      `account_balance_p${ahead.getUTCFullYear()}_${String(ahead.getUTCMonth() + 1).padStart(2, '0')}`,
    );
    const [options] = await test.database.query<{ reloptions: string[] }>(
      `select reloptions from pg_class where relname = 'token_balance_p2019_09'`,
    );
    expect(options?.reloptions).toEqual([
      'autovacuum_vacuum_insert_scale_factor=0',
      'autovacuum_vacuum_insert_threshold=10000',
      'parallel_workers=4',
    ]);
  });

  it('add only the partitions that are missing', async () => {
    await test.database.query(
      `do $$ begin execute (select 'drop table ' || string_agg(name, ', ') from (
         select name from mirror_node_time_partitions where parent = 'token_balance' order by from_timestamp desc limit 3) l);
       end $$`,
    );
    const count = 'select count(*)::int4 as count from mirror_node_time_partitions';
    const [before] = await test.database.query<{ count: number }>(count);
    await test.database.query('call create_mirror_node_time_partitions()');
    await test.database.query('call create_mirror_node_time_partitions()');
    const [after] = await test.database.query<{ count: number }>(count);
    expect((after?.count ?? 0) - (before?.count ?? 0)).toBe(3);
  });

  it('find a transaction by the first 32 bytes of its hash, whatever its partition', async () => {
    const hash = (first: number): Uint8Array => new Uint8Array(32).fill(first);
    await test.database.transaction((client) =>
      copyRows(
        client,
        'transaction_hash',
        [3, 31, 32, 255].map((first) => ({
          consensus_timestamp: BigInt(first),
          hash: hash(first),
          payer_account_id: 2n,
          hash_suffix: first === 255 ? new Uint8Array(16).fill(9) : null,
        })),
      ),
    );
    const find = (bytes: Uint8Array) => test.database.query('select * from get_transaction_info_by_hash($1)', [bytes]);
    expect(await find(hash(32))).toEqual([
      { consensus_timestamp: '32', hash: Buffer.from(hash(32)), payer_account_id: '2' },
    ]);
    expect(await find(hash(255))).toEqual([
      {
        consensus_timestamp: '255',
        hash: Buffer.concat([hash(255), new Uint8Array(16).fill(9)]),
        payer_account_id: '2',
      },
    ]);
    expect(await find(hash(1))).toEqual([]);
  });

  it('turn type numbers into labels', async () => {
    const rows = await test.database.query<{ label: string | null }>(
      'select updateentitytypefromint(n) as label from generate_series(0, 7) n',
    );
    expect(rows.map(({ label }) => label)).toEqual([
      null,
      'ACCOUNT',
      'CONTRACT',
      'FILE',
      'TOPIC',
      'TOKEN',
      'SCHEDULE',
      null,
    ]);
  });

  it('make snapshots from complete balance lists', async () => {
    await test.database.query(
      `create table account_balance_old (consensus_timestamp bigint, account_id bigint, balance bigint);
       create table token_balance_old (consensus_timestamp bigint, account_id bigint, token_id bigint, balance bigint);
       insert into account_balance_old values (10, 2, 100), (10, 5, 50), (10, 6, 60), (10, 7, 7),
                                              (20, 2, 100), (20, 5, 50), (20, 6, 61), (20, 8, 8);
       insert into token_balance_old values (10, 5, 1, 50), (10, 6, 1, 60), (10, 7, 1, 7),
                                            (20, 5, 1, 50), (20, 6, 1, 61), (20, 6, 2, 1)`,
    );
    const accounts = async (timestamp: number): Promise<string[]> =>
      (
        await test.database.query<{ account_id: string; balance: string }>(
          'select account_id, balance from account_balance where consensus_timestamp = $1 order by account_id',
          [timestamp],
        )
      ).map(({ account_id, balance }) => `${account_id}=${balance}`);
    const tokens = async (timestamp: number): Promise<string[]> =>
      (
        await test.database.query<{ account_id: string; token_id: string; balance: string }>(
          'select account_id, token_id, balance from token_balance where consensus_timestamp = $1 order by 1, 2',
          [timestamp],
        )
      ).map(({ account_id, token_id, balance }) => `${account_id}/${token_id}=${balance}`);
    const call = async (name: string): Promise<unknown> =>
      (await test.database.query<{ written: number }>(`select ${name}(20, 10) as written`))[0]?.written;

    expect(await call('create_full_account_balance_snapshot')).toBe(5);
    expect(await accounts(20)).toEqual(['2=100', '5=50', '6=61', '7=0', '8=8']);
    expect(await call('create_full_token_balance_snapshot')).toBe(4);
    expect(await tokens(20)).toEqual(['5/1=50', '6/1=61', '6/2=1', '7/1=0']);

    await test.database.query('truncate account_balance, token_balance');
    expect(await call('create_deduped_account_balance_snapshot')).toBe(4);
    expect(await accounts(20)).toEqual(['2=100', '6=61', '7=0', '8=8']);
    expect(await call('create_deduped_token_balance_snapshot')).toBe(3);
    expect(await tokens(20)).toEqual(['6/1=61', '6/2=1', '7/1=0']);
  });

  it('make unlogged staging tables', async () => {
    await test.database.query(`call create_temp_table_safe('token_account', 'account_id', 'token_id')`);
    await test.database.query(`call create_temp_table_safe('token_account', 'account_id', 'token_id')`);
    await test.database.query(`call create_temp_table_safe('no_such_table', 'a')`);
    const rows = await test.database.query(
      `select c.relname as name, c.relpersistence as persistence from pg_class c
       where c.relnamespace = 'temporary'::regnamespace order by c.relname`,
    );
    expect(rows).toEqual([
      { name: 'token_account_temp', persistence: 'u' },
      { name: 'token_account_temp_idx', persistence: 'u' },
    ]);
  });

  it('keep balance rows of any time in their partition', async () => {
    await test.database.transaction(async (client) => {
      const timestamps = [1n, BigInt(nanosOf('2021-05-31T23:59:59Z')) + second - 1n, BigInt(Date.now()) * 1_000_000n];
      await copyRows(
        client,
        'account_balance',
        timestamps.map((timestamp) => ({ consensus_timestamp: timestamp, account_id: 77n, balance: 1n })),
      );
      const rows = await client.query<{ part: string }>(
        'select tableoid::regclass::text as part from account_balance where account_id = 77 order by consensus_timestamp',
      );
      expect(rows.slice(0, 2).map(({ part }) => part)).toEqual([
        'account_balance_p1970_01',
        'account_balance_p2021_05',
      ]);
    });
  });
});
