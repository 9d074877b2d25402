/** A step of a contract transaction as REST shows it (HIP-513). */
import {
  derived,
  entityId,
  field,
  int32,
  int64,
  nullable,
  optional,
  plainText,
  timestamp,
} from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';
import { evmAddressSchema, evmBytes, longZeroJson } from './evm-fields.ts';

// Numbers of the sidecar's enums and, for results, of its oneof.
const callTypes: readonly string[] = ['NO_ACTION', 'CALL', 'CREATE', 'PRECOMPILE', 'SYSTEM'];
const callOperationTypes: readonly string[] = [
  'UNKNOWN',
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
  'CREATE',
  'CREATE2',
];
const resultDataTypes: Readonly<Record<number, string>> = { 11: 'OUTPUT', 12: 'REVERT_REASON', 13: 'ERROR' };

const nameJson = (name: string | undefined): string => (name === undefined ? '' : `"${name}"`);

const ADDRESS_DIGITS = 40;

const recipientId = 'coalesce(p.recipient_account, p.recipient_contract)';
const nullableAddress = { ...evmAddressSchema, type: ['string', 'null'] };

export const contractAction = resource({
  name: 'ContractAction',
  keys: { index: 'p.index' },
  fields: {
    call_depth: int32('p.call_depth', { description: 'Nesting, from 0 for the first call.' }),
    call_operation_type: optional(
      field(
        'coalesce(p.call_operation_type, 0)',
        { type: 'string', enum: callOperationTypes, description: 'The instruction.' },
        (type) => nameJson(callOperationTypes[Number(type)]),
      ),
    ),
    call_type: optional(
      field('p.call_type', { type: 'string', enum: callTypes }, (type) =>
        nameJson(type === '' ? undefined : callTypes[Number(type)]),
      ),
    ),
    caller: entityId('p.caller'),
    caller_type: nullable(plainText('p.caller_type', { examples: ['CONTRACT'] })),
    from: field('p.caller', nullableAddress, (caller) => (caller === '' ? 'null' : longZeroJson(caller))),
    gas: int64('p.gas', 'Gas that was given to it.'),
    gas_used: int64('p.gas_used', 'Gas that it took.'),
    index: int32('p.index', { description: 'Position within the transaction.' }),
    input: evmBytes('p.input', 'What it was called with.'),
    recipient: entityId(recipientId),
    recipient_type: derived(
      { account: 'p.recipient_account', contract: 'p.recipient_contract' },
      { type: ['string', 'null'], enum: ['ACCOUNT', 'CONTRACT', null] },
      ({ account, contract }) => (account !== '' ? '"ACCOUNT"' : contract !== '' ? '"CONTRACT"' : 'null'),
    ),
    result_data: evmBytes('p.result_data', 'What it returned, or why it failed.'),
    result_data_type: optional(
      field('p.result_data_type', { type: 'string', enum: Object.values(resultDataTypes) }, (type) =>
        nameJson(resultDataTypes[Number(type)]),
      ),
    ),
    timestamp: timestamp('p.consensus_timestamp'),
    to: derived(
      { address: 'p.recipient_address', recipient: recipientId },
      { type: ['string', 'null'], pattern: '^0x([0-9a-f]{40,})?$', description: 'Address of the recipient.' },
      ({ address, recipient }) => {
        if (address === '') return recipient === '' ? 'null' : longZeroJson(recipient);
        return address === '\\x' ? '"0x"' : `"0x${address.slice(2).padStart(ADDRESS_DIGITS, '0')}"`;
      },
    ),
    value: int64('p.value', 'Tinybars that went with it.'),
  },
});
