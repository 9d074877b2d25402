/** The server with gRPC and Rosetta on ports of their own, any that are free unless settings say otherwise. */
import { loadSettings } from '../../config/load.ts';
import { openDatabase } from '../../database/connection.ts';
import type { TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type RunningServer, startServer } from '../start.ts';

export interface StartedInterfaces {
  readonly server: RunningServer;
  readonly warnings: readonly string[];
}

export interface StartOptions {
  readonly set?: Readonly<Record<string, string | number>>;
  readonly isGrpcPortChosen?: boolean;
  readonly isRosettaPortChosen?: boolean;
}

export const startInterfaces = async (
  target: TestDatabase,
  { set = {}, isGrpcPortChosen, isRosettaPortChosen }: StartOptions = {},
): Promise<StartedInterfaces> => {
  const ports = {
    'hiero.mirror.rest.port': 0,
    'hiero.mirror.grpc.port': 0,
    'hiero.mirror.rosetta.port': 0,
    'kagami.server.host': '127.0.0.1',
    'kagami.grpc.shutdownTimeout': '300',
    ...set,
  };
  const { hiero, kagami } = loadSettings({
    cwd: '/',
    env: {},
    overrides: Object.entries(ports).map(([path, value]) => ({ path, value: String(value), origin: '--set' })),
    readFile: () => undefined,
  }).settings;
  const warnings: string[] = [];
  const { connectionString } = target;
  const server = await startServer({
    database: target.database,
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: (_details, message) => warnings.push(message),
      error: () => undefined,
    },
    settings: {
      rest: hiero.mirror.rest,
      restJava: hiero.mirror.restJava,
      common: hiero.mirror.common,
      server: { ...kagami.server, additionalPorts: [0] },
    },
    grpc: {
      database: openDatabase({ connectionString, max: 1 }),
      settings: hiero.mirror.grpc,
      limits: kagami.grpc,
      isPortChosen: isGrpcPortChosen ?? false,
    },
    rosetta: {
      database: openDatabase({ connectionString, max: 1 }),
      settings: { ...hiero.mirror.rosetta, shutdownTimeout: 0 },
      limits: kagami.rosetta,
      isPortChosen: isRosettaPortChosen ?? false,
    },
  });
  return { server, warnings };
};
