/**
 * Hooks that a crypto transfer runs (HIP-1195). The network runs each as a call of the hook system contract, whose
 * storage changes are those of the hook; which hook it was follows only from the order in which the transfer names them.
 */
import type { RowOf } from '../../database/table.ts';
import { leftPad, toHex, trimLeadingZeros } from '../../ledger/bytes.ts';
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { AccountAmount, AccountID, HookCall, NftTransfer } from '../../protobuf/generated/services/basic_types.ts';
import type { CryptoTransferTransactionBody } from '../../protobuf/generated/services/crypto_transfer.ts';
import type { StorageChange } from '../../protobuf/generated/streams/contract_state_change.ts';
import type { RecordItem } from '../record-item.ts';
import { problem, type Source } from '../transactions/handler.ts';
import { isHookContract } from './contract-ids.ts';

/** A hook whose turn it is. */
interface HookTurn {
  readonly ownerId: EntityId;
  readonly hookId: bigint;
}

const SLOT_LENGTH = 32;

class TurnsCollector {
  readonly #context: Source['context'];
  readonly #before: HookTurn[] = [];
  readonly #beforeAndAfter: HookTurn[] = [];

  constructor(context: Source['context']) {
    this.#context = context;
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
    turns.push({ ownerId: this.#context.lookup.account(owner) ?? EMPTY_ENTITY_ID, hookId: id.hookId });
  }
}

const turnsOf = (body: CryptoTransferTransactionBody, context: Source['context']): HookTurn[] => {
  const collector = new TurnsCollector(context);
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
  take({ item, context }: Source): HookTurn | undefined {
    const transfer = transferAbove(item);
    if (transfer === undefined) return undefined;
    let turns = this.#waiting.get(transfer.consensusTimestamp);
    if (turns === undefined) {
      const { data } = transfer.body;
      turns = data?.$case === 'cryptoTransfer' ? turnsOf(data.cryptoTransfer, context) : [];
      this.#waiting.set(transfer.consensusTimestamp, turns);
    }
    return turns.shift();
  }
}

/** Whether the item is the execution of a hook: a call of the hook system contract that another transaction set off. */
export const isHookExecution = (source: Source): boolean => {
  const { item } = source;
  const { data } = item.body;
  return (
    data?.$case === 'contractCall' &&
    item.record.parentConsensusTimestamp !== undefined &&
    isHookContract(source, data.contractCall.contractID)
  );
};

type Row = RowOf<'hook_storage_change'>;

/** What one execution did to the storage of hooks: one row for each slot. */
export class HookStorageChanges {
  readonly #source: Source;
  readonly #rows = new Map<string, Row>();

  constructor(source: Source) {
    this.#source = source;
  }

  /** Changes of the hook whose turn it is. */
  add(changes: readonly StorageChange[]): void {
    const turn = this.#source.context.evm.hookTurns.take(this.#source);
    if (turn === undefined || turn.ownerId === EMPTY_ENTITY_ID) {
      problem(this.#source, 'No transfer names the hook that was executed');
      return;
    }
    for (const change of changes) this.#addSlot(turn, change);
  }

  #addSlot({ ownerId, hookId }: HookTurn, change: StorageChange): void {
    const { item, context } = this.#source;
    const { consensusTimestamp } = item;
    const slot = { owner_id: ownerId, hook_id: hookId };
    const key = leftPad(change.slot, SLOT_LENGTH);
    const written = change.valueWritten && trimLeadingZeros(change.valueWritten);
    const deleted = written?.length === 0;
    const name = `${ownerId} ${hookId} ${toHex(key)}`;
    const earlier = this.#rows.get(name);
    if (earlier === undefined) {
      const row: Row = {
        ...slot,
        key: change.slot,
        consensus_timestamp: consensusTimestamp,
        value_read: trimLeadingZeros(change.valueRead),
        value_written: written ?? null,
        deleted,
      };
      this.#rows.set(name, row);
      context.batch.insert('hook_storage_change', row);
    } else if (written !== undefined) {
      earlier.value_written = written;
      earlier.deleted = deleted;
    }
    if (written === undefined) return;
    context.batch.stage('hook_storage', {
      ...slot,
      key,
      created_timestamp: consensusTimestamp,
      modified_timestamp: consensusTimestamp,
      value: written,
      deleted,
    });
  }
}
