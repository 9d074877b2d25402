/**
 * The importer: proven record files in, rows out. It owns the order of blocks, resuming, retries and what belongs into
 * one database transaction; proof is in `sources`, meaning in `block-transformer.ts`, SQL in `write/`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Queryable } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import { isKagamiError, KagamiError } from '../../errors/kagami-error.ts';
import { fromHex } from '../../ledger/bytes.ts';
import type { BlockMeasurement } from '../../sources/block-measurement.ts';
import type { StreamSource } from '../../sources/stream-source.ts';
import {
  type VerifiedRecordFile,
  type VerifiedRecordFilesOptions,
  verifiedRecordFiles,
} from '../../sources/verified-record-files.ts';
import type { AddressBook } from '../../streams/address-book.ts';
import { parseRatio } from '../../streams/consensus.ts';
import type { SidecarMetadata } from '../../streams/record-file-content.ts';
import { streamError } from '../../streams/stream-error.ts';
import { compileItemFilter, type ItemFilter } from '../filter/item-filter.ts';
import { type LedgerRepairs, openRepairs, type RepairOptions } from '../repairs/ledger-repairs.ts';
import { transactionHandlers } from '../transactions/registry.ts';
import { type NetworkIds, storeInitialAddressBook } from './address-books.ts';
import { type CommittedBlocks, commitGroup } from './block-commit.ts';
import { statedNumberOf } from './block-number.ts';
import { BlockPreparation, type PreparedGroup } from './block-preparation.ts';
import { type BlockStream, blocksAfter } from './block-stream.ts';
import { type ChainPosition, readChainPosition } from './chain-position.ts';
import { commitFollowers, type FollowingWork } from './commit-followers.ts';
import { CommitGate } from './commit-gate.ts';
import { cutOver, cutoverRulesOf, type StreamKind } from './cutover.ts';
import { ElectorateKeeper } from './electorate-keeper.ts';
import { groupFiles } from './file-groups.ts';
import { filesOfRange, type ImportRange, importRangeOf, isImported, startOf } from './import-range.ts';
import type { ImporterSettings } from './importer-settings.ts';

export interface ImportEvents {
  /** Blocks are about to be written. */
  readonly writing?: () => void;
  /** Blocks are in the database and visible. */
  readonly committed?: (blocks: CommittedBlocks) => void;
  /** The next file is there but can't be proven yet. */
  readonly waiting?: (file: string, reason: KagamiError) => void;
  /** What was waited for has come; blocks before it may still be in work. */
  readonly proceeding?: () => void;
  /** A file before the first block that is wanted was passed over. */
  readonly passedOver?: (file: string, reason: KagamiError) => void;
  /** Repairs are done, and files are read from here on. */
  readonly reading?: () => void;
  /** A file that no consensus backs was passed over, because the chain leads past it. */
  readonly skipped?: (file: string, reason: KagamiError) => void;
  /** Which stream is read from now on, where the network may go over from record files to blocks. */
  readonly stage?: (kind: StreamKind) => void;
  /** A block was proven or refused, or its source failed. */
  readonly measured?: (measurement: BlockMeasurement) => void;
  /** A passing fault; the import is tried again from the last committed block after `pauseMs`. */
  readonly retrying?: (fault: KagamiError, pauseMs: number) => void;
  /** Work that follows commits failed; the import goes on, and the work is tried again after a later commit. */
  readonly followingFailed?: (work: FollowingWork, fault: unknown) => void;
}

export interface ImporterOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  /** Record files; left out where there are only blocks. */
  readonly source?: StreamSource | undefined;
  /** Blocks; beside `source`, the import goes over from those to these when the network does. */
  readonly blocks?: BlockStream | undefined;
  readonly settings: ImporterSettings;
  readonly network: NetworkIds;
  /** Proves the first files of an empty database; later the ledger's own address book does. */
  readonly initialAddressBook?: AddressBook | undefined;
  /** Waits for files to come (true), or ends after the last one that is there. */
  readonly follow: boolean;
  /** Only when not following: accepts files that no node signed. */
  readonly trustUnsigned?: boolean;
  /** Goes on where files are missing between two proven ones; when following, if they don't come after a while. */
  readonly acceptGaps?: boolean;
  /** Consensus time in nanoseconds at which an empty database begins without `startDate`; the stream's beginning if absent. */
  readonly beginsAt?: bigint | undefined;
  /** Leaves out sidecar files that no node has; when following, after a while. They are refused by default. */
  readonly acceptMissingSidecars?: boolean | undefined;
  /** How record files are read: in this thread by default. */
  readonly readFile?: VerifiedRecordFilesOptions['readFile'];
  /** Files read and proven ahead; a few by default. */
  readonly readAhead?: number | undefined;
  /** Only when not following: the large tables lack their secondary indexes, which are built when this is over. */
  readonly bulk?: boolean;
  readonly events?: ImportEvents;
  readonly signal?: AbortSignal;
}

