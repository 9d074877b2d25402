/** State changes of one transaction, made findable. */
import { toHex, trimLeadingZeros } from '../ledger/bytes.ts';
import {
  type MapChangeKey,
  type MapUpdateChange,
  type StateChange,
  StateChanges,
} from '../protobuf/generated/block/stream/output/state_changes.ts';
import type { AccountID, HookId, PendingAirdropId } from '../protobuf/generated/services/basic_types.ts';
import type { Topic } from '../protobuf/generated/services/state/consensus/topic.ts';
import type { Account } from '../protobuf/generated/services/state/token/account.ts';

/** Kinds of entities whose number the network gives out when they are created, and that only state changes tell. */
export type CreatedKind = 'file' | 'node' | 'registeredNode' | 'token' | 'topic';

/** Shard and realm of an entity; nodes have none. */
export interface Scope {
  readonly shardNum: bigint;
  readonly realmNum: bigint;
}

const NO_SCOPE: Scope = { shardNum: 0n, realmNum: 0n };

/** A slot that changed; no bytes for one that was removed. */
export interface SlotChange {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const NO_BYTES: Uint8Array = new Uint8Array(0);

export const accountNumOf = (id: AccountID | undefined): bigint | undefined =>
  id?.account?.$case === 'accountNum' ? id.account.accountNum : undefined;

/** Names a hook: its owner and its number. */
export const hookName = (id: HookId): string => {
  const owner = id.entityId?.entityId;
  if (owner?.$case === 'contractId') {
    const contract = owner.contractId.contract;
    return `contract ${contract?.$case === 'contractNum' ? contract.contractNum : '?'} ${id.hookId}`;
  }
  return `account ${accountNumOf(owner?.accountId) ?? '?'} ${id.hookId}`;
};

/** Names a pending airdrop; accounts are named by number. */
export const airdropName = (sender: bigint, receiver: bigint, token: bigint, serial: bigint): string =>
  `${sender} ${receiver} ${token} ${serial}`;

/** Undefined when it lacks a part. */
const nameOfAirdrop = (id: PendingAirdropId): string | undefined => {
  const sender = accountNumOf(id.senderId);
  const receiver = accountNumOf(id.receiverId);
  const token = id.tokenReference;
  if (sender === undefined || receiver === undefined || token === undefined) return undefined;
  if (token.$case === 'fungibleTokenType') return airdropName(sender, receiver, token.fungibleTokenType.tokenNum, 0n);
  const { tokenID, serialNumber } = token.nonFungibleToken;
  return airdropName(sender, receiver, tokenID?.tokenNum ?? 0n, serialNumber);
};

const add = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
};

export class StateIndex {
  readonly accounts = new Map<bigint, Account>();
  /** Numbers by hex of the alias. */
  readonly accountsByAlias = new Map<string, bigint>();
  readonly contractsByAlias = new Map<string, bigint>();
  readonly topics = new Map<bigint, Topic>();
  /** Total supply by token. */
  readonly supplies = new Map<bigint, bigint>();
  /** Amount by `airdropName`; 0 for an NFT. */
  readonly airdrops = new Map<string, bigint>();
  readonly bytecodes = new Map<bigint, Uint8Array>();
  /** Slots that changed in value, in order, by contract and by `hookName`. */
  readonly slots = new Map<bigint, SlotChange[]>();
  readonly hookSlots = new Map<string, SlotChange[]>();
  /** What changed or came into being, by number. */
  readonly numbers: Readonly<Record<CreatedKind, Map<bigint, Scope>>> = {
    file: new Map(),
    node: new Map(),
    registeredNode: new Map(),
    token: new Map(),
    topic: new Map(),
  };

  /** @throws Error when a message cannot be decoded */
  constructor(stateChanges: readonly Uint8Array[]) {
    for (const bytes of stateChanges) for (const change of StateChanges.decode(bytes).stateChanges) this.#add(change);
  }

