import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import type { RouteContext } from './route.ts';
import { inSnapshot } from './snapshot.ts';

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase({ empty: true });
  await test.database.query('create table seen (n int)');
});

afterAll(() => test.drop());

const contextOf = (db: Database): RouteContext => ({ db }) as RouteContext;

const countOf = async (db: Pick<Database, 'query'>): Promise<unknown> =>
  (await db.query<{ count: string }>('select count(*) from seen'))[0]?.count;

describe('inSnapshot', () => {
  it('reads one state in all its statements, whatever is committed between them', async () => {
    const counts = await inSnapshot(contextOf(test.database), async ({ db }) => {
      const before = await countOf(db);
      await test.database.query('insert into seen values (1)');
      const within = await db.transaction((client) => countOf(client));
      return [before, await countOf(db), within];
    });
    expect(counts).toEqual(['0', '0', '0']);
    expect(await countOf(test.database)).toBe('1');
  });

  it('takes no connection before the first statement', async () => {
    const unused: Database = { ...test.database, transaction: () => Promise.reject(new Error('taken')) };
    expect(await inSnapshot(contextOf(unused), async () => 5)).toBe(5);
    await expect(inSnapshot(contextOf(unused), ({ db }) => db.query('select 1'))).rejects.toThrow('taken');
  });

  it('runs statements that are sent together one after the other, and gives the connection back', async () => {
    for (let round = 0; round < 10; round++) {
      const rows = await inSnapshot(contextOf(test.database), ({ db }) =>
        Promise.all([1, 2, 3].map((n) => db.query('select $1::int as n', [n]))),
      );
      expect(rows).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
    }
  });

  it('passes on what a statement or the work throws, and gives the connection back', async () => {
    for (let round = 0; round < 10; round++) {
      const failing = inSnapshot(contextOf(test.database), ({ db }) => db.query('select no_such_column'));
      await expect(failing).rejects.toMatchObject({ code: 'DATABASE_QUERY_FAILED' });
      const thrown = inSnapshot(contextOf(test.database), async ({ db }) => {
        await db.query('select 1');
        throw new Error('after a statement');
      });
      await expect(thrown).rejects.toThrow('after a statement');
    }
  });

  it('runs nothing for work that goes on after another part of it failed', async () => {
    const failed = Promise.withResolvers<void>();
    const late: Promise<unknown>[] = [];
    const working = inSnapshot(contextOf(test.database), async ({ db }) => {
      await db.query('select 1');
      late.push(failed.promise.then(() => db.query('select 2')));
      throw new Error('failed');
    });
    await expect(working).rejects.toThrow('failed');
    failed.resolve();
    await expect(late[0]).rejects.toThrow('The snapshot has ended');
  });

  it('ends with a part what the part sets for itself', async () => {
    const shown = await inSnapshot(contextOf(test.database), async ({ db }) => {
      await db.transaction((client) => client.query('set local statement_timeout = 1234'));
      return db.query('show statement_timeout');
    });
    expect(shown).toEqual([{ statement_timeout: '0' }]);
  });
});
