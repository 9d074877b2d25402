/** Entry of the importer's thread: waits for its turn to write, imports, and tells the main thread what happens. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Database, openDatabase } from '../../database/connection.ts';
import { acquireWriter, type WriterLease, writerSessionSettings } from '../../database/fencing.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { collectRegularly } from '../../runtime/regular-collection.ts';
import { openBlockOrigins } from '../../sources/open-block-origins.ts';
import { openSource } from '../../sources/open-source.ts';
import { RecordFileReader } from '../../sources/record-file-reader.ts';
import type { SourceLocation } from '../../sources/source-location.ts';
import { parseAddressBook } from '../../streams/address-book.ts';
import { wantsBalanceFiles } from '../balances/balance-import.ts';
import { runBalanceJobs } from '../balances/balance-jobs.ts';
import { importWithIndexes } from '../bulk/bulk-import.ts';
import type { IndexProgress } from '../bulk/deferred-indexes.ts';
import { keepRetention } from '../maintenance/keep-retention.ts';
import { besideWork, type SideJob } from './beside-work.ts';
import { BlockReader } from './block-reader.ts';
import type { BlockStream } from './block-stream.ts';
import { followUp } from './commit-followers.ts';
import { faultOf } from './fault.ts';
import { repairAfterBulk, runImporter } from './importer.ts';
import type { BlockStreamTask, ImporterMessage, ImporterOrder, ImporterTask } from './importer-messages.ts';
import type { ImporterSettings } from './importer-settings.ts';
import { readRegisteredBlockNodes, withRegistered } from './registered-block-nodes.ts';
import { StopRecord } from './stop-record.ts';

const task = workerData as ImporterTask;
const stopping = new AbortController();
const tell = (message: ImporterMessage): void => parentPort?.postMessage(message);

/** A crash of the server may cost the last commits of a bulk import, which resumes before them; never their order. */
const BULK_SESSION_SETTINGS = { synchronous_commit: 'off' };

/** The import itself, what its lookups ask while a group is being written, and the work that follows commits. */
const CONNECTIONS = 6;

const importUnder = async (lease: WriterLease): Promise<void> => {
  const bulk = task.bulk ?? false;
  // Refuses settings that contradict each other before anything is opened.
  wantsBalanceFiles(task.settings);
  const { connectionString, schema, settings, network, initialAddressBook, follow, trustUnsigned, acceptGaps } = task;
  const database = openDatabase({
    connectionString,
    max: CONNECTIONS,
    applicationName: 'kagami importer',
    sessionSettings: bulk ? { ...writerSessionSettings, ...BULK_SESSION_SETTINGS } : writerSessionSettings,
    ...(schema === undefined ? {} : { schema }),
  });
  const source = task.source && openSource(task.source, follow);
  const blocks = task.blocks && openBlockStream(task.blocks, settings, database);
  const closeSources = (): void => {
    source?.close();
    for (const origin of blocks?.origins ?? []) origin.close();
  };
  // A request to a store that hangs would keep us from stopping.
  stopping.signal.addEventListener('abort', closeSources, { once: true });
  const reader = new RecordFileReader();
  const endCollections = follow ? collectRegularly() : undefined;
  const signal = AbortSignal.any([stopping.signal, lease.lost]);
  const stops = new StopRecord({
    database,
    lease,
    follow,
    onStandstill: (reason) => tell({ kind: 'standstill', ...reason }),
    onResumed: () => tell({ kind: 'resumed' }),
  });
  // Balance files lie beside record files.
  const balanceJobs = task.source === undefined ? noWork : balanceJobsWith(database, lease, task.source);
  try {
    const onIndex = (index: IndexProgress): void => {
      stops.writes();
      tell({ kind: 'indexing', index });
    };
    const work = (until: AbortSignal): Promise<void> =>
      runImporter({
        database,
        lease,
        source,
        blocks,
        settings,
        network,
        follow,
        trustUnsigned,
        acceptGaps: acceptGaps ?? false,
        acceptMissingSidecars: task.acceptMissingSidecars,
        beginsAt: task.beginsAt,
        readFile: (name, bytes, options) => reader.read(name, bytes, options),
        // Each read of a bucket takes a while, so many are under way.
        readAhead: task.source?.kind === 'bucket' ? settings.downloader.batchSize : undefined,
        bulk,
        initialAddressBook:
          initialAddressBook === undefined
            ? undefined
            : parseAddressBook(initialAddressBook, { source: 'initial address book', ...network }),
        signal: until,
        events: {
          writing: () => stops.writes(),
          committed: (blocks) => {
            stops.progressed();
            tell({ kind: 'committed', blocks, heapBytes: process.memoryUsage().heapUsed });
          },
          waiting: (file, reason) => stops.waits(reason, file),
          proceeding: () => stops.proceeds(),
          passedOver: (file, reason) => stops.passesOver(reason, file),
          reading: () => stops.reads(),
          skipped: (file, reason) => tell({ kind: 'skipped', file, fault: faultOf(reason) }),
          stage: (stream) => tell({ kind: 'stage', stream }),
          measured: (measurement) => tell({ kind: 'measured', measurement }),
          retrying: (reason, pauseMs) => {
            stops.retries(reason);
            tell({ kind: 'retrying', fault: faultOf(reason), pauseMs });
          },
          followingFailed: jobFailed,
        },
      });
    await importWithIndexes({ database, lease, bulk, onIndex, signal }, () =>
      besideWork(signal, follow ? [pruneWith(lease), balanceJobs] : [], work),
    );
    // Initial balances need the blocks before them.
    if (!follow && !signal.aborted) await balanceJobs(signal);
    if (bulk) {
      await repairAfterBulk({ database, lease, settings, network, signal });
      await followUp({ database, lease, settings, network, signal, bulk: false, onFault: jobFailed });
    }
    if (follow && !signal.aborted) {
      await stops.stopped('ended', new KagamiError('IMPORT_RANGE_ENDED', 'The last block of the range is imported'));
    } else if (!signal.aborted) stops.progressed();
  } catch (error) {
    const fault = faultOf(error);
    if (!signal.aborted) await stops.stopped(follow && fault.retryable ? 'retrying' : 'stopped', error);
    throw error;
  } finally {
    endCollections?.();
    closeSources();
    await reader.close();
    await stops.close();
    await database.close();
  }
  if (lease.lost.aborted && !stopping.signal.aborted) {
    throw new KagamiError('WRITER_FENCED', 'The connection that held the writer lock was lost');
  }
};

