/** Collections of garbage in threads that are never idle. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds. Some ten MiB of garbage come together in that time; to collect them takes about a tenth of a second. */
const EVERY_MS = 300_000;

type Collect = (options: { readonly type: 'major'; readonly execution: 'async' }) => Promise<void>;

/** The engine's own function, which only contexts have that are made while its flag is set. */
const openCollector = (): Collect => {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as Collect;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
};

/**
 * Collects all garbage of the calling thread every five minutes. By itself the engine looks at the old generation when that
 * has grown by half, or when the thread is idle: one that does a little all the time grows for hours before it is looked at.
 * @returns to be called when the thread has no more to do
 */
export const collectRegularly = (everyMs = EVERY_MS, collect = openCollector()): (() => void) => {
  const timer = setInterval(() => void collect({ type: 'major', execution: 'async' }), everyMs).unref();
  return () => clearInterval(timer);
};
