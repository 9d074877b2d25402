/** What decides a simulated ledger and each of its blocks beside the state before it. */
import type { SimulatedNetwork } from './network/simulated-network.ts';
import type { SystemFile } from './network/system-files.ts';
import type { HandleSubmission, Submission } from './submissions.ts';

/** What decides a block besides the state before it; the journal keeps it. */
export interface BlockPlan {
  /** Consensus time at which the block's interval starts, nanoseconds. */
  readonly start: bigint;
  /** Length of the interval, nanoseconds. */
  readonly interval: bigint;
  /** User transactions; children, stake updates, genesis and founding come on top. */
  readonly transactions: number;
  /** What clients sent, in order, at the end of the interval. */
  readonly submissions?: readonly Submission[];
}

/** What never changes within one simulation folder. */
export interface LedgerPlan {
  readonly network: SimulatedNetwork;
  /** Tinybars. */
  readonly supply: bigint;
  /** Accounts that block 1 creates. */
  readonly users: number;
  /** Undefined: nobody can send transactions. */
  readonly handleSubmission: HandleSubmission | undefined;
  /** System files that genesis writes beside those of every network. */
  readonly files: readonly SystemFile[];
}
