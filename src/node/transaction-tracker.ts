/** What became of the transactions that the node took. */
import type { HandledTransaction, SubmittedState } from '../simulator/state/submitted-state.ts';
import { REMEMBERED_NANOS } from './handle-submission.ts';

/** Longest time that a result is held back for readers of the mirror; after it, something is wrong there. */
const MIRROR_PATIENCE_NANOS = 10_000_000_000n;

export interface TrackerOptions {
  readonly submitted: SubmittedState;
  /** Nanoseconds since the epoch. */
  readonly clock: () => bigint;
}

/** `pending`: taken, and not in the ledger yet, or not where its readers look. */
export type Fate = HandledTransaction | 'pending' | undefined;

/**
 * Results are told once the mirror has their block, so that whoever has a receipt finds the transaction there too.
 */
export class TransactionTracker {
  readonly #options: TrackerOptions;
  /** Valid starts by key. */
  readonly #pending = new Map<string, bigint>();
  #mirrored = 0n;

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  /** Transactions that are remembered. */
  get size(): number {
    return this.#pending.size + this.#options.submitted.handled.size;
  }

  take(key: string, validStart: bigint): void {
    this.#pending.set(key, validStart);
  }

  isKnown(key: string): boolean {
    return this.#pending.has(key) || this.#options.submitted.handled.has(key);
  }

  /** Tells that the mirror has all records until this consensus time. */
  mirrored(until: bigint): void {
    if (until > this.#mirrored) this.#mirrored = until;
    const { handled } = this.#options.submitted;
    const oldest = this.#options.clock() - REMEMBERED_NANOS;
    for (const [key, validStart] of this.#pending) {
      if (handled.has(key) || validStart < oldest) this.#pending.delete(key);
    }
  }

  /** Undefined: it is unknown, or was forgotten after three minutes. */
  find(key: string): Fate {
    const now = this.#options.clock();
    const transaction = this.#options.submitted.handled.get(key);
    if (transaction === undefined) return this.#pending.has(key) ? 'pending' : undefined;
    if (transaction.validStart + REMEMBERED_NANOS < now) return undefined;
    return transaction.at <= this.#mirrored || transaction.at + MIRROR_PATIENCE_NANOS < now ? transaction : 'pending';
  }
}
