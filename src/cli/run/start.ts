/**
 * `kagami start`: puts the parts together, in this order: listeners (which answer 503 until there is a schema), database,
 * simulated network, importer. Stops them in the opposite order.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { interfaceRoles, ownPorts } from '../../config/settings/own-ports.ts';
import { type Database, openDatabase } from '../../database/connection.ts';
import { keepPartitionsAhead } from '../../database/partitions.ts';
import { prepareDatabase } from '../../database/prepare.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { SimulationThreads } from '../../evm/workers/simulation-threads.ts';
import { BLOCK_CHANNEL, type CommittedBlocks } from '../../importer/pipeline/block-commit.ts';
import { isBlockStream } from '../../importer/pipeline/chain-position.ts';
import { importRangeOf } from '../../importer/pipeline/import-range.ts';
import { readStandstill } from '../../importer/pipeline/stop-record.ts';
import { collectRegularly } from '../../runtime/regular-collection.ts';
import type { ImportCondition, ReadImportCondition } from '../../server/import-condition.ts';
import { checkPort } from '../../server/listeners.ts';
import type { NodeCondition, ReadNodeCondition } from '../../server/node-condition.ts';
import { type RunningServer, startServer } from '../../server/start.ts';
import type { CommandContext, ReadySettings } from '../command-context.ts';
import { type Interruption, noticesOf, watchInterruption } from '../interruption.ts';
import { bannerRecord, formatBanner } from '../terminal/banner.ts';
import { type StatusWriter, startStatusPrinter, statusLines, statusRecord } from '../terminal/status-line.ts';
import { kagamiVersion } from '../version.ts';
import { readAddressBook } from './address-book.ts';
import { announcedOnce } from './block-announcements.ts';
import { chooseStreams, placeOfFiles } from './block-choice.ts';
import { samplesOf } from './block-metrics.ts';
import { blockStreamTask, blocksBegin } from './block-stream-task.ts';
import { type DataFolders, dataFolders } from './data-folders.ts';
import { awaitDatabase } from './database-startup.ts';
import { errorOfFault } from './fault-error.ts';
import { holderName } from './holder-name.ts';
import { acceptsMissingSidecars, importerSettingsFor } from './importer-settings.ts';
import { type ImporterSupervisor, type SupervisorOptions, superviseImporter } from './importer-supervisor.ts';
import { interfaceOptions } from './interface-options.ts';
import { type LiveSource, openLiveSource } from './live-source.ts';
import { type MirroredChain, mirroredChain } from './mirrored-chain.ts';
import { type DatabaseAccess, openDatabaseAccess } from './open-database.ts';
import { restDatabaseOptions, restShare } from './rest-threads.ts';
import { openThreads } from './simulation-threads.ts';
import { chooseSource, namedNetwork } from './source-choice.ts';
import { developmentNetwork, openSubmission } from './submission.ts';
import { verificationOptions } from './verification.ts';

export const runStart = async (context: CommandContext, ready: ReadySettings): Promise<void> => {
  const interruption = watchInterruption(noticesOf(context.terminal, ready));
  const parts = new RunningParts();
  try {
    await runParts(context, ready, interruption, parts);
  } catch (error) {
    // Ctrl-C reaches programs that we started too, and their end may be seen before our own signal.
    await pause(50);
    // Whoever asked to stop while things were starting does not want to hear that they did not start.
    if (!interruption.signal.aborted) throw error;
  } finally {
    await parts.stop(ready);
    interruption.release();
  }
};

/** Milliseconds that simulations have to end when the process stops. */
const SIMULATION_DRAIN_MS = 5_000;

/** What runs, to be stopped last in, first out. */
class RunningParts {
  readonly #stops: { readonly name: string; readonly stop: () => Promise<void> }[] = [];

  add(name: string, stop: () => Promise<void>): void {
    this.#stops.push({ name, stop });
  }

  async stop({ logger }: ReadySettings): Promise<void> {
    for (const { name, stop } of this.#stops.reverse()) {
      try {
        await stop();
      } catch (error) {
        logger.error({ err: error }, `could not stop the ${name} cleanly`);
      }
    }
  }
}

