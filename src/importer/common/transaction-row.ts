/** The row that every transaction has, and its lookup by hash. */
import type { RowOf } from '../../database/table.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type Nanos, nanosOf } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { LedgerBatch } from '../ledger-batch.ts';
import type { RecordItem } from '../record-item.ts';
import type { PersistSettings } from '../transaction-handler.ts';
import { accountIdOrEmpty, orNull } from './ids.ts';

const MAX_SMALLINT = 32_767;

/** An unsigned 64-bit amount as the signed column keeps it. */
const signed = (amount: bigint): bigint => BigInt.asIntN(64, amount);

/**
 * Node transactions keep their raw bytes whatever the settings, so that the address book can be retraced
 * ([HIP-869](https://hips.hedera.com/hip/hip-869)).
 */
const keepsBytes = (type: number): boolean =>
  type === TransactionType.NODECREATE || type === TransactionType.NODEUPDATE || type === TransactionType.NODEDELETE;

const parentTimestampOf = (item: RecordItem): Nanos | null => {
  const parent = item.record.parentConsensusTimestamp;
  return parent === undefined ? null : nanosOf(parent);
};

/** `entityId` is the main entity, 0n when the transaction has none. Amounts are tinybars, times nanoseconds. */
export const transactionRow = (
  item: RecordItem,
  entityId: EntityId,
  persist: PersistSettings,
): RowOf<'transaction'> => {
  const { body, record } = item;
  const id = body.transactionID;
  const validStart = id?.transactionValidStart;
  const withBytes = keepsBytes(item.type);
  return {
    consensus_timestamp: item.consensusTimestamp,
    type: item.type > MAX_SMALLINT ? 0 : item.type,
    result: item.status,
    payer_account_id: item.payer,
    valid_start_ns: validStart === undefined ? 0n : nanosOf(validStart),
    valid_duration_seconds: body.transactionValidDuration === undefined ? null : body.transactionValidDuration.seconds,
    node_account_id: orNull(accountIdOrEmpty(body.nodeAccountID)),
    entity_id: orNull(entityId),
    initial_balance: 0n,
    max_fee: signed(body.transactionFee),
    charged_tx_fee: signed(record.transactionFee),
    memo: item.memo,
    transaction_hash: record.transactionHash,
    transaction_bytes: withBytes || persist.transactionBytes ? item.transactionBytes : null,
    scheduled: record.scheduleRef !== undefined,
    nonce: id === undefined ? 0 : id.nonce,
    parent_consensus_timestamp: parentTimestampOf(item),
    errata: null,
    index: item.index,
    nft_transfer: null,
    itemized_transfer: null,
    transaction_record_bytes: withBytes || persist.transactionRecordBytes ? item.recordBytes : null,
    max_custom_fees: item.maxCustomFees.length === 0 ? null : item.maxCustomFees,
    batch_key: item.batchKey ?? null,
    inner_transactions: null,
    high_volume: body.highVolume,
    congestion_pricing_multiplier: item.ofBlock === undefined ? null : signed(item.ofBlock.congestionPricingMultiplier),
    high_volume_pricing_multiplier: signed(record.highVolumePricingMultiplier),
  };
};

const HASH_LENGTH = 32;
const FULL_HASH_LENGTH = 48;

/** Whether transactions of a type are found by hash: the listed types, or all but consensus messages when none are. */
export const hashedTypes = (persist: PersistSettings): ((type: number) => boolean) => {
  if (!persist.transactionHash) return () => false;
  if (persist.transactionHashTypes.length === 0) return (type) => type !== TransactionType.CONSENSUSSUBMITMESSAGE;
  const types = new Set(persist.transactionHashTypes);
  return (type) => types.has(type);
};

/** A hash of 32 or 48 bytes as it is kept: what it is found by, and what a full one has more. */
export const partsOfHash = (
  hash: Uint8Array,
): { readonly hash: Uint8Array; readonly suffix: Uint8Array | null } | undefined => {
  if (hash.length === HASH_LENGTH) return { hash, suffix: null };
  if (hash.length !== FULL_HASH_LENGTH) return undefined;
  return { hash: hash.subarray(0, HASH_LENGTH), suffix: hash.subarray(HASH_LENGTH) };
};

/** Makes a transaction findable by a hash of 32 or 48 bytes; hashes of other lengths are left out. */
export const insertTransactionHash = (batch: LedgerBatch, item: RecordItem, hash: Uint8Array): void => {
  const parts = partsOfHash(hash);
  if (parts === undefined) return;
  batch.insert('transaction_hash', {
    consensus_timestamp: item.consensusTimestamp,
    hash: parts.hash,
    payer_account_id: orNull(item.payer),
    hash_suffix: parts.suffix,
  });
};

/**
 * Appends an inner transaction of an atomic batch ([HIP-551](https://hips.hedera.com/hip/hip-551)) to the batch's row
 * as payer and valid start. False when the batch's row is not in this batch of rows.
 */
export const appendInnerTransaction = (batch: LedgerBatch, row: RowOf<'transaction'>): boolean => {
  const parent = row.parent_consensus_timestamp;
  const outer = parent === null ? undefined : batch.batchTransaction(parent);
  if (outer === undefined) return false;
  outer.inner_transactions = [...(outer.inner_transactions ?? []), row.payer_account_id, row.valid_start_ns];
  return true;
};
