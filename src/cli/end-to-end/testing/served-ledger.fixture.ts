/** A simulated ledger in a folder, and the whole way from there to answers over HTTP. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chains } from '../../../config/chain.ts';
import { loadSettings } from '../../../config/load.ts';
import { openDatabase } from '../../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../../database/testing/test-database.fixture.ts';
import { openSimulationThreads } from '../../../evm/workers/simulation-threads.ts';
import type { CommittedBlocks } from '../../../importer/pipeline/block-commit.ts';
import { defaultImporterSettings, importFolder } from '../../../importer/pipeline/testing/import-run.fixture.ts';
import type { ServerLog } from '../../../server/server-log.ts';
import { type RunningServer, startServer } from '../../../server/start.ts';
import {
  type SimulatedLedger,
  type SimulateLedgerOptions,
  simulateLedger,
} from '../../../simulator/simulate-ledger.ts';

export interface LedgerFolder {
  readonly folder: string;
  readonly ledger: SimulatedLedger;
  remove(): Promise<void>;
}

export const simulateInto = async (options: Omit<SimulateLedgerOptions, 'out'>): Promise<LedgerFolder> => {
  const root = await mkdtemp(join(tmpdir(), 'kagami-end-to-end-'));
  const folder = join(root, 'ledger');
  const ledger = await simulateLedger({ ...options, out: folder });
  return { folder, ledger, remove: () => rm(root, { recursive: true, force: true }) };
};

/** A ledger with everything in it, and short staking periods, so that several end within it. */
export const RICH_LEDGER = {
  seed: 'end to end',
  mix: 'everything',
  transactions: 6_000,
  tps: 60,
  nodes: 3,
  users: 60,
  stakingPeriodNanos: 40_000_000_000n,
} as const;

export interface ServedLedger {
  readonly ledger: SimulatedLedger;
  readonly target: TestDatabase;
  /** What each commit said. */
  readonly commits: readonly CommittedBlocks[];
  readonly server: RunningServer;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** 0, the default, takes any free one. */
  readonly port?: number;
  readonly additionalPorts?: readonly number[];
  /** Also over gRPC, on any free port. */
  readonly grpc?: boolean;
  /** Also over Rosetta, on any free port. */
  readonly rosetta?: boolean;
  /** Whether transfers are also kept as payers listed them. */
  readonly itemizedTransfers?: boolean;
  /** Shard 0, realm 0 by default. */
  readonly network?: { readonly shard: bigint; readonly realm: bigint };
}

const silent: ServerLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The chain of simulated networks. */
const SIMULATED = chains.OTHER;

/** The settings that an operator has who sets nothing but the ports. */
export const startTestServer = async (
  { database, connectionString }: TestDatabase,
  options: ServeOptions = {},
): Promise<RunningServer> => {
  const { hiero, kagami } = loadSettings({ cwd: '/', env: {}, files: [], readFile: () => undefined }).settings;
  const { web3 } = hiero.mirror;
  const common = { ...hiero.mirror.common, ...options.network };
  const simulations = openSimulationThreads({
    settings: web3,
    common,
    chain: SIMULATED,
    connectionString,
    schema: 'public',
  });
  const server = await startServer({
    database,
    simulations,
    chain: SIMULATED,
    ...(options.grpc === true
      ? {
          grpc: {
            database: openDatabase({ connectionString, max: 4 }),
            settings: { ...hiero.mirror.grpc, port: 0 },
            limits: { ...kagami.grpc, shutdownTimeout: 200 },
            isPortChosen: true,
          },
        }
      : {}),
    ...(options.rosetta === true
      ? {
          rosetta: {
            database: openDatabase({ connectionString, max: 4 }),
            settings: { ...hiero.mirror.rosetta, port: 0, shutdownTimeout: 0 },
            limits: kagami.rosetta,
            isPortChosen: true,
          },
        }
      : {}),
    logger: silent,
    settings: {
      rest: { ...hiero.mirror.rest, port: options.port ?? 0 },
      restJava: hiero.mirror.restJava,
      common,
      web3,
      server: { ...kagami.server, additionalPorts: options.additionalPorts ?? [] },
    },
  });
  return {
    ...server,
    onBlockCommitted: () => {
      server.onBlockCommitted();
      simulations.onBlockCommitted();
    },
    stop: async (drainMs) => {
      await server.stop(drainMs);
      await simulations.stop(0);
    },
  };
};

const { parser } = defaultImporterSettings;
const importSettings = (itemizedTransfers: boolean): typeof defaultImporterSettings => {
  const { record } = parser;
  const { sidecar, entity } = record;
  return {
    ...defaultImporterSettings,
    parser: {
      ...parser,
      record: {
        ...record,
        sidecar: { ...sidecar, enabled: true },
        entity: { ...entity, persist: { ...entity.persist, itemizedTransfers } },
      },
    },
  };
};

/** Simulates, imports all of it, sidecars included, and serves. */
export const serveSimulatedLedger = async (
  options: Omit<SimulateLedgerOptions, 'out'>,
  serve: ServeOptions = {},
): Promise<ServedLedger> => {
  const { folder, ledger, remove } = await simulateInto(options);
  const target = await createTestDatabase();
  const commits: CommittedBlocks[] = [];
  let server: RunningServer | undefined;
  const stop = async (): Promise<void> => {
    await server?.stop(0);
    await target.drop();
    await remove();
  };
  try {
    await importFolder(target, {
      folder,
      addressBook: await readFile(ledger.addressBookFile),
      settings: importSettings(serve.itemizedTransfers === true),
      committed: (blocks) => commits.push(blocks),
    });
    server = await startTestServer(target, serve);
    return { ledger, target, commits, server, origin: `http://127.0.0.1:${server.ports[0]}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
