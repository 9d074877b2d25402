/** Hooks as bodies create and change them ([HIP-1195](https://hips.hedera.com/hip/hip-1195)). */

import { leftPad, toHex, trimLeadingZeros } from '../../../ledger/bytes.ts';
import { keccak256 } from '../../../ledger/hash.ts';
import { type EvmHookStorageUpdate, HookCreationDetails } from '../../../protobuf/generated/services/hook_types.ts';
import { protobufKey } from '../../keys/account-key.ts';
import { contractId } from '../../records/proto-ids.ts';
import { word } from '../../solidity/counter-contract.ts';
import type { Account, Hook } from '../../state/ledger-entities.ts';
import { withEntry } from '../../state/sparse.ts';

/** Sets or clears a slot of the hook. */
export const setSlot = (hook: Hook, key: Uint8Array, value: Uint8Array): void => {
  const slot = toHex(leftPad(key, 32));
  const trimmed = trimLeadingZeros(value);
  if (trimmed.length === 0) hook.slots.set(slot, '');
  else hook.slots.set(slot, toHex(trimmed));
};

/** An update of a slot, empty to clear it; bodies leave leading zeros out. */
export const slotUpdate = (hook: Hook, key: Uint8Array, value: Uint8Array): EvmHookStorageUpdate => {
  setSlot(hook, key, value);
  const storageSlot = { key: trimLeadingZeros(key), value: trimLeadingZeros(value) };
  return { update: { $case: 'storageSlot', storageSlot } };
};

/** An update of an entry of the mapping at slot 1, by its key or by what is hashed for it. */
export const mappingUpdate = (
  hook: Hook,
  key: Uint8Array,
  value: Uint8Array,
  asPreimage: boolean,
): EvmHookStorageUpdate => {
  const mappingSlot = word(1n);
  const place = asPreimage ? keccak256(key) : leftPad(key, 32);
  setSlot(hook, keccak256(Buffer.concat([place, mappingSlot])), value);
  return {
    update: {
      $case: 'mappingEntries',
      mappingEntries: {
        mappingSlot: trimLeadingZeros(mappingSlot),
        entries: [
          {
            entryKey: asPreimage ? { $case: 'preimage', preimage: key } : { $case: 'key', key: trimLeadingZeros(key) },
            value: trimLeadingZeros(value),
          },
        ],
      },
    },
  };
};

/** Gives the account a hook with a first value in slot 2. */
export const addHook = (account: Account, hookId: bigint, contract: bigint): HookCreationDetails => {
  // Slots of a deleted hook of the same id are cleared, and stay known as such.
  const slots = account.hooks.get(hookId)?.slots ?? new Map<string, string>();
  const hook: Hook = { contract, slots, deleted: false };
  account.hooks = withEntry(account.hooks, hookId, hook);
  account.pinned = true;
  return HookCreationDetails.fromPartial({
    hookId,
    ...(account.key && { adminKey: protobufKey(account.key) }),
    hook: {
      $case: 'evmHook',
      evmHook: {
        spec: { bytecodeSource: { $case: 'contractId', contractId: contractId(contract) } },
        storageUpdates: [slotUpdate(hook, word(2n), word(hookId))],
      },
    },
  });
};
