import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type JobFailure, runOnSchedule, runPeriodically } from './schedule.ts';

describe('runPeriodically', () => {
  const stopping = { current: new AbortController() };
  beforeEach(() => {
    vi.useFakeTimers();
    stopping.current = new AbortController();
  });
  afterEach(() => {
    stopping.current.abort();
    vi.useRealTimers();
  });

  interface Run {
    readonly at: number;
    readonly lasts: number;
  }

  /** A job every 100 ms whose runs last as given, then 0 ms; failing with those texts. */
  const job = (lasting: readonly number[], failing: Readonly<Record<number, string>> = {}, everyMs = 100) => {
    const runs: Run[] = [];
    const failures: JobFailure[] = [];
    const started = performance.now();
    let inWork = 0;
    const ended = runPeriodically({
      name: 'sweep',
      everyMs,
      signal: stopping.current.signal,
      onError: (failure) => failures.push(failure),
      run: async (signal) => {
        expect(++inWork).toBe(1);
        expect(signal).toBe(stopping.current.signal);
        const number = runs.length;
        const lasts = lasting[number] ?? 0;
        runs.push({ at: performance.now() - started, lasts });
        if (lasts > 0) await new Promise((resolve) => setTimeout(resolve, lasts));
        inWork--;
        const failure = failing[number];
        if (failure !== undefined) throw new Error(failure);
      },
    });
    return { runs, failures, ended };
  };

  it('runs at once and then at a fixed frequency, however long a run takes', async () => {
    const { runs } = job([30, 99, 0]);
    await vi.advanceTimersByTimeAsync(350);
    expect(runs.map(({ at }) => at)).toEqual([0, 100, 200, 300]);
  });

  it('runs one at a time: a slow run delays the next one and missed beats are left out', async () => {
    const { runs } = job([250]);
    await vi.advanceTimersByTimeAsync(460);
    // A timer takes at least a millisecond.
    expect(runs.map(({ at }) => at)).toEqual([0, 251, 350, 450]);
  });

  it('goes on after a failed run, which it reports and counts', async () => {
    const { runs, failures } = job([0, 10], { 0: 'no connection', 1: 'no space' });
    await vi.advanceTimersByTimeAsync(250);
    expect(runs.length).toBe(3);
    expect(failures).toEqual([
      { name: 'sweep', cause: new Error('no connection'), failures: 1 },
      { name: 'sweep', cause: new Error('no space'), failures: 2 },
    ]);
  });

  it('ends between two runs as soon as the signal comes', async () => {
    const { runs, ended } = job([]);
    await vi.advanceTimersByTimeAsync(150);
    stopping.current.abort();
    await ended;
    expect(runs.length).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for the run in work, whose failure no longer counts', async () => {
    const { runs, failures, ended } = job([50], { 0: 'aborted' });
    await vi.advanceTimersByTimeAsync(10);
    stopping.current.abort();
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
    });
    await vi.advanceTimersByTimeAsync(30);
    expect(hasEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(10);
    await ended;
    expect(runs.length).toBe(1);
    expect(failures).toEqual([]);
  });

  it('never runs after a signal that came before', async () => {
    stopping.current.abort();
    const { runs, ended } = job([]);
    await ended;
    expect(runs).toEqual([]);
  });

  it('can wait longer than a timer of the runtime does', async () => {
    const days = 86_400_000;
    const { runs } = job([], {}, 60 * days);
    await vi.advanceTimersByTimeAsync(59 * days);
    expect(runs.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1 * days);
    expect(runs.map(({ at }) => at)).toEqual([0, 60 * days]);
  });
});

describe('runOnSchedule', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const HOUR = 3_600_000;
  const everyHour = (now: Date): number => HOUR - (now.getTime() % HOUR);

  it('begins at the times that come, never at once, leaves out those within a run, and reports failures', async () => {
    vi.setSystemTime(new Date('2026-03-01T10:40:00Z'));
    const stopping = new AbortController();
    const runs: string[] = [];
    const failures: JobFailure[] = [];
    const ended = runOnSchedule({
      name: 'sweep',
      schedule: everyHour,
      signal: stopping.signal,
      onError: (failure) => failures.push(failure),
      run: async () => {
        runs.push(new Date().toISOString());
        if (runs.length === 1) await new Promise((resolve) => setTimeout(resolve, HOUR + 1));
        if (runs.length === 2) throw new Error('no connection');
      },
    });
    await vi.advanceTimersByTimeAsync(4 * HOUR);
    stopping.abort();
    await ended;
    expect(runs).toEqual(['2026-03-01T11:00:00.000Z', '2026-03-01T13:00:00.000Z', '2026-03-01T14:00:00.000Z']);
    expect(failures).toEqual([{ name: 'sweep', cause: new Error('no connection'), failures: 1 }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends when no time is left', async () => {
    const run = vi.fn(async () => undefined);
    const signal = new AbortController().signal;
    await runOnSchedule({ name: 'sweep', schedule: () => undefined, run, signal, onError: () => undefined });
    expect(run).not.toHaveBeenCalled();
  });
});
