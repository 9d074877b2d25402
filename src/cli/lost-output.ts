/** Output that nobody takes any more: `| head` has seen enough, `| tee` fell to the same Ctrl-C, the disk of a log is full. */

interface OutputStream {
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** The reader went away, which is his right: pipes give EPIPE, terminals EIO, sockets ECONNRESET. */
const readerGone = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/**
 * Goes on when a stream cannot be written. What runs is not what it prints: a mirror node stays, and whatever ends ends in
 * good order.
 * @param onFault told of every failure but that of a reader who went away
 */
export const surviveLostOutput = (streams: readonly OutputStream[], onFault: (error: Error) => void): void => {
  for (const stream of streams) {
    stream.on('error', (error) => {
      if (!readerGone.has(error.code ?? '')) onFault(error);
    });
  }
};