  #add({ changeOperation: change }: StateChange): void {
    if (change?.$case === 'mapUpdate') this.#update(change.mapUpdate);
    else if (change?.$case === 'mapDelete' && change.mapDelete.key !== undefined) {
      this.#setSlot(change.mapDelete.key, NO_BYTES, false);
    }
  }

  #update({ key, value, identical }: MapUpdateChange): void {
    const kept = value?.valueChoice;
    if (key === undefined || kept === undefined) return;
    const choice = key.keyChoice;
    switch (kept.$case) {
      case 'accountValue':
        this.#addAccount(kept.accountValue);
        break;
      case 'accountIdValue':
        if (choice?.$case === 'protoBytesKey' && choice.protoBytesKey !== undefined) {
          this.#addAlias(choice.protoBytesKey, accountNumOf(kept.accountIdValue));
        }
        break;
      case 'bytecodeValue':
        if (choice?.$case === 'contractIdKey' && choice.contractIdKey.contract?.$case === 'contractNum') {
          this.bytecodes.set(choice.contractIdKey.contract.contractNum, kept.bytecodeValue.code);
        }
        break;
      case 'topicValue':
        if (choice?.$case !== 'topicIdKey') break;
        this.topics.set(choice.topicIdKey.topicNum, kept.topicValue);
        this.numbers.topic.set(choice.topicIdKey.topicNum, choice.topicIdKey);
        break;
      case 'tokenValue':
        if (choice?.$case !== 'tokenIdKey') break;
        this.supplies.set(choice.tokenIdKey.tokenNum, BigInt.asUintN(64, kept.tokenValue.totalSupply));
        this.numbers.token.set(choice.tokenIdKey.tokenNum, choice.tokenIdKey);
        break;
      case 'fileValue':
        if (choice?.$case === 'fileIdKey') this.numbers.file.set(choice.fileIdKey.fileNum, choice.fileIdKey);
        break;
      case 'nodeValue':
        this.numbers.node.set(kept.nodeValue.nodeId, NO_SCOPE);
        break;
      case 'registeredNodeValue':
        this.numbers.registeredNode.set(kept.registeredNodeValue.registeredNodeId, NO_SCOPE);
        break;
      case 'accountPendingAirdropValue':
        if (choice?.$case === 'pendingAirdropIdKey') {
          const name = nameOfAirdrop(choice.pendingAirdropIdKey);
          const amount = kept.accountPendingAirdropValue.pendingAirdropValue?.amount ?? 0n;
          if (name !== undefined) this.airdrops.set(name, amount);
        }
        break;
      case 'slotValueValue':
        this.#setSlot(key, kept.slotValueValue.value, identical);
    }
  }

  #addAccount(account: Account): void {
    const number = accountNumOf(account.accountId);
    if (number === undefined) return;
    this.accounts.set(number, account);
    if (account.alias.length === 0) return;
    const numbers = account.smartContract ? this.contractsByAlias : this.accountsByAlias;
    numbers.set(toHex(account.alias), number);
  }

  #addAlias(alias: Uint8Array, number: bigint | undefined): void {
    if (number === undefined) return;
    const name = toHex(alias);
    if (!this.accountsByAlias.has(name)) this.accountsByAlias.set(name, number);
    if (!this.contractsByAlias.has(name)) this.contractsByAlias.set(name, number);
  }

  /** Slots of contracts that were written again with what they held are none that a transaction changed. */
  #setSlot({ keyChoice: choice }: MapChangeKey, value: Uint8Array, identical: boolean): void {
    const trimmed = trimLeadingZeros(value);
    if (choice?.$case === 'slotKeyKey') {
      const { contractID, key } = choice.slotKeyKey;
      if (identical || contractID?.contract?.$case !== 'contractNum') return;
      add(this.slots, contractID.contract.contractNum, { key, value: trimmed });
    } else if (choice?.$case === 'evmHookSlotKey' && choice.evmHookSlotKey.hookId !== undefined) {
      add(this.hookSlots, hookName(choice.evmHookSlotKey.hookId), { key: choice.evmHookSlotKey.key, value: trimmed });
    }
  }
}
