/** The blocks of a block stream, proven, in the shape of proven record files. */
import type { KagamiError } from '../../errors/kagami-error.ts';
import { fromHex } from '../../ledger/bytes.ts';
import type { BlockMeasurement } from '../../sources/block-measurement.ts';
import type { BlockOrigin } from '../../sources/block-origin.ts';
import { verifiedBlocks } from '../../sources/verified-blocks.ts';
import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import type { RecordFile } from '../../streams/record-file-content.ts';
import { type BlockProverOptions, blockProver } from './block-prover.ts';
import { type ChainPosition, isBlockStream } from './chain-position.ts';

const NO_BYTES: Uint8Array = new Uint8Array(0);

export interface ProvenBlocksOptions extends Omit<BlockProverOptions, 'last'> {
  readonly origins: readonly BlockOrigin[];
  /** The last block or record file before; undefined: an empty database. */
  readonly last: ChainPosition | undefined;
  /** Number of the first block of an empty database; undefined: the earliest that there is. */
  readonly first: bigint | undefined;
  readonly to: bigint | undefined;
  readonly follow: boolean;
  readonly minPauseMs: number;
  readonly onWaiting?: ((file: string, reason: KagamiError) => void) | undefined;
  readonly onProceeding?: (() => void) | undefined;
  readonly onMeasured?: ((measurement: BlockMeasurement) => void) | undefined;
}

/**
 * Proven blocks behind `last`, each linked to the one before as far as that is known.
 * @throws KagamiError as `verifiedBlocks`
 */
export async function* provenBlocks(options: ProvenBlocksOptions): AsyncGenerator<VerifiedRecordFile> {
  const { last, first, origins, to, follow, acceptGaps, minPauseMs, signal } = options;
  const blocks = verifiedBlocks({
    origins,
    prove: blockProver({ ...options, last: last?.index }),
    from: last === undefined ? first : last.index + 1n,
    to,
    follow,
    acceptGaps,
    minPauseMs,
    signal,
    ...(options.onWaiting === undefined ? {} : { onWaiting: options.onWaiting }),
    ...(options.onProceeding === undefined ? {} : { onProceeding: options.onProceeding }),
    ...(options.onMeasured === undefined ? {} : { onMeasured: options.onMeasured }),
  });
  // The record file that the first real block comes after; its root hash as a block is not known.
  let recordHash = last === undefined || isBlockStream(last) ? undefined : hashOf(last);
  for await (const { value } of blocks) {
    const { block, isAgain } = value;
    if (isAgain) continue;
    const recordFile =
      recordHash !== undefined && !block.wrapped ? behindRecords(block.recordFile, recordHash) : block.recordFile;
    recordHash = block.wrapped ? block.recordFile.hash : undefined;
    yield {
      recordFile,
      bytes: value.bytes,
      node: { accountId: null, nodeId: null, place: value.from },
      signers: [],
      tally: null,
      sidecars: block.sidecars,
      missingSidecars: [],
      faults: [],
      linked: block.linked,
      genesis: block.genesis,
      blockChain: block.chain,
      corrections: value.corrections,
    };
  }
}

/** The first real block names a wrapped record block as the one before: its row names the record file itself. */
const behindRecords = (recordFile: RecordFile, recordHash: Uint8Array): RecordFile => ({
  ...recordFile,
  previousHash: recordHash,
  ...(recordFile.ofBlock === undefined
    ? {}
    : { ofBlock: { ...recordFile.ofBlock, previousWrappedRecordBlockHash: recordFile.previousHash } }),
});

const hashOf = ({ hash }: ChainPosition): Uint8Array => fromHex(hash) ?? NO_BYTES;