/**
 * Imports until the source ends, or until `signal` when following. Passing faults are retried with growing pauses while
 * following; everything else ends the import with its error, with all committed blocks kept. Comes to its end when the
 * work that follows commits has.
 * @throws KagamiError of `streams` and `sources`, CONFIG_INVALID, ADDRESS_BOOK_MISSING, WRITER_FENCED,
 * RECORD_ITEM_UNDECODABLE, ...
 */
export const runImporter = async (options: ImporterOptions): Promise<void> => {
  const { events, signal = new AbortController().signal, bulk = false } = options;
  const followers = commitFollowers({
    ...options,
    signal,
    bulk,
    onFault: (work, fault) => events?.followingFailed?.(work, fault),
  });
  const committed = (blocks: CommittedBlocks): void => {
    events?.committed?.(blocks);
    followers.afterCommit(blocks);
  };
  followers.start();
  try {
    await importWithRetries({ ...options, events: { ...events, committed } });
  } finally {
    await followers.settle();
  }
};

const importWithRetries = async (options: ImporterOptions): Promise<void> => {
  const { minBackoff, maxBackoff } = options.settings.parser.record.retry;
  const filter = compileItemFilter(options.settings.parser, options.network);
  const range = importRangeOf(options.settings);
  const passed = { files: 0, newest: '' };
  const passedOver = (file: string, reason: KagamiError): void => {
    passed.files++;
    passed.newest = reason.message;
    options.events?.passedOver?.(file, reason);
  };
  const task = { ...options, events: { ...options.events, passedOver } };
  let pause = minBackoff;
  while (!options.signal?.aborted) {
    try {
      await importAndRepair(task, filter, range, () => {
        pause = minBackoff;
      });
      if (!options.follow && !options.signal?.aborted) await refuseNothing(options, range, passed);
      return;
    } catch (fault) {
      if (options.signal?.aborted) return;
      if (!options.follow || !isKagamiError(fault) || !fault.retryable) throw fault;
      options.events?.retrying?.(fault, pause);
      await delay(pause, undefined, options.signal ? { signal: options.signal } : {}).catch(() => undefined);
      pause = Math.min(pause * 2, maxBackoff);
    }
  }
};

/**
 * An import that leaves the database empty is no success.
 * @throws KagamiError SOURCE_OUT_OF_RANGE, SOURCE_EMPTY
 */
const refuseNothing = async (
  { database, source, blocks }: Pick<ImporterOptions, 'database' | 'source' | 'blocks'>,
  { from, to, firstBlock, lastBlock }: ImportRange,
  passed: { readonly files: number; readonly newest: string },
): Promise<void> => {
  if ((await readChainPosition(database)) !== undefined) return;
  const file = source?.description ?? blocks?.origins.map(({ description }) => description).join(', ') ?? '';
  if (passed.files > 0) {
    const rule = `nothing of it was imported: its newest file is ${passed.newest}`;
    throw streamError('SOURCE_OUT_OF_RANGE', { file, rule });
  }
  if ([from, to, firstBlock, lastBlock].some((bound) => bound !== undefined)) {
    const rule = 'it has no file in the range of startDate, endDate, startBlockNumber and endBlockNumber';
    throw streamError('SOURCE_OUT_OF_RANGE', { file, rule });
  }
  throw streamError('SOURCE_EMPTY', { file, rule: 'its folders have no record files' });
};

