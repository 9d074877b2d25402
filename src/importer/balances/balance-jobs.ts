/** The work on balance files beside an import: looking for new ones, and reconciling them. */
import type { SettingsOf } from '../../config/setting.ts';
import type { importerSettings } from '../../config/settings/importer.ts';
import type { Database } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import type { SourceLocation } from '../../sources/source-location.ts';
import { parseRatio } from '../../streams/consensus.ts';
import { cronSchedule } from '../maintenance/cron.ts';
import { type JobFailure, runOnSchedule, runPeriodically } from '../maintenance/schedule.ts';
import type { NetworkIds } from '../pipeline/address-books.ts';
import { ElectorateKeeper } from '../pipeline/electorate-keeper.ts';
import { timeOf } from '../pipeline/import-range.ts';
import { type BalanceImportEvents, importBalanceFiles, wantsBalanceFiles } from './balance-import.ts';
import type { BalanceStore } from './balance-store.ts';
import { openBalanceStore } from './open-balance-store.ts';
import { type ReconciliationReport, reconcileBalanceFiles, reconciliationStatus } from './reconciliation.ts';

/** Pause between two looks into a bucket for initial balances, which most databases never get: requests cost money. */
const INITIAL_LOOK_MS = 300_000;
/** Differences that one file may report. */
const REPORTED_DIFFERENCES = 100;

export interface BalanceJobEvents extends BalanceImportEvents {
  /** Balance files and transfers disagree; `error` of the report says where. */
  readonly disagreed?: (report: ReconciliationReport) => void;
  readonly failed: (failure: JobFailure) => void;
}

export interface BalanceJobOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  /** Where the record streams are; balance files lie next to them. */
  readonly source: SourceLocation;
  readonly settings: SettingsOf<typeof importerSettings>;
  readonly network: NetworkIds;
  readonly trustUnsigned: boolean;
  /** Goes on until the signal (true), or ends with the balance files that are there; then nothing is reconciled. */
  readonly follow: boolean;
  readonly events: BalanceJobEvents;
  readonly signal: AbortSignal;
}

/**
 * Balance files that are not wanted otherwise are looked at for initial balances alone; those need the blocks before
 * them, so where nothing is followed, call this after the import of blocks.
 * @throws KagamiError CONFIG_INVALID when both balance files and snapshots are asked for, or for a wrong
 * `reconciliation.cron`; when not following also what `importBalanceFiles` throws
 */
export const runBalanceJobs = async (options: BalanceJobOptions): Promise<void> => {
  const onlyInitial = !wantsBalanceFiles(options.settings);
  const store = openBalanceStore(options.source);
  const closing = (): void => store.close();
  // A request that hangs would keep the importer from stopping.
  options.signal.addEventListener('abort', closing, { once: true });
  try {
    if (options.follow) await followBalances(options, store, onlyInitial);
    else await importOnce(options, store, onlyInitial);
  } finally {
    options.signal.removeEventListener('abort', closing);
    store.close();
  }
};

const followBalances = async (options: BalanceJobOptions, store: BalanceStore, onlyInitial: boolean): Promise<void> => {
  const { settings, source, events, signal } = options;
  const { downloader, reconciliation } = settings;
  const { frequency } = downloader.balance;
  const schedule = reconciliation.cron === '' ? undefined : cronSchedule(reconciliation.cron, 'reconciliation.cron');
  const jobs = [
    runPeriodically({
      name: 'balance files',
      everyMs: onlyInitial && source.kind === 'bucket' ? Math.max(frequency, INITIAL_LOOK_MS) : frequency,
      run: () => importOnce(options, store, onlyInitial),
      signal,
      onError: events.failed,
    }),
  ];
  if (reconciliation.enabled) {
    const job = { name: 'reconciliation', run: () => reconcileOnce(options), signal, onError: events.failed };
    jobs.push(
      schedule === undefined
        ? runPeriodically({ ...job, everyMs: reconciliation.frequency })
        : runOnSchedule({ ...job, schedule }),
    );
  }
  await Promise.all(jobs);
};

const importOnce = async (
  { database, lease, settings, network, trustUnsigned, events, signal }: BalanceJobOptions,
  store: BalanceStore,
  onlyInitial: boolean,
): Promise<void> => {
  const rules = { mode: settings.consensusMode, ratio: parseRatio(settings.downloader.consensusRatio) };
  const electorate = new ElectorateKeeper(rules, network);
  await electorate.refresh(database);
  await importBalanceFiles({
    database,
    lease,
    store,
    network: settings.network,
    shard: network.shard,
    electorate: electorate.current,
    batchSize: settings.parser.balance.batchSize,
    trustUnsigned,
    onlyInitial,
    events,
    signal,
  });
};

const reconcileOnce = async ({ database, settings, events, signal }: BalanceJobOptions): Promise<void> => {
  const { reconciliation } = settings;
  const report = await reconcileBalanceFiles({
    database,
    strategy: reconciliation.remediationStrategy,
    tokens: reconciliation.token,
    from: timeOf(reconciliation.startDate, 'reconciliation.startDate'),
    to: timeOf(reconciliation.endDate, 'reconciliation.endDate'),
    delayMs: reconciliation.delay,
    limit: REPORTED_DIFFERENCES,
    signal,
  });
  if (report !== undefined && report.status !== reconciliationStatus.success) events.disagreed?.(report);
};
