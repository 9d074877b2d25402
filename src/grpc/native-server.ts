/**
 * gRPC over HTTP/2: on a port of its own, and on connections that other ports hand over. Directly on Node's HTTP/2, so that
 * many messages go out in one piece and pings have a limit.
 */
import { readFile } from 'node:fs/promises';
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from 'node:http2';
import { type AddressInfo, createServer, type Socket, type Server as SocketServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { KagamiError } from '../errors/kagami-error.ts';
import { CallFailure, GrpcStatus } from './call-failure.ts';
import { ClientConnections, type ConnectionBounds } from './client-connections.ts';
import { frameOf } from './length-prefixed.ts';
import { type AnsweringMethod, pathOf, type StreamingMethod } from './method.ts';
import { isCall, NativeCall } from './native-call.ts';
import { type SessionLimits, type SessionWatch, watchSession } from './session-watch.ts';

/** The part of a logger that this interface needs; a pino logger is one. */
export interface GrpcLog {
  warn(details: object, message: string): void;
}

/** Times in milliseconds. */
export interface NativeServerLimits extends SessionLimits, ConnectionBounds {
  readonly callsPerConnection: number;
  /** Bytes of one request. */
  readonly maxRequestBytes: number;
  /** How long calls may take to end when the server stops. */
  readonly shutdownTimeout: number;
}

export interface NativeServerOptions {
  readonly streaming: readonly StreamingMethod[];
  readonly answering: readonly AnsweringMethod[];
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The setting that holds the port. */
  readonly portSetting: string;
  readonly limits: NativeServerLimits;
  /** Paths of the certificate chain and the private key (PEM), both empty: the port speaks plain text. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly log: GrpcLog;
}

export interface NativeServer {
  /**
   * Opens the port and gives its number.
   * @throws KagamiError PORT_UNAVAILABLE, CONFIG_INVALID naming the setting
   */
  open(): Promise<number>;
  /** Whether the port is open. */
  isListening(): boolean;
  /** Serves a connection that was made to another port, in plain text whatever the own port speaks. */
  take(socket: Socket): void;
  /** Ends all calls with UNAVAILABLE, so that clients come back later or elsewhere, and closes the port. */
  stop(): Promise<void>;
}

/** Bytes of headers that a client may send with a call, unpacked. */
const MAX_HEADER_BYTES = 8_192;
/** What a session may keep for its calls, in units of Node's limit (a million bytes). */
const SESSION_MEMORY = 10;
const SESSION_MEMORY_OF_CALL = 0.2;

type KeyAndCertificate = Readonly<Record<'key' | 'cert', Buffer>>;

/** @throws KagamiError CONFIG_INVALID */
const keyAndCertificate = async (tls: NonNullable<NativeServerOptions['tls']>): Promise<KeyAndCertificate> => {
  const invalid = (name: 'cert' | 'key', message: string, cause: unknown): KagamiError =>
    new KagamiError('CONFIG_INVALID', message, { details: { setting: `kagami.grpc.tls.${name}` }, cause });
  const fileOf = async (name: 'cert' | 'key'): Promise<Buffer> => {
    try {
      return await readFile(tls[name]);
    } catch (cause) {
      throw invalid(name, `The file of kagami.grpc.tls.${name} can't be read: "${tls[name]}"`, cause);
    }
  };
  const [cert, key] = await Promise.all([fileOf('cert'), fileOf('key')]);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw invalid('cert', `"${tls.cert}" and "${tls.key}" are no certificate with its key`, cause);
  }
  return { cert, key };
};

