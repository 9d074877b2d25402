/** Work that goes on beside the import of blocks. */
export type SideJob = (signal: AbortSignal) => Promise<void>;

/**
 * Runs jobs beside `work` until that ends or `until` is aborted. A job that fails, which is one whose settings are wrong,
 * ends the work early, and its fault is thrown.
 */
export const besideWork = async (until: AbortSignal, jobs: readonly SideJob[], work: SideJob): Promise<void> => {
  const ending = new AbortController();
  const signal = AbortSignal.any([until, ending.signal]);
  const running = jobs.map((job) => job(signal));
  for (const job of running) job.catch(() => ending.abort());
  try {
    await work(signal);
  } finally {
    ending.abort();
    await Promise.all(running);
  }
};
