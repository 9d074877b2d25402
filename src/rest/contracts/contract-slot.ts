/** A slot of a contract's storage, as REST shows it. */
import { entityId, nullable, timestamp } from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';
import { evmAddress, word } from './evm-fields.ts';

/** Over a row with the contract's `evm_address`. */
export const contractSlot = resource({
  name: 'ContractState',
  keys: { slot: 'p.slot' },
  fields: {
    address: evmAddress('p.evm_address', 'p.contract_id'),
    contract_id: entityId('p.contract_id'),
    timestamp: timestamp('p.modified_timestamp', 'When the slot last changed.'),
    slot: word('p.slot', 'Key of the slot.'),
    value: nullable(word('p.value', 'What the slot holds.')),
  },
});
