/** Jobs beside the import that run again and again: one run at a time, at a fixed pace, until a signal. */
import type { CronSchedule } from './cron.ts';

export interface PeriodicJob {
  /** Names the job to people. */
  readonly name: string;
  /** Milliseconds from the start of one run to the start of the next. */
  readonly everyMs: number;
  /** One run; its signal is the job's. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Ends the job; a run in work should end early then. */
  readonly signal: AbortSignal;
  /** Told what a run failed with; the next run follows all the same. */
  readonly onError: (failure: JobFailure) => void;
}

export interface ScheduledJob extends Omit<PeriodicJob, 'everyMs'> {
  readonly schedule: CronSchedule;
}

export interface JobFailure {
  readonly name: string;
  readonly cause: unknown;
  /** Failed runs since the start, this one included. */
  readonly failures: number;
}

/**
 * Runs a job at once and then every `everyMs`. A run that takes longer delays the next one, and beats that it missed are
 * not made up for. Resolves when the signal is aborted and no run is in work; never rejects.
 */
export const runPeriodically = async ({ everyMs, ...job }: PeriodicJob): Promise<void> => {
  const attempt = attemptsOf(job);
  let due = performance.now();
  while (!job.signal.aborted) {
    await attempt();
    due = Math.max(due + everyMs, performance.now());
    await until(due, job.signal);
  }
};

/**
 * Runs a job at the times of a schedule, the first time not before one of them. A time that falls into a run is left
 * out. Resolves when the signal is aborted and no run is in work, or when no time is left; never rejects.
 */
export const runOnSchedule = async ({ schedule, ...job }: ScheduledJob): Promise<void> => {
  const attempt = attemptsOf(job);
  while (!job.signal.aborted) {
    const waitMs = schedule(new Date());
    if (waitMs === undefined) return;
    await until(performance.now() + waitMs, job.signal);
    if (!job.signal.aborted) await attempt();
  }
};

/** One run at each call, whose failure is told. */
const attemptsOf = ({ name, run, signal, onError }: Omit<PeriodicJob, 'everyMs'>): (() => Promise<void>) => {
  let failures = 0;
  return async () => {
    try {
      await run(signal);
    } catch (cause) {
      // What a run throws because it was told to end is no failure.
      if (!signal.aborted) onError({ name, cause, failures: ++failures });
    }
  };
};

/** Longest time that a timer of the runtime can wait; beyond, it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits until the monotonic clock shows `due`, or for the signal. Takes at least one turn of the event loop. */
const until = async (due: number, signal: AbortSignal): Promise<void> => {
  do {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => resolve();
    const timer = setTimeout(end, Math.min(Math.max(due - performance.now(), 0), LONGEST_TIMER_MS));
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  } while (!signal.aborted && performance.now() < due);
};