/** Repairs change what an import remembers of the database: it begins anew after each. */
const importAndRepair = async (
  options: ImporterOptions,
  filter: ItemFilter | undefined,
  range: ImportRange,
  onProgress: () => void,
): Promise<void> => {
  const repairs = await openRepairs(repairOptions(options, filter, range));
  do await repairs.run();
  while (await importFromLastBlock(options, filter, range, repairs, onProgress));
};

type RepairTask = Pick<ImporterOptions, 'database' | 'lease' | 'settings' | 'beginsAt' | 'bulk' | 'signal' | 'events'>;

const repairOptions = (task: RepairTask, filter: ItemFilter | undefined, { from, to }: ImportRange): RepairOptions => {
  const { database, lease, settings, beginsAt, bulk = false, signal, events } = task;
  return {
    database,
    lease,
    network: settings.network,
    settings: settings.migration,
    persist: settings.parser.record.entity.persist,
    filter,
    range: { from, to, beginsAt },
    bulk,
    signal,
    onRepair: () => events?.writing?.(),
  };
};

/** Does the repairs that a bulk import put off, once the tables have their indexes again. */
export const repairAfterBulk = async (
  task: Omit<RepairTask, 'bulk' | 'beginsAt'> & Pick<ImporterOptions, 'network'>,
): Promise<void> => {
  const filter = compileItemFilter(task.settings.parser, task.network);
  const repairs = await openRepairs(repairOptions(task, filter, importRangeOf(task.settings)));
  await repairs.run();
};

/** @returns whether it left off because repairs are due */
const importFromLastBlock = async (
  options: ImporterOptions,
  filter: ItemFilter | undefined,
  range: ImportRange,
  repairs: LedgerRepairs,
  onProgress: () => void,
): Promise<boolean> => {
  const { database, settings, network } = options;
  const electorate = await openElectorate(options);
  const preparation = new BlockPreparation({
    handlers: transactionHandlers,
    network,
    filter,
    persist: settings.parser.record.entity.persist,
    persistSidecarBytes: settings.parser.record.sidecar.persistBytes,
    sidecarTypes: settings.parser.record.sidecar.types,
    period: range,
    firstBlock: range.firstBlock,
  });
  let last = await readChainPosition(database);
  if (isImported(range, last)) return false;
  let writing: Promise<void> = Promise.resolve();
  // Ends the wait for further files, which may never come, when those before cannot be handled or written.
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, ...(options.signal ? [options.signal] : [])]);
  options.events?.reading?.();
  const gate = new CommitGate(last?.index);
  const proven = provenStream(last, range, { ...options, signal }, electorate, gate);
  const onPassedOver = (file: string, reason: KagamiError, block: bigint): void => {
    gate.settled(block);
    options.events?.passedOver?.(file, reason);
  };
  const files = filesOfRange(proven, range, last, { ...options, onPassedOver });
  const { maxFiles, maxItems } = settings.parser.record.batch;
  try {
    for await (const group of groupFiles(files, { maxFiles, maxItems }, () => writing)) {
      // Lookups see the group before this one, because they wait for its commit; decoding and most handling does not.
      const prepared = await preparation.prepare(group, last, after(writing, database));
      last = prepared.blocks.at(-1)?.position;
      await writing;
      const newestBlock = last?.index;
      writing = commit(prepared, options, electorate).then(() => {
        if (newestBlock !== undefined) gate.settled(newestBlock);
        onProgress();
      });
      writing.catch(() => ending.abort());
      const newest = group.at(-1)?.recordFile;
      if (newest !== undefined && repairs.areDue(newest)) return true;
    }
    return false;
  } finally {
    ending.abort();
    await files.return(undefined);
    await writing;
  }
};

/** A view of the database that answers once `earlier` is done. */
const after = (earlier: Promise<void>, database: Queryable): Queryable => ({
  query: async (text, values, name) => {
    await earlier;
    return database.query(text, values, name);
  },
});

const commit = async (
  prepared: PreparedGroup,
  { database, lease, network, events }: ImporterOptions,
  electorate: ElectorateKeeper,
): Promise<void> => {
  events?.writing?.();
  const committed = await commitGroup(prepared, { database, lease, network });
  if (committed.electorateChanged) await electorate.refresh(database);
  events?.committed?.(committed);
};