/** Deletes rows that are too old. */
const pruneWith =
  (lease: WriterLease): SideJob =>
  (signal) =>
    keepRetention({
      connectionString: task.connectionString,
      schema: task.schema,
      lease,
      settings: task.settings.retention,
      signal,
      onStep: (pruned) => tell({ kind: 'pruning', pruned }),
      onPass: (pruned) => tell({ kind: 'pruned', pruned }),
      onError: ({ cause }) => jobFailed('retention', cause),
    });

/** Looks for balance files, and reconciles them, if that is wanted. */
const balanceJobsWith =
  (database: Database, lease: WriterLease, source: SourceLocation): SideJob =>
  (signal) =>
    runBalanceJobs({
      database,
      lease,
      settings: task.settings,
      network: task.network,
      trustUnsigned: task.trustUnsigned,
      follow: task.follow,
      source,
      signal,
      events: {
        failed: ({ name, cause }) => jobFailed(name, cause),
        skipped: (file, reason) => tell({ kind: 'skipped', file, fault: faultOf(reason) }),
        disagreed: ({ error }) => tell({ kind: 'disagreed', error }),
        initialized: (balances) => tell({ kind: 'balances-initialized', balances }),
      },
    });

const noWork: SideJob = async () => undefined;

const openBlockStream = (
  { location, ledger }: BlockStreamTask,
  settings: ImporterSettings,
  database: Database,
): BlockStream => ({
  origins: openBlockOrigins(location, {
    settings: settings.block,
    timeoutMs: settings.downloader.timeout,
    batchSize: settings.downloader.batchSize,
    registered: async (configured) => withRegistered(configured, await readRegisteredBlockNodes(database)),
  }),
  openReader: () => new BlockReader(),
  ledger,
});

const jobFailed = (job: string, fault: unknown): void => tell({ kind: 'job-failed', job, fault: faultOf(fault) });

const run = async (): Promise<void> => {
  const lease = await acquireWriter({
    connectionString: task.connectionString,
    holder: task.holder,
    signal: stopping.signal,
    onWait: ({ holder }) => tell({ kind: 'standby', holder }),
  });
  lease.lost.addEventListener('abort', () => tell({ kind: 'lock-lost' }));
  try {
    tell({ kind: 'importing' });
    await importUnder(lease);
  } finally {
    await lease.release();
  }
};

parentPort?.on('message', (order: ImporterOrder) => {
  if (order.kind === 'stop') stopping.abort(order.kind);
});

try {
  await run();
  tell({ kind: 'stopped' });
} catch (error) {
  tell(stopping.signal.aborted ? { kind: 'stopped' } : { kind: 'failed', fault: faultOf(error) });
} finally {
  // The open port would keep the thread alive.
  parentPort?.close();
}
