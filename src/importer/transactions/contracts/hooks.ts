/**
 * Hooks of accounts and contracts and what transaction bodies write into their storage
 * ([HIP-1195](https://hips.hedera.com/hip/hip-1195)).
 */

import { leftPad, toHex, trimLeadingZeros } from '../../../ledger/bytes.ts';
import { EMPTY_ENTITY_ID, type EntityId } from '../../../ledger/entity-id.ts';
import { keccak256 } from '../../../ledger/hash.ts';
import type {
  EvmHookMappingEntries,
  EvmHookMappingEntry,
  EvmHookStorageUpdate,
  HookCreationDetails,
} from '../../../protobuf/generated/services/hook_types.ts';
import { orNull } from '../../common/ids.ts';
import { type Call, problem, rangeFrom, touch } from '../handler.ts';
import { findContract } from '../ids.ts';
import { keyBytes } from '../keys.ts';

const SLOT_LENGTH = 32;

interface SlotWrite {
  /** As it is given, and of 32 bytes. */
  readonly given: Uint8Array;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const slotWrite = (given: Uint8Array, value: Uint8Array): SlotWrite => ({
  given,
  key: leftPad(given, SLOT_LENGTH),
  value,
});

/** Key of a mapping entry as Solidity's layout places it; undefined when the entry has none. */
const mappingKey = ({ entryKey }: EvmHookMappingEntry): Uint8Array | undefined => {
  switch (entryKey?.$case) {
    case 'key':
      return leftPad(entryKey.key, SLOT_LENGTH);
    case 'preimage':
      return keccak256(entryKey.preimage);
    default:
      return undefined;
  }
};

const mappingWrites = (call: Call, { mappingSlot, entries }: EvmHookMappingEntries): SlotWrite[] => {
  const slot = leftPad(mappingSlot, SLOT_LENGTH);
  return entries.flatMap((entry) => {
    const key = mappingKey(entry);
    if (key === undefined) {
      problem(call, 'Hook mapping entry without a key');
      return [];
    }
    return [slotWrite(keccak256(Buffer.concat([key, slot])), entry.value)];
  });
};

const slotWrites = (call: Call, { update }: EvmHookStorageUpdate): SlotWrite[] => {
  switch (update?.$case) {
    case 'storageSlot':
      return [slotWrite(update.storageSlot.key, update.storageSlot.value)];
    case 'mappingEntries':
      return mappingWrites(call, update.mappingEntries);
    default:
      problem(call, 'Hook storage update of an unknown kind');
      return [];
  }
};

/** Of several writes to one slot the last counts: a row for each key, whose value has no leading zeros. */
const lastWrites = (call: Call, updates: readonly EvmHookStorageUpdate[]): Iterable<SlotWrite> => {
  const byKey = new Map<string, SlotWrite>();
  for (const update of updates) {
    for (const write of slotWrites(call, update)) byKey.set(toHex(write.key), write);
  }
  return byKey.values();
};

/** Writes slots of a hook; an empty or all-zero value deletes the slot. */
export const writeHookStorage = (
  call: Call,
  ownerId: EntityId,
  hookId: bigint,
  updates: readonly EvmHookStorageUpdate[],
): void => {
  const { batch } = call.context;
  for (const write of lastWrites(call, updates)) {
    const value = trimLeadingZeros(write.value);
    const slot = { owner_id: ownerId, hook_id: hookId, deleted: value.length === 0 };
    batch.insert('hook_storage_change', {
      ...slot,
      key: write.given,
      consensus_timestamp: call.timestamp,
      value_read: value,
      value_written: value,
    });
    batch.stage('hook_storage', {
      ...slot,
      key: write.key,
      created_timestamp: call.timestamp,
      modified_timestamp: call.timestamp,
      value,
    });
  }
};

const createHook = (call: Call, details: HookCreationDetails): void => {
  const evmHook = details.hook?.$case === 'evmHook' ? details.hook.evmHook : undefined;
  const source = evmHook?.spec?.bytecodeSource;
  if (evmHook === undefined || source?.$case !== 'contractId') {
    problem(call, `Hook ${details.hookId} has no EVM contract`);
    return;
  }
  const contractId = findContract(call, source.contractId, 'hook contract') ?? EMPTY_ENTITY_ID;
  touch(call, contractId);
  call.context.batch.stage('hook', {
    owner_id: call.entityId,
    hook_id: details.hookId,
    admin_key: keyBytes(details.adminKey),
    contract_id: orNull(contractId),
    created_timestamp: call.timestamp,
    deleted: false,
    extension_point: 'ACCOUNT_ALLOWANCE_HOOK',
    type: 'EVM',
    timestamp_range: rangeFrom(call),
  });
  writeHookStorage(call, call.entityId, details.hookId, evmHook.storageUpdates);
};

/** Creates the hooks that the body attaches to the main entity. */
export const createHooks = (call: Call, details: readonly HookCreationDetails[]): void => {
  if (call.entityId === EMPTY_ENTITY_ID) return;
  for (const one of details) createHook(call, one);
};

/** Removes hooks from the main entity; a hook of the same id may be created by the same transaction afterwards. */
export const deleteHooks = (call: Call, hookIds: readonly bigint[]): void => {
  if (call.entityId === EMPTY_ENTITY_ID) return;
  for (const hookId of hookIds) {
    call.context.batch.stage('hook', {
      owner_id: call.entityId,
      hook_id: hookId,
      deleted: true,
      timestamp_range: rangeFrom(call),
    });
  }
};
