/** Jobs beside the import that run again and again: one run at a time, at a fixed frequency, until a signal. */

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
export const runPeriodically = async ({ name, everyMs, run, signal, onError }: PeriodicJob): Promise<void> => {
  let failures = 0;
  let due = performance.now();
  while (!signal.aborted) {
    try {
      await run(signal);
    } catch (cause) {
      // What a run throws because it was told to end is no failure.
      if (!signal.aborted) onError({ name, cause, failures: ++failures });
    }
    due = Math.max(due + everyMs, performance.now());
    await until(due, signal);
  }
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
