/** What record files hold, whatever their version, and blocks of a block stream in their form. */
import type { Content } from './compression.ts';

export type RecordFileVersion = 1 | 2 | 5 | 6;

/** 7 is a block of a block stream, whose items are turned into those of a record file. */
export type StreamFileVersion = RecordFileVersion | 7;

/** One transaction with its record: the protobuf messages as they stand in the file, uncopied. */
export interface RecordFileItem {
  readonly transaction: Uint8Array;
  readonly record: Uint8Array;
  /** Absent for items of record files. */
  readonly ofBlock?: BlockFacts;
}

/** Parts of a record that a block may not tell. */
export type UnknownPart =
  | 'account id'
  | 'contract id'
  | 'contract result'
  | 'file id'
  | 'node id'
  | 'pending airdrops'
  | 'random number'
  | 'registered node id'
  | 'running hash'
  | 'schedule id'
  | 'storage slot'
  | 'token id'
  | 'token supply'
  | 'topic id';

/** What only a block stream says of a transaction. */
export interface BlockFacts {
  /** Unsigned 64-bit; 0 when nothing was multiplied. */
  readonly congestionPricingMultiplier: bigint;
  /**
   * Nonce of the account that the transaction made or changed, where it delegates its code
   * ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)).
   */
  readonly ethereumNonce?: bigint | undefined;
  /** Parts of the record that it lacks, since the block does not tell them, and why; usually none. */
  readonly unknown: readonly { readonly part: UnknownPart; readonly message: string }[];
}

/** Columns of a block's own row that record files don't fill. */
export interface BlockColumns {
  /** Null in wrapped record blocks. */
  readonly softwareVersion: HapiVersion | null;
  /** First and last round of the block; null in wrapped record blocks. */
  readonly roundStart: bigint | null;
  readonly roundEnd: bigint | null;
  /** Root hash of a wrapped record block; null for other blocks. 48 bytes. */
  readonly wrappedRecordBlockHash: Uint8Array | null;
  /** Root hash of the block before; null for blocks after the first of a block stream. 48 bytes. */
  readonly previousWrappedRecordBlockHash: Uint8Array | null;
}

export interface HapiVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** What a v6 file says of one of its sidecar files. */
export interface SidecarMetadata {
  readonly id: number;
  /** 1 contract state change, 2 contract action, 3 contract bytecode. */
  readonly types: readonly number[];
  readonly hash: Uint8Array;
}

/** The part of a record file that its version's reader finds out. */
export interface RecordFileBody {
  readonly version: RecordFileVersion;
  readonly hapiVersion: HapiVersion | null;
  /** SHA-384 that nodes sign; over the whole uncompressed file, for v2 over header and hashed body. 48 bytes. */
  readonly fileHash: Uint8Array;
  /** Second signed hash of v5 and v6: everything but the items. 48 bytes. */
  readonly metadataHash: Uint8Array | null;
  /** What the next file names as its previous hash: file hash of v1 and v2, end running hash of v5 and v6. */
  readonly hash: Uint8Array;
  readonly previousHash: Uint8Array;
  readonly blockNumber: bigint | null;
  readonly items: readonly RecordFileItem[];
  readonly sidecars: readonly SidecarMetadata[];
  /** Consensus times in nanoseconds: first and last item up to v5, least and greatest in v6; of the name when empty. */
  readonly consensusStart: bigint;
  readonly consensusEnd: bigint;
  /** Items don't ascend in consensus time: a fault of the producer that readers survive. */
  readonly outOfOrder: boolean;
}

export interface RecordFile extends Omit<RecordFileBody, 'version'> {
  readonly version: StreamFileVersion;
  /** Absent for record files. */
  readonly ofBlock?: BlockColumns;
  readonly name: string;
  /** Bytes of the file as it was read, compressed if it was. */
  readonly size: number;
  readonly uncompressedSize: number;
  readonly compression: Content['compression'];
}
