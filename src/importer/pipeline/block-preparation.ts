import { setImmediate as pendingWork } from 'node:timers/promises';
import type { Queryable } from '../../database/connection.ts';
import { toHex } from '../../ledger/bytes.ts';
import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import type { BlockSource, ReadSidecar } from '../block-rows.ts';
import { type BlockStats, BlockTransformer, type BlockTransformerOptions } from '../block-transformer.ts';
import { CachedEntityLookup } from '../entity-lookup.ts';
import { LedgerBatch } from '../ledger-batch.ts';
import type { RecordItem } from '../record-item.ts';
import { decodeRecordItems } from '../record-items.ts';
import { blockNumberOf, earlierBlocksShift } from './block-number.ts';
import type { ChainPosition } from './chain-position.ts';

export interface PreparedBlock {
  readonly file: VerifiedRecordFile;
  readonly position: ChainPosition;
  readonly stats: BlockStats;
  /** Files are missing between this block and the one before it. */
  readonly gapBefore: boolean;
  /** See `earlierBlocksShift`; 0 nearly always. */
  readonly shift: bigint;
}

/** All rows of a group of blocks, ready to be written in one database transaction. */
export interface PreparedGroup {
  readonly batch: LedgerBatch;
  readonly blocks: readonly PreparedBlock[];
}

export interface PreparationOptions extends Omit<BlockTransformerOptions, 'lookup'> {
  readonly persistSidecarBytes: boolean;
  readonly aliasCapacity?: number;
}

/** Decodes proven files and turns them into rows. Keeps the cache of aliases and EVM addresses between groups. */
export class BlockPreparation {
  readonly #options: PreparationOptions;
  readonly #lookup: CachedEntityLookup;
  readonly #transformer: BlockTransformer;

  constructor(options: PreparationOptions) {
    this.#options = options;
    this.#lookup = new CachedEntityLookup({
      ...options.network,
      itemizedTransfers: options.persist.itemizedTransfers,
      ...(options.aliasCapacity === undefined ? {} : { capacity: options.aliasCapacity }),
    });
    this.#transformer = new BlockTransformer({ ...options, lookup: this.#lookup });
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
    const items = decodeRecordItems(recordFile, (item, message) => decodeErrors.push({ item, message }));
    await this.#lookup.prefetch(database, items);
    const index = blockNumberOf(recordFile, last);
    const source: BlockSource = {
      file: recordFile,
      index,
      loadStart,
      loadEnd: BigInt(Date.now()),
      sidecars: this.#sidecarsOf(file),
    };
    const stats = await inSteps(this.#transformer.steps(source, items, batch, decodeErrors));
    return {
      file,
      position: {
        name: recordFile.name,
        consensusEnd: recordFile.consensusEnd,
        hash: toHex(recordFile.hash),
        index,
        version: recordFile.version,
      },
      stats,
      gapBefore: last !== undefined && !file.linked,
      shift: earlierBlocksShift(recordFile, last),
    };
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

/** Runs a long computation so that the COPY of the blocks before, in the same thread, is never kept waiting for long. */
const inSteps = async <R>(steps: Generator<undefined, R>): Promise<R> => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pendingWork();
  }
};
