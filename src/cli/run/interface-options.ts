/** Options of single interfaces. Each has connections of its own, so that none of them waits for those of another. */
import { ownPorts } from '../../config/settings/own-ports.ts';
import type { InterfaceRole } from '../../config/settings/roles.ts';
import { openDatabase } from '../../database/connection.ts';
import type { GrpcOptions } from '../../server/grpc.ts';
import type { RosettaOptions } from '../../server/rosetta.ts';
import type { ServerOptions } from '../../server/start.ts';
import type { ReadySettings } from '../command-context.ts';
import type { DatabaseAccess } from './open-database.ts';

/** Answers take milliseconds: compiling their plans or starting workers for them takes longer. */
export const interfaceSessionSettings = { jit: 'off', max_parallel_workers_per_gather: '0' };

const grpcOptions = (
  { settings, origins }: ReadySettings,
  access: Promise<Pick<DatabaseAccess, 'addresses'>>,
): GrpcOptions => {
  const { grpc: limits } = settings.kagami;
  const database = access.then(({ addresses }) =>
    openDatabase({
      connectionString: addresses.reader,
      schema: addresses.schema,
      max: limits.maxDatabaseConnections,
      statementTimeoutMs: limits.statementTimeout,
      applicationName: 'kagami grpc',
      readOnly: true,
      sessionSettings: interfaceSessionSettings,
    }),
  );
  database.catch(() => undefined);
  return {
    database,
    settings: settings.hiero.mirror.grpc,
    limits,
    isPortChosen: origins.has(ownPorts.grpc.setting),
  };
};

const rosettaOptions = (
  { settings, origins }: ReadySettings,
  access: Promise<Pick<DatabaseAccess, 'addresses'>>,
): RosettaOptions => {
  const { rosetta: limits } = settings.kagami;
  const { rosetta } = settings.hiero.mirror;
  const database = access.then(({ addresses }) =>
    openDatabase({
      connectionString: addresses.reader,
      schema: addresses.schema,
      max: Math.min(limits.maxDatabaseConnections, rosetta.db.pool.maxOpenConnections),
      statementTimeoutMs: rosetta.db.statementTimeout * 1_000,
      applicationName: 'kagami rosetta',
      readOnly: true,
      sessionSettings: interfaceSessionSettings,
    }),
  );
  database.catch(() => undefined);
  return { database, settings: rosetta, limits, isPortChosen: origins.has(ownPorts.rosetta.setting) };
};

/** Options of the interfaces that this process serves; undefined for those that it does not. */
export const interfaceOptions = (
  ready: ReadySettings,
  access: Promise<Pick<DatabaseAccess, 'addresses'>>,
): { readonly [role in InterfaceRole]: ServerOptions[role] } => {
  const serves = (role: InterfaceRole): boolean => ready.settings.kagami.roles.includes(role);
  return {
    grpc: serves('grpc') ? grpcOptions(ready, access) : undefined,
    rosetta: serves('rosetta') ? rosettaOptions(ready, access) : undefined,
  };
};
