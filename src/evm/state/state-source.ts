/** Where runs get the state of a block from. */
import type { ExchangeRate } from './records.ts';
import type { StateReader } from './state-reader.ts';

/** A block as record_file keeps it. */
export interface BlockRecord {
  readonly index: bigint;
  readonly consensusStart: bigint;
  readonly consensusEnd: bigint;
  /** 48 bytes. */
  readonly hash: Uint8Array;
}

/** `latest` reads current tables; a block reads history as of its `consensusEnd`. */
export type BlockChoice =
  | { readonly kind: 'latest' }
  | { readonly kind: 'earliest' }
  | { readonly kind: 'number'; readonly number: bigint }
  /** 64 or 96 hex digits. */
  | { readonly kind: 'hash'; readonly hash: string };

/** System files as they count now, also for past blocks. */
export interface NetworkRates {
  readonly exchangeRate: ExchangeRate;
  /** Thousandths of a tinycent per gas. */
  readonly gasPriceMilliTinycents: bigint;
}

export interface StateSource {
  /** Undefined for a block that is not there; with an empty database also `latest`. */
  block(choice: BlockChoice): Promise<BlockRecord | undefined>;
  /** The block that holds a consensus timestamp (nanoseconds). */
  blockOf(timestamp: bigint): Promise<BlockRecord | undefined>;
  /** Current state, with caches that live until the next commit. */
  latest(): StateReader;
  /** State as of a consensus timestamp in nanoseconds, inclusive. */
  at(timestamp: bigint): StateReader;
  rates(now: bigint): Promise<NetworkRates>;
  /** Forgets what a newer block may have changed. */
  onBlockCommitted(): void;
}
