/** What a thread is asked to simulate and what it answers: plain data, since both travel between threads. */
import type { Status } from '../hapi/operation.ts';
import type { AddressHex, WordHex } from '../state/records.ts';
import type { BlockChoice } from '../state/state-source.ts';

export interface SlotOverride {
  readonly slot: WordHex;
  readonly value: WordHex;
}

/** State that a request puts in place of the stored one, for one address. */
export interface StateOverride {
  readonly address: AddressHex;
  /** Tinybars. */
  readonly balance?: bigint;
  readonly code?: Uint8Array;
  readonly nonce?: bigint;
  /** In place of the whole storage; empty: as if absent. */
  readonly state?: readonly SlotOverride[];
  /** Over the storage. */
  readonly stateDiff?: readonly SlotOverride[];
}

export interface CallTask {
  readonly block: BlockChoice;
  readonly data: Uint8Array;
  readonly from: AddressHex | undefined;
  /** Undefined: a contract is created. */
  readonly to: AddressHex | undefined;
  readonly gas: bigint;
  /** Whether the request said so, and does not just get the usual limit. */
  readonly isGasGiven: boolean;
  /** Tinybars; 0n: the network's. */
  readonly gasPrice: bigint;
  /** Tinybars. */
  readonly value: bigint;
  /** Search the least sufficient gas limit in place of the result. */
  readonly estimate: boolean;
  readonly stateOverrides: readonly StateOverride[];
}

/** What metrics and throttles want to know of every answer. */
interface Measured {
  /** Of the run with the request's own gas limit. */
  readonly gasUsed: bigint;
  /** Runs that were made. */
  readonly runs: number;
  /** End of the block in nanoseconds; undefined for the newest one. */
  readonly blockTime: bigint | undefined;
}

export type CallAnswer =
  | { readonly kind: 'unknown-block' }
  | ({ readonly kind: 'result'; readonly output: Uint8Array } & Measured)
  | ({ readonly kind: 'estimate'; readonly gas: bigint } & Measured)
  | ({
      readonly kind: 'failure';
      readonly status: Status;
      readonly output: Uint8Array;
      /** Whether the EVM started. */
      readonly executed: boolean;
      readonly childStatuses: readonly Status[];
    } & Measured);
