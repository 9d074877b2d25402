/** The port on which SDKs find the node: unary gRPC over HTTP/2 without TLS. */

import type { Registry } from 'prom-client';
import { ownPorts } from '../config/settings/own-ports.ts';
import type { SubmitSettings } from '../config/settings/simulator.ts';
import { createNativeServer, type NativeServerLimits } from '../grpc/native-server.ts';
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
  /** Whether clients can connect. */
  isListening(): boolean;
  /** Tells that the mirror has all records until this consensus time, nanoseconds. */
  mirrored(until: bigint): void;
  stop(): Promise<void>;
}

/** Nobody but programs of this machine: payers' keys are published. */
const HOST = '127.0.0.1';
/** Ethereum transactions may be so large, with some room for what is around them; others are refused by their size. */
const MOST_REQUEST_BYTES = 133_120 + 1_024;

const limitsOf = (settings: SubmitSettings): NativeServerLimits => ({
  maxConnections: settings.maxConnections,
  maxConnectionsPerClient: 0,
  firstBytesTimeout: 10_000,
  callsPerConnection: settings.maxConcurrentCallsPerConnection,
  maxRequestBytes: MOST_REQUEST_BYTES,
  keepaliveTime: 300_000,
  keepaliveTimeout: 20_000,
  permittedKeepaliveTime: 10_000,
  maxConnectionIdle: 0,
  shutdownTimeout: 2_000,
});

/**
 * Opens the port.
 * @throws KagamiError PORT_UNAVAILABLE naming the setting
 */
export const openNodeEndpoint = async (options: NodeEndpointOptions): Promise<NodeEndpoint> => {
  const { entrance, settings, registry, log, clock } = options;
  const metrics = registry && createNodeMetrics(registry, () => entrance.waiting);
  const node = createConsensusNode({ entrance, clock, onTransaction: (code) => metrics?.transaction(code) });
  const server = createNativeServer({
    streaming: [],
    answering: [...methods].map(([path, kind]) => {
      const [, service = '', name = ''] = path.split('/');
      return { service, name, isConversation: false, answer: kind === 'transaction' ? node.submit : node.ask };
    }),
    host: HOST,
    port: settings.port,
    portSetting: ownPorts.node.setting,
    limits: limitsOf(settings),
    log,
  });
  return {
    port: await server.open(),
    isListening: () => server.isListening(),
    mirrored: node.mirrored,
    stop: () => server.stop(),
  };
};
