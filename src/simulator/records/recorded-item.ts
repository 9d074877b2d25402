import type { LedgerState } from '../state/ledger-state.ts';
import type { BlockItem, RecordContext } from './draft.ts';
import type { TransferBook } from './transfer-book.ts';

/** A record with what it was made from, at the moment when its effects on hbar balances are in the state. */
export interface RecordedItem extends RecordContext {
  readonly item: BlockItem;
  readonly state: LedgerState;
  /** Type number of the transaction. */
  readonly type: number;
  readonly status: number;
  /** Valid until the next record. */
  readonly transfers: TransferBook;
}

/** Sees every record of a block as it is made. */
export interface RecordObserver {
  recorded(item: RecordedItem): void;
}
