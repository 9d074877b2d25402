/**
 * Logs of token transactions that no contract wrote, in the form in which ERC-20 and ERC-721 contracts write theirs, so
 * that EVM tools see movements of tokens and approvals. Owns which logs there are and where they belong; their addresses
 * and blooms are completed at the block's end (`synthetic-block.ts`).
 */
import type { RowOf } from '../../database/table.ts';
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { orNull } from '../common/ids.ts';
import { atLeastHapi, contractResultOf, type RecordItem } from '../record-item.ts';
import type { HandlerContext } from '../transaction-handler.ts';
import { contractParentOf } from './contract-parent.ts';
import { evmHashOf } from './ethereum-of.ts';
import { idTopic, numberBytes } from './synthetic-values.ts';

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

/** `Transfer(address,address,uint256)`. */
const TRANSFER = bytesOf('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef');
/** `Approval(address,address,uint256)`. */
const APPROVAL = bytesOf('8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925');
/** `ApprovalForAll(address,address,bool)`. */
const APPROVAL_FOR_ALL = bytesOf('17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31');

const NO: Uint8Array = Uint8Array.of(0);
const YES: Uint8Array = Uint8Array.of(1);

/** Stands for the bloom of a log that belongs to an EVM transaction until the block's end. */
export const UNKNOWN_BLOOM: Uint8Array = Uint8Array.of(1);
/** The bloom of a log that belongs to none. */
const NO_BLOOM: Uint8Array = Uint8Array.of(0);

/** Where an item's logs belong. */
interface Place {
  readonly timestamp: Nanos;
  readonly hash: Uint8Array;
  readonly transactionIndex: number | null;
  /** The contract that stands for the token, and the one that was called first; undefined when it is the token. */
  readonly contractId: EntityId | undefined;
  readonly rootContractId: EntityId | null;
}

/** Logs of a transaction that an EVM transaction set off are logs of the latter. */
const placeOf = (item: RecordItem, context: HandlerContext): Place => {
  const { evm, lookup } = context;
  const parent = contractParentOf(item);
  if (parent === undefined) {
    return {
      timestamp: item.consensusTimestamp,
      hash: evmHashOf(item, context),
      transactionIndex: evm.claimTransactionIndex(item),
      contractId: undefined,
      rootContractId: null,
    };
  }
  return {
    timestamp: parent.consensusTimestamp,
    hash: evmHashOf(parent, context),
    transactionIndex: evm.transactionIndexOf(parent) ?? null,
    contractId: lookup.contract(contractResultOf(parent)?.contractID) ?? EMPTY_ENTITY_ID,
    rootContractId: orNull(lookup.contract(parent.record.receipt?.contractID) ?? EMPTY_ENTITY_ID),
  };
};

/** Writes the synthetic logs of one item. */
export class SyntheticLogs {
  readonly #item: RecordItem;
  readonly #context: HandlerContext;
  readonly #isOfContract: boolean;
  #place: Place | undefined;

  constructor(item: RecordItem, context: HandlerContext, isOfContract: boolean) {
    this.#item = item;
    this.#context = context;
    this.#isOfContract = isOfContract;
  }

  /** `amount` smallest units change hands; the empty id stands for no one. */
  transfer(tokenId: EntityId, sender: EntityId, receiver: EntityId, amount: bigint): void {
    this.#add(tokenId, true, TRANSFER, sender, receiver, null, numberBytes(amount));
  }

  nftTransfer(tokenId: EntityId, sender: EntityId, receiver: EntityId, serialNumber: bigint): void {
    this.#addUnlessOfContract(tokenId, TRANSFER, sender, receiver, numberBytes(serialNumber), NO);
  }

  approval(tokenId: EntityId, owner: EntityId, spender: EntityId, amount: bigint): void {
    this.#addUnlessOfContract(tokenId, APPROVAL, owner, spender, null, numberBytes(amount));
  }

  /** The empty id as spender takes the approval back. */
  nftApproval(tokenId: EntityId, owner: EntityId, spender: EntityId, serialNumber: bigint): void {
    this.#addUnlessOfContract(tokenId, APPROVAL, owner, spender, numberBytes(serialNumber), NO);
  }

  approvalForAll(tokenId: EntityId, owner: EntityId, spender: EntityId, approved: boolean): void {
    this.#addUnlessOfContract(tokenId, APPROVAL_FOR_ALL, owner, spender, null, approved ? YES : NO);
  }

  /** Contracts have always written these logs themselves. */
  #addUnlessOfContract(
    tokenId: EntityId,
    topic0: Uint8Array,
    from: EntityId,
    to: EntityId,
    topic3: Uint8Array | null,
    data: Uint8Array,
  ): void {
    if (!this.#isOfContract) this.#add(tokenId, false, topic0, from, to, topic3, data);
  }

  #add(
    tokenId: EntityId,
    isFungibleTransfer: boolean,
    topic0: Uint8Array,
    from: EntityId,
    to: EntityId,
    topic3: Uint8Array | null,
    data: Uint8Array,
  ): void {
    this.#place ??= placeOf(this.#item, this.#context);
    const { timestamp, hash, transactionIndex, contractId, rootContractId } = this.#place;
    const { evm } = this.#context;
    const row: RowOf<'contract_log'> = {
      bloom: this.#isOfContract ? UNKNOWN_BLOOM : NO_BLOOM,
      consensus_timestamp: timestamp,
      contract_id: contractId ?? tokenId,
      data,
      index: evm.claimLogIndex(),
      topic0,
      topic1: idTopic(from),
      topic2: idTopic(to),
      topic3,
      payer_account_id: this.#item.payer,
      root_contract_id: contractId === undefined ? orNull(tokenId) : rootContractId,
      transaction_hash: hash,
      transaction_index: transactionIndex,
      synthetic: isFungibleTransfer,
    };
    evm.addLog(row);
  }
}

/** More token transfer lists than these are several parties' business, whose logs can be switched off. */
const MOST_LISTS_OF_TWO_PARTIES = 2;

/** What writes the item's synthetic logs; undefined when it gets none. */
export const syntheticLogsOf = (item: RecordItem, context: HandlerContext): SyntheticLogs | undefined => {
  const { persist } = context;
  if (!persist.syntheticContractLogs) return undefined;
  if (!persist.syntheticContractLogsMulti && item.record.tokenTransferLists.length > MOST_LISTS_OF_TWO_PARTIES) {
    return undefined;
  }
  const isOfContract = contractResultOf(item) !== undefined;
  // From 0.71 on consensus nodes put the logs of a contract's transfers into its result.
  if (isOfContract && atLeastHapi(item, 0, 71)) return undefined;
  return new SyntheticLogs(item, context, isOfContract);
};
