/**
 * What a connection of HTTP/2 may do beside its calls: how long it may be silent or idle, and how often it may ping
 * (https://github.com/grpc/grpc/blob/master/doc/keepalive.md).
 */
import { constants, type ServerHttp2Session } from 'node:http2';

/** Times in milliseconds. */
export interface SessionLimits {
  /** Pause between two pings that find connections whose client is gone. */
  readonly keepaliveTime: number;
  /** How long the answer to such a ping may take. */
  readonly keepaliveTimeout: number;
  /** Least pause between two pings of a client that nothing was sent to. */
  readonly permittedKeepaliveTime: number;
  /** How long a connection without calls stays open; 0: for ever. */
  readonly maxConnectionIdle: number;
}

/** Clients' clocks and the way to here are not exact. */
const TOLERANCE = 0.9;
/** Pings that come too soon and do no harm yet, as gRPC servers count them. */
const STRIKES = 2;
/** Clients ping to measure what they receive, at most once for each frame that came. */
const FRAME_BYTES = 16_384;
const MOST_PINGS_AT_ONCE = 100;

export interface SessionWatch {
  /** Something is sent to the client. */
  sending(bytes: number): void;
  /** Ends the watch. */
  end(): void;
}

/** Watches over a session from its beginning on. */
export const watchSession = (session: ServerHttp2Session, limits: SessionLimits): SessionWatch => {
  const { keepaliveTime, keepaliveTimeout, permittedKeepaliveTime, maxConnectionIdle } = limits;
  let pingsLeft = STRIKES;
  let lastPing = Number.NEGATIVE_INFINITY;
  let streams = 0;
  let answerDue: NodeJS.Timeout | undefined;

  const keepalive = setInterval(() => {
    // A session that is going has not said so yet, and can't ping any more.
    if (session.destroyed || answerDue !== undefined) return;
    answerDue = setTimeout(() => session.destroy(), keepaliveTimeout);
    answerDue.unref();
    session.ping(() => {
      clearTimeout(answerDue);
      answerDue = undefined;
    });
  }, keepaliveTime);
  keepalive.unref();

  const idle = setTimeout(() => {
    if (streams === 0) session.close();
  }, maxConnectionIdle);
  idle.unref();
  if (maxConnectionIdle === 0) clearTimeout(idle);

  const end = (): void => {
    clearInterval(keepalive);
    clearTimeout(answerDue);
    clearTimeout(idle);
  };

  session.on('ping', () => {
    const now = performance.now();
    const isSoon = now - lastPing < permittedKeepaliveTime * TOLERANCE;
    if (!isSoon) lastPing = now;
    if (!isSoon || pingsLeft-- > 0 || session.destroyed) return;
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('too_many_pings'));
    setImmediate(() => session.destroy());
  });
  session.on('stream', (stream) => {
    streams++;
    stream.once('close', () => {
      streams--;
      if (streams === 0 && maxConnectionIdle > 0) idle.refresh();
    });
  });
  session.once('close', end);
  return {
    sending: (bytes) => {
      pingsLeft = Math.min(MOST_PINGS_AT_ONCE, Math.max(pingsLeft, STRIKES) + Math.ceil((bytes + 1) / FRAME_BYTES));
    },
    end,
  };
};
