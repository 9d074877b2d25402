import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireWriter, lastWriter, type Writer } from './fencing.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

/** Waits up to ten seconds. */
const until = async (condition: () => boolean): Promise<void> => {
  for (let i = 0; i < 500 && !condition(); i += 1) await pause(20);
};

describe('the writer lock', () => {
  let test: TestDatabase;
  let children: ChildProcess[];
  beforeEach(async () => {
    children = [];
    test = await createTestDatabase();
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await test.drop();
  });

  const acquire = (holder: string, onWait?: (current: Writer) => void, signal?: AbortSignal) =>
    acquireWriter({
      connectionString: test.connectionString,
      holder,
      pollMs: 50,
      heartbeatMs: 500,
      ...(onWait === undefined ? {} : { onWait }),
      ...(signal === undefined ? {} : { signal }),
    });

  const terminateLock = (): Promise<unknown> =>
    test.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'kagami writer lock'`,
    );

  it('counts writers and remembers the last', async () => {
    expect(await lastWriter(test.database)).toBeUndefined();
    const first = await acquire('one');
    expect(first).toMatchObject({ token: 1n, holder: 'one' });
    expect(first.since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    await first.release();
    await first.release();
    const second = await acquire('two');
    expect(second.token).toBe(2n);
    expect(await lastWriter(test.database)).toEqual({ token: 2n, holder: 'two', since: second.since });
    expect(first.lost.aborted).toBe(false);
    await second.release();
  });

  it('lets one work while the other waits and knows for whom', async () => {
    const first = await acquire('one');
    const waits: Writer[] = [];
    let secondToken: bigint | undefined;
    const second = acquire('two', (current) => waits.push(current)).then((lease) => {
      secondToken = lease.token;
      return lease;
    });
    await until(() => waits.length > 0);
    await pause(200);
    expect(secondToken).toBeUndefined();
    expect(waits).toEqual([{ token: 1n, holder: 'one', since: first.since }]);
    await test.database.transaction((client) => first.check(client));
    await first.release();
    const lease = await second;
    expect(lease.token).toBe(2n);
    await lease.release();
  });

  it('can be told to stop waiting', async () => {
    const first = await acquire('one');
    const controller = new AbortController();
    const waiting = acquire('two', () => controller.abort(new Error('enough')), controller.signal);
    await expect(waiting).rejects.toThrow('enough');
    await first.release();
  });

  it('fences a writer that does not know yet that it lost the lock', async () => {
    const first = await acquire('one');
    await terminateLock();
    const second = await acquire('two');
    await expect(test.database.transaction((client) => first.check(client))).rejects.toMatchObject({
      code: 'WRITER_FENCED',
      details: { token: 1n, current: '2' },
    });
    await test.database.transaction((client) => second.check(client));
    expect(first.lost.aborted).toBe(true);
    await second.release();
  });

  it('lets a checked transaction end before the next writer begins', async () => {
    await test.database.query('create table written (by text)');
    const first = await acquire('one');
    let second: Promise<{ token: bigint; release(): Promise<void> }> | undefined;
    let taken = false;
    await test.database.transaction(async (client) => {
      await first.check(client);
      await terminateLock();
      second = acquire('two').then((lease) => {
        taken = true;
        return lease;
      });
      await pause(400);
      expect(taken).toBe(false);
      await client.query(`insert into written values ('one')`);
    });
    const lease = await second;
    expect(lease?.token).toBe(2n);
    expect(await test.database.query('select by from written')).toEqual([{ by: 'one' }]);
    await lease?.release();
  });

  it('tells the holder when its connection breaks', async () => {
    const lease = await acquire('one');
    const lost = once(lease.lost, 'abort');
    await terminateLock();
    await lost;
    expect(lease.lost.reason).toMatchObject({ code: 'WRITER_FENCED' });
    await lease.release();
  });

  it.each(['idle', 'sleep'])('passes to the next when the holder is killed in a transaction (%s)', async (mode) => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'testing/writer-process.fixture.ts'), test.connectionString, mode],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    children.push(child);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    const waits: string[] = [];
    const second = acquire('second', ({ holder }) => waits.push(holder));
    await until(() => waits.length > 0);
    expect(waits).toEqual(['first']);
    const killed = performance.now();
    child.kill('SIGKILL');
    const lease = await second;
    expect(performance.now() - killed).toBeLessThan(15_000);
    expect(lease.token).toBe(2n);
    await test.database.transaction(async (client) => {
      await lease.check(client);
      expect(await client.query(`select to_regclass('written') as written`)).toEqual([{ written: null }]);
    });
    await lease.release();
  });
});
