/** The rows of a plain transfer, as `transactionRow`, `insertCryptoTransfers` and `insertTransactionHash` make them. */
import type { NumericRowOf } from '../../database/table.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { LedgerBatch } from '../ledger-batch.ts';
import type { PlainTransferReader } from '../plain-transfer.ts';
import type { RecordItem } from '../record-item.ts';
import type { PersistSettings } from '../transaction-handler.ts';
import { hashedTypes, partsOfHash } from './transaction-row.ts';

const NO_BYTES: Uint8Array = new Uint8Array(0);

/** What of the settings shows in the rows of a plain transfer. */
export interface PlainRows {
  readonly trackBalance: boolean;
  readonly isHashed: boolean;
}

/** Undefined when the settings ask for more than the common rows of a transfer, or for fewer. */
export const plainRowsOf = (persist: PersistSettings): PlainRows | undefined => {
  const more =
    persist.entityTransactions ||
    persist.itemizedTransfers ||
    persist.transactionBytes ||
    persist.transactionRecordBytes ||
    persist.transactionSignatures.includes(TransactionType.CRYPTOTRANSFER);
  if (more || !persist.cryptoTransferAmounts) return undefined;
  return { trackBalance: persist.trackBalance, isHashed: hashedTypes(persist)(TransactionType.CRYPTOTRANSFER) };
};

/**
 * Puts plain transfers into batches. Its three rows are filled anew for each: nothing of a transfer is left behind in
 * memory but COPY's bytes and the balances.
 */
export class PlainTransferRows {
  readonly #settings: PlainRows;
  readonly #transfer: NumericRowOf<'crypto_transfer'> = {
    entity_id: 0,
    consensus_timestamp: 0n,
    amount: 0,
    payer_account_id: 0,
    is_approval: false,
    errata: null,
  };
  readonly #transaction: NumericRowOf<'transaction'> = {
    consensus_timestamp: 0n,
    type: TransactionType.CRYPTOTRANSFER,
    result: 0,
    payer_account_id: 0,
    valid_start_ns: 0n,
    valid_duration_seconds: null,
    node_account_id: null,
    entity_id: null,
    initial_balance: 0,
    max_fee: 0,
    charged_tx_fee: 0,
    memo: NO_BYTES,
    transaction_hash: NO_BYTES,
    transaction_bytes: null,
    scheduled: false,
    nonce: 0,
    parent_consensus_timestamp: null,
    errata: null,
    index: 0,
    nft_transfer: null,
    itemized_transfer: null,
    transaction_record_bytes: null,
    max_custom_fees: null,
    batch_key: null,
    inner_transactions: null,
    high_volume: false,
    congestion_pricing_multiplier: null,
    high_volume_pricing_multiplier: 0,
  };
  readonly #hash: NumericRowOf<'transaction_hash'> = {
    consensus_timestamp: 0n,
    hash: NO_BYTES,
    payer_account_id: 0,
    hash_suffix: null,
  };

  constructor(settings: PlainRows) {
    this.#settings = settings;
  }

  insert(batch: LedgerBatch, item: RecordItem, transfer: PlainTransferReader): void {
    const { consensusTimestamp, index, status, ofBlock } = item;
    const { trackBalance, isHashed } = this.#settings;
    const { payer, accounts, amounts, entries } = transfer;
    const movement = this.#transfer;
    movement.consensus_timestamp = consensusTimestamp;
    movement.payer_account_id = payer;
    for (let entry = 0; entry < entries; entry++) {
      const account = accounts[entry] as number;
      const amount = amounts[entry] as number;
      movement.entity_id = account;
      movement.amount = amount;
      batch.insertEncoded('crypto_transfer', movement);
      if (trackBalance) batch.addBalanceOf(account, amount, consensusTimestamp);
    }
    const row = this.#transaction;
    row.consensus_timestamp = consensusTimestamp;
    row.result = status;
    row.payer_account_id = payer;
    row.valid_start_ns = transfer.validStart;
    row.valid_duration_seconds = transfer.validDuration ?? null;
    row.node_account_id = transfer.node === 0 ? null : transfer.node;
    row.max_fee = transfer.maxFee;
    row.charged_tx_fee = transfer.chargedFee;
    row.memo = transfer.memo;
    row.transaction_hash = transfer.transactionHash;
    row.index = index;
    row.congestion_pricing_multiplier =
      ofBlock === undefined ? null : BigInt.asIntN(64, ofBlock.congestionPricingMultiplier);
    batch.insertEncoded('transaction', row);
    if (isHashed) this.#insertHash(batch, consensusTimestamp, transfer);
  }

  #insertHash(batch: LedgerBatch, consensusTimestamp: Nanos, { transactionHash, payer }: PlainTransferReader): void {
    const parts = partsOfHash(transactionHash);
    if (parts === undefined) return;
    const row = this.#hash;
    row.consensus_timestamp = consensusTimestamp;
    row.hash = parts.hash;
    row.hash_suffix = parts.suffix;
    row.payer_account_id = payer;
    batch.insertEncoded('transaction_hash', row);
  }
}
