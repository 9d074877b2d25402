import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Script, ScriptedAnswer } from './testing/scripted-worker.ts';
import { type PoolOptions, type TaskOptions, WorkerPool } from './worker-pool.ts';

type Pool = WorkerPool<Script, ScriptedAnswer>;

const pools: Pool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop(0)));
});

const poolWith = (options: Partial<PoolOptions> = {}, startGate?: number) => {
  const gates = new Int32Array(new SharedArrayBuffer(64));
  const closed = new Int32Array(new SharedArrayBuffer(4));
  const pool: Pool = new WorkerPool({
    file: new URL('./testing/scripted-worker.ts', import.meta.url),
    workerData: { gates, closed, startGate },
    heapMb: 64,
    size: 1,
    queueSize: 100,
    longGas: 1_000,
    timeoutMs: 60_000,
    longAfterMs: 60_000,
    ...options,
  });
  pools.push(pool);
  const run = (task: Script, options?: TaskOptions) => pool.run(task, options);
  const openGate = (gate: number): void => {
    Atomics.store(gates, gate, 1);
    Atomics.notify(gates, gate);
  };
  return { pool, run, openGate, closed };
};

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'answered',
    (error) => error.code,
  );

const answer = { do: 'answer' } as const;

/** Until so many tasks have a thread. */
const running = (pool: Pool, number: number): Promise<void> =>
  vi.waitFor(() => expect(pool.figures.running).toBe(number), 20_000);

describe('threads', () => {
  it('are started when needed, as many as needed, and used again', async () => {
    const { pool, run, openGate } = poolWith({ size: 2 });
    expect(pool.figures).toEqual({ threads: 0, running: 0, waiting: 0, lost: 0 });
    expect(await run(answer)).toEqual({ task: answer, commits: 0 });
    expect(pool.figures).toEqual({ threads: 1, running: 0, waiting: 0, lost: 0 });
    const waiting = [run({ do: 'wait', gate: 0 }), run({ do: 'wait', gate: 0 }), run({ do: 'wait', gate: 0 })];
    await running(pool, 2);
    expect(pool.figures).toEqual({ threads: 2, running: 2, waiting: 1, lost: 0 });
    openGate(0);
    await Promise.all(waiting);
    expect(pool.figures).toEqual({ threads: 2, running: 0, waiting: 0, lost: 0 });
  });

  it('that take longer to start than a task may are kept', async () => {
    const { pool, run, openGate } = poolWith({ graceMs: 0 }, 7);
    await expect(pool.run(answer, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'SIMULATION_TIMEOUT',
    });
    expect(pool.figures).toEqual({ threads: 1, running: 0, waiting: 0, lost: 0 });
    const next = run(answer);
    openGate(7);
    expect(await next).toEqual({ task: answer, commits: 0 });
    expect(pool.figures).toEqual({ threads: 1, running: 0, waiting: 0, lost: 0 });
  });

  it('answer faults by their code', async () => {
    const { run } = poolWith();
    await expect(run({ do: 'throw', code: 'DATABASE_TIMEOUT' })).rejects.toMatchObject({
      code: 'DATABASE_TIMEOUT',
      message: 'too slow',
      retryable: true,
    });
    await expect(run({ do: 'throw', code: undefined })).rejects.toMatchObject({
      code: 'SIMULATION_FAILED',
      message: 'a fault',
      details: { stack: expect.stringContaining('TypeError: a fault') },
    });
    expect(await run(answer)).toMatchObject({ task: answer });
  });

  it.each([{ do: 'exit' }, { do: 'fail', gate: 0 }] as const)('that end are replaced: %j', async (task) => {
    const onThreadLost = vi.fn();
    const { pool, run } = poolWith({ onThreadLost });
    const lost = codeOf(run(task));
    const next = run(answer);
    expect(await lost).toBe('SIMULATION_FAILED');
    expect(await next).toMatchObject({ task: answer });
    expect(pool.figures).toEqual({ threads: 1, running: 0, waiting: 0, lost: 1 });
    expect(onThreadLost).toHaveBeenCalledTimes(1);
  });

  it('whose file cannot be loaded refuse their tasks', async () => {
    const { run } = poolWith({ file: new URL('./testing/absent-worker.ts', import.meta.url) });
    expect(await Promise.all([codeOf(run(answer)), codeOf(run(answer))])).toEqual([
      'SIMULATION_FAILED',
      'SIMULATION_FAILED',
    ]);
  });
});