const runParts = async (
  context: CommandContext,
  ready: ReadySettings,
  interruption: Interruption,
  parts: RunningParts,
): Promise<void> => {
  const { terminal, cwd } = context;
  const { kagami } = ready.settings;
  const folders = dataFolders(kagami.dataPath, cwd);
  const chain = mirroredChain(ready);
  for (const warning of chain.warnings) ready.logger.warn(warning);
  const imports = kagami.roles.includes('importer');
  if (imports) await chooseStreams(ready, cwd);
  // A database takes seconds to make, and nobody needs one that cannot be served.
  if (kagami.roles.includes('rest')) await checkPort(kagami.server.host, ready.settings.hiero.mirror.rest.port);
  for (const role of interfaceRoles) {
    const { setting, port, host } = ownPorts[role];
    // The usual port of an interface may be taken: then the HTTP ports alone serve it.
    if (!kagami.roles.includes(role) || !ready.origins.has(setting)) continue;
    await checkPort(host(ready.settings), port(ready.settings), setting);
  }

  const opening = openAndPrepare(ready, folders.postgres, imports, interruption);
  parts.add('database', async () => {
    const opened = await opening.catch(() => undefined);
    await opened?.database.close();
    await opened?.access.stop();
  });
  const reading = opening.then(({ database }) => database);
  const gaining = opening.then(({ access }) => access);
  // Both take seconds the first time (initdb; keys of the simulated nodes), so they go side by side.
  const openingSource = imports ? openSource(ready, folders, cwd, chain, parts) : Promise.resolve(undefined);
  // Whoever waits for them hears of a failure; until then it is no unhandled one.
  for (const promise of [reading, gaining, openingSource]) promise.catch(() => undefined);
  const simulating = opening.then(({ access }) => openThreads(ready, access, chain));
  simulating.catch(() => undefined);
  parts.add('simulations', async () => (await simulating.catch(() => undefined))?.stop(SIMULATION_DRAIN_MS));
  let importer: ImporterSupervisor | undefined;
  const importCondition = async (): Promise<ImportCondition> => {
    const own = importer?.standstill();
    if (importer !== undefined && own !== 'standby') return { own: true, standstill: own };
    return { own: false, standstill: await readStandstill(await reading) };
  };
  const { submit } = kagami.simulator;
  let nodeState: NodeCondition['state'] | (() => NodeCondition['state']) | undefined =
    imports && submit.enabled && chooseSource(ready, cwd) === 'simulator' ? 'opening' : undefined;
  let nodePort = submit.port;
  const nodeCondition = (): NodeCondition | undefined => {
    const state = typeof nodeState === 'function' ? nodeState() : nodeState;
    return state && { state, port: nodePort };
  };
  const server = kagami.roles.some((role) => role !== 'importer')
    ? await serve(ready, {
        database: reading,
        access: gaining,
        simulations: simulating,
        importCondition,
        nodeCondition,
        chain,
        folders,
      })
    : undefined;
  if (server) parts.add('listeners', () => server.stop());
  const { access, database, writable } = await opening;
  const simulations = await simulating;
  const onBlockCommitted = announcedOnce(() => {
    server?.onBlockCommitted();
    simulations.onBlockCommitted();
  });

  const endCollections = collectRegularly();
  parts.add('collections', async () => endCollections());
  if (writable) parts.add('partitions', keepPartitions(ready, access));
  const source = writable ? await openingSource : undefined;
  const node = await openSubmission(ready, source, server?.registry);
  if (node) {
    nodePort = node.port;
    nodeState = () => (node.isListening() ? 'listening' : 'closed');
    parts.add('submission of transactions', node.stop);
  } else if (nodeState !== undefined) nodeState = writable ? 'unavailable' : undefined;
  if (source) {
    importer = await startImporter(ready, access, source, cwd, {
      onCommitted: (blocks) => {
        source.imported(blocks.name);
        node?.mirrored(blocks.consensusEnd);
        onBlockCommitted(String(blocks.blockNumber));
        if (server) measure(server, blocks);
      },
      onStop: ({ state, code }) =>
        server?.importMetrics.record({ kind: 'counter', name: 'stop', labels: { state, code } }),
      onMeasured: (measurement) => {
        for (const sample of samplesOf(measurement)) server?.importMetrics.record(sample);
      },
    });
    parts.add('importer', importer.stop);
  }
  if (server) {
    // Also beside an importer of our own: while that one stands by, the blocks come from another process.
    // A connection that was lost may have missed an announcement.
    const unlisten = await database.listen(BLOCK_CHANNEL, onBlockCommitted, { onReconnect: () => onBlockCommitted() });
    parts.add('block announcements', unlisten);
  }

  const facts = {
    version: kagamiVersion(),
    nodeVersion: process.versions.node,
    database: access.description,
    dataPath: folders.root,
    source: source?.description ?? (writable ? 'none' : 'none: the database is served read-only as it stands'),
    host: kagami.server.host,
    ports: server?.ports ?? [],
    interfacePorts: server?.interfacePorts ?? {},
    node: node && developmentNetwork(node.port),
    roles: kagami.roles,
  };
  const { records } = ready;
  if (records === undefined) terminal.out(formatBanner(facts, terminal));
  else records.info(bannerRecord(facts), 'Kagami runs');
  if (importer) {
    const { state } = importer;
    const write: StatusWriter =
      records === undefined
        ? statusLines(terminal)
        : (status, previous, seconds) => records.info(statusRecord(status, previous, seconds), 'status');
    const status = startStatusPrinter(write, () => {
      const { block, consensusEnd, transactions, note } = state();
      const lagSeconds =
        consensusEnd === undefined ? undefined : Date.now() / 1_000 - Number(consensusEnd / 1_000_000n) / 1_000;
      return { block, transactions, lagSeconds, memoryBytes: process.memoryUsage.rss(), note };
    });
    parts.add('status', async () => status.stop());
  }
  const fault = await Promise.race([
    interruption.requested.then(() => undefined),
    // With interfaces to serve, an import that failed or is complete is no reason to end: what is there stays readable.
    ...(importer && !server ? [importer.failed, importer.completed.then(() => undefined)] : []),
  ]);
  if (fault) throw errorOfFault(fault);
};

