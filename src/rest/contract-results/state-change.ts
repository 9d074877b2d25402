/** What a transaction did to a slot of a contract, as REST shows it within the details of a result. */
import { entityId, nullable } from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';
import { evmAddress, word } from '../contracts/evm-fields.ts';

/** Over a row of `contract_state_change` with the `evm_address` of the contract's entity. */
export const stateChange = resource({
  name: 'ContractResultStateChange',
  fields: {
    address: evmAddress('p.evm_address', 'p.contract_id'),
    contract_id: entityId('p.contract_id'),
    slot: word('p.slot', 'Key of the slot.'),
    value_read: word('p.value_read', 'What it held before.'),
    value_written: nullable(word('p.value_written', 'What it holds since; null: it was only read.')),
  },
});
