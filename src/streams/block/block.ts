import type { Content } from '../compression.ts';
import type { HapiVersion } from '../record-file-content.ts';

/** Fields of the BlockItem message at HAPI 0.71 to 0.78 (`block/stream/block_item.proto`). */
export const BlockItemField = {
  blockHeader: 1,
  eventHeader: 2,
  roundHeader: 3,
  signedTransaction: 4,
  transactionResult: 5,
  transactionOutput: 6,
  stateChanges: 7,
  filteredSingleItem: 8,
  blockProof: 9,
  recordFile: 10,
  traceData: 11,
  blockFooter: 12,
  redactedItem: 19,
} as const;

/** One item of a block as it stands in the stream, uncopied. */
export interface BlockItem {
  /** Which field of BlockItem it sets, see `BlockItemField`. */
  readonly field: number;
  /** The BlockItem message: tag, length, payload. This is what the network hashes. */
  readonly bytes: Uint8Array;
  /** What the field holds: the inner message, for a signed transaction its serialized SignedTransaction. */
  readonly payload: Uint8Array;
}

/** The BlockFooter message; hashes are 48 bytes, or empty where the block leaves one out. */
export interface BlockFooter {
  readonly previousRootHash: Uint8Array;
  /** Root of the tree over the root hashes of all blocks before this one. */
  readonly allPreviousRootsHash: Uint8Array;
  readonly startStateRootHash: Uint8Array;
}

/** A step up a Merkle tree: the hash beside the path. An empty hash is a step over a node with a single child. */
export interface MerkleSibling {
  readonly isLeft: boolean;
  readonly hash: Uint8Array;
}

/** A path of a state proof, from its leaf up to where it joins path `nextPathIndex` (-1 at the root). */
export interface MerklePath {
  readonly leaf: {
    readonly kind: 'hash' | 'timestamp' | 'block-item' | 'state-item' | 'none';
    readonly bytes: Uint8Array;
  };
  readonly siblings: readonly MerkleSibling[];
  readonly nextPathIndex: number;
}

/** What a BlockProof message holds. Kinds of proof that came after HAPI 0.78 are `unknown`. */
export type BlockProof =
  /** `signature` covers the root hash of the block. */
  | { readonly kind: 'signed'; readonly signature: Uint8Array }
  /** `signature` covers the root hash of a later block, which the paths lead to. */
  | { readonly kind: 'state'; readonly paths: readonly MerklePath[]; readonly signature: Uint8Array }
  /** Each signature is a node's RSA signature over the hash of the record file that the block wraps. */
  | {
      readonly kind: 'record-file';
      /** Format of the record file: 2, 5 or 6. */
      readonly version: number;
      readonly signatures: readonly { readonly nodeId: bigint; readonly signature: Uint8Array }[];
    }
  | { readonly kind: 'unknown'; readonly field: number };

/** A block taken apart: every item in stream order, with header, footer and proofs read. Nothing in it is proven yet. */
export interface Block {
  /** File name, or whatever else names it in errors. */
  readonly name: string;
  readonly number: bigint;
  /** Of a wrapped record block: the version that its record file states. */
  readonly hapiVersion: HapiVersion;
  /** Null in wrapped record blocks. */
  readonly softwareVersion: HapiVersion | null;
  /** Nanoseconds. */
  readonly timestamp: bigint;
  /** The Timestamp message of the header, byte for byte: a leaf of the block's tree. */
  readonly timestampBytes: Uint8Array;
  /** All items in stream order: header first, footer and proofs last. */
  readonly items: readonly BlockItem[];
  readonly header: BlockItem;
  /** Payload of the record file item (RecordFileItem) of a wrapped record block; null in others. */
  readonly recordFile: Uint8Array | null;
  readonly footer: BlockFooter;
  /** At least one, in stream order. */
  readonly proofs: readonly BlockProof[];
  /** Bytes of the block as it was read, compressed if it was. */
  readonly size: number;
  readonly uncompressedSize: number;
  readonly compression: Content['compression'];
}