describe('the deadline', () => {
  it('is told to the task, on the clock of its thread', async () => {
    const { pool, run } = poolWith({ timeoutMs: 50, graceMs: 60_000 });
    await pool.run(answer, { timeoutMs: 60_000 });
    await expect(run({ do: 'respect-deadline' })).rejects.toMatchObject({
      code: 'SIMULATION_TIMEOUT',
      message: 'past the deadline',
      details: { pc: 7 },
    });
    expect(pool.figures).toMatchObject({ threads: 1, lost: 0 });
  });

  it('ends a thread that does not keep it', async () => {
    const { pool, run } = poolWith({ timeoutMs: 20, graceMs: 20 });
    await pool.run(answer, { timeoutMs: 60_000 });
    expect(await codeOf(run({ do: 'spin' }))).toBe('SIMULATION_TIMEOUT');
    expect(pool.figures).toMatchObject({ threads: 0, lost: 1 });
  });

  it('holds for those who wait, too', async () => {
    const { pool, run, openGate } = poolWith({ timeoutMs: 50, graceMs: 60_000 });
    await pool.run(answer, { timeoutMs: 60_000 });
    const first = run({ do: 'wait', gate: 0 });
    expect(await codeOf(run(answer))).toBe('SIMULATION_TIMEOUT');
    expect(pool.figures).toMatchObject({ running: 1, waiting: 0 });
    openGate(0);
    await first;
  });
});

describe('the queue', () => {
  it('is bounded', async () => {
    const { run, openGate } = poolWith({ queueSize: 2 });
    const taken = [run({ do: 'wait', gate: 0 }), run(answer), run(answer)];
    expect(await codeOf(run(answer))).toBe('SIMULATION_BUSY');
    openGate(0);
    expect(await Promise.all(taken)).toHaveLength(3);
    expect(await codeOf(run(answer))).toBe('answered');
  });

  it('may have no room at all', async () => {
    const { run, openGate } = poolWith({ queueSize: 0 });
    const taken = run({ do: 'wait', gate: 0 });
    expect(await codeOf(run(answer))).toBe('SIMULATION_BUSY');
    openGate(0);
    expect(await codeOf(taken)).toBe('answered');
  });

  it('is full for those who fill it', async () => {
    const { pool, run, openGate } = poolWith({ queueSize: 3 });
    const many = Array.from({ length: 4 }, () => codeOf(run({ do: 'wait', gate: 0 }, { client: 'greedy' })));
    await running(pool, 1);
    const few = codeOf(run(answer, { client: 'modest' }));
    openGate(0);
    expect(await few).toBe('answered');
    expect(await Promise.all(many)).toEqual(['answered', 'answered', 'answered', 'SIMULATION_BUSY']);
  });

  it('gives clients their turns', async () => {
    const { pool, run, openGate } = poolWith();
    const order: string[] = [];
    const ask = (client: string) => run(answer, { client }).then(() => order.push(client));
    const first = run({ do: 'wait', gate: 0 });
    await running(pool, 1);
    const asked = [...['a', 'a', 'a', 'a'], ...['b', 'b'], 'c'].map(ask);
    openGate(0);
    await Promise.all([first, ...asked]);
    // What each task took isn't the same every time, but is far below what was charged for the first one.
    expect(order.slice(0, 3).toSorted()).toEqual(['a', 'b', 'c']);
    expect(order.slice(-1)).toEqual(['a']);
  });
});

