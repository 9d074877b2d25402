import type { Submission } from './submissions.ts';

interface Waiting {
  readonly transaction: Uint8Array;
  readonly node: bigint;
  /** Milliseconds since the epoch. */
  readonly arrived: number;
}

/** Distance between the consensus times of two transactions of clients; children take the nanoseconds around them. */
const SLOT_NANOS = 2_000n;
/** Most of them that one block takes; further ones wait for the next. */
const MOST_PER_BLOCK = 512;
/** How long a block that clients wait for is held open for more. */
const GATHERING_MS = 100;
const NANOS_PER_MS = 1_000_000n;

/** Transactions of clients that wait for their block, in order of arrival. */
export class SubmissionQueue {
  readonly #waiting: Waiting[] = [];

  get length(): number {
    return this.#waiting.length;
  }

  /** Milliseconds since the epoch at which there should be a block; undefined: nobody waits. */
  get due(): number | undefined {
    const first = this.#waiting[0];
    return first && first.arrived + GATHERING_MS;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
  }

  /** Takes those that came until `end`, milliseconds since the epoch, and places them just before it. */
  take(end: number): readonly Submission[] {
    let count = 0;
    while (count < MOST_PER_BLOCK && (this.#waiting[count]?.arrived ?? Number.POSITIVE_INFINITY) <= end) count++;
    const taken = this.#waiting.splice(0, count);
    const first = BigInt(end) * NANOS_PER_MS - roomFor(count);
    return taken.map(({ transaction, node }, index) => ({
      transaction,
      node,
      at: first + SLOT_NANOS * BigInt(index) + SLOT_NANOS / 2n,
    }));
  }
}

/** Nanoseconds at the end of a block that so many transactions take. */
export const roomFor = (count: number): bigint => SLOT_NANOS * BigInt(count);