/** The source stops even if it came up only after something else had failed. */
const openSource = (
  ready: ReadySettings,
  folders: DataFolders,
  cwd: string,
  chain: MirroredChain,
  parts: RunningParts,
): Promise<LiveSource | undefined> => {
  const opening = openLiveSource(ready, folders, cwd, chain, Date.now());
  parts.add('source', async () => {
    const source = await opening.catch(() => undefined);
    await source?.stop();
  });
  return opening;
};

/** Makes the partitions of the months to come, which needs the owner's rights. Gives what ends it. */
const keepPartitions = ({ logger }: ReadySettings, { addresses }: DatabaseAccess): (() => Promise<void>) => {
  const owner = openDatabase({
    connectionString: addresses.owner,
    schema: addresses.schema,
    max: 1,
    applicationName: 'kagami partitions',
  });
  const keeper = keepPartitionsAhead(owner, (error) => logger.warn({ err: error }, 'could not make partitions ahead'));
  return async () => {
    keeper.stop();
    await owner.close();
  };
};

interface OpenedDatabase {
  readonly access: DatabaseAccess;
  /** For the interfaces: reads only. */
  readonly database: Database;
  readonly writable: boolean;
}

const openAndPrepare = async (
  ready: ReadySettings,
  folder: string,
  imports: boolean,
  interruption: Interruption,
): Promise<OpenedDatabase> => {
  const { settings, logger } = ready;
  const patience = settings.hiero.mirror.common.databaseStartup;
  const open = async (): Promise<{ access: DatabaseAccess; writable: boolean }> => {
    const access = await openDatabaseAccess(ready, folder, logger);
    try {
      if (!imports) return { access, writable: false };
      const { writable } = await prepareDatabase(access.addresses, {
        onMigration: ({ version, name }) => logger.info({ version, name }, 'applying a migration'),
        onWait: () => logger.info('another process is migrating; waiting for it'),
      });
      return { access, writable };
    } catch (error) {
      await access.stop();
      throw error;
    }
  };
  const { access, writable } = await awaitDatabase(open, patience, logger, interruption.signal);
  const database = openDatabase(restDatabaseOptions(restShare(ready).rest.db, access));
  return { access, database, writable };
};

