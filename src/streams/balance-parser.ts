import type { Nanos } from '../ledger/timestamp.ts';
import type { AccountHoldings } from './balance-entry.ts';

/** Reads balance files of one layout. Accounts come as soon as their bytes are there. */
export interface BalanceParser {
  /** Known before the first account. */
  readonly consensusTimestamp: Nanos | undefined;
  /** Token balances that were dropped because the account listed the token before. */
  readonly duplicates: number;
  push(chunk: Uint8Array): AccountHoldings[];
  /** @throws KagamiError STREAM_TRUNCATED */
  finish(): void;
}
