/**
 * The gRPC interface: topic messages, the address book, health and reflection, over HTTP/2 on a port of its own and as
 * gRPC-Web on the HTTP port.
 *
 * Owns its port and its subscribers. Reads the database only; knows nothing of how rows got there.
 */

import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { GrpcServerSettings, GrpcSettings } from '../config/settings/grpc.ts';
import { ownPorts } from '../config/settings/own-ports.ts';
import type { Database } from '../database/connection.ts';
import type { Nanos } from '../ledger/timestamp.ts';
import { createGrpcMetrics } from './grpc-metrics.ts';
import { registerGrpcWeb } from './grpc-web.ts';
import { healthMethods } from './health.ts';
import { createNativeServer, type GrpcLog } from './native-server.ts';
import { getNodes } from './nodes/get-nodes.ts';
import { reflectionMethods } from './reflection.ts';
import { MAX_REQUEST_BYTES } from './request.ts';
import { LiveMessages } from './topics/live-messages.ts';
import { subscribeTopic } from './topics/subscribe-topic.ts';

export interface GrpcInterfaceOptions {
  readonly database: Pick<Database, 'query' | 'copyOut'>;
  readonly settings: GrpcSettings;
  readonly limits: GrpcServerSettings;
  readonly host: string;
  readonly shard: bigint;
  readonly realm: bigint;
  /** Nanoseconds since the epoch. */
  readonly clock: () => Nanos;
  readonly registry: Registry;
  readonly log: GrpcLog;
}

export interface GrpcInterface {
  /** Opens the port and gives its number. @throws KagamiError PORT_UNAVAILABLE, CONFIG_INVALID */
  open(): Promise<number>;
  /** Answers gRPC-Web as part of an HTTP application. */
  registerWeb(app: FastifyInstance): void;
  /** Serves a connection that was made to another port, of a client that speaks HTTP/2 from the first byte on. */
  take(socket: Socket): void;
  /** To be called after every commit of a block. */
  onBlockCommitted(): void;
  stop(): Promise<void>;
}

export const createGrpcInterface = (options: GrpcInterfaceOptions): GrpcInterface => {
  const { database, settings, limits, host, shard, realm, clock, registry, log } = options;
  const { listener, retriever } = settings;
  const live: LiveMessages = new LiveMessages({
    database,
    maxMessages: listener.maxBufferSize,
    maxBytes: limits.liveBufferBytes,
    pageSize: listener.maxPageSize,
    intervalMs: listener.interval,
    patienceMs: retriever.timeout,
    onRead: (batches) => metrics.read(batches, clock()),
  });
  const metrics = createGrpcMetrics(registry, () => live.kept);
  const methods = [
    subscribeTopic({ database, live, settings, limits, clock, onSubscribers: metrics.subscribers }),
    getNodes({ database, settings, shard, realm }),
  ];
  const services = methods.map(({ service }) => service);
  const isReady = async (): Promise<boolean> => {
    const rows = await database.query('select 1 from address_book limit 1', [], 'grpc-readiness');
    return rows.length > 0;
  };
  const health = healthMethods(services, isReady);
  const reflection = reflectionMethods([...services, 'grpc.health.v1.Health']);
  const stopping = new AbortController();
  const server = createNativeServer({
    streaming: [...methods, ...health],
    answering: reflection,
    host,
    port: settings.port,
    portSetting: ownPorts.grpc.setting,
    limits: {
      ...limits,
      callsPerConnection: settings.netty.maxConcurrentCallsPerConnection,
      maxRequestBytes: MAX_REQUEST_BYTES,
    },
    tls: limits.tls,
    log,
  });
  return {
    open: () => server.open(),
    take: (socket) => server.take(socket),
    registerWeb: (app) => registerGrpcWeb(app, [...methods, ...health], stopping.signal, log),
    onBlockCommitted: () => live.committed(),
    stop: async () => {
      stopping.abort();
      live.stop();
      await server.stop();
    },
  };
};
