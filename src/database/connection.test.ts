import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from './connection.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

describe('a database connection', () => {
  let test: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    test = await createTestDatabase();
    db = test.database;
  });
  afterAll(() => test.drop());

  it('gives values in the forms that it promises', async () => {
    const [row] = await db.query(`select
      1::int2 as int2, 2147483647 as int4, 9223372036854775807::int8 as int8, 12.50::numeric as numeric,
      7::entity_id as entity_id, -5::hbar_tinybars as tinybars, true as yes, false as no, null::bool as none,
      '\\x00ff'::bytea as bytea, '{"b": 12345678901234567890, "a":1}'::jsonb as jsonb, '{ "a" : 1 }'::json as json,
      int8range(1, 5) as range, int8range(1, null) as open_range,
      array[1,9223372036854775807]::int8[] as int8s, '{}'::int8[] as no_int8s, array[1,2]::int4[] as int4s,
      array[3]::int2[] as int2s, array['\\x00'::bytea, '\\xabcd'::bytea, ''::bytea, null] as byteas,
      array['a,b', 'c"d', null] as texts, 'ACCOUNT'::entity_type as enum, 1.5::float8 as float8, 26::oid as oid,
      '2024-01-02 03:04:05.678901+00'::timestamptz at time zone 'UTC' as timestamp`);
    expect(row).toEqual({
      int2: 1,
      int4: 2147483647,
      int8: '9223372036854775807',
      numeric: '12.50',
      entity_id: '7',
      tinybars: '-5',
      yes: true,
      no: false,
      none: null,
      bytea: Buffer.from([0, 255]),
      jsonb: '{"a": 1, "b": 12345678901234567890}',
      json: '{ "a" : 1 }',
      range: '[1,5)',
      open_range: '[1,)',
      int8s: ['1', '9223372036854775807'],
      no_int8s: [],
      int4s: [1, 2],
      int2s: [3],
      byteas: [Buffer.from([0]), Buffer.from([0xab, 0xcd]), Buffer.alloc(0), null],
      texts: ['a,b', 'c"d', null],
      enum: 'ACCOUNT',
      float8: 1.5,
      oid: 26,
      timestamp: '2024-01-02 03:04:05.678901',
    });
  });

  it('takes bigints, bytes and arrays of them as values', async () => {
    const [row] = await db.query('select $1::int8 as a, $2::bytea as b, $3::int8[] as c', [
      -(2n ** 63n),
      new Uint8Array([1, 2]),
      [1n, 2n ** 63n - 1n],
    ]);
    expect(row).toEqual({ a: '-9223372036854775808', b: Buffer.from([1, 2]), c: ['1', '9223372036854775807'] });
  });

  it('prepares a named statement once for each connection', async () => {
    await db.withClient(async (client) => {
      for (let i = 0; i < 3; i += 1) {
        expect(await client.query('select $1::int4 + 1 as next', [i], 'test_next')).toEqual([{ next: i + 1 }]);
      }
      expect(await client.query('select name from pg_prepared_statements')).toEqual([{ name: 'test_next' }]);
    });
  });

  it('commits what a transaction returns from and rolls back what throws', async () => {
    await db.query('create table account_note (id int)');
    const result = await db.transaction(async (client) => {
      await client.query('insert into account_note values (1)');
      return 'done';
    });
    expect(result).toBe('done');
    const fault = new TypeError('a fault of the caller');
    await expect(
      db.transaction(async (client) => {
        await client.query('insert into account_note values (2)');
        throw fault;
      }),
    ).rejects.toBe(fault);
    expect(await db.query('select id from account_note')).toEqual([{ id: 1 }]);
  });

  it('honours isolation and read-only', async () => {
    const level = await db.transaction(
      (client) =>
        client.query(
          `select current_setting('transaction_isolation') as level, current_setting('transaction_read_only') as ro`,
        ),
      { isolation: 'repeatable read', readOnly: true },
    );
    expect(level).toEqual([{ level: 'repeatable read', ro: 'on' }]);
    const reader = openDatabase({ connectionString: test.connectionString, readOnly: true, schema: 'public' });
    await expect(reader.query('create table nothing ()')).rejects.toMatchObject({ code: 'DATABASE_ACCESS_DENIED' });
    await reader.close();
  });

  it.each([
    ['select * from no_such_table', 'SCHEMA_NOT_READY', '42P01', true],
    ['select no_such_column', 'DATABASE_QUERY_FAILED', '42703', false],
    ['select 1/0', 'DATABASE_QUERY_FAILED', '22012', false],
    [
      'set local lock_timeout = 1; select pg_terminate_backend(pg_backend_pid())',
      'DATABASE_UNAVAILABLE',
      '57P01',
      true,
    ],
  ])('reports %s as %s', async (text, code, sqlState, retryable) => {
    await expect(db.query(text)).rejects.toMatchObject({ code, retryable, details: { sqlState } });
    expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('ends a statement that takes too long', async () => {
    const impatient = openDatabase({ connectionString: test.connectionString, statementTimeoutMs: 50 });
    await expect(impatient.query('select pg_sleep(5)')).rejects.toMatchObject({
      code: 'DATABASE_TIMEOUT',
      retryable: true,
    });
    await impatient.close();
  });

  it('says that a server refuses, does not exist, or does not answer', async () => {
    const wrong = new URL(test.connectionString);
    wrong.username = 'no_such_user';
    const cases: [string, string][] = [
      [wrong.href, 'DATABASE_ACCESS_DENIED'],
      [test.connectionString.replace(/\/[^/]*$/, '/no_such_database'), 'DATABASE_MISSING'],
      ['postgresql://a:b@127.0.0.1:1/c', 'DATABASE_UNAVAILABLE'],
    ];
    for (const [connectionString, code] of cases) {
      const other = openDatabase({ connectionString });
      await expect(other.query('select 1')).rejects.toMatchObject({ code });
      await other.close();
    }
    const silent = createServer();
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const { port } = silent.address() as { port: number };
    const waiting = openDatabase({
      connectionString: `postgresql://a:b@127.0.0.1:${port}/c`,
      connectionTimeoutMs: 100,
    });
    await expect(waiting.query('select 1')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await waiting.close();
    silent.close();
  });

  it('passes notifications on, also after its connection broke', async () => {
    const heard: string[] = [];
    let reconnects = 0;
    const errors: Error[] = [];
    const stop = await db.listen('block', (payload) => heard.push(payload), {
      onReconnect: () => (reconnects += 1),
      onError: (error) => errors.push(error),
    });
    const heardOther: string[] = [];
    await db.listen('other channel', (payload) => heardOther.push(payload));
    const until = async (condition: () => boolean): Promise<void> => {
      for (let i = 0; i < 250 && !condition(); i += 1) await pause(20);
    };
    await db.query(`select pg_notify('block', '1'), pg_notify('other channel', 'x')`);
    await until(() => heard.length === 1 && heardOther.length === 1);
    expect([heard, heardOther]).toEqual([['1'], ['x']]);

    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen%'`,
    );
    await until(() => reconnects === 1);
    expect(reconnects).toBe(1);
    expect(errors[0]).toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await db.query(`select pg_notify('block', '2')`);
    await until(() => heard.length === 2);
    expect(heard).toEqual(['1', '2']);

    await stop();
    await db.query(`select pg_notify('block', '3'), pg_notify('other channel', 'y')`);
    await until(() => heardOther.length === 2);
    expect([heard, heardOther]).toEqual([
      ['1', '2'],
      ['x', 'y'],
    ]);
  });
});
