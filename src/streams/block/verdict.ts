import type { ErrorCode } from '../../errors/registry.ts';
import type { LedgerTrust } from './trust.ts';

/** Where a chain of blocks stands. Plain data, so that it can be sent to a thread or kept. */
export interface ChainState {
  /** The last block that was proven, or the last record file before the first block; null before both. */
  readonly last: {
    readonly number: bigint;
    /**
     * Root hashes that it may have, the likely one first. One, but for a wrapped record block, whose proof does not cover
     * the form of its tree: there the next block decides. None where it isn't known, as after a record file.
     */
    readonly rootHashes: readonly Uint8Array[];
    /** End running hash or file hash of the record file that it wraps; null for other blocks. */
    readonly recordHash: Uint8Array | null;
  } | null;
  /**
   * The tree of the root hashes of all blocks before `last`, or of those up to it when `last` is to be read once more;
   * null where it isn't known, as when a chain starts in the middle. Then what the footers state of it is not held against it.
   */
  readonly tree: { readonly count: bigint; readonly pending: readonly Uint8Array[] } | null;
}

/**
 * How a block was proven. `schnorr` and `wraps`: by a hinTS signature whose key the genesis roster, or a chain of rosters,
 * approved. `record-signatures`: by RSA signatures, which cover the record file that the block wraps and nothing else of
 * it: neither amendments nor state changes. `later-block`: by a later one, which names its root hash. `trusted`: nobody
 * proved it, and that was allowed.
 */
export type ProvenBy = 'schnorr' | 'wraps' | 'record-signatures' | 'test-signature' | 'later-block' | 'trusted';

/** Why a block isn't proven; as the details of a stream error. */
export interface ProofFault {
  readonly code: ErrorCode;
  /** Says block, item where there is one, and rule. */
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Codes of blocks that nothing proves and nothing is wrong with: whoever trusts unsigned blocks takes them, and a later block
 * may prove them.
 */
export const UNPROVABLE: ReadonlySet<ErrorCode> = new Set([
  'STREAM_UNCONFIRMED',
  'STREAM_UNKNOWN_PROOF',
  'STREAM_UNKNOWN_LEDGER',
  'STREAM_UNSIGNED',
]);

export type BlockVerdict =
  | {
      readonly proven: true;
      readonly by: ProvenBy;
      /** Whether a state proof led from the block to the root hash that was signed. */
      readonly throughStateProof: boolean;
      /** Hashes that the root may have, the likely one first; one, but as `ChainState` says. */
      readonly rootHashes: readonly Uint8Array[];
      /** The ledger that the block publishes; null when it publishes none. */
      readonly ledger: LedgerTrust | null;
    }
  | { readonly proven: false; readonly fault: ProofFault };
