/** The seam between the walk along the chain of blocks and whoever proves them. */
import type { KagamiError } from '../errors/kagami-error.ts';
import type { RawBlock } from './block-source.ts';

/** What proof made of a block. */
export interface ProvenBlock<T> {
  readonly value: T;
  /** Nanoseconds. */
  readonly consensusEnd: bigint;
  /** It wraps a record file. */
  readonly wrapped: boolean;
}

/**
 * Proves consecutive blocks in the order in which it is given them. Gives one outcome for each up to the first that is
 * refused; a refused one and those behind it may be given again. Fewer outcomes, of which none is a refusal, leave the rest
 * to be asked about again, when those have been handed on. `moreToCome`: what the last one lacks to be believed may come with
 * later ones. A refusal with a `DisputedBlock` in its details is of a block that may be right: then blocks before it are asked
 * for once more and given again.
 */
export type BlockProver<T> = (
  blocks: readonly RawBlock[],
  moreToCome: boolean,
) => Promise<readonly (ProvenBlock<T> | KagamiError)[]>;

/** In the details of a refusal: `askAgainFrom`. */
export interface DisputedBlock {
  /** Number of the block that the refused one does not follow, and that may be the altered one. */
  readonly number: bigint;
  /** Both came from the same place, which contradicts itself. */
  readonly isContradiction: boolean;
}
