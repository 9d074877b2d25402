import { setImmediate as pendingWork } from 'node:timers/promises';
import type { Queryable } from '../../database/connection.ts';
import { toHex } from '../../ledger/bytes.ts';
import type { BlockCorrection, VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import type { ChainState } from '../../streams/block/verdict.ts';
import type { RecordFile } from '../../streams/record-file-content.ts';
import type { BlockSource, ReadSidecar } from '../block-rows.ts';
import {
  type BlockStats,
  BlockTransformer,
  type BlockTransformerOptions,
  type TransformStep,
} from '../block-transformer.ts';
import { sidecarRecordsOf } from '../contracts/sidecar-records.ts';
import { CachedEntityLookup } from '../entity-lookup.ts';
import { PrefetchedFileContents } from '../file-contents.ts';
import { LedgerBatch } from '../ledger-batch.ts';
import type { RecordItem } from '../record-item.ts';
import { decodeRecordItems } from '../record-items.ts';
import { blockNumberOf, earlierBlocksShift, type Gap, gapBetween } from './block-number.ts';
import { type ChainPosition, isBlockStream } from './chain-position.ts';

/** What is left of a file once its rows are made. Its content is not: it takes as much memory as the rows. */
export interface PreparedFile {
  /** Bytes of the file as it was read. */
  readonly size: number;
  /** Sidecar files that it names, that were read, and that no node has. */
  readonly sidecars: { readonly named: number; readonly read: number; readonly missing: number };
}

export interface PreparedBlock {
  readonly file: PreparedFile;
  readonly position: ChainPosition;
  /** Where the chain of blocks stands behind it, if it comes from a block. */
  readonly chain: ChainState | undefined;
  /** Of blocks before it. */
  readonly corrections: readonly BlockCorrection[];
  readonly stats: BlockStats;
  /** Files are missing between this block and the one before it. */
  readonly gapBefore: Gap | undefined;
  /** See `earlierBlocksShift`; 0 nearly always. */
  readonly shift: bigint;
}

/** All rows of a group of blocks, ready to be written in one database transaction. */
export interface PreparedGroup {
  readonly batch: LedgerBatch;
  readonly blocks: readonly PreparedBlock[];
}

export interface PreparationOptions extends Omit<BlockTransformerOptions, 'lookup' | 'files'> {
  readonly persistSidecarBytes: boolean;
  /** Number of the first block of an empty database, unless its file states one; 0 by default. */
  readonly firstBlock?: bigint | undefined;
  /** Kinds of sidecar records that are used: 1 state changes, 2 actions, 3 bytecode; all when absent or empty. */
  readonly sidecarTypes?: readonly number[];
  readonly aliasCapacity?: number;
}

/** Decodes proven files and turns them into rows. Keeps the cache of aliases and EVM addresses between groups. */
export class BlockPreparation {
  readonly #options: PreparationOptions;
  readonly #lookup: CachedEntityLookup;
  readonly #files = new PrefetchedFileContents();
  readonly #transformer: BlockTransformer;

  constructor(options: PreparationOptions) {
    this.#options = options;
    this.#lookup = new CachedEntityLookup({
      ...options.network,
      itemizedTransfers: options.persist.itemizedTransfers,
      ...(options.aliasCapacity === undefined ? {} : { capacity: options.aliasCapacity }),
    });
    this.#transformer = new BlockTransformer({ ...options, lookup: this.#lookup, files: this.#files });
  }

  /**
   * @param database answers lookups; must see everything of the blocks before this group
   * @param last the block before the group
   * @throws KagamiError RECORD_ITEM_UNDECODABLE, TRANSACTION_UNTRANSFORMABLE
   */
  async prepare(
    files: readonly VerifiedRecordFile[],
    last: ChainPosition | undefined,
    database: Queryable,
  ): Promise<PreparedGroup> {
    const batch = new LedgerBatch({
      entityHistory: this.#options.persist.entityHistory,
      entityStaged: this.#lookup.entityStaged,
    });
    this.#lookup.useBatch(batch);
    this.#files.useBatch(batch);
    const blocks: PreparedBlock[] = [];
    let previous = last;
    for (const file of files) {
      const block = await this.#prepareBlock(file, previous, batch, database);
      blocks.push(block);
      previous = block.position;
    }
    return { batch, blocks };
  }

  async #prepareBlock(
    file: VerifiedRecordFile,
    last: ChainPosition | undefined,
    batch: LedgerBatch,
    database: Queryable,
  ): Promise<PreparedBlock> {
    const { recordFile } = file;
    const loadStart = BigInt(Date.now());
    const decodeErrors: { item: RecordItem; message: string }[] = [];
    const sidecars = sidecarRecordsOf(file.sidecars, this.#sidecarTypesOf(recordFile));
    const items = decodeRecordItems(recordFile, (item, message) => decodeErrors.push({ item, message }), sidecars);
    await this.#lookup.prefetch(database, items);
    await this.#files.prefetch(database, items);
    const index = blockNumberOf(recordFile, last, this.#options.firstBlock);
    const source: BlockSource = {
      file: recordFile,
      index,
      loadStart,
      loadEnd: BigInt(Date.now()),
      bytes: file.bytes === undefined || file.bytes.length === 0 ? null : file.bytes,
      sidecars: this.#sidecarsOf(file),
      genesis: file.genesis,
    };
    const stats = await this.#inSteps(this.#transformer.steps(source, items, batch, decodeErrors), batch, database);
    return {
      file: {
        size: recordFile.size,
        sidecars: {
          named: recordFile.sidecars.length,
          // What blocks hold in place of sidecar files is in none.
          read: Math.min(file.sidecars.length, recordFile.sidecars.length),
          missing: file.missingSidecars.length,
        },
      },
      position: {
        name: recordFile.name,
        consensusEnd: recordFile.consensusEnd,
        hash: toHex(recordFile.hash),
        index,
        version: recordFile.version,
        hapiVersion: recordFile.hapiVersion,
      },
      chain: file.blockChain,
      corrections: file.corrections ?? [],
      stats,
      gapBefore: last === undefined || file.linked ? undefined : gapBetween(last, recordFile),
      shift: earlierBlocksShift(recordFile, last),
    };
  }

  /**
   * Runs a long computation so that the COPY of the blocks before, in the same thread, is never kept waiting for long. Rows
   * of a block that takes several steps are encoded between them, so that few objects are alive at once.
   */
  async #inSteps<R>(steps: Generator<TransformStep, R>, batch: LedgerBatch, database: Queryable): Promise<R> {
    let isLarge = false;
    for (;;) {
      const { done, value: step } = steps.next();
      isLarge ||= !done && step.kind === 'items-left';
      if (isLarge) batch.encodeRows();
      if (done) return step;
      if (step.kind === 'items-left') await pendingWork();
      else await this.#lookup.fetchEvmAddresses(database, step.entities);
    }
  }

  /** Blocks hold what sidecar files would whatever the settings of these say. */
  #sidecarTypesOf(file: RecordFile): readonly number[] {
    return isBlockStream(file) ? [] : (this.#options.sidecarTypes ?? []);
  }

  #sidecarsOf(file: VerifiedRecordFile): ReadonlyMap<number, ReadSidecar> {
    return new Map(
      file.sidecars.map((sidecar) => [
        sidecar.id,
        {
          count: sidecar.records.length,
          size: sidecar.size,
          bytes: this.#options.persistSidecarBytes ? sidecar.bytes : null,
        },
      ]),
    );
  }
}
