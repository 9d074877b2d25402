import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientConfig, type Database, openDatabase } from '../connection.ts';
import type { Row } from '../row.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.fixture.ts';
import { NotShared, SharedConnections, sharedConnectionsOf, sharedSessionSettings } from './shared-connections.ts';

let test: TestDatabase;
const open: Pick<Database, 'close'>[] = [];

beforeAll(async () => {
  test = await createTestDatabase({ empty: true });
  await test.database.query('create table seen (n int)');
});

afterAll(() => test.drop());

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

type Sharing = Database & { readonly shared: NonNullable<Database['shared']> };

/** The first statements go another way, while the connection is being opened. */
const untilOpen = async ({ query }: Pick<SharedConnections, 'query'>): Promise<void> => {
  for (let i = 0; i < 500; i++) {
    const isOpen = await query({ text: 'select 1', name: 'opened' }).then(
      () => true,
      () => false,
    );
    if (isOpen) return;
    await pause(10);
  }
  throw new Error('no shared connection was opened');
};

const sharing = async (max = 3, shared = 1): Promise<Sharing> => {
  const database = openDatabase({ connectionString: test.connectionString, max, shared }) as Sharing;
  open.push(database);
  await untilOpen({ query: (statement) => database.shared.query(statement) });
  return database;
};

const backend = 'select pg_backend_pid() as pid';

