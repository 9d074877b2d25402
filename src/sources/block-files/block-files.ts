/** Block files one after the other, read some ahead. */
import { setTimeout as delay } from 'node:timers/promises';
import { streamError } from '../../streams/stream-error.ts';
import type { BlockRequest, RawBlock } from '../block-source.ts';
import type { BlockFile, BlockFileStore } from './block-file-store.ts';

export interface BlockFilesOptions {
  readonly store: BlockFileStore;
  /** Files that are read at once while there are many. */
  readonly readAhead: number;
  /** Bytes that the files read ahead may take, as far as can be told. */
  readonly readAheadBytes: number;
  /** Shortest and longest pause between two looks for the next file, in milliseconds. */
  readonly pollMs: number;
  readonly maxPollMs: number;
  /** Milliseconds for which a file that is missing before others is waited for. */
  readonly holePatienceMs: number;
}

export interface FileBlockRequest extends BlockRequest {
  /** Waits for files to come; else ends before the first one that is not there. */
  readonly follow: boolean;
  /** Goes on behind files that are missing; when following, after a while. */
  readonly acceptGaps: boolean;
}

const POLL_GROWTH = 1.5;

export class BlockFiles {
  readonly #options: BlockFilesOptions;

  constructor(options: BlockFilesOptions) {
    this.#options = options;
  }

  get description(): string {
    return this.#options.store.description;
  }

  /** Number of the earliest block there is. */
  earliest(): Promise<bigint | undefined> {
    return this.#options.store.firstFrom(0n);
  }

  /**
   * The blocks from `from` on.
   * @throws KagamiError SOURCE_BLOCK_MISSING when files are missing before later ones, STREAM_OVERSIZED, or of `isSourceFailure`
   */
  async *blocks({ from, to, signal, follow, acceptGaps }: FileBlockRequest): AsyncGenerator<RawBlock> {
    const { store, pollMs, maxPollMs, holePatienceMs } = this.#options;
    const window = new ReadWindow(this.#options);
    let next = from;
    let pause = pollMs;
    let missedSince: number | undefined;
    while (!signal.aborted && (to === undefined || next <= to)) {
      const file = await window.read(next);
      if (signal.aborted) return;
      if (file !== undefined) {
        const number = next;
        next += 1n;
        pause = pollMs;
        missedSince = undefined;
        const now = { receivedAt: performance.now(), receivedTime: Date.now() };
        yield { number, ...file, isFile: true, from: store.description, ...now };
        continue;
      }
      missedSince ??= performance.now();
      if (!follow || performance.now() - missedSince >= holePatienceMs) {
        const later = await store.firstFrom(next + 1n);
        if (later !== undefined && !acceptGaps) throw missing(store, next, later - 1n);
        if (later !== undefined) {
          next = later;
          continue;
        }
        if (!follow) return;
        missedSince = performance.now();
      }
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * POLL_GROWTH, maxPollMs);
    }
  }

  /** Milliseconds until it is worth looking for a file again that was not there so many times. */
  pauseAfter(misses: number): number {
    const { pollMs, maxPollMs } = this.#options;
    return Math.min(pollMs * POLL_GROWTH ** Math.min(misses - 1, 30), maxPollMs);
  }

  close(): void {
    this.#options.store.close();
  }
}

const missing = (store: BlockFileStore, first: bigint, last: bigint): Error => {
  const rule = first === last ? `block ${first} is missing` : `blocks ${first} to ${last} are missing`;
  return streamError('SOURCE_BLOCK_MISSING', { file: store.description, rule, block: first, missing: { first, last } });
};

/** Reads files ahead: more with each that is there, none once one is not. */
class ReadWindow {
  readonly #options: BlockFilesOptions;
  readonly #reads = new Map<bigint, Promise<BlockFile | undefined>>();
  #ahead = 0;

  constructor(options: BlockFilesOptions) {
    this.#options = options;
  }

  async read(number: bigint): Promise<BlockFile | undefined> {
    const first = this.#start(number);
    for (let i = 1; i <= this.#ahead; i++) this.#start(number + BigInt(i));
    const file = await first;
    this.#reads.delete(number);
    if (file === undefined) {
      this.#ahead = 0;
      this.#reads.clear();
      return undefined;
    }
    const { readAhead, readAheadBytes } = this.#options;
    const fitting = Math.floor(readAheadBytes / Math.max(1, file.bytes.length));
    this.#ahead = Math.min(2 * this.#ahead + 1, readAhead, fitting);
    return file;
  }

  #start(number: bigint): Promise<BlockFile | undefined> {
    const known = this.#reads.get(number);
    if (known !== undefined) return known;
    const reading = this.#options.store.read(number);
    // A failure surfaces where the file is asked for.
    reading.catch(() => undefined);
    this.#reads.set(number, reading);
    return reading;
  }
}
