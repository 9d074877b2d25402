/** Contracts and hooks. Gas is paid beside these fees and not part of an estimate, except that of hooks in transfers. */
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import type { EvmHookStorageUpdate } from '../../protobuf/generated/services/hook_types.ts';
import { keyCount } from '../key-count.ts';
import { extra, extraIfAny, type Price, price } from './price.ts';

/** Slots that an update writes: one, or one for each entry of a mapping. */
const slotsOf = ({ update }: EvmHookStorageUpdate): number => {
  if (update === undefined) return 0;
  return update.$case === 'mappingEntries' ? update.mappingEntries.entries.length : 1;
};

export const contractPrices: readonly Price[] = [
  price('contractCall', HederaFunctionality.ContractCall),
  price('contractCreateInstance', HederaFunctionality.ContractCreate, ({ adminKey, hookCreationDetails }) => [
    ...(adminKey === undefined ? [] : [extra('KEYS', keyCount(adminKey))]),
    ...extraIfAny('HOOK_UPDATES', hookCreationDetails.length),
  ]),
  price(
    'contractUpdateInstance',
    HederaFunctionality.ContractUpdate,
    ({ adminKey, hookCreationDetails, hookIdsToDelete }) => [
      ...(adminKey === undefined ? [] : [extra('KEYS', keyCount(adminKey))]),
      ...extraIfAny('HOOK_UPDATES', hookCreationDetails.length),
      ...extraIfAny('HOOK_UPDATES', hookIdsToDelete.length),
    ],
  ),
  price('contractDeleteInstance', HederaFunctionality.ContractDelete),
  price('ethereumTransaction', HederaFunctionality.EthereumTransaction),
  price('hookStore', HederaFunctionality.HookStore, ({ storageUpdates }) => [
    extra(
      'HOOK_SLOT_UPDATE',
      storageUpdates.reduce((slots, update) => slots + slotsOf(update), 0),
    ),
  ]),
  price('hookDispatch', HederaFunctionality.HookDispatch, () => 'free'),
];
