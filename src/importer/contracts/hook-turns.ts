/**
 * Which hooks the crypto transfers of a block run ([HIP-1195](https://hips.hedera.com/hip/hip-1195)), and in which
 * order.
 */
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { AccountAmount, AccountID, HookCall, NftTransfer } from '../../protobuf/generated/services/basic_types.ts';
import type { CryptoTransferTransactionBody } from '../../protobuf/generated/services/crypto_transfer.ts';
import type { EntityLookup } from '../lookups.ts';
import type { RecordItem } from '../record-item.ts';

/** A hook whose turn it is. */
export interface HookTurn {
  readonly ownerId: EntityId;
  readonly hookId: bigint;
}

class TurnsCollector {
  readonly #lookup: EntityLookup;
  readonly #before: HookTurn[] = [];
  readonly #beforeAndAfter: HookTurn[] = [];

  constructor(lookup: EntityLookup) {
    this.#lookup = lookup;
  }

  /** Hooks that run before the transfer, then the first parts of those that also run after it, then their second parts. */
  get turns(): HookTurn[] {
    return [...this.#before, ...this.#beforeAndAfter, ...this.#beforeAndAfter];
  }

  addAmounts(amounts: readonly AccountAmount[]): void {
    for (const { accountID, hookCall } of amounts) {
      if (hookCall?.$case === 'preTxAllowanceHook') this.#add(this.#before, hookCall.preTxAllowanceHook, accountID);
      else if (hookCall !== undefined) this.#add(this.#beforeAndAfter, hookCall.prePostTxAllowanceHook, accountID);
    }
  }

  /** Of one NFT the sender's hook comes before the receiver's. */
  addNfts(transfers: readonly NftTransfer[]): void {
    for (const { senderAllowanceHookCall: ofSender, receiverAllowanceHookCall: ofReceiver, ...nft } of transfers) {
      if (ofSender?.$case === 'preTxSenderAllowanceHook') {
        this.#add(this.#before, ofSender.preTxSenderAllowanceHook, nft.senderAccountID);
      } else if (ofSender !== undefined) {
        this.#add(this.#beforeAndAfter, ofSender.prePostTxSenderAllowanceHook, nft.senderAccountID);
      }
      if (ofReceiver?.$case === 'preTxReceiverAllowanceHook') {
        this.#add(this.#before, ofReceiver.preTxReceiverAllowanceHook, nft.receiverAccountID);
      } else if (ofReceiver !== undefined) {
        this.#add(this.#beforeAndAfter, ofReceiver.prePostTxReceiverAllowanceHook, nft.receiverAccountID);
      }
    }
  }

  #add(turns: HookTurn[], { id }: HookCall, owner: AccountID | undefined): void {
    if (id === undefined) return;
    turns.push({ ownerId: this.#lookup.account(owner) ?? EMPTY_ENTITY_ID, hookId: id.hookId });
  }
}

const turnsOf = (body: CryptoTransferTransactionBody, lookup: EntityLookup): HookTurn[] => {
  const collector = new TurnsCollector(lookup);
  collector.addAmounts(body.transfers?.accountAmounts ?? []);
  for (const { transfers, nftTransfers } of body.tokenTransfers) {
    collector.addAmounts(transfers);
    collector.addNfts(nftTransfers);
  }
  return collector.turns;
};

const transferAbove = (item: RecordItem): RecordItem | undefined => {
  let above = item.parent;
  while (above !== undefined && above.type !== TransactionType.CRYPTOTRANSFER) above = above.parent;
  return above;
};

/** Which hooks of a block's transfers are still to run. A transfer's hooks are read when the first of them has run. */
export class HookTurns {
  readonly #waiting = new Map<Nanos, HookTurn[]>();

  /** The hook that this call of the hook system contract, or the next part of it, was; undefined when none is left. */
  take(item: RecordItem, lookup: EntityLookup): HookTurn | undefined {
    const transfer = transferAbove(item);
    if (transfer === undefined) return undefined;
    let turns = this.#waiting.get(transfer.consensusTimestamp);
    if (turns === undefined) {
      const { data } = transfer.body;
      turns = data?.$case === 'cryptoTransfer' ? turnsOf(data.cryptoTransfer, lookup) : [];
      this.#waiting.set(transfer.consensusTimestamp, turns);
    }
    return turns.shift();
  }
}
