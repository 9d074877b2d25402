/**
 * The importer: proven record files in, rows out. It owns the order of blocks, resuming, retries and what belongs into
 * one database transaction; proof is in `sources`, meaning in `block-transformer.ts`, SQL in `write/`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { SettingsOf } from '../../config/setting.ts';
import type { importerSettings } from '../../config/settings/importer.ts';
import type { Database, Queryable } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import { isKagamiError, KagamiError } from '../../errors/kagami-error.ts';
import { fromHex } from '../../ledger/bytes.ts';
import type { StreamSource } from '../../sources/stream-source.ts';
import { type VerifiedRecordFile, verifiedRecordFiles } from '../../sources/verified-record-files.ts';
import type { AddressBook } from '../../streams/address-book.ts';
import { parseRatio } from '../../streams/consensus.ts';
import type { SidecarMetadata } from '../../streams/record-file.ts';
import { transactionHandlers } from '../transactions/registry.ts';
import { type NetworkIds, storeInitialAddressBook } from './address-books.ts';
import { type CommittedBlocks, commitGroup } from './block-commit.ts';
import { BlockPreparation, type PreparedGroup } from './block-preparation.ts';
import { type ChainPosition, readChainPosition } from './chain-position.ts';
import { ElectorateKeeper } from './electorate-keeper.ts';
import { groupFiles } from './file-groups.ts';

export type ImporterSettings = SettingsOf<typeof importerSettings>;

export interface ImportEvents {
  /** Blocks are in the database and visible. */
  readonly committed?: (blocks: CommittedBlocks) => void;
  /** The next file is there but can't be proven yet. */
  readonly waiting?: (file: string, reason: KagamiError) => void;
  /** A file that no consensus backs was passed over, because the chain leads past it. */
  readonly skipped?: (file: string, reason: KagamiError) => void;
  /** A passing fault; the import is tried again from the last committed block after `pauseMs`. */
  readonly retrying?: (fault: KagamiError, pauseMs: number) => void;
}

export interface ImporterOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  readonly source: StreamSource;
  readonly settings: ImporterSettings;
  readonly network: NetworkIds;
  /** Proves the first files of an empty database; later the ledger's own address book does. */
  readonly initialAddressBook?: AddressBook | undefined;
  /** Waits for files to come (true), or ends after the last one that is there. */
  readonly follow: boolean;
  /** Only when not following: accepts files that no node signed. */
  readonly trustUnsigned?: boolean;
  /** Only when not following: goes on where files are missing between two proven ones. */
  readonly acceptGaps?: boolean;
  readonly events?: ImportEvents;
  readonly signal?: AbortSignal;
}

/**
 * Imports until the source ends, or until `signal` when following. Passing faults are retried with growing pauses while
 * following; everything else ends the import with its error, with all committed blocks kept.
 * @throws KagamiError of the streams and sources rooms, ADDRESS_BOOK_MISSING, WRITER_FENCED, RECORD_ITEM_UNDECODABLE, ...
 */
export const runImporter = async (options: ImporterOptions): Promise<void> => {
  const { minBackoff, maxBackoff } = options.settings.parser.record.retry;
  let pause = minBackoff;
  while (!options.signal?.aborted) {
    try {
      await importFromLastBlock(options, () => {
        pause = minBackoff;
      });
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

const importFromLastBlock = async (options: ImporterOptions, onProgress: () => void): Promise<void> => {
  const { database, settings, network } = options;
  const electorate = await openElectorate(options);
  const preparation = new BlockPreparation({
    handlers: transactionHandlers,
    network,
    persist: settings.parser.record.entity.persist,
    persistSidecarBytes: settings.parser.record.sidecar.persistBytes,
    period: { from: timeOf(settings.startDate, 'startDate'), to: timeOf(settings.endDate, 'endDate') },
  });
  let last = await readChainPosition(database);
  let writing: Promise<void> = Promise.resolve();
  // Ends the wait for further files, which may never come, when those before cannot be handled or written.
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, ...(options.signal ? [options.signal] : [])]);
  const files = filesAfter(last, { ...options, signal }, electorate);
  const { maxFiles, maxItems } = settings.parser.record.batch;
  try {
    for await (const group of groupFiles(files, { maxFiles, maxItems }, () => writing)) {
      // Lookups see the group before this one, because they wait for its commit; decoding and most handling does not.
      const prepared = await preparation.prepare(group, last, after(writing, database));
      last = prepared.blocks.at(-1)?.position;
      await writing;
      writing = commit(prepared, options, electorate).then(onProgress);
      writing.catch(() => ending.abort());
    }
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
  if (electorate.isEmpty && !options.trustUnsigned) {
    throw new KagamiError('ADDRESS_BOOK_MISSING', 'No address book is known that could prove the first stream file');
  }
  return electorate;
};

const filesAfter = (
  last: ChainPosition | undefined,
  options: ImporterOptions,
  electorate: ElectorateKeeper,
): AsyncGenerator<VerifiedRecordFile> => {
  const { source, settings, events, signal } = options;
  const from = timeOf(settings.startDate, 'startDate');
  const previousHash = last === undefined ? undefined : fromHex(last.hash);
  const { enabled, types } = settings.parser.record.sidecar;
  const common = {
    source,
    electorate: () => electorate.current,
    ...(last === undefined ? {} : { startAfter: last.name }),
    ...(last === undefined && from !== undefined ? { startAfterNanos: from - 1n } : {}),
    ...(previousHash === undefined ? {} : { previousHash }),
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
      })
    : verifiedRecordFiles({
        ...common,
        trustUnsigned: options.trustUnsigned ?? false,
        acceptGaps: options.acceptGaps ?? false,
      });
};

const wantedSidecars =
  (types: readonly number[]) =>
  (metadata: SidecarMetadata): boolean =>
    types.length === 0 || metadata.types.some((type) => types.includes(type));

/** Nanoseconds of an ISO 8601 setting; undefined when it is empty. */
const timeOf = (text: string, setting: string): bigint | undefined => {
  if (text === '') return undefined;
  const match = /^(.*?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/.exec(text.trim());
  const milliseconds = Date.parse(`${match?.[1]}${match?.[3] ?? (match?.[1]?.includes('T') ? 'Z' : '')}`);
  if (Number.isNaN(milliseconds)) {
    throw new KagamiError('CONFIG_INVALID', `hiero.mirror.importer.${setting} is not an ISO 8601 time: ${text}`);
  }
  return BigInt(milliseconds) * 1_000_000n + BigInt((match?.[2] ?? '').padEnd(9, '0'));
};
