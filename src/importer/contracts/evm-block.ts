/**
 * What the EVM did in one block: the ordinals that contract transactions and logs get, and the results and logs, which
 * stay open to changes until the block's end because what a child does can show in its parent's rows.
 */
import type { RowOf } from '../../database/table.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { LedgerBatch } from '../ledger-batch.ts';
import { contractResultOf, type RecordItem } from '../record-item.ts';
import { contractParentOf } from './contract-parent.ts';
import { HookTurns } from './hook-turns.ts';

const EVM_TYPES: ReadonlySet<number> = new Set([
  TransactionType.CONTRACTCALL,
  TransactionType.CONTRACTCREATEINSTANCE,
  TransactionType.ETHEREUMTRANSACTION,
]);

export class EvmBlock {
  readonly hookTurns = new HookTurns();
  readonly #results = new Map<Nanos, RowOf<'contract_result'>>();
  readonly #logs: RowOf<'contract_log'>[] = [];
  readonly #transactionIndexes = new Map<Nanos, number>();
  #nextTransactionIndex = 0;
  #nextLogIndex = 0;

  /** Gives a contract transaction its ordinal among those of the block; before anything else looks at the item. */
  begin(item: RecordItem): void {
    if (!EVM_TYPES.has(item.type) || item.status === ResponseCodeEnum.WRONG_NONCE) return;
    const parent = contractParentOf(item);
    const inherited = parent && this.#transactionIndexes.get(parent.consensusTimestamp);
    if (inherited !== undefined) this.#transactionIndexes.set(item.consensusTimestamp, inherited);
    else if (contractResultOf(item) !== undefined) this.claimTransactionIndex(item);
  }

  /** Ordinal of the item's EVM transaction within the block; unrelated to its position in the record file. */
  transactionIndexOf(item: RecordItem): number | undefined {
    return this.#transactionIndexes.get(item.consensusTimestamp);
  }

  /** The next ordinal for an item that has none yet, else the one it has. */
  claimTransactionIndex(item: RecordItem): number {
    let index = this.#transactionIndexes.get(item.consensusTimestamp);
    if (index === undefined) {
      index = this.#nextTransactionIndex++;
      this.#transactionIndexes.set(item.consensusTimestamp, index);
    }
    return index;
  }

  /** Logs of contracts and synthetic ones share one counter. */
  claimLogIndex(): number {
    return this.#nextLogIndex++;
  }

  addResult(row: RowOf<'contract_result'>): void {
    this.#results.set(row.consensus_timestamp, row);
  }

  result(consensusTimestamp: Nanos): RowOf<'contract_result'> | undefined {
    return this.#results.get(consensusTimestamp);
  }

  addLog(row: RowOf<'contract_log'>): void {
    this.#logs.push(row);
  }

  get logs(): readonly RowOf<'contract_log'>[] {
    return this.#logs;
  }

  /** At the end of the block. */
  flush(batch: LedgerBatch): void {
    for (const row of this.#results.values()) batch.insert('contract_result', row);
    for (const row of this.#logs) batch.insert('contract_log', row);
  }
}
