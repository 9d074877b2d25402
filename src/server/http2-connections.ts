/**
 * HTTP/2 on the ports of HTTP/1: clients that speak it from the first byte on (RFC 9113, 3.4), as those of gRPC do, are told
 * apart by that byte and the two after it, and handed over. No method of HTTP/1 begins with them.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How the preface of HTTP/2 begins: `PRI * HTTP/2.0`. */
const PREFACE = Buffer.from('PRI');

export interface Http2Handover {
  /** Takes a connection of which nothing was read yet. */
  readonly take: (socket: Socket) => void;
  /** How long a client may take for its first bytes, in milliseconds; 0: any time. */
  readonly firstBytesMs: number;
}

export interface UndecidedConnections {
  /** Cuts the connections on which nothing was sent yet. */
  cut(): void;
}

/** To be called before the server listens. */
export const handOverHttp2 = (server: Server, { take, firstBytesMs }: Http2Handover): UndecidedConnections => {
  const serveHttp1 = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const undecided = new Set<Socket>();

  server.on('connection', (socket: Socket) => {
    let seen: Buffer = Buffer.alloc(0);
    const decided = (): void => {
      undecided.delete(socket);
      socket.off('readable', look).off('end', cut).off('timeout', cut).off('error', cut).off('close', decided);
    };
    const cut = (): void => {
      decided();
      socket.destroy();
    };
    const handOver = (serve: (socket: Socket) => void): void => {
      decided();
      if (socket.destroyed) return;
      if (firstBytesMs > 0) socket.setTimeout(0);
      socket.unshift(seen);
      serve(socket);
    };
    const look = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      seen = Buffer.concat([seen, chunk]);
      const most = Math.min(seen.length, PREFACE.length);
      if (!seen.subarray(0, most).equals(PREFACE.subarray(0, most))) {
        handOver((http1) => {
          for (const listener of serveHttp1) listener.call(server, http1);
        });
      } else if (most === PREFACE.length) {
        // HTTP/1 answers a client that has said all it had to say; a session of HTTP/2 would outlive its client.
        socket.allowHalfOpen = false;
        handOver(take);
      }
    };
    undecided.add(socket);
    if (firstBytesMs > 0) socket.setTimeout(firstBytesMs);
    socket.on('readable', look).on('end', cut).on('timeout', cut).on('error', cut).on('close', decided);
  });
  return {
    cut: () => {
      for (const socket of undecided) socket.destroy();
    },
  };
};
