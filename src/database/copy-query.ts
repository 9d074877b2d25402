/**
 * `COPY ... FROM STDIN` as a query of the driver: hands chunks to the connection's socket with back-pressure, and ends
 * cleanly whichever side gives up first.
 */
import type { Socket } from 'node:net';
import type pg from 'pg';
import { free } from './copy-buffer.ts';
import { databaseError } from './database-error.ts';

/** Bytes that a chunk must leave free at its start: the CopyData message's type and length. */
export const copyHeadroom = 5;

/** Where a chunk is full: below some 64 KB the cost of each chunk shows; above this nothing is gained. */
export const chunkBytes = 131_072;

/** Memory of a chunk, with room so that the row that fills it seldom makes it grow. */
export const chunkCapacity = chunkBytes + 16_384;

const copyDataType = 0x64; // 'd'
const copyDone = Buffer.from([0x63, 0, 0, 0, 4]); // 'c', length

/** What we use of the driver's connection. */
interface Wire {
  readonly stream: Socket;
  query(text: string): void;
  sendCopyFail(message: string): void;
}

export interface CopyQuery {
  /** Resolves when the server is ready for chunks. */
  readonly ready: Promise<void>;
  /**
   * Sends a chunk of a `CopyBuffer` whose first `copyHeadroom` bytes are free. Its memory is freed when the socket is done
   * with it. Gives a promise to wait for when the socket has enough for now.
   */
  write(chunk: Buffer): Promise<void> | undefined;
  /** Resolves when the server has taken all rows. */
  finish(): Promise<void>;
  /** Makes the server forget the rows; resolves when it has, or when the connection is gone. */
  abandon(reason: string): Promise<void>;
}

/**
 * Starts a COPY on a connection that is idle or in a transaction. Every method rejects with a KagamiError once the
 * server or the connection has failed; the connection can then be used for the next statement, if it still exists.
 */
export const startCopy = (driver: pg.ClientBase, text: string): CopyQuery => {
  let wire: Wire | undefined;
  let failure: Error | undefined;
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  // Whoever waits sees the rejection; nobody needs to.
  ready.promise.catch(() => undefined);
  ended.promise.catch(() => undefined);

  driver.query({
    submit: (connection: pg.Connection) => {
      wire = connection as unknown as Wire;
      wire.query(text);
    },
    callback: () => undefined,
    handleCopyInResponse: () => ready.resolve(),
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => ended.resolve(),
    handleError: (fault: unknown) => {
      failure ??= databaseError(fault);
      ready.reject(failure);
      ended.reject(failure);
    },
  } as pg.Submittable);

  /** The socket; throws after a failure, since the server no longer reads our messages as part of a COPY. */
  const socket = (): Socket => {
    if (failure !== undefined) throw failure;
    if (wire === undefined) throw new Error('COPY has not begun');
    return wire.stream;
  };

  const drained = (stream: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      const onDrain = (): void => resolve();
      stream.once('drain', onDrain);
      ended.promise.catch((fault) => {
        stream.off('drain', onDrain);
        reject(fault);
      });
    });

  return {
    ready: ready.promise,
    write: (chunk) => {
      const stream = socket();
      chunk[0] = copyDataType;
      chunk.writeInt32BE(chunk.length - 1, 1);
      // After a failure the system may still be reading it.
      return stream.write(chunk, (fault) => fault ?? free(chunk)) ? undefined : drained(stream);
    },
    finish: () => {
      socket().write(copyDone);
      return ended.promise;
    },
    abandon: async (reason) => {
      if (failure === undefined) wire?.sendCopyFail(reason);
      await ended.promise.catch(() => undefined);
    },
  };
};
