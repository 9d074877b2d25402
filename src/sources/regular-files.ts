/**
 * Reads files that somebody else puts into a folder. What only looks like a file (a pipe without a writer, an endless
 * device, a folder) is refused, and nothing is read without a bound of bytes and of time.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { KagamiError } from '../errors/kagami-error.ts';
import { streamError } from '../streams/stream-error.ts';

/** Milliseconds that a file of a folder may take: one that takes longer lies on a disk or network that hangs. */
const DEFAULT_TIMEOUT_MS = 30_000;
const CHUNK_BYTES = 262_144;
/** Without a writer, opening a pipe would otherwise wait for one. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export interface RegularFilesOptions {
  /** Milliseconds that reading a file, or each chunk of it, may take. */
  readonly timeoutMs?: number;
  /** For tests: another way to open files. */
  readonly open?: (path: string, flags: number) => Promise<FileHandle>;
}

export interface FileToRead {
  /** What hangs as one: the folder of a node. */
  readonly place: string;
  readonly path: string;
  /** For messages. */
  readonly name: string;
  readonly maxBytes: number;
}

/**
 * Reads regular files, links to them included. While a read of a place hangs, further ones are refused at once: each would
 * keep one of the few threads that do such work for the whole process.
 */
export class RegularFiles {
  readonly #timeoutMs: number;
  readonly #open: (path: string, flags: number) => Promise<FileHandle>;
  readonly #hanging = new Set<string>();
  readonly #closing = new AbortController();

  constructor(options: RegularFilesOptions = {}) {
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#open = options.open ?? open;
  }

  /**
   * Undefined when there is no such file.
   * @throws KagamiError STREAM_OVERSIZED, SOURCE_UNREADABLE, SOURCE_TIMEOUT
   */
  async read(file: FileToRead): Promise<Uint8Array | undefined> {
    return this.#inTime(file, async () => {
      const opened = await this.#openRegular(file);
      if (opened === undefined) return undefined;
      const { handle, size } = opened;
      try {
        return await readWhole(handle, size, file);
      } finally {
        await handle.close();
      }
    });
  }

  /**
   * A large file, chunk by chunk.
   * @throws KagamiError as `read`, and SOURCE_FILE_MISSING
   */
  async *chunks(file: FileToRead): AsyncGenerator<Uint8Array> {
    const opened = await this.#inTime(
      file,
      () => this.#openRegular(file),
      (late) => late?.handle.close(),
    );
    if (opened === undefined) throw streamError('SOURCE_FILE_MISSING', { file: file.name, rule: 'it is gone' });
    const { handle } = opened;
    try {
      for (let size = 0; ; ) {
        const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        const { bytesRead = 0 } = (await this.#inTime(file, () => handle.read(chunk, 0, CHUNK_BYTES))) ?? {};
        if (bytesRead === 0) return;
        size += bytesRead;
        refuseOversized(size, file);
        yield chunk.subarray(0, bytesRead);
      }
    } finally {
      // Closing waits for a read that hangs.
      const closed = handle.close().catch(() => undefined);
      if (!this.#hanging.has(file.place)) await closed;
    }
  }

  /** Gives up what is being read. */
  close(): void {
    this.#closing.abort();
  }

  async #openRegular(file: FileToRead): Promise<{ readonly handle: FileHandle; readonly size: number } | undefined> {
    // To open a pipe or a device means something to whoever is at its other end.
    refuseOther(await stat(file.path), file);
    const handle = await this.#open(file.path, READ_FLAGS);
    try {
      const stats = await handle.stat();
      refuseOther(stats, file);
      refuseOversized(stats.size, file);
      return { handle, size: stats.size };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** @param late takes what comes when nobody waits for it any more */
  async #inTime<T>(
    file: FileToRead,
    work: () => Promise<T>,
    late: (result: T) => unknown = () => undefined,
  ): Promise<T | undefined> {
    const { place, name } = file;
    const { signal } = this.#closing;
    if (signal.aborted) throw unreadable(file, 'the source is closed');
    if (this.#hanging.has(place)) throw unreadable(file, 'its folder hangs');
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const working = work();
    const giveUp = (reason: KagamiError): void => {
      working.then(late).catch(() => undefined);
      reject(reason);
    };
    const timer = setTimeout(() => {
      this.#hanging.add(place);
      working.catch(() => undefined).finally(() => this.#hanging.delete(place));
      giveUp(streamError('SOURCE_TIMEOUT', { file: name, rule: `not read within ${this.#timeoutMs} ms`, place }));
    }, this.#timeoutMs);
    const abort = (): void => giveUp(unreadable(file, 'the source is closed'));
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([working, ended]);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      if (code !== undefined && /^(STREAM|SOURCE)_/.test(code)) throw error;
      throw unreadable(file, `it cannot be read (${code})`, error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      working.catch(() => undefined);
    }
  }
}

const readWhole = async (handle: FileHandle, size: number, file: FileToRead): Promise<Uint8Array> => {
  // One byte more tells that the file has grown.
  let buffer = Buffer.allocUnsafeSlow(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    length += bytesRead;
    refuseOversized(length, file);
    if (bytesRead === 0) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafeSlow(Math.min(2 * buffer.length + CHUNK_BYTES, file.maxBytes + 1));
    buffer.copy(larger);
    buffer = larger;
  }
};

const refuseOversized = (size: number, { name, maxBytes }: FileToRead): void => {
  if (size <= maxBytes) return;
  throw streamError('STREAM_OVERSIZED', { file: name, rule: `${size} bytes, at most ${maxBytes} are read` });
};

const refuseOther = (stats: Stats, file: FileToRead): void => {
  if (!stats.isFile()) throw unreadable(file, `${kindOf(stats)}, not a file`);
};

const kindOf = (stats: Stats): string => {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
};

const unreadable = ({ name, path }: FileToRead, rule: string, cause?: unknown): KagamiError =>
  streamError('SOURCE_UNREADABLE', { file: name, rule, path }, cause);
