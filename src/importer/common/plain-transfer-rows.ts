/** The rows of a plain transfer, as `transactionRow`, `insertCryptoTransfers` and `insertTransactionHash` make them. */
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { LedgerBatch } from '../ledger-batch.ts';
import type { PlainTransferReader } from '../plain-transfer.ts';
import type { RecordItem } from '../record-item.ts';
import type { PersistSettings } from '../transaction-handler.ts';
import { orNull } from './ids.ts';
import { hashedTypes, insertTransactionHash } from './transaction-row.ts';

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

export const insertPlainTransfer = (
  batch: LedgerBatch,
  item: RecordItem,
  transfer: PlainTransferReader,
  { trackBalance, isHashed }: PlainRows,
): void => {
  const { consensusTimestamp } = item;
  const { payer, accounts, amounts, entries } = transfer;
  for (let entry = 0; entry < entries; entry++) {
    const entityId = accounts[entry] as bigint;
    const amount = amounts[entry] as bigint;
    batch.insert('crypto_transfer', {
      entity_id: entityId,
      consensus_timestamp: consensusTimestamp,
      amount,
      payer_account_id: payer,
      is_approval: false,
      errata: null,
    });
    if (trackBalance) batch.addBalance(entityId, amount, consensusTimestamp);
  }
  batch.insert('transaction', {
    consensus_timestamp: consensusTimestamp,
    type: item.type,
    result: item.status,
    payer_account_id: payer,
    valid_start_ns: transfer.validStart,
    valid_duration_seconds: transfer.validDuration ?? null,
    node_account_id: orNull(transfer.node),
    entity_id: null,
    initial_balance: 0n,
    max_fee: transfer.maxFee,
    charged_tx_fee: transfer.chargedFee,
    memo: transfer.memo,
    transaction_hash: transfer.transactionHash,
    transaction_bytes: null,
    scheduled: false,
    nonce: 0,
    parent_consensus_timestamp: null,
    errata: null,
    index: item.index,
    nft_transfer: null,
    itemized_transfer: null,
    transaction_record_bytes: null,
    max_custom_fees: null,
    batch_key: null,
    inner_transactions: null,
    high_volume: false,
    congestion_pricing_multiplier: null,
    high_volume_pricing_multiplier: 0n,
  });
  if (isHashed) insertTransactionHash(batch, item, transfer.transactionHash, payer);
};
