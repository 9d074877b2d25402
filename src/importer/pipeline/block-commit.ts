import type { Database, DatabaseClient } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import type { RecoverableError } from '../block-transformer.ts';
import { writeBatch } from '../write/ledger-writer.ts';
import { addressBookFileIds, applyAddressBookChanges, type NetworkIds } from './address-books.ts';
import { keepBlockChain } from './block-chain.ts';
import { correctBlocks } from './block-corrections.ts';
import type { Gap } from './block-number.ts';
import type { PreparedBlock, PreparedGroup } from './block-preparation.ts';

/** Channel on which every commit of blocks is announced, with the number of the newest block. */
export const BLOCK_CHANNEL = 'kagami_block';

/** What one commit made visible; everything in it can be sent between threads. */
export interface CommittedBlocks {
  /** Number and consensus end (nanoseconds) of the newest block. */
  readonly blockNumber: bigint;
  readonly consensusEnd: bigint;
  readonly name: string;
  readonly version: number;
  readonly blocks: number;
  readonly transactions: number;
  /** Bytes of the files as they were read. */
  readonly bytes: number;
  readonly types: ReadonlyMap<string, number>;
  /** Types that are only kept with the rows of every transaction: unknown ones, and those of nodes among themselves. */
  readonly unhandledTypes: ReadonlyMap<string, number>;
  readonly errors: readonly RecoverableError[];
  readonly errorCount: number;
  /** Milliseconds that writing and committing took. */
  readonly writeMs: number;
  readonly sidecars: SidecarCounts;
  /** Files that do not follow the one before them, because files are missing between. */
  readonly gapsBefore: readonly Gap[];
  /** The address book or the stakes are no longer the same. */
  readonly electorateChanged: boolean;
}

/** What became of the sidecar files that the blocks name. */
export interface SidecarCounts {
  readonly read: number;
  /** Wanted, but no node has them. */
  readonly missing: number;
  /** The settings leave them out. */
  readonly unwanted: number;
}

export interface CommitContext {
  readonly database: Database;
  readonly lease: WriterLease;
  readonly network: NetworkIds;
}

/**
 * Writes a group of blocks in one database transaction: it becomes visible whole, or not at all.
 * @throws KagamiError WRITER_FENCED when another importer took over, or what `database` throws.
 */
export const commitGroup = async (group: PreparedGroup, context: CommitContext): Promise<CommittedBlocks> => {
  const started = performance.now();
  const electorateChanged = await context.database.transaction(async (client) => {
    await context.lease.check(client);
    for (const block of group.blocks) {
      await shiftEarlierBlocks(client, block);
      await correctBlocks(client, block.corrections);
    }
    await writeBatch(client, group.batch);
    const bookFiles = addressBookFileIds(context.network);
    const bookChanges = group.batch.rows('file_data').filter((row) => bookFiles.includes(row.entity_id));
    const bookChanged = await applyAddressBookChanges(client, bookChanges, context.network);
    await keepChain(client, group.blocks.at(-1));
    await client.query('select pg_notify($1, $2)', [BLOCK_CHANNEL, String(group.blocks.at(-1)?.position.index)]);
    return bookChanged || group.batch.rows('node_stake').length > 0;
  });
  return summarize(group.blocks, electorateChanged, performance.now() - started);
};

const keepChain = async (client: DatabaseClient, newest: PreparedBlock | undefined): Promise<void> => {
  if (newest?.chain !== undefined) await keepBlockChain(client, { ...newest.position, chain: newest.chain });
};

/** The first block that states its number corrects those that were only counted. */
const shiftEarlierBlocks = async (client: DatabaseClient, { shift }: PreparedBlock): Promise<void> => {
  if (shift !== 0n) await client.query('update record_file set index = index + $1', [shift]);
};

const summarize = (blocks: readonly PreparedBlock[], electorateChanged: boolean, writeMs: number): CommittedBlocks => {
  const newest = blocks.at(-1)?.position;
  if (newest === undefined) throw new TypeError('a group holds at least one block');
  return {
    blockNumber: newest.index,
    consensusEnd: newest.consensusEnd,
    name: newest.name,
    version: newest.version,
    blocks: blocks.length,
    transactions: total(blocks, ({ stats }) => stats.transactions),
    bytes: total(blocks, ({ file }) => file.size),
    types: sumByName(blocks.map(({ stats }) => stats.types)),
    unhandledTypes: sumByName(blocks.map(({ stats }) => stats.unhandledTypes)),
    gapsBefore: blocks.flatMap(({ gapBefore }) => gapBefore ?? []),
    errors: blocks.flatMap(({ stats }) => stats.errors),
    errorCount: total(blocks, ({ stats }) => stats.errorCount),
    sidecars: countSidecars(blocks),
    writeMs,
    electorateChanged,
  };
};

const countSidecars = (blocks: readonly PreparedBlock[]): SidecarCounts => {
  const read = total(blocks, ({ file }) => file.sidecars.read);
  const missing = total(blocks, ({ file }) => file.sidecars.missing);
  return { read, missing, unwanted: total(blocks, ({ file }) => file.sidecars.named) - read - missing };
};

const total = <T>(values: readonly T[], count: (value: T) => number): number =>
  values.reduce((sum, value) => sum + count(value), 0);

const sumByName = (counts: readonly ReadonlyMap<string, number>[]): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const block of counts) for (const [name, count] of block) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
};
