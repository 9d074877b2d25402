import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { BackgroundWork, interruptibleTransaction } from './background-work.ts';

const never = new AbortController().signal;

describe('BackgroundWork', () => {
  it('runs once at a time, and once more for all that was asked meanwhile', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let began = 0;
    let active = 0;
    const work = new BackgroundWork({
      run: async () => {
        expect(++active).toBe(1);
        await gates[began++]?.promise;
        active--;
      },
      onFault: (fault) => expect.unreachable(String(fault)),
      signal: never,
    });
    for (let asked = 0; asked < 4; asked++) work.request();
    expect(began).toBe(1);
    gates[0]?.resolve();
    gates[1]?.resolve();
    await work.settle();
    expect(began).toBe(2);
    work.request();
    await work.settle();
    expect(began).toBe(3);
  });

  it('is deaf for a while after a fault', async () => {
    let now = 1_000;
    let runs = 0;
    const faults: unknown[] = [];
    const work = new BackgroundWork({
      run: async () => {
        throw ++runs;
      },
      onFault: (fault) => faults.push(fault),
      signal: never,
      pauseAfterFaultMs: 50,
      clock: () => now,
    });
    for (const time of [1_000, 1_049, 1_050, 1_099, 1_100]) {
      now = time;
      work.request();
      await work.settle();
    }
    expect(faults).toEqual([1, 2, 3]);
  });

  it('ends with its signal, without a fault', async () => {
    const stop = new AbortController();
    let runs = 0;
    const work = new BackgroundWork({
      run: async () => {
        runs++;
        stop.abort();
        throw new Error('interrupted');
      },
      onFault: (fault) => expect.unreachable(String(fault)),
      signal: stop.signal,
    });
    work.request();
    work.request();
    await work.settle();
    work.request();
    await work.settle();
    expect(runs).toBe(1);
  });
});

describe('interruptibleTransaction', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
    await test.database.query('create table written (n int4)');
  });
  afterAll(() => test.drop());

  const lease = { check: async () => undefined };
  const written = () => test.database.query('select n from written order by n');

  it('sees one state throughout and commits', async () => {
    const result = await interruptibleTransaction({ database: test.database, lease, signal: never }, async (client) => {
      const before = await client.query('select n from written');
      await test.database.query('insert into written values (1)');
      const later = await client.query('select n from written');
      await client.query('insert into written values (2)');
      return [before, later];
    });
    expect(result).toEqual([[], []]);
    expect(await written()).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('makes the server give up the statement in work, and keeps nothing', async () => {
    const stop = new AbortController();
    const interrupted = interruptibleTransaction(
      { database: test.database, lease, signal: stop.signal },
      async (client) => {
        await client.query('insert into written values (3)');
        const asleep = client.query('select pg_sleep(600)');
        while (!(await sleeps())) await delay(5);
        stop.abort();
        await asleep;
      },
    );
    await expect(interrupted).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    expect(await written()).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('does not begin once its signal is aborted', async () => {
    const context = { database: test.database, lease, signal: AbortSignal.abort() };
    await expect(interruptibleTransaction(context, async () => expect.unreachable())).rejects.toThrow(/abort/i);
  });

  const sleeps = async (): Promise<boolean> => {
    const rows = await test.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    );
    return rows.length > 0;
  };
});
