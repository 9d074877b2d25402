import { describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { Job } from './job-messages.ts';
import { JobQueue, type JobQueueOptions, type JobRunner } from './job-queue.ts';

const job = (compilerVersion: string): Extract<Job, { kind: 'metadata' }> => ({
  kind: 'metadata',
  input: {},
  compilerVersion,
});

/** Runners whose jobs end when the test says so. */
const openQueue = (changes: Partial<JobQueueOptions> = {}) => {
  const running = new Map<string, PromiseWithResolvers<unknown>>();
  const order: string[] = [];
  let started = 0;
  const start = (): JobRunner => {
    started++;
    let hasEnded = false;
    let current: PromiseWithResolvers<unknown> | undefined;
    return {
      get hasEnded() {
        return hasEnded;
      },
      run: (one) => {
        const name = (one as { compilerVersion: string }).compilerVersion;
        order.push(name);
        current = Promise.withResolvers();
        running.set(name, current);
        return current.promise;
      },
      end: async (reason) => {
        hasEnded = true;
        current?.reject(reason);
      },
    };
  };
  const queue = new JobQueue({
    concurrent: 1,
    waiting: 10,
    waitingOfClient: 10,
    timeoutMs: 1_000,
    keepMs: 1_000,
    start,
    ...changes,
  });
  const finish = async (name: string): Promise<void> => {
    running.get(name)?.resolve(name);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, order, finish, running, startedRunners: () => started };
};

describe('the queue of verifications', () => {
  it('lets clients take turns', async () => {
    const { queue, order, finish, startedRunners } = openQueue();
    const answers = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => queue.run(job(name), 'a')),
      ...['b1', 'b2'].map((name) => queue.run(job(name), 'b')),
    ];
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3', 'a4']) await finish(name);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
    expect(await Promise.all(answers)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2']);
    expect(startedRunners()).toBe(1);
    await queue.stop();
  });

  it('runs so many at once, and refuses when too many wait', async () => {
    const { queue, order } = openQueue({ concurrent: 2, waiting: 3, waitingOfClient: 2 });
    const started = ['1', '2', '3', '4'].map((name) =>
      queue.run(job(name), 'a').catch((error: KagamiError) => error.code),
    );
    expect(order).toEqual(['1', '2']);
    await expect(queue.run(job('5'), 'a')).rejects.toMatchObject({ code: 'VERIFICATION_BUSY' });
    const other = queue.run(job('6'), 'b').catch((error: KagamiError) => error.code);
    await expect(queue.run(job('7'), 'c')).rejects.toMatchObject({ code: 'VERIFICATION_BUSY' });
    await queue.stop();
    expect(await Promise.all([...started, other])).toEqual(Array(5).fill('VERIFICATION_STOPPED'));
    await expect(queue.run(job('8'), 'a')).rejects.toMatchObject({ code: 'VERIFICATION_STOPPED' });
  });

  it('goes on after a job that failed, with a new runner if that one ended', async () => {
    const runners: JobRunner[] = [];
    const { queue } = openQueue({
      start: () => {
        let hasEnded = false;
        const runner: JobRunner = {
          get hasEnded() {
            return hasEnded;
          },
          run: async () => {
            hasEnded = runners.length === 1;
            if (hasEnded) throw new KagamiError('VERIFICATION_TIMEOUT', 'too long');
            return 'done';
          },
          end: async () => undefined,
        };
        runners.push(runner);
        return runner;
      },
    });
    await expect(queue.run(job('1'), 'a')).rejects.toMatchObject({ code: 'VERIFICATION_TIMEOUT' });
    expect(await queue.run(job('2'), 'a')).toBe('done');
    expect(await queue.run(job('3'), 'a')).toBe('done');
    expect(runners).toHaveLength(2);
    await queue.stop();
  });
});
