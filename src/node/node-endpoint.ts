/** The port on which SDKs find the node: unary gRPC over HTTP/2 without TLS. */
import { type AddressInfo, createServer, type Server as SocketServer } from 'node:net';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import type { Registry } from 'prom-client';
import type { SubmitSettings } from '../config/settings/simulator.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { failureOf, GrpcStatus } from '../grpc/call-failure.ts';
import type { SubmissionEntrance } from '../simulator/simulator.ts';
import { methods } from './methods.ts';
import { createConsensusNode } from './node.ts';
import { createNodeMetrics } from './node-metrics.ts';

/** The part of a logger that this interface needs; a pino logger is one. */
export interface NodeLog {
  warn(details: object, message: string): void;
}

export interface NodeEndpointOptions {
  readonly entrance: SubmissionEntrance;
  readonly settings: SubmitSettings;
  /** Left out: there are no metrics. */
  readonly registry?: Registry | undefined;
  readonly log: NodeLog;
  /** Nanoseconds since the epoch. */
  readonly clock: () => bigint;
}

export interface NodeEndpoint {
  readonly port: number;
  /** Tells that the mirror has all records until this consensus time, nanoseconds. */
  mirrored(until: bigint): void;
  stop(): Promise<void>;
}

/** Nobody but programs of this machine: payers' keys are published. */
const HOST = '127.0.0.1';
/** Ethereum transactions may be so large, with some room for what is around them; others are refused by their size. */
const MOST_REQUEST_BYTES = 133_120 + 1_024;
const PING_MS = 300_000;
const PING_PATIENCE_MS = 20_000;
const SHUTDOWN_MS = 2_000;

const asIs = (bytes: Buffer): Buffer => bytes;
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const listen = (server: SocketServer, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'is in use by another program' : `can't be opened: ${cause.message}`;
      reject(
        new KagamiError('PORT_UNAVAILABLE', `Port ${port} ${why}`, {
          details: { port, setting: 'kagami.simulator.submit.port' },
          cause,
        }),
      );
    });
    server.listen(port, HOST, () => resolve((server.address() as AddressInfo).port));
  });

/**
 * Opens the port.
 * @throws KagamiError PORT_UNAVAILABLE naming the setting
 */
export const openNodeEndpoint = async (options: NodeEndpointOptions): Promise<NodeEndpoint> => {
  const { entrance, settings, registry, log, clock } = options;
  const metrics = registry && createNodeMetrics(registry, () => entrance.waiting);
  const node = createConsensusNode({ entrance, clock, onTransaction: (code) => metrics?.transaction(code) });
  const server = new Server({
    'grpc.max_receive_message_length': MOST_REQUEST_BYTES,
    'grpc.max_concurrent_streams': settings.maxConcurrentCallsPerConnection,
    'grpc.keepalive_time_ms': PING_MS,
    'grpc.keepalive_timeout_ms': PING_PATIENCE_MS,
    'grpc.enable_channelz': 0,
  });
  for (const [path, kind] of methods) {
    const answer = kind === 'transaction' ? node.submit : node.ask;
    const handle = (call: ServerUnaryCall<Buffer, Uint8Array>, respond: sendUnaryData<Uint8Array>): void => {
      try {
        respond(null, answer(call.request));
      } catch (error) {
        const { status, message } = failureOf(error);
        if (status === GrpcStatus.UNKNOWN) log.warn({ err: error, method: path }, 'a call to the node failed');
        respond({ code: status, details: message });
      }
    };
    server.register(path, handle, asBuffer, asIs, 'unary');
  }
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const sockets = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    socket.on('error', () => undefined);
    injector.injectConnection(socket);
  });
  sockets.maxConnections = settings.maxConnections;
  const port = await listen(sockets, settings.port);
  return {
    port,
    mirrored: node.mirrored,
    stop: async () => {
      sockets.close();
      const force = setTimeout(() => server.forceShutdown(), SHUTDOWN_MS);
      await new Promise<void>((resolve) => {
        injector.drain(SHUTDOWN_MS);
        server.tryShutdown(() => resolve());
      });
      clearTimeout(force);
      injector.destroy();
    },
  };
};