interface ServedParts {
  readonly database: Promise<Database>;
  readonly access: Promise<DatabaseAccess>;
  readonly simulations: Promise<SimulationThreads>;
  readonly importCondition: ReadImportCondition;
  readonly nodeCondition: ReadNodeCondition;
  readonly chain: MirroredChain;
  readonly folders: DataFolders;
}

const serve = (
  ready: ReadySettings,
  { database, access, simulations, importCondition, nodeCondition, chain, folders }: ServedParts,
): Promise<RunningServer> => {
  const { settings, logger } = ready;
  const { restJava, common, web3 } = settings.hiero.mirror;
  const { server, roles } = settings.kagami;
  const { others, rest } = restShare(ready);
  return startServer({
    chain,
    database,
    importCondition,
    nodeCondition,
    // What other roles serve has its health and metrics here, too.
    ...(roles.includes('rest')
      ? {
          simulations,
          verification: verificationOptions(ready, access, folders, chain),
          restThreads: {
            count: others,
            database: database.then(async () => restDatabaseOptions(rest.db, await access)),
          },
        }
      : { routes: [] }),
    ...interfaceOptions(ready, access),
    settings: { rest, restJava, common, server, web3 },
    logger,
    version: kagamiVersion(),
  });
};

const startImporter = async (
  ready: ReadySettings,
  { addresses }: DatabaseAccess,
  source: LiveSource,
  cwd: string,
  events: Pick<SupervisorOptions, 'onCommitted' | 'onStop' | 'onMeasured'>,
): Promise<ImporterSupervisor> => {
  const { settings, logger } = ready;
  const { importer, common } = settings.hiero.mirror;
  const { trustUnsigned, acceptGaps } = settings.kagami.source;
  if (trustUnsigned) {
    throw new KagamiError('CONFIG_INVALID', 'Unsigned files are only imported by `kagami import --trust-unsigned`', {
      details: { setting: 'kagami.source.trustUnsigned' },
    });
  }
  const { streams, beginsAt } = source;
  const book = await readAddressBook(
    {
      configured: source.addressBook ?? importer.initialAddressBook,
      location: placeOfFiles(streams),
      cwd,
      network: source.network ?? namedNetwork(ready),
      begins: importRangeOf(importer).from ?? beginsAt ?? blocksBegin(streams, importer),
    },
    common,
  );
  return superviseImporter({
    logger,
    ...events,
    task: {
      connectionString: addresses.writer,
      schema: addresses.schema,
      source: streams.records,
      blocks: await blockStreamTask(streams, source.ledgerIdFile ?? importer.block.initialLedgerIdPublication, cwd),
      ...(beginsAt === undefined ? {} : { beginsAt }),
      settings: importerSettingsFor(ready, source),
      network: common,
      ...(book === undefined ? {} : { initialAddressBook: book.bytes }),
      follow: true,
      trustUnsigned: false,
      acceptGaps,
      acceptMissingSidecars: acceptsMissingSidecars(ready, source),
      holder: holderName('start'),
    },
  });
};

const measure = (server: RunningServer, { consensusEnd, writeMs, version }: CommittedBlocks): void => {
  const latency = Math.max(0, (Date.now() - Number(consensusEnd / 1_000_000n)) / 1_000);
  const { importMetrics } = server;
  const type = isBlockStream({ version }) ? 'BLOCK' : 'RECORD';
  importMetrics.record({ kind: 'timer', name: 'batch_latency', seconds: latency, labels: { type } });
  importMetrics.record({ kind: 'timer', name: 'parse_latency', seconds: latency, labels: { type } });
  const labels = { type, success: 'true' };
  importMetrics.record({ kind: 'timer', name: 'parse_duration', seconds: writeMs / 1_000, labels });
};
