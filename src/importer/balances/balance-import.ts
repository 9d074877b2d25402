/** Balance files of a folder or bucket into the database: in order of time, each proven, going on after the last one imported. */
import type { Database } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import { isKagamiError, KagamiError } from '../../errors/kagami-error.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import type { Electorate } from '../../sources/electorate.ts';
import { isSourceFailure } from '../../sources/source-failure.ts';
import type { BalanceFile } from '../../streams/balance-file.ts';
import { streamError } from '../../streams/stream-error.ts';
import { type BalanceFileTarget, importBalanceFile } from './balance-file-import.ts';
import { agreeOnBalanceFile } from './balance-proof.ts';
import { type BalanceFileGroup, type BalanceStore, listBalanceFiles } from './balance-store.ts';
import { type InitialBalances, initializeBalances } from './initial-balances.ts';
import { timeOffsets } from './time-offset.ts';

export interface BalanceImportEvents {
  readonly imported?: (file: BalanceFile) => void;
  /** A file that too few nodes signed, or of which no copy is the signed one, was passed over. */
  readonly skipped?: (file: string, reason: KagamiError) => void;
  readonly initialized?: (balances: InitialBalances) => void;
}

export interface BalanceImportOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  readonly store: BalanceStore;
  /** Setting `hiero.mirror.importer.network`. */
  readonly network: string;
  readonly shard: bigint;
  /** Who may prove the files. */
  readonly electorate: Electorate;
  /** Most balances held in memory before they are written. */
  readonly batchSize: number;
  /** Accepts files that nobody signed. */
  readonly trustUnsigned?: boolean;
  /**
   * Imports only the one file that initial balances need, which one signature proves, and that only if the database has
   * none: what is done where balance files are not wanted otherwise.
   */
  readonly onlyInitial?: boolean;
  readonly events?: BalanceImportEvents;
  readonly signal?: AbortSignal;
}

/** The settings that decide which of the two sources of balances is used. */
export interface BalanceSourceSettings {
  readonly downloader: { readonly balance: { readonly enabled: boolean } };
  readonly parser: {
    readonly balance: { readonly enabled: boolean };
    readonly record: { readonly historicalBalance: { readonly enabled: boolean } };
  };
}

/** Whether balance files are imported. @throws KagamiError CONFIG_INVALID when snapshots are to be made as well */
export const wantsBalanceFiles = ({ downloader, parser }: BalanceSourceSettings): boolean => {
  if (!downloader.balance.enabled || !parser.balance.enabled) return false;
  if (parser.record.historicalBalance.enabled) {
    throw new KagamiError(
      'CONFIG_INVALID',
      'Balances come either from balance files or from snapshots: set one of ' +
        'hiero.mirror.importer.downloader.balance.enabled and ' +
        'hiero.mirror.importer.parser.record.historicalBalance.enabled to false',
      { details: { setting: 'hiero.mirror.importer.downloader.balance.enabled' } },
    );
  }
  return true;
};

/**
 * Imports what is there now, then takes over initial balances where they are due.
 * @throws KagamiError of `isSourceFailure`, WRITER_FENCED, those of the database, and those of a file that is proven but
 * can't be read
 */
export const importBalanceFiles = async (options: BalanceImportOptions): Promise<void> => {
  const { database, events } = options;
  const run: BalanceImportRun = { ...options, timeOffsetOf: timeOffsets(options.network) };
  if (options.onlyInitial) await importInitialFile(run);
  else await importAll(run);
  const initialized = await initializeBalances(database, options.lease);
  if (initialized !== undefined) events?.initialized?.(initialized);
};

type BalanceImportRun = BalanceImportOptions & BalanceFileTarget;

const importAll = async (options: BalanceImportRun): Promise<void> => {
  for await (const formats of snapshotsAfter(options, await lastImported(options.database))) {
    await importSnapshot(formats, options, options.electorate);
  }
};

const importInitialFile = async (options: BalanceImportRun): Promise<void> => {
  const [history] = await options.database.query<{ first: string; last: string }>(
    `select min(consensus_start) as first, max(consensus_end) as last from record_file
     where not exists (select from account_balance_file where not synthetic) having count(*) > 0`,
  );
  if (history === undefined) return;
  const oneSignature = { ...options.electorate, ratio: { numerator: 0n, denominator: 1n } };
  for await (const formats of snapshotsAfter(options, BigInt(history.first) - 1n)) {
    if ((formats[0]?.nanos ?? 0n) > BigInt(history.last)) return;
    if (await importSnapshot(formats, options, oneSignature)) return;
  }
};

const lastImported = async (database: Database): Promise<Nanos> => {
  const [row] = await database.query<{ last: string }>(
    'select coalesce(max(consensus_timestamp), -1) as last from account_balance_file where not synthetic',
  );
  return BigInt(row?.last ?? -1);
};

/** The files of each time, earliest first; of one time there may be files in both formats. */
async function* snapshotsAfter(
  { store, electorate, signal }: BalanceImportOptions,
  start: Nanos,
): AsyncGenerator<readonly BalanceFileGroup[]> {
  const nodes = await store.nodes(electorate);
  let groups = await listBalanceFiles(store, nodes, start);
  while (groups.length > 0) {
    for (const formats of Map.groupBy(groups, ({ nanos }) => nanos).values()) {
      if (signal?.aborted) return;
      yield formats;
    }
    groups = await listBalanceFiles(store, nodes, groups.at(-1)?.nanos ?? start);
  }
}

/**
 * Imports the first format that is proven and whole. What a failing source may have kept from us isn't passed over, but
 * looked for again.
 */
const importSnapshot = async (
  formats: readonly BalanceFileGroup[],
  options: BalanceImportRun,
  electorate: Electorate,
): Promise<boolean> => {
  const faults: KagamiError[] = [];
  for (const group of formats) {
    const file = await ownFaults(faults, () => importGroup(group, options, electorate));
    if (file === undefined) continue;
    options.events?.imported?.(file);
    return true;
  }
  const [reason] = faults;
  const unread = faults.find(isSourceFailure);
  if (unread !== undefined) throw unread;
  if (reason !== undefined) options.events?.skipped?.(formats[0]?.base ?? '', reason);
  return false;
};

/** The first copy that is the agreed file. */
const importGroup = async (
  group: BalanceFileGroup,
  options: BalanceImportRun,
  electorate: Electorate,
): Promise<BalanceFile> => {
  const { fileHash, copies } = await agreeOnBalanceFile(
    options.store,
    group,
    electorate,
    options.trustUnsigned ?? false,
  );
  const faults: KagamiError[] = [];
  for (const { node, name } of copies.flatMap(({ node, dataNames }) => dataNames.map((name) => ({ node, name })))) {
    const file = await ownFaults(faults, () =>
      importBalanceFile({ name, chunks: options.store.read(node, name), fileHash }, options),
    );
    if (file !== undefined) return file;
  }
  const file = `${group.base}_Balances.${group.format}`;
  throw (
    faults.find(isSourceFailure) ??
    faults[0] ??
    streamError('SOURCE_FILE_MISSING', { file, rule: 'signed, but no node has the balance file' })
  );
};

/** Undefined when `work` fails because of the file, which is noted; other failures pass through. */
const ownFaults = async <T>(faults: KagamiError[], work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch (fault) {
    if (!isKagamiError(fault) || !/^(STREAM|SOURCE)_/.test(fault.code)) throw fault;
    faults.push(fault);
    return undefined;
  }
};
