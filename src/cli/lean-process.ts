/** The memory of the main thread's young generation, which by default grows to 128 MiB and seldom shrinks. */
import { setFlagsFromString } from 'node:v8';

const FLAG = '--max-semi-space-size';

/**
 * MiB of a semi-space, of which the young generation has two. What answers and simulated blocks are made of lives briefly, but
 * with less space the collector meets a page of transactions while it is being made, and copies most of it: with 4 MiB a
 * request takes Node half as much CPU again.
 */
const SEMI_SPACE_MB = 8;

/**
 * MiB of a heap's old generation, in every thread, at which the collector looks at it first. By default that is half of its
 * bound: until then what an import has read and sent lies about outside of the heap.
 */
const FIRST_COLLECTION = '--initial-old-space-size=32';

/**
 * Answers that are kept would teach V8 that such objects grow old. It then makes all of them in the old generation, also those
 * that nobody keeps, and the bytes of every answer wait for a collection of all garbage, of which there were three a second.
 */
const NO_OLD_BIRTHS = '--no-allocation-site-pretenuring';

/**
 * The C library (glibc) keeps freed memory by arenas, of which it would make one for nearly every thread. And it takes ever
 * larger blocks from them instead of from the system, once such a block was freed, unless a threshold is set: then what
 * compilers and buffers leave behind is never given back.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

/** What this needs of `process`. */
export interface Relaunchable {
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  readonly execPath: string;
  readonly env: NodeJS.ProcessEnv;
  readonly connected?: boolean;
  readonly execve?: ((file: string, args: readonly string[], env: NodeJS.ProcessEnv) => void) | undefined;
}

/** Whether somebody, we or an operator (also in NODE_OPTIONS), has chosen the size. */
const isChosen = ({ execArgv, env }: Relaunchable): boolean =>
  [...execArgv, ...(env.NODE_OPTIONS ?? '').split(/\s+/)].some((option) =>
    option.replaceAll('_', '-').startsWith(FLAG),
  );

/**
 * Replaces this process by one with the same identity whose young generation is small: V8 reads the size only when it
 * makes a heap. Where a process can't be replaced (Windows, a channel to the parent), it goes on as it is.
 *
 * The option would also bind the heaps of threads, which have bounds of their own: it is taken back when it has done its
 * work.
 */
export const keepHeapSmall = (current: Relaunchable = process, setFlags = setFlagsFromString): void => {
  if (isChosen(current)) {
    setFlags(`${FLAG}=0`);
    return;
  }
  if (current.execve === undefined || current.connected === true) return;
  const [, ...scriptAndArguments] = current.argv;
  const options = [`${FLAG}=${SEMI_SPACE_MB}`, FIRST_COLLECTION, NO_OLD_BIRTHS, ...current.execArgv];
  current.execve(current.execPath, [current.execPath, ...options, ...scriptAndArguments], {
    ...MALLOC,
    ...current.env,
  });
};
