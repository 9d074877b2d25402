/** gRPC over HTTP/2: on a port of its own, and on connections that other ports hand over. */
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket, type Server as SocketServer } from 'node:net';
import { Server, ServerCredentials, type ServerDuplexStream, type ServerWritableStream } from '@grpc/grpc-js';
import type { GrpcServerSettings } from '../config/settings/grpc.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { CallFailure, failureOf, GrpcStatus } from './call-failure.ts';
import { ClientConnections } from './client-connections.ts';
import { pathOf, type StreamingMethod } from './method.ts';
import type { ReflectionMethod } from './reflection.ts';

type ConnectionInjector = ReturnType<Server['createConnectionInjector']>;

/** The part of a logger that this interface needs; a pino logger is one. */
export interface GrpcLog {
  warn(details: object, message: string): void;
}

export interface NativeServerOptions {
  readonly methods: readonly StreamingMethod[];
  readonly reflection: readonly ReflectionMethod[];
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly callsPerConnection: number;
  readonly limits: GrpcServerSettings;
  readonly log: GrpcLog;
}

export interface NativeServer {
  /**
   * Opens the port and gives its number.
   * @throws KagamiError PORT_UNAVAILABLE, CONFIG_INVALID naming the setting
   */
  open(): Promise<number>;
  /** Serves a connection that was made to another port, in plain text whatever the own port speaks. */
  take(socket: Socket): void;
  /** Ends all calls with UNAVAILABLE, so that clients come back later or elsewhere, and closes the port. */
  stop(): Promise<void>;
}

/** Requests are a few identifiers and times. */
const MAX_REQUEST_BYTES = 1_024;

const asIs = (bytes: Buffer): Buffer => bytes;

/** Messages are encoded already. */
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const credentialsOf = async ({ tls }: GrpcServerSettings): Promise<ServerCredentials> => {
  if (tls.cert === '' && tls.key === '') return ServerCredentials.createInsecure();
  const fileOf = async (name: 'cert' | 'key'): Promise<Buffer> => {
    try {
      return await readFile(tls[name]);
    } catch (cause) {
      throw new KagamiError('CONFIG_INVALID', `The file of kagami.grpc.tls.${name} can't be read: "${tls[name]}"`, {
        details: { setting: `kagami.grpc.tls.${name}` },
        cause,
      });
    }
  };
  const [cert_chain, private_key] = await Promise.all([fileOf('cert'), fileOf('key')]);
  return ServerCredentials.createSsl(null, [{ cert_chain, private_key }]);
};

/** Resolves when the call takes more, or is over. */
const roomIn = (call: ServerWritableStream<Buffer, Uint8Array>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      call.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    call.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });

const fail = (call: ServerWritableStream<Buffer, Uint8Array>, error: unknown, path: string, log: GrpcLog): void => {
  const { status, message } = failureOf(error);
  if (status === GrpcStatus.UNKNOWN) log.warn({ err: error, method: path }, 'gRPC call failed');
  call.emit('error', { code: status, details: message });
};

const listen = (server: SocketServer, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'is in use by another program' : `can't be opened: ${cause.message}`;
      reject(
        new KagamiError('PORT_UNAVAILABLE', `Port ${port} ${why}`, {
          details: { port, setting: 'hiero.mirror.grpc.port' },
          cause,
        }),
      );
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

export const createNativeServer = (options: NativeServerOptions): NativeServer => {
  const { limits, log } = options;
  const server = new Server({
    'grpc.max_receive_message_length': MAX_REQUEST_BYTES,
    'grpc.max_concurrent_streams': options.callsPerConnection,
    'grpc.keepalive_time_ms': limits.keepaliveTime,
    'grpc.keepalive_timeout_ms': limits.keepaliveTimeout,
    'grpc.max_connection_idle_ms': limits.maxConnectionIdle,
    'grpc.enable_channelz': 0,
  });
  const stopping = new AbortController();

  const serveCall = async (method: StreamingMethod, call: ServerWritableStream<Buffer, Uint8Array>): Promise<void> => {
    const path = pathOf(method);
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, stopping.signal]);
    const leave = (): void => gone.abort();
    call.once('cancelled', leave);
    call.once('close', leave);
    // A stream that breaks while it is written to has a client that is gone.
    call.on('error', leave);
    try {
      for await (const messages of method.serve(call.request, signal)) {
        for (const message of messages) {
          if (signal.aborted) break;
          if (!call.write(message)) await roomIn(call, signal);
        }
        if (signal.aborted) break;
      }
      if (stopping.signal.aborted) throw new CallFailure(GrpcStatus.UNAVAILABLE, 'The server is shutting down');
      if (!gone.signal.aborted) call.end();
    } catch (error) {
      if (!gone.signal.aborted) fail(call, error, path, log);
    }
  };

  for (const method of options.methods) {
    const handle = (call: ServerWritableStream<Buffer, Uint8Array>): void => {
      void serveCall(method, call);
    };
    server.register(pathOf(method), handle, asBuffer, asIs, 'serverStream');
  }
  for (const { service, name, answer } of options.reflection) {
    const handle = (call: ServerDuplexStream<Buffer, Uint8Array>): void => {
      call.on('data', (request: Buffer) => {
        try {
          if (!call.write(answer(request))) call.pause();
        } catch (error) {
          fail(call as unknown as ServerWritableStream<Buffer, Uint8Array>, error, name, log);
        }
      });
      call.on('drain', () => call.resume());
      call.on('end', () => call.end());
      call.on('error', () => undefined);
    };
    server.register(`/${service}/${name}`, handle, asBuffer, asIs, 'bidi');
  }

  const connections = new ClientConnections(limits);
  const admit = (injector: ConnectionInjector, socket: Socket): void => {
    socket.on('error', () => undefined);
    if (stopping.signal.aborted || !connections.admit(socket)) socket.destroy();
    else injector.injectConnection(socket);
  };
  const plain = server.createConnectionInjector(ServerCredentials.createInsecure());
  const injectors = [plain];
  let sockets: SocketServer | undefined;
  return {
    open: async () => {
      const own = server.createConnectionInjector(await credentialsOf(limits));
      injectors.push(own);
      sockets = createServer({ noDelay: true, keepAlive: true }, (socket) => admit(own, socket));
      return await listen(sockets, options.host, options.port);
    },
    take: (socket) => {
      socket.setNoDelay(true).setKeepAlive(true);
      admit(plain, socket);
    },
    stop: async () => {
      sockets?.close();
      stopping.abort();
      const force = setTimeout(() => server.forceShutdown(), limits.shutdownTimeout);
      await new Promise<void>((resolve) => {
        for (const injector of injectors) injector.drain(limits.shutdownTimeout);
        server.tryShutdown(() => resolve());
      });
      clearTimeout(force);
      for (const injector of injectors) injector.destroy();
      await connections.end(limits.shutdownTimeout);
    },
  };
};