describe('a long call', () => {
  it('leaves others its thread by taking it along', async () => {
    const { pool, run, openGate } = poolWith({ longAfterMs: 20 });
    const long = run({ do: 'hold', gate: 0 });
    expect(await run(answer)).toMatchObject({ task: answer });
    expect(pool.figures).toEqual({ threads: 2, running: 1, waiting: 0, lost: 0 });
    openGate(0);
    await long;
  });

  it('makes room where there is no more, and begins anew', async () => {
    const { pool, run, openGate } = poolWith({ longAfterMs: 20 });
    const first = run({ do: 'hold', gate: 0 });
    const second = run({ do: 'work', gate: 1 });
    expect(await run(answer)).toMatchObject({ task: answer });
    expect(pool.figures).toEqual({ threads: 2, running: 1, waiting: 1, lost: 0 });
    openGate(1);
    openGate(0);
    expect(await Promise.all([codeOf(first), codeOf(second)])).toEqual(['answered', 'answered']);
  });

  it('is known for its client the next time, until it is short', async () => {
    const { pool, run, openGate } = poolWith({ longAfterMs: 20 });
    const long: TaskOptions = { client: 'a', likeness: 'f' };
    const first = run({ do: 'hold', gate: 0 }, { client: 'b' });
    const second = run({ do: 'work', gate: 1 }, long);
    await run(answer);
    const third = run(answer, long);
    await run(answer, { ...long, client: 'b' });
    // Only those that are known for long wait behind the one that holds the lane.
    expect(pool.figures).toMatchObject({ running: 1, waiting: 2 });
    openGate(1);
    openGate(0);
    await Promise.all([first, second, third]);
    const last = run({ do: 'wait', gate: 2 }, long);
    await running(pool, 1);
    openGate(2);
    await last;
  });

  it('waits only with as much gas as may wait, most of it not of one client', async () => {
    const { pool, run, openGate } = poolWith({ longAfterMs: 20, longGas: 1_000 });
    const ask = (client: string, gas: number) => codeOf(run({ do: 'work', gate: 1 }, { client, gas }));
    const first = run({ do: 'hold', gate: 0 });
    const greedy = [ask('greedy', 600), ask('greedy', 300), ask('greedy', 300)];
    await run(answer);
    const modest = ask('modest', 400);
    await run(answer);
    await vi.waitFor(() => expect(pool.figures).toMatchObject({ running: 1, waiting: 2 }), 20_000);
    openGate(1);
    openGate(0);
    await first;
    expect((await Promise.all(greedy)).toSorted()).toEqual([
      'SIMULATION_CLIENT_BUSY',
      'SIMULATION_CLIENT_BUSY',
      'answered',
    ]);
    expect(await modest).toBe('answered');
  });

  it('is waited for at most until the deadline', async () => {
    const { run, openGate } = poolWith({ longAfterMs: 20, graceMs: 60_000 });
    const first = run({ do: 'hold', gate: 0 });
    const late = codeOf(run({ do: 'work', gate: 1 }, { timeoutMs: 3_000 }));
    await run(answer);
    expect(await late).toBe('SIMULATION_TIMEOUT');
    openGate(0);
    await first;
  });

  it('is the only one that may hold a thread beyond those of short calls', async () => {
    const { pool, run, openGate, closed } = poolWith({ longAfterMs: 20, keepExtraMs: 0 });
    const held = [run({ do: 'hold', gate: 0 }), run({ do: 'hold', gate: 0 }), run(answer)];
    await running(pool, 2);
    expect(pool.figures).toEqual({ threads: 2, running: 2, waiting: 1, lost: 0 });
    openGate(0);
    expect(await Promise.all(held)).toHaveLength(3);
    const figures = { threads: 1, running: 0, waiting: 0, lost: 0 };
    await vi.waitFor(() => expect(pool.figures).toEqual(figures), 20_000);
    expect(closed[0]).toBeGreaterThan(0);
  });
});

describe('a trace', () => {
  it('keeps no call waiting, and no client all threads', async () => {
    const { pool, run, openGate } = poolWith({ size: 2 });
    const trace = (client: string) => run({ do: 'wait', gate: 0 }, { client, isTrace: true });
    const traces = [trace('a'), trace('a'), trace('a')];
    await running(pool, 1);
    expect(await run(answer, { client: 'a' })).toMatchObject({ task: answer });
    traces.push(trace('b'));
    await running(pool, 2);
    expect(await run(answer)).toMatchObject({ task: answer });
    expect(pool.figures).toMatchObject({ running: 2, waiting: 2 });
    openGate(0);
    expect(await Promise.all(traces)).toHaveLength(4);
  });
});

describe('a committed block', () => {
  it('is known to every task that is asked for after it', async () => {
    const { pool, run } = poolWith({ size: 2 });
    await Promise.all([run(answer), run(answer)]);
    for (let commits = 1; commits <= 20; commits++) {
      pool.onBlockCommitted();
      const answers = await Promise.all([run(answer), run(answer), run(answer)]);
      expect(answers.map((one) => one.commits)).toEqual([commits, commits, commits]);
    }
  });

  it('is known to those who waited while a task held the thread', async () => {
    const { pool, run, openGate } = poolWith();
    const before = run({ do: 'hold', gate: 0 });
    await running(pool, 1);
    pool.onBlockCommitted();
    const after = run(answer);
    openGate(0);
    expect([(await before).commits, (await after).commits]).toEqual([0, 1]);
  });
});

describe('a stop', () => {
  it('lets tasks end, refuses new ones, and lets the threads close what they hold', async () => {
    const { pool, run, openGate, closed } = poolWith();
    const running = run({ do: 'wait', gate: 0 });
    const waiting = run(answer);
    const stopping = pool.stop(60_000);
    expect(await codeOf(run(answer))).toBe('SIMULATION_STOPPED');
    openGate(0);
    expect(await codeOf(running)).toBe('answered');
    expect(await codeOf(waiting)).toBe('answered');
    await stopping;
    expect(closed[0]).toBe(1);
    expect(pool.figures).toEqual({ threads: 0, running: 0, waiting: 0, lost: 0 });
  });

  it('does not wait for ever', async () => {
    const { pool, run } = poolWith();
    const outcomes = Promise.all([codeOf(run({ do: 'spin' })), codeOf(run(answer))]);
    await pool.stop(10);
    expect(await outcomes).toEqual(['SIMULATION_STOPPED', 'SIMULATION_STOPPED']);
    expect(pool.figures).toMatchObject({ threads: 0, waiting: 0 });
  });

  it('of a pool that was never used is nothing', async () => {
    const { pool, run } = poolWith();
    await pool.stop(60_000);
    expect(await codeOf(run(answer))).toBe('SIMULATION_STOPPED');
  });
});
