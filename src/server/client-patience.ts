/**
 * How long a client may take for what is its own to do: sending a body, taking an answer. What the server takes for an
 * answer has bounds of its own. (The headers of a request, and a request as a whole, are timed by Node.)
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Connection, type ConnectionTable, isAtWork } from './connection-table.ts';

export interface ClientPatience {
  /** Milliseconds between two reads of a body; 0: any time. */
  readonly bodyMs: number;
  /** Milliseconds between two writes of an answer, while there is something to write; 0: any time. */
  readonly sendMs: number;
}

const timeoutAnswer = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Nobody takes the body from its buffer at the moment, so that it is not the client who lets it wait. */
const isHeldUp = (request: IncomingMessage): boolean => request.readableFlowing !== true || request.readableLength > 0;

/** Most milliseconds between two looks at the connections. */
const LONGEST_SWEEP_MS = 5_000;

/** Watches over the connections of the table; gives what ends it. */
export const watchAnswersBeingTaken = (table: ConnectionTable, { sendMs }: ClientPatience): (() => void) => {
  if (sendMs === 0) return () => undefined;
  // Node's own timer of a socket knows whether a write goes on. It runs only while there is something to write: an
  // answer that is still being made must not be cut off.
  const timed = new WeakSet<Socket>();
  const look = (connection: Connection): void => {
    const { socket } = connection;
    if (!isAtWork(connection)) {
      timed.delete(socket);
      return;
    }
    const isSending = socket.writableLength > 0;
    if (isSending === timed.has(socket)) return;
    if (isSending) timed.add(socket);
    else timed.delete(socket);
    socket.setTimeout(isSending ? sendMs : 0);
  };
  const sweep = setInterval(
    () => {
      for (const connection of table.all()) look(connection);
    },
    Math.min(LONGEST_SWEEP_MS, Math.max(10, sendMs / 4)),
  );
  sweep.unref();
  return () => clearInterval(sweep);
};

/** To be called for each request, before it is handled. */
export const watchBodyArriving = (
  request: IncomingMessage,
  response: ServerResponse,
  { bodyMs }: ClientPatience,
): void => {
  if (bodyMs === 0 || !hasBody(request)) return;
  const { socket } = request;
  const done = (): void => {
    request.off('end', done).off('error', done);
    // Once the answer is on its way, the socket is timed for that.
    if (!response.headersSent && !socket.destroyed) socket.setTimeout(0);
  };
  request.once('end', done).once('error', done);
  socket.setTimeout(bodyMs);
};

/** Ends connections whose time is over, with 408 where the client can still be told. */
export const endOverdue = (server: Server, table: ConnectionTable, { bodyMs }: ClientPatience): void => {
  server.on('timeout', (socket: Socket) => {
    const connection = table.get(socket);
    const response = connection?.response;
    const isOwed = connection !== undefined && response !== undefined && isAtWork(connection);
    if (!isOwed || response.headersSent) {
      socket.destroy();
      return;
    }
    if (isHeldUp(response.req)) {
      socket.setTimeout(bodyMs);
      return;
    }
    socket.end(timeoutAnswer, () => socket.destroy());
  });
};
