/** What becomes of a block of the ledger: a record file, a block, or both. */
import { gunzipSync } from 'node:zlib';
import { nanosToStreamName } from '../../ledger/timestamp.ts';
import { blockName } from '../../streams/block/block-file-name.ts';
import { RunningHash } from '../../streams/running-hash.ts';
import { type ClosedBlock, closeBlock, linkBlock, NO_BLOCKS } from '../blocks/block-chain.ts';
import type { BlockRecorder } from '../blocks/block-recorder.ts';
import type { BlockSigner } from '../blocks/block-signer.ts';
import type { BlockForm } from '../blocks/ledger-form.ts';
import { streamBlock } from '../blocks/stream-block.ts';
import { recordFileProof, wrappedBlock } from '../blocks/wrapped-block.ts';
import type { SimulatedNetwork } from '../network/simulated-network.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import type { ProducedBlock } from './draft.ts';
import { type BlockFiles, recordFileName, serializeBlock } from './stream-folder.ts';

export interface WrittenBlock {
  readonly number: bigint;
  /** Name of the data file. */
  readonly name: string;
  readonly count: number;
  /** Running hash over its records. */
  readonly endRunningHash: Uint8Array;
  readonly recordFile: BlockFiles | undefined;
  /** Blocks that are proven with it, in order: itself and those that waited for it, or none while it waits itself. */
  readonly blocks: readonly ClosedBlock[];
}

/** Running hash at the end of a block. */
export const runningHashOf = (block: ProducedBlock): Uint8Array => {
  const hash = new RunningHash(block.startHash);
  for (const { record, transaction } of block.items) hash.add(record, transaction);
  return hash.value();
};

/** The blocks that are proven by now; the state takes over where the chain stands. */
const closedBlocks = (
  block: ProducedBlock,
  { form, network, state, recorder, signer }: WriteContext,
  files: BlockFiles | undefined,
): readonly ClosedBlock[] => {
  const chain = state.blockChain ?? NO_BLOCKS;
  const { hapiVersion } = form;
  if (form.block === 'wrapped' && files !== undefined) {
    const sidecarContent = files.sidecar === undefined ? undefined : gunzipSync(files.sidecar);
    const { content, fileHash } = files;
    const linked = linkBlock(wrappedBlock(block, { content, sidecarContent }, chain, hapiVersion), chain);
    state.blockChain = linked.chain;
    return [closeBlock(linked, recordFileProof(network.nodes, fileHash))];
  }
  if (form.block !== 'stream' || recorder === undefined) return [];
  const nodeCount = network.nodes.length;
  const linked = linkBlock(streamBlock(block, recorder.transactions, chain, { hapiVersion, nodeCount }), chain);
  state.blockChain = linked.chain;
  return signer.add(linked);
};

export interface WriteContext {
  readonly form: BlockForm;
  readonly network: SimulatedNetwork;
  readonly state: LedgerState;
  /** Has seen the block's records, where they become a block of a block stream. */
  readonly recorder: BlockRecorder | undefined;
  /** Proves blocks of a block stream. */
  readonly signer: BlockSigner;
}

/** Serializes a block in its form; the state takes over where both chains stand then. */
export const writeBlock = (block: ProducedBlock, context: WriteContext): WrittenBlock => {
  const { form, state } = context;
  const needsFile = form.writesRecordFile || form.block === 'wrapped';
  const files = needsFile ? serializeBlock(block, form.hapiVersion) : undefined;
  const blocks = closedBlocks(block, context, files);
  const endRunningHash = files?.endRunningHash ?? runningHashOf(block);
  state.runningHash = endRunningHash;
  return {
    number: block.number,
    name: form.writesRecordFile ? recordFileName(nanosToStreamName(block.firstConsensus)) : blockName(block.number),
    count: block.items.length,
    endRunningHash,
    recordFile: form.writesRecordFile ? files : undefined,
    blocks,
  };
};