describe('shared connections', () => {
  it('run the statements of all on few backends, and transactions on others', async () => {
    const db = await sharing(10, 2);
    const pids = await Promise.all(Array.from({ length: 50 }, () => db.query<{ pid: number }>(backend, [], 'pid')));
    expect(new Set(pids.map(([row]) => row?.pid)).size).toBeLessThanOrEqual(2);
    const own = await db.transaction((client) => client.query<{ pid: number }>(backend, [], 'pid'), { readOnly: true });
    expect(pids.map(([row]) => row?.pid)).not.toContain(own[0]?.pid);
  });

  it('plan each statement once, although a limit that is not known looks dear', async () => {
    const db = await sharing();
    const first = 'select n from seen where n >= $1 order by n limit $2';
    for (let i = 0; i < 10; i++) await db.query(first, [i, 1], 'first_seen');
    const plans = "select generic_plans, custom_plans from pg_prepared_statements where name = 'first_seen'";
    expect(await db.query(plans, [], 'plans')).toEqual([{ generic_plans: '10', custom_plans: '0' }]);
  });

  it('send what is asked for in one turn of the event loop in one write', async () => {
    let writes = 0;
    const shared = new SharedConnections(() => {
      const client = new pg.Client({
        ...clientConfig({ connectionString: test.connectionString, sessionSettings: sharedSessionSettings }),
        pipeline: true,
      });
      // A socket takes its own `write` again when it connects.
      client.once('connect', () => {
        const { stream } = client.connection;
        const write = stream.write.bind(stream) as (...all: unknown[]) => boolean;
        stream.write = (...all: unknown[]) => {
          writes++;
          return write(...all);
        };
      });
      return client;
    }, 1);
    await untilOpen({ query: (statement) => shared.query(statement) });
    writes = 0;
    const round = shared.round();
    const asked = [
      ...[1, 2, 3].map((n) => shared.query({ text: 'select $1::int as n', values: [n], name: 'n' })),
      ...[4, 5].map((n) => round.query('select $1::int as n', [n], 'n')),
    ];
    expect(await Promise.all(asked)).toEqual([1, 2, 3, 4, 5].map((n) => [{ n }]));
    expect(writes).toBe(1);
    await shared.close();
  });

  it('give values in the same form as connections of one user do', async () => {
    const db = await sharing();
    const text = `select $1::int8 as a, $2::bytea as b, $3::int8[] as c, $4::text as d, $5::bool as e, $6::bytea[] as f,
      $7::text[] as g, $8::numeric as h, $9::int2[][] as i, int8range(1, 5) as j, '{"a": 1}'::jsonb as k, 1.5::float8 as l`;
    const values = [
      -(2n ** 63n),
      new Uint8Array([0, 255]),
      [1n, null, 2n ** 63n - 1n],
      'ä"\\,{}\u{1f600}',
      true,
      [Buffer.from([0, 1]), Buffer.alloc(0), null],
      ['a"b', 'c\\d', '', 'NULL', null, '{},'],
      1.25,
      [
        [1, 2],
        [3, 4],
      ],
    ];
    const own = await db.withClient((client) => client.query(text, values));
    expect(await db.shared.query({ text, values })).toEqual(own);
    expect(await db.shared.query({ text, values, name: 'forms' })).toEqual(own);
    expect(await db.shared.query({ text, values, name: 'forms' })).toEqual(own);
  });

  it('carry any text and any bytes', async () => {
    const db = await sharing();
    const someText = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(
        someText,
        fc.array(fc.option(someText), { minLength: 1 }),
        fc.uint8Array(),
        async (one, many, bytes) => {
          const text = 'select $1::text as one, $2::text[] as many, $3::bytea as bytes';
          const rows = await db.shared.query({ text, values: [one, many, bytes], name: 'carried' });
          expect(rows).toEqual([{ one, many, bytes: Buffer.from(bytes) }]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('keep an error to the request that made it', async () => {
    const db = await sharing();
    const asked = [1, 0, 2, 0, 3].map((n) => db.query<{ n: number }>('select 6 / $1::int as n', [n], 'ratio'));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    await expect(asked[1]).rejects.toMatchObject({ code: 'DATABASE_QUERY_FAILED', details: { sqlState: '22012' } });
    expect(await asked[4]).toEqual([{ n: 2 }]);
    await expect(db.query('select $1::int', ['x'], 'number')).rejects.toMatchObject({ details: { sqlState: '22P02' } });
    expect(await db.query('select $1::int as n', ['7'], 'number')).toEqual([{ n: 7 }]);
    expect(await db.query('select 6 / $1::int as n', [6], 'ratio')).toEqual([{ n: 1 }]);
  });

  it('prepare again what could not be prepared', async () => {
    const db = await sharing();
    const ask = () => db.query('select count(*) from later', [], 'later');
    await expect(ask()).rejects.toMatchObject({ code: 'SCHEMA_NOT_READY' });
    await test.database.query('create table later (n int)');
    expect(await Promise.all([ask(), ask()])).toEqual([[{ count: '0' }], [{ count: '0' }]]);
    const all = () => db.query('select * from later', [], 'all_later');
    await test.database.query('insert into later values (1)');
    expect(await all()).toEqual([{ n: 1 }]);
    await test.database.query('alter table later add column m text');
    for (let i = 0; i < 3; i++) expect(await all()).toEqual([{ n: 1, m: null }]);
  });

  it('do not let anybody wait for a long statement, which runs on a connection of its own', async () => {
    const db = await sharing();
    const order: string[] = [];
    const asked = [
      db.query('select pg_sleep($1)::text as slept', [0.3], 'sleep').then((rows) => order.push(`slept ${rows.length}`)),
      ...[1, 2].map((n) => db.query('select $1::int as n', [n], 'n').then(() => order.push(`answered ${n}`))),
    ];
    await Promise.all(asked);
    expect(order).toEqual(['answered 1', 'answered 2', 'slept 1']);
    await expect(db.shared.query({ text: 'select pg_sleep($1)', values: [0], name: 'sleep' })).rejects.toThrow(
      NotShared,
    );
  });

  it('come back to a statement that was long once', async () => {
    const db = await sharing();
    const sleep = (seconds: number) =>
      db.shared.query({ text: 'select pg_sleep($1)::text as slept', values: [seconds], name: 'sleep' });
    await expect(sleep(1)).rejects.toThrow(NotShared);
    await expect(sleep(0)).rejects.toThrow(NotShared);
    await pause(300);
    expect(await sleep(0)).toEqual([{ slept: '' }]);
  });

  it('obey a shorter limit, and say so', async () => {
    const db = openDatabase({ connectionString: test.connectionString, max: 2, shared: 1, statementTimeoutMs: 5 });
    open.push(db);
    for (let i = 0; i < 3; i++) {
      await expect(db.query('select pg_sleep($1)', [1], 'sleep')).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    }
  });

  it('are replaced when they are lost, and nobody notices', async () => {
    const db = await sharing();
    const pid = async () => (await db.shared.query({ text: backend, name: 'pid' }))[0]?.pid;
    const before = await pid();
    await test.database.query(`select pg_terminate_backend(${before})`);
    const asked = Array.from({ length: 20 }, () => db.query('select 1 as one', [], 'one'));
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, () => [{ one: 1 }]));
    await pause(1_100);
    await untilOpen({ query: (statement) => db.shared.query(statement) });
    expect(await pid()).not.toBe(before);
  });

  it.skipIf(process.platform === 'win32')('are given up when their server hangs', { timeout: 60_000 }, async () => {
    const db = await sharing(3, 1);
    const [row] = await db.query<{ pid: number }>(backend, [], 'pid');
    const pid = row?.pid as number;
    process.kill(pid, 'SIGSTOP');
    try {
      const pids = await Promise.all(Array.from({ length: 5 }, () => db.query<{ pid: number }>(backend, [], 'pid')));
      expect(pids.map(([other]) => other?.pid)).not.toContain(pid);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it.skipIf(process.platform === 'win32')('leave no other one hanging either', { timeout: 60_000 }, async () => {
    const db = openDatabase({ connectionString: test.connectionString, max: 2, shared: 1, statementTimeoutMs: 500 });
    open.push(db);
    await untilOpen({ query: (statement) => (db as Sharing).shared.query(statement) });
    const [shared] = await db.query<{ pid: number }>(backend, [], 'pid');
    const [own] = await db.withClient((client) => client.query<{ pid: number }>(backend, [], 'pid'));
    const pids = [shared?.pid as number, own?.pid as number];
    expect(new Set(pids).size).toBe(2);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      const hanging = db.transaction((client) => client.query(backend), { readOnly: true });
      await expect(hanging).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
      const [next] = await db.query<{ pid: number }>(backend, [], 'pid');
      expect(pids).not.toContain(next?.pid);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
  });

  it.skipIf(process.platform === 'win32')('let go what waits for room too long', { timeout: 60_000 }, async () => {
    const db = await sharing(2, 1);
    const [row] = await db.query<{ pid: number }>(backend, [], 'pid');
    const pid = row?.pid as number;
    const ended: { readonly place: number; readonly reason: string }[] = [];
    process.kill(pid, 'SIGSTOP');
    try {
      const asked = Array.from({ length: 12 }, (_, place) =>
        db.shared
          .query({ text: backend, name: 'pid' })
          .catch(({ message }: Error) => ended.push({ place, reason: message })),
      );
      await Promise.all(asked);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(ended.map(({ place }) => place)).toEqual([8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7]);
    for (const { reason } of ended.slice(0, 4)) expect(reason).toMatch(/others take too long/);
    for (const { reason } of ended.slice(4)) expect(reason).not.toMatch(/others take too long/);
  });

  it('answer in order what waits for room, also when they are closed meanwhile', async () => {
    const db = await sharing(2, 1);
    const order: number[] = [];
    const asked = Array.from({ length: 100 }, async (_, n) => {
      const [row] = await db.shared.query({ text: 'select $1::int as n', values: [n], name: 'n' });
      order.push(row?.n as number);
    });
    await asked[0];
    expect(order.length).toBeLessThan(100);
    await db.close();
    await Promise.all(asked);
    expect(order).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it('leave to others what only reads by mistake', async () => {
    const db = await sharing();
    await expect(db.query('insert into seen values ($1)', [1], 'insert')).rejects.toMatchObject({
      code: 'DATABASE_ACCESS_DENIED',
    });
    expect(await db.query('select 1 as one; select 2 as two')).toEqual([{ two: 2 }]);
    const at = new Date(0);
    expect(await db.query(`select $1::timestamptz at time zone 'UTC' as at`, [at], 'at')).toEqual([
      { at: '1970-01-01 00:00:00' },
    ]);
  });

  it('prepare a bounded number of statements', async () => {
    const db = await sharing();
    const ask = (n: number) => db.query<{ n: number }>(`select ${n} as n`, [], `statement_${n}`);
    for (const n of [...Array.from({ length: 700 }, (_, i) => i), 0, 1]) expect(await ask(n)).toEqual([{ n }]);
    const [row] = await db.shared.query({
      text: 'select count(*)::int as n from pg_prepared_statements',
      name: 'count',
    });
    expect(row).toEqual({ n: 500 });
  });

  it('answer what was asked before they are closed', async () => {
    const db = await sharing();
    const asked = db.query('select 1 as one', [], 'one');
    await db.close();
    expect(await asked).toEqual([{ one: 1 }]);
    open.splice(0);
    await expect(db.query('select 1', [], 'one')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  });
});

describe('a round of statements', () => {
  const count = 'select count(*)::int as n from seen';
  const countOf = (rows: readonly Row[]): unknown => rows[0]?.n;

  it('sees one state', async () => {
    const db = await sharing();
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await test.database.query('insert into seen values (1)');
    })();
    const seen: unknown[] = [];
    for (let i = 0; i < 30; i++) {
      const round = db.shared.round();
      const counts = await Promise.all([
        round.query(count, [], 'count_seen'),
        round.query('select pg_sleep(0.004)::text', [], 'wait'),
        round.query(count, [], 'count_seen'),
      ]);
      expect(countOf(counts[0])).toBe(countOf(counts[2]));
      seen.push(countOf(counts[0]));
    }
    isOver = true;
    await writing;
    expect(new Set(seen).size).toBeGreaterThan(1);
  });

  it('takes what is asked for until the turn of the event loop ends, and nothing after it', async () => {
    const db = await sharing();
    const round = db.shared.round();
    const first = round.query(backend, [], 'pid');
    await Promise.resolve();
    const second = round.query('select 2 as two', [], 'two');
    expect(await second).toEqual([{ two: 2 }]);
    await first;
    await expect(round.query('select 3 as three', [], 'three')).rejects.toThrow(NotShared);
    // The next answer that begins like this one is not begun here at all.
    await expect(db.shared.round().query(backend, [], 'pid')).rejects.toThrow(NotShared);
    expect(await db.shared.round().query('select 2 as two', [], 'two')).toEqual([{ two: 2 }]);
    expect(await db.shared.query({ text: backend, name: 'pid' })).toHaveLength(1);
  });

  it('fails as a whole, and harms no other one', async () => {
    const db = await sharing();
    const [failing, other] = [db.shared.round(), db.shared.round()];
    const asked = [
      failing.query('select 1 as n', [], 'one'),
      failing.query('select 1 / $1::int as n', [0], 'ratio'),
      failing.query('select 3 as n', [], 'three'),
      other.query('select 3 as n', [], 'three'),
    ];
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.slice(0, 3).map((outcome) => (outcome as PromiseRejectedResult).reason.details)).toEqual(
      Array.from({ length: 3 }, () => ({ sqlState: '22012' })),
    );
    // It was to be prepared in the round that failed; then it is somebody else's to run.
    const three = async () => (await db.query('select 3 as n', [], 'three'))[0];
    expect(outcomes[3]).toSatisfy(
      ({ status, reason }: PromiseRejectedResult) => status !== 'rejected' || reason instanceof NotShared,
    );
    expect([await three(), await three()]).toEqual([{ n: 3 }, { n: 3 }]);
    await expect(db.shared.query({ text: 'select 3 as n', name: 'three' })).resolves.toEqual([{ n: 3 }]);
  });
});

it.each([
  [1, 0],
  [2, 0],
  [3, 1],
  [4, 1],
  [5, 1],
  [10, 2],
  [100, 20],
])('of %i connections %i are shared', (connections, shared) => {
  expect(sharedConnectionsOf(connections)).toBe(shared);
});
