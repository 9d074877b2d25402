import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Script, ScriptedAnswer } from './testing/scripted-worker.ts';
import { type PoolOptions, WorkerPool } from './worker-pool.ts';

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
    timeoutMs: 60_000,
    longAfterMs: 60_000,
    ...options,
  });
  pools.push(pool);
  const run = (task: Script, isLong = false) => pool.run(task, { isLong });
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

describe('threads', () => {
  it('are started when needed, as many as needed, and used again', async () => {
    const { pool, run, openGate } = poolWith({ size: 2 });
    expect(pool.figures).toEqual({ threads: 0, running: 0, waiting: 0, lost: 0 });
    expect(await run(answer)).toEqual({ task: answer, commits: 0 });
    expect(pool.figures).toEqual({ threads: 1, running: 0, waiting: 0, lost: 0 });
    const waiting = [run({ do: 'wait', gate: 0 }), run({ do: 'wait', gate: 0 }), run({ do: 'wait', gate: 0 })];
    expect(pool.figures).toEqual({ threads: 2, running: 2, waiting: 1, lost: 0 });
    openGate(0);
    await Promise.all(waiting);
    expect(pool.figures).toEqual({ threads: 2, running: 0, waiting: 0, lost: 0 });
  });

  it('that take longer to start than a task may are kept', async () => {
    const { pool, run, openGate } = poolWith({ graceMs: 0 }, 7);
    await expect(pool.run(answer, { isLong: false, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'SIMULATION_TIMEOUT',
    });
    expect(pool.figures).toEqual({ threads: 1, running: 1, waiting: 0, lost: 0 });
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
    await expect(run({ do: 'respect-deadline' })).rejects.toMatchObject({
      code: 'SIMULATION_TIMEOUT',
      message: 'past the deadline',
      details: { pc: 7 },
    });
    expect(pool.figures).toMatchObject({ threads: 1, lost: 0 });
  });

  it('ends a thread that does not keep it', async () => {
    const { pool, run } = poolWith({ timeoutMs: 20, graceMs: 20 });
    await pool.run(answer, { isLong: false, timeoutMs: 60_000 });
    expect(await codeOf(run({ do: 'spin' }))).toBe('SIMULATION_TIMEOUT');
    expect(pool.figures).toMatchObject({ threads: 0, lost: 1 });
  });

  it('holds for those who wait, too', async () => {
    const { pool, run, openGate } = poolWith({ timeoutMs: 50, graceMs: 60_000 });
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

  it('keeps a thread for short tasks', async () => {
    const { pool, run, openGate } = poolWith({ size: 2 });
    const long = [run({ do: 'wait', gate: 0 }, true), run({ do: 'wait', gate: 1 }, true)];
    await run(answer);
    expect(pool.figures).toMatchObject({ threads: 2, running: 1, waiting: 1 });
    const short = run({ do: 'wait', gate: 2 });
    openGate(0);
    await long[0];
    expect(pool.figures).toMatchObject({ running: 2, waiting: 0 });
    openGate(1);
    openGate(2);
    await Promise.all([short, ...long]);
  });

  it('runs long tasks also with one thread', async () => {
    const { run } = poolWith();
    expect(await run(answer, true)).toMatchObject({ task: answer });
  });

  it('starts further threads while others are held for long, and ends them afterwards', async () => {
    const { pool, run, openGate, closed } = poolWith({ size: 1, longAfterMs: 0, keepExtraMs: 0 });
    const held = run({ do: 'hold', gate: 0 });
    expect(await run(answer)).toMatchObject({ task: answer });
    await vi.waitFor(() => expect(closed[0]).toBe(1), 20_000);
    expect(pool.figures).toEqual({ threads: 1, running: 1, waiting: 0, lost: 0 });
    openGate(0);
    await held;
    expect(pool.figures).toEqual({ threads: 1, running: 0, waiting: 0, lost: 0 });
  });

  it('never has more than twice the threads', async () => {
    const { pool, run, openGate } = poolWith({ size: 1, longAfterMs: 0 });
    const held = [run({ do: 'hold', gate: 0 }), run({ do: 'hold', gate: 0 }), run(answer)];
    expect(pool.figures).toEqual({ threads: 2, running: 2, waiting: 1, lost: 0 });
    openGate(0);
    expect(await Promise.all(held)).toHaveLength(3);
    expect(pool.figures).toEqual({ threads: 2, running: 0, waiting: 0, lost: 0 });
  });

  it('gets a further thread as soon as a task counts as long', async () => {
    const { run, openGate } = poolWith({ size: 1, longAfterMs: 30 });
    const held = run({ do: 'hold', gate: 0 });
    expect(await run(answer)).toMatchObject({ task: answer });
    openGate(0);
    await held;
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
