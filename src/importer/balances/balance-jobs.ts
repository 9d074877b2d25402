/** The work on balance files beside an import: looking for new ones, and reconciling them once a day. */
import type { SettingsOf } from '../../config/setting.ts';
import type { importerSettings } from '../../config/settings/importer.ts';
import type { Database } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import { parseRatio } from '../../streams/consensus.ts';
import { type JobFailure, runPeriodically } from '../maintenance/schedule.ts';
import type { NetworkIds } from '../pipeline/address-books.ts';
import { ElectorateKeeper } from '../pipeline/electorate-keeper.ts';
import { timeOf } from '../pipeline/import-range.ts';
import { type BalanceImportEvents, importBalanceFiles, wantsBalanceFiles } from './balance-import.ts';
import { type ReconciliationReport, reconcileBalanceFiles, reconciliationStatus } from './reconciliation.ts';

const DAY_MS = 86_400_000;
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
  /** Folder with the streams; undefined where they don't come from a folder. */
  readonly folder: string | undefined;
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
 * @throws KagamiError CONFIG_INVALID when both balance files and snapshots are asked for; when not following also what
 * `importBalanceFiles` throws
 */
export const runBalanceJobs = async (options: BalanceJobOptions): Promise<void> => {
  const { settings, folder, follow, events, signal } = options;
  const { downloader, reconciliation } = settings;
  const onlyInitial = !wantsBalanceFiles(settings);
  const jobs: Promise<void>[] = [];
  if (!follow) {
    if (folder !== undefined) await importOnce(options, folder, onlyInitial);
    return;
  }
  if (folder !== undefined) {
    jobs.push(
      runPeriodically({
        name: 'balance files',
        everyMs: downloader.balance.frequency,
        run: () => importOnce(options, folder, onlyInitial),
        signal,
        onError: events.failed,
      }),
    );
  }
  if (reconciliation.enabled) {
    jobs.push(
      runPeriodically({
        name: 'reconciliation',
        everyMs: DAY_MS,
        run: () => reconcileOnce(options),
        signal,
        onError: events.failed,
      }),
    );
  }
  await Promise.all(jobs);
};

const importOnce = async (
  { database, lease, settings, network, trustUnsigned, events, signal }: BalanceJobOptions,
  folder: string,
  onlyInitial: boolean,
): Promise<void> => {
  const rules = { mode: settings.consensusMode, ratio: parseRatio(settings.downloader.consensusRatio) };
  const electorate = new ElectorateKeeper(rules, network);
  await electorate.refresh(database);
  await importBalanceFiles({
    database,
    lease,
    folder,
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
