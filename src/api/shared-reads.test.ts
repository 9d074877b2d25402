import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import type { RouteContext } from './route.ts';
import { searchTurns } from './search-turns.ts';
import { inSharedRound, onSharedConnections } from './shared-reads.ts';
import { inSnapshot } from './snapshot.ts';
import { searchInSteps } from './stepped-search.ts';

let test: TestDatabase;
let db: Database;

beforeAll(async () => {
  test = await createTestDatabase({ empty: true });
  await test.database.query('create table seen (n int8)');
  await test.database.query('create table searched as select 1::int8 as consensus_timestamp');
});

afterAll(() => test.drop());

beforeEach(async () => {
  await db?.close();
  db = openDatabase({ connectionString: test.connectionString, max: 6, shared: 1 });
  for (let i = 0; i < 500; i++) {
    const isOpen = await db.shared?.query({ text: 'select 1', name: 'opened' }).then(
      () => true,
      () => false,
    );
    if (isOpen) return;
    await pause(10);
  }
});

afterAll(() => db.close());

const settings = {
  query: { maxSearches: 0, maxWaitingSearches: 50, maxSearchTime: 1_000 },
  db: { pool: { maxConnections: 6, connectionTimeout: 20_000, statementTimeout: 20_000 } },
};

const contextOf = (): RouteContext => ({ db, settings, searches: searchTurns(settings) }) as unknown as RouteContext;

const backend = async (on: Pick<Database, 'query'>): Promise<number | undefined> =>
  (await on.query<{ pid: number }>('select pg_backend_pid() as pid', [], 'pid'))[0]?.pid;

const sharedBackend = async (): Promise<unknown> =>
  (await db.shared?.query({ text: 'select pg_backend_pid() as pid', name: 'pid' }))?.[0]?.pid;

const countOf = async (on: Pick<Database, 'query'>): Promise<unknown> =>
  (await on.query<{ n: number }>('select count(*)::int as n from seen', [], 'count_seen'))[0]?.n;

const sleep = (on: Pick<Database, 'query'>, seconds: number) =>
  on.query('select pg_sleep($1)::text as slept', [seconds], 'sleep');

describe('a snapshot', () => {
  it('is one round on a shared connection where that suffices', async () => {
    const pids = await inSnapshot(contextOf(), ({ db: snapshot }) =>
      Promise.all([backend(snapshot), snapshot.transaction((client) => backend(client)), backend(snapshot)]),
    );
    expect(new Set(pids)).toEqual(new Set([await sharedBackend()]));
  });

  it('begins anew on a connection of its own when it asks for more, and begins there from then on', async () => {
    const places: unknown[] = [];
    const twoRounds = () =>
      inSnapshot(contextOf(), async ({ db: snapshot, searchStage }) => {
        places.push(searchStage);
        const before = await countOf(snapshot);
        await test.database.query('insert into seen values (1)');
        return [before, await countOf(snapshot), await backend(snapshot)];
      });
    const [before, after, pid] = await twoRounds();
    expect(after).toBe(before);
    expect(pid).not.toBe(await sharedBackend());
    expect(places).toEqual(['shared', 'snapshot']);
    await test.database.query('insert into seen values (1)');
    const [later, latest] = await twoRounds();
    expect(latest).toBe(later);
    expect(places).toEqual(['shared', 'snapshot', 'shared', 'snapshot']);
  });

  it('passes on what the work throws', async () => {
    await expect(
      inSnapshot(contextOf(), ({ db: snapshot }) => snapshot.query('select nothing', [], 'x')),
    ).rejects.toMatchObject({ code: 'DATABASE_QUERY_FAILED' });
    const thrown = inSnapshot(contextOf(), async ({ db: snapshot }) => {
      await backend(snapshot);
      throw new Error('after a statement');
    });
    await expect(thrown).rejects.toThrow('after a statement');
  });

  it('does not answer without what a part of it was refused', async () => {
    const answer = await inSnapshot(contextOf(), ({ db: snapshot }) => sleep(snapshot, 0.1).catch(() => 'swallowed'));
    expect(answer).toEqual([{ slept: '' }]);
  });

  it('gives the connection itself only where it has one of its own', async () => {
    const answer = await inSnapshot(contextOf(), ({ db: snapshot }) =>
      snapshot.withClient(async ({ driver }) => (await driver.query('select 1 as one')).rows),
    );
    expect(answer).toEqual([{ one: 1 }]);
  });
});

describe('a search', () => {
  const interval = { lower: null, upper: null, excluded: [] };

  const search = (seconds: number, pids: (number | undefined)[]) =>
    searchInSteps(
      {
        interval,
        order: 'asc',
        limit: 1,
        tables: ['seen'],
        idColumn: 'n',
        find: async (on) => {
          const [rows, pid] = await Promise.all([sleep(on, seconds), backend(on)]);
          pids.push(pid);
          return rows;
        },
      },
      contextOf(),
    );

  it('runs on a shared connection, and on one of its own when it takes longer', async () => {
    const pids: (number | undefined)[] = [];
    expect(await search(0, pids)).toEqual({ rows: [{ slept: '' }], examinedTo: null });
    const shared = await sharedBackend();
    expect(pids).toEqual([shared]);
    expect(await search(0.05, pids)).toEqual({ rows: [{ slept: '' }], examinedTo: null });
    expect(pids).toHaveLength(2);
    expect(pids[1]).not.toBe(shared);
  });

  it('is a part of the snapshot that it is in, wherever that is', async () => {
    const pids: (number | undefined)[] = [];
    const inside = (seconds: number) =>
      inSnapshot(contextOf(), ({ db: snapshot, ...context }) =>
        Promise.all([
          backend(snapshot),
          searchInSteps(
            {
              interval,
              order: 'asc',
              limit: 1,
              tables: ['searched'],
              find: async (on) => {
                const [rows, pid] = await Promise.all([sleep(on, seconds), backend(on)]);
                pids.push(pid);
                return rows;
              },
            },
            { db: snapshot, ...context },
          ),
        ]),
      );
    const [first] = await inside(0);
    expect([first, ...pids]).toEqual([await sharedBackend(), first]);
    const [second, { rows }] = await inside(0.05);
    expect(rows).toEqual([{ slept: '' }]);
    expect(pids.at(-1)).toBe(second);
    expect(second).not.toBe(first);
  });
});

describe('reads on shared connections', () => {
  it('are tried only where nothing else was decided, and where there are such connections', async () => {
    const work = async () => 'done';
    expect(await inSharedRound(contextOf(), work)).toEqual({ result: 'done' });
    expect(await inSharedRound({ ...contextOf(), searchStage: 'snapshot' }, work)).toBeUndefined();
    expect(await inSharedRound({ ...contextOf(), searchStage: 'long' }, work)).toBeUndefined();
    expect(await inSharedRound({ ...contextOf(), db: test.database }, work)).toBeUndefined();
    expect(await onSharedConnections({ ...contextOf(), db: test.database }, work)).toBeUndefined();
  });

  it('may be one after the other where each sees a state of its own', async () => {
    const done = await onSharedConnections(contextOf(), async ({ db: shared }) => [
      await backend(shared),
      await backend(shared),
    ]);
    const shared = await sharedBackend();
    expect(done).toEqual({ result: [shared, shared] });
    expect(await onSharedConnections(contextOf(), ({ db: shared }) => sleep(shared, 1))).toBeUndefined();
  });
});
