/** `entity_transaction`: one row for every entity that a transaction touches. Off unless settings ask for it. */
import { EMPTY_ENTITY_ID, type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { AccountID, TokenID } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { RecordItem } from '../record-item.ts';
import type { HandlerContext, PersistSettings } from '../transaction-handler.ts';
import { accountIdOf, accountIdOrEmpty, tokenIdOf } from './ids.ts';

interface NetworkIds {
  readonly shard: bigint;
  readonly realm: bigint;
}

/** For ids that a payer wrote and no one checked: an impossible one is empty. */
const tokenIdOrEmpty = (id: TokenID | undefined): EntityId => {
  try {
    return tokenIdOf(id);
  } catch {
    return EMPTY_ENTITY_ID;
  }
};

/** Collects what the transactions of a block touch, one transaction after the other. */
class EntityTransactions {
  readonly #persist: PersistSettings;
  readonly #excluded: ReadonlySet<EntityId>;
  readonly #touched = new Set<EntityId>();

  constructor(persist: PersistSettings, { shard, realm }: NetworkIds) {
    this.#persist = persist;
    this.#excluded = new Set(
      persist.entityTransactionExclusion.map((num) => encodeEntityId(shard, realm, BigInt(num))),
    );
  }

  /** `HandlerContext.touch`. */
  readonly touch = (id: EntityId): void => {
    if (this.#persist.entityTransactions && id !== EMPTY_ENTITY_ID && !this.#excluded.has(id)) this.#touched.add(id);
  };

  /** Writes the rows of the item whose handler has just touched its entities, with those that the record names. */
  insert(item: RecordItem, entityId: EntityId, context: HandlerContext): void {
    if (this.#persist.entityTransactions) this.#touchCommon(item, entityId, context);
    else this.#addNftParties(item);
    for (const id of this.#touched) {
      context.batch.insert('entity_transaction', {
        consensus_timestamp: item.consensusTimestamp,
        entity_id: id,
        payer_account_id: item.payer,
        result: item.status,
        type: item.type,
      });
    }
    this.#touched.clear();
  }

  #touchCommon(item: RecordItem, entityId: EntityId, context: HandlerContext): void {
    const { body, record, successful } = item;
    const persist = this.#persist;
    // Every message would have its topic here, whose messages have a table of their own.
    if (item.type !== TransactionType.CONSENSUSSUBMITMESSAGE) this.touch(entityId);
    this.touch(accountIdOrEmpty(body.nodeAccountID));
    this.touch(item.payer);
    for (const { accountId, fees } of body.maxCustomFees) {
      this.touch(accountIdOrEmpty(accountId));
      for (const { denominatingTokenId } of fees) this.touch(tokenIdOrEmpty(denominatingTokenId));
    }
    if (persist.cryptoTransferAmounts) this.#touchAccounts(record.transferList?.accountAmounts ?? []);
    this.#touchAccounts(record.paidStakingRewards);
    const schedule = record.scheduleRef;
    if (schedule !== undefined && persist.schedules) {
      this.touch(encodeEntityId(schedule.shardNum, schedule.realmNum, schedule.scheduleNum));
    }
    if (successful && persist.itemizedTransfers) this.#touchRequested(item, context);
    if (!successful && item.status !== ResponseCodeEnum.FAIL_INVALID) return;
    if (persist.tokens) this.#touchTokens(item);
    for (const fee of record.assessedCustomFees) {
      this.touch(accountIdOf(fee.feeCollectorAccountId));
      this.touch(tokenIdOf(fee.tokenId));
      for (const payer of fee.effectivePayerAccountId) this.touch(accountIdOf(payer));
    }
  }

  #touchAccounts(entries: readonly { readonly accountID: AccountID | undefined }[]): void {
    for (const { accountID } of entries) this.touch(accountIdOf(accountID));
  }

  #touchRequested({ body: { data } }: RecordItem, { lookup }: HandlerContext): void {
    if (data?.$case !== 'cryptoTransfer') return;
    for (const { accountID } of data.cryptoTransfer.transfers?.accountAmounts ?? []) {
      this.touch(lookup.account(accountID) ?? EMPTY_ENTITY_ID);
    }
  }

  #touchTokens({ record, type }: RecordItem): void {
    // The handler of token creations knows best who holds the new token.
    const associations = type === TransactionType.TOKENCREATION ? [] : record.automaticTokenAssociations;
    for (const { accountId, tokenId } of associations) {
      this.touch(accountIdOf(accountId));
      this.touch(tokenIdOf(tokenId));
    }
    for (const { token, transfers, nftTransfers } of record.tokenTransferLists) {
      if (transfers.length > 0 || nftTransfers.length > 0) this.touch(tokenIdOf(token));
      this.#touchAccounts(transfers);
      for (const { senderAccountID, receiverAccountID } of nftTransfers) {
        this.touch(accountIdOf(senderAccountID));
        this.touch(accountIdOf(receiverAccountID));
      }
    }
  }

  /** Senders and receivers of NFTs are found by `transaction.payer_account_id` when they pay themselves. */
  #addNftParties({ record, payer, successful, status }: RecordItem): void {
    if (!this.#persist.tokens || (!successful && status !== ResponseCodeEnum.FAIL_INVALID)) return;
    for (const { nftTransfers } of record.tokenTransferLists) {
      for (const { senderAccountID, receiverAccountID } of nftTransfers) {
        for (const party of [accountIdOf(senderAccountID), accountIdOf(receiverAccountID)]) {
          if (party !== EMPTY_ENTITY_ID && party !== payer && !this.#excluded.has(party)) this.#touched.add(party);
        }
      }
    }
  }
}

/** The collector that the settings ask for; undefined when they ask for none. */
export const entityTransactionsOf = (persist: PersistSettings, network: NetworkIds): EntityTransactions | undefined =>
  persist.entityTransactions || persist.entityNftTransactions ? new EntityTransactions(persist, network) : undefined;
