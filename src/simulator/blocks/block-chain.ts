/** The chain that blocks form, and what closes a block: its root hash, footer and proof. */
import { sha384 } from '../../ledger/hash.ts';
import { BlockProof } from '../../protobuf/generated/block/stream/block_proof.ts';
import { BlockFooter } from '../../protobuf/generated/block/stream/output/block_footer.ts';
import { Timestamp } from '../../protobuf/generated/services/timestamp.ts';
import { BlockItemField } from '../../streams/block/block.ts';
import { HashTree, TreeHasher } from '../../streams/block/hash-tree.ts';
import { emptyHashOf, hashItems, rootFormsOf, rootHashOf } from '../../streams/block/root-hash.ts';
import type { HapiVersion } from '../../streams/record-file.ts';
import { timestampOf } from '../proto-ids.ts';
import { blockBytes, blockItem, type EncodedItem } from './item-bytes.ts';

/** Where a simulated chain of blocks stands; part of the ledger's state. */
export interface BlockChainState {
  /** Root hash of the newest block, undefined before the first. */
  readonly rootHash: Uint8Array | undefined;
  /** The tree of the root hashes of all blocks. */
  readonly tree: { readonly count: bigint; readonly pending: readonly Uint8Array[] };
  /** Number of the last round. */
  readonly round: bigint;
}

export const NO_BLOCKS: BlockChainState = { rootHash: undefined, tree: { count: 0n, pending: [] }, round: 0n };

/** What proves a block. */
export type ProofParts = NonNullable<Parameters<typeof BlockProof.fromPartial>[0]['proof']>;

/** Makes the proof of a block from its root hash, 48 bytes. */
export type BlockProver = (rootHash: Uint8Array) => ProofParts;

/** The signature of development networks, which proves nothing: SHA-384 of the root hash (HAPI 0.71). */
export const testSignature: BlockProver = (rootHash) => ({
  $case: 'signedBlockProof',
  signedBlockProof: { blockSignature: sha384(rootHash) },
});

export interface OpenBlock {
  readonly number: bigint;
  readonly hapiVersion: HapiVersion;
  /** As in the header, nanoseconds. */
  readonly timestamp: bigint;
  /** Everything before the footer. */
  readonly items: readonly EncodedItem[];
  /** Hash of the state before the block; left out: that of an empty state. */
  readonly startStateHash?: Uint8Array;
  readonly wrapsRecordFile: boolean;
  /** Number of the last round in it. */
  readonly lastRound: bigint;
}

export interface ClosedBlock {
  readonly number: bigint;
  /** The Block message. */
  readonly bytes: Uint8Array;
  readonly rootHash: Uint8Array;
  readonly chain: BlockChainState;
}

/** Adds footer and proof to a block, and the block to the chain. */
export const closeBlock = (block: OpenBlock, chain: BlockChainState, prove: BlockProver): ClosedBlock => {
  const { number, hapiVersion, items, wrapsRecordFile } = block;
  const hasher = new TreeHasher();
  const [form = 'sixteen-leaves'] = rootFormsOf(hapiVersion, wrapsRecordFile);
  const empty = emptyHashOf(form);
  const tree = new HashTree(hasher, chain.tree);
  const footer = {
    previousRootHash: chain.rootHash ?? empty,
    allPreviousRootsHash: tree.root(empty),
    startStateRootHash: block.startStateHash ?? empty,
  };
  const timestampBytes = Timestamp.encode(timestampOf(block.timestamp)).finish();
  const rootHash = rootHashOf({ timestampBytes, footer, trees: hashItems(items, hasher) }, form, hasher);
  tree.add(rootHash);
  const footerBytes = BlockFooter.encode({
    previousBlockRootHash: footer.previousRootHash,
    rootHashOfAllBlockHashesTree: footer.allPreviousRootsHash,
    startOfBlockStateRootHash: footer.startStateRootHash,
  }).finish();
  const proof = BlockProof.encode(BlockProof.fromPartial({ block: number, proof: prove(rootHash) })).finish();
  const closing = [blockItem(BlockItemField.blockFooter, footerBytes), blockItem(BlockItemField.blockProof, proof)];
  return {
    number,
    bytes: blockBytes([...items, ...closing]),
    rootHash,
    chain: { rootHash, tree: tree.state(), round: block.lastRound },
  };
};
