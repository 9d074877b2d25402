/** Movements of fungible tokens and NFTs, associations that they cause, and custom fees charged for them. */
import type { RowOf } from '../../database/table.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { AccountAmount, NftTransfer, TokenTransferList } from '../../protobuf/generated/services/basic_types.ts';
import { type SyntheticLogs, syntheticLogsOf } from '../contracts/synthetic-logs.ts';
import { addTransferResult } from '../contracts/synthetic-results.ts';
import { logTransfers } from '../contracts/synthetic-transfers.ts';
import type { LedgerBatch } from '../ledger-batch.ts';
import type { RecordItem } from '../record-item.ts';
import type { HandlerContext } from '../transaction-handler.ts';
import { requestedEntry, sameAccount } from './crypto-transfers.ts';
import { accountIdOf, orNull, tokenIdOf } from './ids.ts';

/** Stands for "all NFTs of the treasury" in the record of a token update. */
const ALL_OF_TREASURY = -1n;

const NO_LISTS: readonly TokenTransferList[] = [];

const requestedLists = (item: RecordItem): readonly TokenTransferList[] => {
  const { data } = item.body;
  return data?.$case === 'cryptoTransfer' ? data.cryptoTransfer.tokenTransfers : NO_LISTS;
};

const requestedListOf = (lists: readonly TokenTransferList[], tokenId: EntityId): TokenTransferList | undefined => {
  for (const list of lists) if (tokenIdOf(list.token) === tokenId) return list;
  return undefined;
};

/** An approved debit may show in the record with another amount than in the body, when fees were taken from it. */
const isApprovedDebit = (requested: TokenTransferList | undefined, entry: AccountAmount): boolean => {
  if (requested === undefined || entry.amount >= 0n) return false;
  const exact = requestedEntry(requested.transfers, entry);
  if (exact !== undefined) return exact.isApproval;
  return requested.transfers.some((candidate) => candidate.isApproval && sameAccount(candidate, entry));
};

const numOf = (id: NftTransfer['senderAccountID']): bigint =>
  id?.account?.$case === 'accountNum' ? id.account.accountNum : 0n;

const isApprovedNft = (requested: TokenTransferList | undefined, entry: NftTransfer): boolean =>
  requested?.nftTransfers.some(
    (candidate) =>
      candidate.isApproval &&
      candidate.serialNumber === entry.serialNumber &&
      numOf(candidate.senderAccountID) === numOf(entry.senderAccountID) &&
      numOf(candidate.receiverAccountID) === numOf(entry.receiverAccountID),
  ) ?? false;

/** An NFT that changes hands, with encoded ids; 0n stands for no one (mint and burn). */
interface NftMove {
  readonly tokenId: EntityId;
  readonly sender: EntityId;
  readonly receiver: EntityId;
  readonly serialNumber: bigint;
  readonly isApproval: boolean;
}

const insertFungible = (
  batch: LedgerBatch,
  item: RecordItem,
  list: TokenTransferList,
  tokenId: EntityId,
  requested: TokenTransferList | undefined,
  trackBalance: boolean,
): void => {
  const { consensusTimestamp, payer } = item;
  const fromDeletedToken = item.type === TransactionType.TOKENDISSOCIATE && list.transfers.length === 1;
  for (const entry of list.transfers) {
    const accountId = accountIdOf(entry.accountID);
    const { amount } = entry;
    const row: RowOf<'token_transfer'> = {
      token_id: tokenId,
      account_id: accountId,
      consensus_timestamp: consensusTimestamp,
      amount,
      payer_account_id: payer,
      is_approval: isApprovedDebit(requested, entry),
    };
    if (fromDeletedToken) {
      batch.dissociate(row);
      batch.stage('token', { token_id: tokenId, total_supply: amount });
    } else {
      batch.insert('token_transfer', row);
    }
    if (trackBalance) batch.addTokenBalance(accountId, tokenId, amount, consensusTimestamp);
  }
};

const stageOwner = (batch: LedgerBatch, item: RecordItem, move: NftMove): void => {
  if (move.receiver === 0n || move.serialNumber === ALL_OF_TREASURY) return;
  batch.stage('nft', {
    token_id: move.tokenId,
    serial_number: move.serialNumber,
    account_id: move.receiver,
    timestamp_range: { lower: item.consensusTimestamp, upper: null },
  });
};

