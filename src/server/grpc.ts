/** The gRPC interface as part of the server: its port, its clients on the HTTP ports, before and after there is a database. */
import type { FastifyInstance } from 'fastify';
import type { GrpcServerSettings, GrpcSettings } from '../config/settings/grpc.ts';
import type { Database } from '../database/connection.ts';
import { isKagamiError } from '../errors/kagami-error.ts';
import { createGrpcInterface, type GrpcInterface, type GrpcInterfaceOptions } from '../grpc/grpc-interface.ts';
import { pendingDatabase } from './pending-database.ts';

export interface GrpcOptions {
  /** Reads only; closed with the server. */
  readonly database: Database | Promise<Database>;
  /** `hiero.mirror.grpc.*` */
  readonly settings: GrpcSettings;
  /** `kagami.grpc.*` */
  readonly limits: GrpcServerSettings;
  /** Whether somebody chose the port; else it may be taken, and what the HTTP ports serve remains. */
  readonly isPortChosen: boolean;
}

type Surroundings = Pick<GrpcInterfaceOptions, 'host' | 'shard' | 'realm' | 'clock' | 'registry' | 'log'>;

export interface ServedGrpc extends Pick<GrpcInterface, 'onBlockCommitted' | 'stop' | 'take'> {
  /**
   * Opens the port; undefined when it is not available and nobody chose it.
   * @throws KagamiError PORT_UNAVAILABLE, CONFIG_INVALID
   */
  open(): Promise<number | undefined>;
}

/** Registers gRPC-Web; the port is opened by `open`. */
export const addGrpc = (
  app: FastifyInstance,
  { database: access, settings, limits, isPortChosen }: GrpcOptions,
  surroundings: Surroundings,
): ServedGrpc => {
  const database = access instanceof Promise ? pendingDatabase(access) : access;
  const served = createGrpcInterface({ database, settings, limits, ...surroundings });
  served.registerWeb(app);
  return {
    onBlockCommitted: served.onBlockCommitted,
    take: served.take,
    open: async () => {
      try {
        return await served.open();
      } catch (error) {
        if (isPortChosen || !isKagamiError(error, 'PORT_UNAVAILABLE')) throw error;
        const { message, details } = error;
        surroundings.log.warn(
          { ...details, reason: message },
          limits.onHttpPorts ? 'gRPC is served on the HTTP ports only' : 'gRPC is served as gRPC-Web only',
        );
        return undefined;
      }
    },
    stop: async () => {
      await served.stop();
      await database.close();
    },
  };
};