const listen = (server: SocketServer, { host, port, portSetting: setting }: NativeServerOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'is in use by another program' : `can't be opened: ${cause.message}`;
      reject(new KagamiError('PORT_UNAVAILABLE', `Port ${port} ${why}`, { details: { port, setting }, cause }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

const serveStreaming = async (method: StreamingMethod, call: NativeCall, request: Uint8Array): Promise<void> => {
  try {
    for await (const frames of method.serve(request, call.signal)) {
      if (call.signal.aborted) break;
      const room = call.write(frames);
      if (room !== undefined) await room;
    }
    call.end();
  } catch (error) {
    call.fail(error);
  }
};

type Serve = (call: NativeCall) => void;

const withOneRequest = (call: NativeCall, answer: (request: Uint8Array) => void): void => {
  let only: Uint8Array | undefined;
  call.read(
    (request) => {
      if (only !== undefined) throw new CallFailure(GrpcStatus.INTERNAL, 'Too many messages received');
      only = request;
    },
    () => {
      if (only === undefined) throw new CallFailure(GrpcStatus.INTERNAL, 'No message received');
      answer(only);
    },
  );
};

const streaming =
  (method: StreamingMethod): Serve =>
  (call) =>
    withOneRequest(call, (request) => void serveStreaming(method, call, request));

const answering =
  (method: AnsweringMethod): Serve =>
  (call) => {
    const answer = (request: Uint8Array): void => {
      const room = call.write(frameOf(method.answer(request)));
      if (room !== undefined) call.pauseUntil(room);
    };
    if (method.isConversation) call.read(answer, () => call.end());
    else {
      withOneRequest(call, (request) => {
        answer(request);
        call.end();
      });
    }
  };

export const createNativeServer = (options: NativeServerOptions): NativeServer => {
  const { limits, log } = options;
  const methods = new Map<string, Serve>([
    ...options.streaming.map((method) => [pathOf(method), streaming(method)] as const),
    ...options.answering.map((method) => [pathOf(method), answering(method)] as const),
  ]);
  const connections = new ClientConnections(limits);
  const sessions = new Map<ServerHttp2Session, SessionWatch>();
  const calls = new Set<NativeCall>();
  let isStopping = false;

  const serve = (server: Http2Server): void => {
    server.on('session', (session) => {
      sessions.set(session, watchSession(session, limits));
      session.once('close', () => sessions.delete(session));
      session.on('error', () => undefined);
    });
    server.on('stream', (stream, headers) => {
      if (!isCall(stream, headers)) return;
      const path = headers[':path'] ?? '';
      const watch = stream.session && sessions.get(stream.session as ServerHttp2Session);
      const call = new NativeCall({
        stream,
        headers,
        maxRequestBytes: limits.maxRequestBytes,
        onSending: (bytes) => watch?.sending(bytes),
        onFault: (err) => log.warn({ err, method: path }, 'gRPC call failed'),
      });
      const method = methods.get(path);
      if (isStopping) call.fail(new CallFailure(GrpcStatus.UNAVAILABLE, 'The server is shutting down'));
      else if (method === undefined) {
        call.fail(new CallFailure(GrpcStatus.UNIMPLEMENTED, `The server does not implement the method ${path}`));
      } else {
        calls.add(call);
        call.signal.addEventListener('abort', () => calls.delete(call), { once: true });
        method(call);
      }
    });
  };

  const http2Options = {
    settings: { maxConcurrentStreams: limits.callsPerConnection, maxHeaderListSize: MAX_HEADER_BYTES },
    maxSessionMemory: Math.max(SESSION_MEMORY, Math.ceil(limits.callsPerConnection * SESSION_MEMORY_OF_CALL)),
  };
  const plain = createHttp2Server(http2Options);
  serve(plain);

  const admit = (server: Http2Server, socket: Socket): void => {
    socket.on('error', () => undefined);
    if (isStopping || !connections.admit(socket)) socket.destroy();
    else server.emit('connection', socket);
  };
  const ownServer = async (): Promise<Http2Server> => {
    const { tls } = options;
    if (tls === undefined || (tls.cert === '' && tls.key === '')) return plain;
    const files = await keyAndCertificate(tls);
    const secure = createSecureServer({ ...http2Options, ...files, handshakeTimeout: limits.firstBytesTimeout });
    // A client that can't agree on HTTP/2 is gone already; its fault is its own.
    secure.on('unknownProtocol', (socket) => socket.destroy());
    serve(secure);
    return secure;
  };

  let sockets: SocketServer | undefined;
  return {
    open: async () => {
      const own = await ownServer();
      sockets = createServer({ noDelay: true, keepAlive: true }, (socket) => admit(own, socket));
      return await listen(sockets, options);
    },
    isListening: () => sockets?.listening === true,
    take: (socket) => {
      socket.setNoDelay(true).setKeepAlive(true);
      admit(plain, socket);
    },
    stop: async () => {
      sockets?.close();
      isStopping = true;
      for (const call of calls) call.fail(new CallFailure(GrpcStatus.UNAVAILABLE, 'The server is shutting down'));
      for (const session of sessions.keys()) session.close();
      const force = setTimeout(() => {
        for (const session of sessions.keys()) session.destroy();
      }, limits.shutdownTimeout);
      await connections.end(limits.shutdownTimeout);
      clearTimeout(force);
    },
  };
};