const jsonOf = (moves: readonly NftMove[]): string => {
  const entries = moves.map(
    ({ tokenId, sender, receiver, serialNumber, isApproval }) =>
      `{"is_approval":${isApproval},"receiver_account_id":${orNull(receiver)},"sender_account_id":${orNull(sender)},` +
      `"serial_number":${serialNumber},"token_id":${tokenId}}`,
  );
  return `[${entries.join(',')}]`;
};

/** Balances count NFTs; the treasury's change moves all of them at once, and what follows it in the list is ignored. */
const moveNftBalances = (batch: LedgerBatch, item: RecordItem, moves: readonly NftMove[], trackBalance: boolean) => {
  for (const { tokenId, sender, receiver, serialNumber } of moves) {
    if (serialNumber === ALL_OF_TREASURY) {
      batch.changeTreasury({
        tokenId,
        previousTreasury: sender,
        newTreasury: receiver,
        timestamp: item.consensusTimestamp,
      });
      return;
    }
    if (!trackBalance) continue;
    if (receiver !== 0n) batch.addTokenBalance(receiver, tokenId, 1n, item.consensusTimestamp);
    if (sender !== 0n) batch.addTokenBalance(sender, tokenId, -1n, item.consensusTimestamp);
  }
};

const logNft = (logs: SyntheticLogs, { tokenId, sender, receiver, serialNumber }: NftMove): void =>
  logs.nftTransfer(tokenId, sender, receiver, serialNumber);

/**
 * Inserts fungible transfers, gives NFTs their new owners, and puts NFT transfers on the transaction's row. All of them
 * are logged as tokens of the EVM would.
 */
export const insertTokenTransfers = (
  item: RecordItem,
  transaction: RowOf<'transaction'>,
  context: HandlerContext,
): void => {
  const lists = item.record.tokenTransferLists;
  const [firstList] = lists;
  if (firstList === undefined) return;
  const { batch, persist } = context;
  const logs = syntheticLogsOf(item, context);
  const requestedByBody = requestedLists(item);
  const moves: NftMove[] = [];
  for (const list of lists) {
    const tokenId = tokenIdOf(list.token);
    const requested = requestedListOf(requestedByBody, tokenId);
    insertFungible(batch, item, list, tokenId, requested, persist.trackBalance);
    if (logs !== undefined) logTransfers(logs, item.type, tokenId, list.transfers);
    for (const entry of list.nftTransfers) {
      const move: NftMove = {
        tokenId,
        sender: accountIdOf(entry.senderAccountID),
        receiver: accountIdOf(entry.receiverAccountID),
        serialNumber: entry.serialNumber,
        isApproval: isApprovedNft(requested, entry),
      };
      moves.push(move);
      stageOwner(batch, item, move);
      if (logs !== undefined) logNft(logs, move);
    }
  }
  addTransferResult(item, tokenIdOf(firstList.token), context);
  if (moves.length === 0) return;
  transaction.nft_transfer = jsonOf(moves);
  moveNftBalances(batch, item, moves, persist.trackBalance);
};

/** Associations that the network made by itself. A created token's are made with the token. */
export const stageAutomaticAssociations = (batch: LedgerBatch, item: RecordItem): void => {
  if (item.type === TransactionType.TOKENCREATION) return;
  const { consensusTimestamp } = item;
  for (const { accountId, tokenId } of item.record.automaticTokenAssociations) {
    batch.stage('token_account', {
      account_id: accountIdOf(accountId),
      token_id: tokenIdOf(tokenId),
      associated: true,
      automatic_association: true,
      balance: 0n,
      balance_timestamp: consensusTimestamp,
      created_timestamp: consensusTimestamp,
      timestamp_range: { lower: consensusTimestamp, upper: null },
    });
  }
};

/**
 * Custom fees that the transaction was charged ([HIP-18](https://hips.hedera.com/hip/hip-18),
 * [HIP-573](https://hips.hedera.com/hip/hip-573)).
 */
export const insertAssessedFees = (batch: LedgerBatch, item: RecordItem): void => {
  for (const fee of item.record.assessedCustomFees) {
    batch.insert('assessed_custom_fee', {
      amount: fee.amount,
      collector_account_id: accountIdOf(fee.feeCollectorAccountId),
      consensus_timestamp: item.consensusTimestamp,
      token_id: orNull(tokenIdOf(fee.tokenId)),
      effective_payer_account_ids: fee.effectivePayerAccountId.map(accountIdOf),
      payer_account_id: item.payer,
    });
  }
};
