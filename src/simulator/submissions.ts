import type { BlockBuilder } from './records/block-builder.ts';

/** A transaction that a client sent and a node took. */
export interface Submission {
  /** The serialized Transaction. */
  readonly transaction: Uint8Array;
  /** Its consensus time, nanoseconds. */
  readonly at: bigint;
  /** Account number of the node. */
  readonly node: bigint;
}

/**
 * Does what a transaction of a client says, at the builder's consensus time. It decides on nothing but state and
 * transaction, since a block that was interrupted is made again.
 */
export type HandleSubmission = (builder: BlockBuilder, submission: Submission) => void;
