/** The seam between blocks and where they come from: block nodes, folders and buckets give the bytes of one block after the other. */

/** One block as a source gave it. Nothing of it is proven. */
export interface RawBlock {
  /** As the source says; the block's own header and proof decide. */
  readonly number: bigint;
  /** Name of its file, or of the file that it would be. */
  readonly name: string;
  /** Whether it comes from a file, whose bytes `bytes` are. */
  readonly isFile: boolean;
  /** A serialized `Block`, compressed where it comes from a compressed file. */
  readonly bytes: Uint8Array;
  /** Who gave it, for messages and metrics. */
  readonly from: string;
  /** `performance.now()` when it was there whole. */
  readonly receivedAt: number;
  /** Milliseconds since 1970 at that moment. */
  readonly receivedTime: number;
}

export interface BlockRequest {
  /** Number of the first block that is wanted. */
  readonly from: bigint;
  /** Number of the last one, inclusive; absent: as long as there are blocks. */
  readonly to?: bigint | undefined;
  /** Ends the request without a fault. */
  readonly signal: AbortSignal;
}

/** The numbers of the blocks that a source has, both inclusive; holes between them don't show. */
export interface AvailableBlocks {
  readonly first: bigint;
  readonly last: bigint;
}
