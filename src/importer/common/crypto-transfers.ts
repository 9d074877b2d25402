/** Movements of tinybars: the transfer list of the record, itemized transfers of the body, staking rewards. */
import { epochDayOf } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { AccountAmount } from '../../protobuf/generated/services/basic_types.ts';
import type { LedgerBatch } from '../ledger-batch.ts';
import type { RecordItem } from '../record-item.ts';
import type { HandlerContext, PersistSettings } from '../transaction-handler.ts';
import { accountIdOf } from './ids.ts';

const NO_AMOUNTS: readonly AccountAmount[] = [];

/** Hbar transfers that the payer asked for. */
const requestedTransfers = (item: RecordItem): readonly AccountAmount[] => {
  const { data } = item.body;
  return data?.$case === 'cryptoTransfer' ? (data.cryptoTransfer.transfers?.accountAmounts ?? NO_AMOUNTS) : NO_AMOUNTS;
};

/** The entry of the body for the same account and amount as an entry of the record. */
export const requestedEntry = (
  requested: readonly AccountAmount[],
  entry: AccountAmount,
): AccountAmount | undefined => {
  for (const candidate of requested) {
    if (candidate.amount === entry.amount && sameAccount(candidate, entry)) return candidate;
  }
  return undefined;
};

export const sameAccount = (left: AccountAmount, right: AccountAmount): boolean => {
  const a = left.accountID;
  const b = right.accountID;
  return (
    a?.account?.$case === 'accountNum' &&
    b?.account?.$case === 'accountNum' &&
    a.account.accountNum === b.account.accountNum &&
    a.realmNum === b.realmNum &&
    a.shardNum === b.shardNum
  );
};

const someApproved = (entries: readonly AccountAmount[]): boolean => {
  for (const entry of entries) if (entry.isApproval) return true;
  return false;
};

/** Until the end of 2019 records of failed transfers listed transfers that did not happen. */
export const SPURIOUS_TRANSFERS_END = 1_577_836_799_000_000_000n;

/** Inserts every entry of the record's transfer list, fees included, and moves the balances. */
export const insertCryptoTransfers = (batch: LedgerBatch, item: RecordItem, persist: PersistSettings): void => {
  const entries = item.record.transferList?.accountAmounts;
  if (entries === undefined || entries.length === 0) return;
  const { consensusTimestamp, payer } = item;
  const { trackBalance } = persist;
  const requested = requestedTransfers(item);
  const withApprovals = someApproved(requested);
  const maySpurious =
    !item.successful && item.type === TransactionType.CRYPTOTRANSFER && consensusTimestamp < SPURIOUS_TRANSFERS_END;
  for (const entry of entries) {
    const entityId = accountIdOf(entry.accountID);
    const { amount } = entry;
    batch.insert('crypto_transfer', {
      entity_id: entityId,
      consensus_timestamp: consensusTimestamp,
      amount,
      payer_account_id: payer,
      is_approval: withApprovals && amount < 0n && requestedEntry(requested, entry)?.isApproval === true,
      errata: maySpurious && requestedEntry(requested, entry) !== undefined ? 'DELETE' : null,
    });
    if (trackBalance) batch.addBalance(entityId, amount, consensusTimestamp);
  }
};

/** `transaction.itemized_transfer`: the body's transfers as JSON, but for unknown accounts; null when it has none. */
export const itemizedTransfer = (item: RecordItem, context: HandlerContext): string | null => {
  const entries: string[] = [];
  for (const { accountID, amount, isApproval } of requestedTransfers(item)) {
    const entityId = context.lookup.account(accountID) ?? 0n;
    if (entityId === 0n) context.problem(item, 'account of an itemized transfer is unknown');
    else entries.push(`{"amount":${amount},"entity_id":${entityId},"is_approval":${isApproval}}`);
  }
  return entries.length === 0 ? null : `[${entries.join(',')}]`;
};

/**
 * Staking rewards paid in this transaction, which also restart the staking period of whoever got them
 * ([HIP-406](https://hips.hedera.com/hip/hip-406)), unless the block has begun the same or a later one before, be it in
 * this very transaction.
 */
export const insertStakingRewards = (batch: LedgerBatch, item: RecordItem): void => {
  const rewards = item.record.paidStakingRewards;
  if (rewards.length === 0) return;
  const { consensusTimestamp, payer } = item;
  const stakePeriodStart = epochDayOf(consensusTimestamp) - 1n;
  for (const { accountID, amount } of rewards) {
    const accountId = accountIdOf(accountID);
    batch.insert('staking_reward_transfer', {
      account_id: accountId,
      amount,
      consensus_timestamp: consensusTimestamp,
      payer_account_id: payer,
    });
    const begun = batch.stakePeriodStart(accountId);
    if (accountId === 0n || (begun !== undefined && begun >= stakePeriodStart)) continue;
    batch.stage('entity', {
      id: accountId,
      stake_period_start: stakePeriodStart,
      timestamp_range: { lower: consensusTimestamp, upper: null },
    });
  }
};