const openElectorate = async (options: ImporterOptions): Promise<ElectorateKeeper> => {
  const { database, settings, network, initialAddressBook, lease } = options;
  if (initialAddressBook !== undefined) {
    await database.transaction(async (client) => {
      await lease.check(client);
      await storeInitialAddressBook(client, initialAddressBook, network);
    });
  }
  const electorate = new ElectorateKeeper(
    { mode: settings.consensusMode, ratio: parseRatio(settings.downloader.consensusRatio) },
    network,
  );
  await electorate.refresh(database);
  // Blocks of a block stream are signed by the ledger as a whole.
  if (electorate.isEmpty && !options.trustUnsigned && options.source !== undefined) {
    throw new KagamiError('ADDRESS_BOOK_MISSING', 'No address book is known that could prove the first stream file');
  }
  return electorate;
};

const provenStream = (
  last: ChainPosition | undefined,
  range: ImportRange,
  options: ImporterOptions & { readonly signal: AbortSignal },
  electorate: ElectorateKeeper,
  gate: CommitGate,
): AsyncGenerator<VerifiedRecordFile> => {
  const { source, blocks, settings, events, signal } = options;
  if (blocks === undefined) return provenFiles(last, range, options, electorate);
  const context = { ...options, blocks, range, gate, electorate: () => electorate.current };
  if (source === undefined) return blocksAfter(last, context, signal, events ?? {});
  return cutOver({
    rules: cutoverRulesOf(settings.block.cutover),
    last,
    firstBlock: range.firstBlock,
    follow: options.follow,
    open: (kind, position, until, stage) =>
      kind === 'blocks'
        ? blocksAfter(position, context, until, { waiting: stage.onWaiting, proceeding: stage.onProceeding })
        : provenFiles(
            position,
            range,
            {
              ...options,
              signal: until,
              events: { ...events, waiting: stage.onWaiting, proceeding: stage.onProceeding },
            },
            electorate,
          ),
    signal,
    onWaiting: events?.waiting,
    onProceeding: events?.proceeding,
    onStage: events?.stage,
  });
};

const provenFiles = (
  last: ChainPosition | undefined,
  range: ImportRange,
  options: ImporterOptions,
  electorate: ElectorateKeeper,
): AsyncGenerator<VerifiedRecordFile> => {
  const { source, settings, events, signal } = options;
  const acceptGaps = options.acceptGaps ?? false;
  const start = startOf(range, last, acceptGaps);
  const from = start.from ?? options.beginsAt;
  const { enabled, types } = settings.parser.record.sidecar;
  if (source === undefined) throw new TypeError('there is no source of record files');
  const common = {
    source,
    electorate: () => electorate.current,
    acceptGaps,
    acceptMissingSidecars: options.acceptMissingSidecars ?? false,
    ...(start.after === undefined ? { startAfterNanos: (from ?? 0n) - 1n } : resumption(start.after)),
    ...(options.readFile === undefined ? {} : { readFile: options.readFile }),
    ...(options.readAhead === undefined ? {} : { readAhead: options.readAhead }),
    ...(signal === undefined ? {} : { signal }),
    ...(events?.skipped === undefined ? {} : { onSkipped: events.skipped }),
    ...(enabled ? { readSidecar: wantedSidecars(types) } : {}),
  };
  return options.follow
    ? verifiedRecordFiles({
        ...common,
        follow: true,
        pollMs: settings.downloader.record.frequency,
        ...(events?.waiting === undefined ? {} : { onWaiting: events.waiting }),
        ...(events?.proceeding === undefined ? {} : { onProceeding: events.proceeding }),
      })
    : verifiedRecordFiles({
        ...common,
        trustUnsigned: options.trustUnsigned ?? false,
      });
};

const resumption = (
  last: ChainPosition,
): Pick<VerifiedRecordFilesOptions, 'startAfter' | 'previousHash' | 'previousBlock'> => ({
  startAfter: last.name,
  previousHash: fromHex(last.hash),
  previousBlock: statedNumberOf(last),
});

const wantedSidecars =
  (types: readonly number[]) =>
  (metadata: SidecarMetadata): boolean =>
    types.length === 0 || metadata.types.some((type) => types.includes(type));
