/** The blocks of a block stream, proven, in the shape of proven record files. */
import { isKagamiError, type KagamiError } from '../../errors/kagami-error.ts';
import type { ErrorCode } from '../../errors/registry.ts';
import { fromHex } from '../../ledger/bytes.ts';
import type { BlockOrigin } from '../../sources/block-origin.ts';
import type { RawBlock } from '../../sources/block-source.ts';
import type { Electorate } from '../../sources/electorate.ts';
import {
  type BlockMeasurement,
  type BlockProver,
  type ProvenBlock,
  verifiedBlocks,
} from '../../sources/verified-blocks.ts';
import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import type { ReadBlockOptions } from '../../streams/block/read-block.ts';
import type { LedgerTrust } from '../../streams/block/trust.ts';
import type { ChainState } from '../../streams/block/verdict.ts';
import type { RecordFile } from '../../streams/record-file-content.ts';
import type { BlockReader, ReadBlock } from './block-reader.ts';
import { recordSignersOf } from './block-trust.ts';
import { type ChainPosition, isBlockStream } from './chain-position.ts';
import type { CommitGate } from './commit-gate.ts';

const NO_BYTES: Uint8Array = new Uint8Array(0);

export interface ProvenBlocksOptions {
  readonly origins: readonly BlockOrigin[];
  readonly reader: BlockReader;
  /** The last block or record file before; undefined: an empty database. */
  readonly last: ChainPosition | undefined;
  /** Where the chain of blocks stands behind it. */
  readonly chain: ChainState;
  /** Number of the first block of an empty database; undefined: the earliest that there is. */
  readonly first: bigint | undefined;
  readonly to: bigint | undefined;
  /** The ledger that is believed, as far as it is known by now: record files may have told its id. */
  readonly ledger: () => Promise<LedgerTrust | null>;
  /** Asked before each proof; the same object while nothing changes. */
  readonly electorate: () => Electorate;
  /** Accepts blocks that nobody signed. */
  readonly trustUnsigned: boolean;
  readonly limits: ReadBlockOptions;
  readonly persistBytes: boolean;
  readonly follow: boolean;
  readonly acceptGaps: boolean;
  readonly gate: CommitGate;
  readonly minPauseMs: number;
  readonly signal: AbortSignal;
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
    prove: proverOf(options),
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
    const { block } = value;
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

interface ProvenValue {
  readonly block: ReadBlock;
  readonly bytes: Uint8Array;
  readonly from: string;
}

/** What may change with the blocks that are being written: who signs, and which ledger it is. */
const ABOUT_SIGNERS: ReadonlySet<ErrorCode> = new Set([
  'STREAM_NO_CONSENSUS',
  'STREAM_BAD_SIGNATURE',
  'STREAM_UNSIGNED',
  'STREAM_UNKNOWN_LEDGER',
]);

const proverOf = (options: ProvenBlocksOptions): BlockProver<ProvenValue> => {
  const { reader, limits, acceptGaps, electorate, gate, signal, persistBytes } = options;
  let chain: ChainState | undefined = options.chain;
  /** Number of the newest block that is proven, or was before. */
  let proven = options.last?.index;
  let ledger: LedgerTrust | null = null;
  let told: { readonly electorate: Electorate; readonly ledger: LedgerTrust | null } | undefined;
  const ask = async (
    blocks: Parameters<BlockProver<ProvenValue>>[0],
  ): Promise<readonly (ReadBlock | KagamiError)[]> => {
    const current = electorate();
    ledger ??= await options.ledger();
    const trust = {
      ledger,
      wrapsKeyHashes: [],
      recordSigners: recordSignersOf(current),
      testSignatures: false,
      unsigned: options.trustUnsigned,
    };
    const order = {
      blocks: blocks.map(({ name, bytes }) => ({ name, bytes })),
      limits,
      acceptGaps,
      ...(chain === undefined ? {} : { chain }),
      ...(told?.electorate === current && told.ledger === ledger ? {} : { trust }),
    };
    chain = undefined;
    told = { electorate: current, ledger };
    return reader.prove(order);
  };
  return async (blocks) => {
    let outcomes = await ask(blocks);
    const fault = outcomes.at(-1);
    if (isKagamiError(fault) && ABOUT_SIGNERS.has(fault.code)) {
      // A block before may bring the address book that this one is signed by: it is judged when that one is committed.
      if (outcomes.length > 1) outcomes = outcomes.slice(0, -1);
      else if (proven !== undefined && !gate.isPast(proven)) {
        await gate.past(proven, signal);
        outcomes = await ask(blocks);
      }
    }
    for (const outcome of outcomes) if (!isKagamiError(outcome)) proven = outcome.number;
    return outcomes.map((outcome, i) =>
      isKagamiError(outcome) ? outcome : provenOf(outcome, blocks[i], persistBytes),
    );
  };
};

const provenOf = (block: ReadBlock, raw: RawBlock | undefined, persistBytes: boolean): ProvenBlock<ProvenValue> => ({
  value: { block, bytes: persistBytes && raw?.isFile ? raw.bytes : NO_BYTES, from: raw?.from ?? '' },
  consensusEnd: block.recordFile.consensusEnd,
  wrapped: block.wrapped,
});
