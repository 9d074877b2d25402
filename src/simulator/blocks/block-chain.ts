/** The chain that blocks form, and what closes a block: its root hash, footer and proof. */
import { sha384 } from '../../ledger/hash.ts';
import { BlockProof } from '../../protobuf/generated/block/stream/block_proof.ts';
import { BlockFooter } from '../../protobuf/generated/block/stream/output/block_footer.ts';
import { Timestamp } from '../../protobuf/generated/services/timestamp.ts';
import { BlockItemField } from '../../streams/block/block.ts';
import { HashTree, TreeHasher } from '../../streams/block/hash-tree.ts';
import { emptyHashOf, hashItems, rootFormsOf, rootHashOf } from '../../streams/block/root-hash.ts';
import type { HapiVersion } from '../../streams/record-file-content.ts';
import { timestampOf } from '../records/proto-ids.ts';
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

/** Signs a root hash, 48 bytes. */
export type BlockSignature = (rootHash: Uint8Array) => Uint8Array;

/** The signature of development networks, which proves nothing: SHA-384 of the root hash (HAPI 0.71). */
export const testSignature: BlockSignature = sha384;

/** In place of the number of a path where there is none above: uint32 of -1. */
const AT_ROOT = 0xffff_ffff;

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

/** A block in its place in the chain, without proof. */
export interface LinkedBlock {
  readonly number: bigint;
  /** Up to the footer. */
  readonly items: readonly EncodedItem[];
  readonly rootHash: Uint8Array;
  /** The chain that ends with this block. */
  readonly chain: BlockChainState;
  /** The Timestamp message of the header: the leaf beside the block's tree. */
  readonly timestampBytes: Uint8Array;
  /** What stands beside the way from the root hash of the block before up the block's tree, lowest first; empty: nothing. */
  readonly beside: readonly Uint8Array[];
}

export interface ClosedBlock {
  readonly number: bigint;
  /** The Block message. */
  readonly bytes: Uint8Array;
}

const ABSENT_LEAVES = 8;

/** Adds the footer to a block, and the block to the chain. */
export const linkBlock = (block: OpenBlock, chain: BlockChainState): LinkedBlock => {
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
  const trees = hashItems(items, hasher);
  const rootHash = rootHashOf({ timestampBytes, footer, trees }, form, hasher);
  tree.add(rootHash);
  const footerBytes = BlockFooter.encode({
    previousBlockRootHash: footer.previousRootHash,
    rootHashOfAllBlockHashesTree: footer.allPreviousRootsHash,
    startOfBlockStateRootHash: footer.startStateRootHash,
  }).finish();
  const [headers = empty, ...others] = trees.map((each) => each.root(empty));
  return {
    number,
    items: [...items, blockItem(BlockItemField.blockFooter, footerBytes)],
    rootHash,
    chain: { rootHash, tree: tree.state(), round: block.lastRound },
    timestampBytes,
    beside: [
      footer.allPreviousRootsHash,
      hasher.node(footer.startStateRootHash, headers),
      hasher.pairwise(others),
      form === 'sixteen-leaves'
        ? hasher.pairwise(Array.from({ length: ABSENT_LEAVES }, () => empty))
        : new Uint8Array(0),
    ],
  };
};

/** Adds the proof. */
export const closeBlock = ({ number, items }: LinkedBlock, proof: ProofParts): ClosedBlock => {
  const bytes = BlockProof.encode(BlockProof.fromPartial({ block: number, proof })).finish();
  return { number, bytes: blockBytes([...items, blockItem(BlockItemField.blockProof, bytes)]) };
};

/**
 * Proves a block that nobody signed by the signature of a later one: the way from its root hash up the trees of the blocks
 * behind it to the one that was signed, which is the last of `later` (stream-formats of HAPI 0.77 and later).
 */
export const stateProof = (rootHash: Uint8Array, later: readonly LinkedBlock[], signature: Uint8Array): ProofParts => {
  const hasher = new TreeHasher();
  const signed = later.at(-1);
  if (signed === undefined) throw new TypeError('no later block is signed');
  const siblings = later.flatMap((block) => {
    const up = block.beside.map((hash) => ({ isLeft: false, hash }));
    return block === signed ? up : [...up, { isLeft: true, hash: hasher.leaf(block.timestampBytes) }];
  });
  const join = 2;
  return {
    $case: 'blockStateProof',
    blockStateProof: {
      paths: [
        { nextPathIndex: join, content: { $case: 'timestampLeaf', timestampLeaf: signed.timestampBytes } },
        { nextPathIndex: join, content: { $case: 'hash', hash: rootHash }, siblings },
        { nextPathIndex: AT_ROOT },
      ],
      proof: { $case: 'signedBlockProof', signedBlockProof: { blockSignature: signature } },
    },
  };
};
