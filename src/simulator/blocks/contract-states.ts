/** State of contracts: code and storage, that of hooks included. */
import { leftPad, toHex, trimLeadingZeros } from '../../ledger/bytes.ts';
import { keccak256 } from '../../ledger/hash.ts';
import { StateIdentifier } from '../../protobuf/generated/block/stream/output/state_changes.ts';
import type { ContractID, HookId } from '../../protobuf/generated/services/basic_types.ts';
import type { EvmHookStorageUpdate } from '../../protobuf/generated/services/hook_types.ts';
import type { RecordedItem } from '../records/recorded-item.ts';
import type { FamilyChanges, StateKey } from './state-change.ts';
import { contractNum } from './transaction-outputs.ts';

const SLOT_BYTES = 32;

/** Names the holder of a storage: a contract, or a hook. */
const ownerName = (contractId: ContractID | undefined, hook: HookId | undefined): string => {
  if (hook === undefined) return `c${contractNum(contractId)}`;
  const entity = hook.entityId?.entityId;
  const owner = entity?.$case === 'accountId' && entity.accountId.account;
  return `h${owner && owner.$case === 'accountNum' ? owner.accountNum : ''}/${hook.hookId}`;
};

const slotName = (owner: string, slot: Uint8Array): string => `${owner}/${toHex(trimLeadingZeros(slot))}`;

/** Where a slot stands among the slots of its holder that changed. */
export const slotPlaceOf = (
  changes: FamilyChanges,
  contractId: ContractID | undefined,
  hook: HookId | undefined,
  slot: Uint8Array,
): number => {
  const owner = ownerName(contractId, hook);
  return changes.slotPlace(owner, slotName(owner, slot));
};

/** Puts a slot's new value, empty for one that is cleared. Slots of hooks have keys without leading zeros. */
export const putSlot = (
  changes: FamilyChanges,
  contractId: ContractID | undefined,
  hook: HookId | undefined,
  slot: Uint8Array,
  value: Uint8Array,
): void => {
  const owner = ownerName(contractId, hook);
  const name = slotName(owner, slot);
  changes.slotPlace(owner, name);
  const stateId = hook === undefined ? StateIdentifier.STATE_ID_STORAGE : StateIdentifier.STATE_ID_EVM_HOOK_STORAGE;
  const key: StateKey =
    hook === undefined
      ? { $case: 'slotKeyKey', slotKeyKey: { contractID: contractId, key: leftPad(slot, SLOT_BYTES) } }
      : { $case: 'evmHookSlotKey', evmHookSlotKey: { hookId: hook, key: trimLeadingZeros(slot) } };
  if (trimLeadingZeros(value).length === 0) changes.remove(name, stateId, key);
  else {
    const slotValueValue = { value: leftPad(value, SLOT_BYTES) };
    changes.put(name, stateId, key, { $case: 'slotValueValue', slotValueValue });
  }
};

/** The code that a transaction left behind. */
export const putBytecode = ({ draft }: RecordedItem, changes: FamilyChanges): void => {
  for (const sidecar of draft.sidecars ?? []) {
    if (sidecar.$case !== 'bytecode' || sidecar.bytecode.contractId === undefined) continue;
    const { contractId, runtimeBytecode } = sidecar.bytecode;
    changes.put(
      `b${contractNum(contractId)}`,
      StateIdentifier.STATE_ID_BYTECODE,
      { $case: 'contractIdKey', contractIdKey: contractId },
      { $case: 'bytecodeValue', bytecodeValue: { code: runtimeBytecode } },
    );
  }
};

/** Storage of a hook as bodies change it: by slot, or by the entry of a mapping. */
export const putHookUpdates = (
  changes: FamilyChanges,
  hook: HookId,
  updates: readonly EvmHookStorageUpdate[],
): void => {
  for (const { update } of updates) {
    if (update?.$case === 'storageSlot') {
      putSlot(changes, undefined, hook, update.storageSlot.key, update.storageSlot.value);
    } else if (update?.$case === 'mappingEntries') {
      const base = leftPad(update.mappingEntries.mappingSlot, SLOT_BYTES);
      for (const { entryKey, value } of update.mappingEntries.entries) {
        const place =
          entryKey?.$case === 'preimage'
            ? keccak256(entryKey.preimage)
            : leftPad(entryKey?.$case === 'key' ? entryKey.key : new Uint8Array(), SLOT_BYTES);
        putSlot(changes, undefined, hook, keccak256(Buffer.concat([place, base])), value);
      }
    }
  }
};
