/** JSON Schemas of contracts, their storage, logs and actions, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import {
  entityIdSchema,
  int64Schema,
  keySchema,
  linksSchema,
  nullableTimestampSchema,
  timestampRangeSchema,
  timestampSchema,
} from '../../api/schemas.ts';

const evmAddressSchema: JsonSchema = {
  type: 'string',
  pattern: '^0x[0-9a-f]{40}$',
  description: 'EVM address; of an entity without one of its own, the one that holds its num.',
  examples: ['0x0000000000000000000000000000000000001f41'],
};

const hexSchema = (description: string): JsonSchema => ({
  type: 'string',
  pattern: '^0x([0-9a-f]{2})*$',
  description,
});

const wordSchema = (description: string): JsonSchema => ({
  type: 'string',
  pattern: '^0x[0-9a-f]{64,}$',
  description,
});

const contractProperties: Readonly<Record<string, JsonSchema>> = {
  admin_key: { ...keySchema, description: 'Who may change the contract; null: nobody.' },
  auto_renew_account: { ...entityIdSchema, description: 'Who pays for renewals.' },
  auto_renew_period: int64Schema('Seconds by which the expiry is extended when it is reached.', {
    type: ['integer', 'null'],
  }),
  contract_id: entityIdSchema,
  created_timestamp: nullableTimestampSchema,
  deleted: { type: ['boolean', 'null'] },
  evm_address: evmAddressSchema,
  expiration_timestamp: nullableTimestampSchema,
  file_id: { ...entityIdSchema, description: 'File that the bytecode came from.' },
  max_automatic_token_associations: {
    type: ['integer', 'null'],
    format: 'int32',
    description: 'Tokens that may be received without an association; -1: any number.',
  },
  memo: { type: 'string', examples: ['contract memo'] },
  nonce: int64Schema('Counts the contracts it created.', { type: ['integer', 'null'] }),
  obtainer_id: { ...entityIdSchema, description: 'Who got what was left when the contract was deleted.' },
  permanent_removal: { type: ['boolean', 'null'], description: 'Whether it expired and was removed by the network.' },
  proxy_account_id: entityIdSchema,
  timestamp: { ...timestampRangeSchema, description: 'When this version of the contract was in force.' },
};

const contractSchema: JsonSchema = {
  type: 'object',
  required: Object.keys(contractProperties),
  properties: contractProperties,
};

export const contractWithBytecodeSchema: JsonSchema = {
  type: 'object',
  required: [...Object.keys(contractProperties), 'bytecode', 'runtime_bytecode'],
  properties: {
    ...contractProperties,
    bytecode: { type: 'string', description: 'What the contract was created with: hex of the init code.' },
    runtime_bytecode: hexSchema('Code that runs when the contract is called.'),
  },
};

const listSchema = (member: string, entry: string): JsonSchema => ({
  type: 'object',
  required: [member, 'links'],
  properties: {
    [member]: { type: 'array', items: { $ref: `#/components/schemas/${entry}` } },
    links: linksSchema,
  },
});

export const contractsSchema = listSchema('contracts', 'Contract');
export const contractSchemas = { Contract: contractSchema };

export const contractStatesSchema = listSchema('state', 'ContractState');
export const contractStateSchemas: Readonly<Record<string, JsonSchema>> = {
  ContractState: {
    type: 'object',
    required: ['address', 'contract_id', 'timestamp', 'slot', 'value'],
    properties: {
      address: evmAddressSchema,
      contract_id: entityIdSchema,
      timestamp: { ...timestampSchema, description: 'When the slot last changed.' },
      slot: wordSchema('Key of the slot.'),
      value: { ...wordSchema('What the slot holds.'), type: ['string', 'null'] },
    },
  },
};

const logProperties: Readonly<Record<string, JsonSchema>> = {
  address: evmAddressSchema,
  bloom: hexSchema('Bloom filter of the address and the topics.'),
  contract_id: entityIdSchema,
  data: hexSchema('What was logged beside the topics.'),
  index: { type: 'integer', format: 'int32', minimum: 0, description: 'Position within the block.' },
  topics: { type: 'array', maxItems: 4, items: wordSchema('A topic; the first one usually names the event.') },
};

export const contractLogsSchema = listSchema('logs', 'ContractLog');
export const contractLogSchemas: Readonly<Record<string, JsonSchema>> = {
  ContractLog: {
    type: 'object',
    required: [
      ...Object.keys(logProperties),
      'block_hash',
      'block_number',
      'root_contract_id',
      'timestamp',
      'transaction_hash',
      'transaction_index',
    ],
    properties: {
      ...logProperties,
      block_hash: { type: 'string', pattern: '^0x[0-9a-f]*$', description: 'Hash of the block that holds it.' },
      block_number: int64Schema('Number of that block.', { type: ['integer', 'null'] }),
      root_contract_id: { ...entityIdSchema, description: 'The contract that the transaction called.' },
      timestamp: timestampSchema,
      transaction_hash: hexSchema('Ethereum hash of the transaction, or the first 32 bytes of its own.'),
      transaction_index: {
        type: ['integer', 'null'],
        format: 'int32',
        description: 'Position of the transaction within the block.',
      },
    },
  },
};

export const contractActionsSchema = listSchema('actions', 'ContractAction');
export const contractActionSchemas: Readonly<Record<string, JsonSchema>> = {
  ContractAction: {
    type: 'object',
    required: [
      'call_depth',
      'caller',
      'caller_type',
      'from',
      'gas',
      'gas_used',
      'index',
      'input',
      'recipient',
      'recipient_type',
      'result_data',
      'timestamp',
      'to',
      'value',
    ],
    properties: {
      call_depth: { type: 'integer', format: 'int32', description: 'Nesting, from 0 for the first call.' },
      call_operation_type: {
        type: 'string',
        enum: ['UNKNOWN', 'CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL', 'CREATE', 'CREATE2'],
        description: 'The instruction.',
      },
      call_type: { type: 'string', enum: ['NO_ACTION', 'CALL', 'CREATE', 'PRECOMPILE', 'SYSTEM'] },
      caller: entityIdSchema,
      caller_type: { type: ['string', 'null'], examples: ['CONTRACT'] },
      from: { ...evmAddressSchema, type: ['string', 'null'] },
      gas: int64Schema('Gas that was given to it.'),
      gas_used: int64Schema('Gas that it took.'),
      index: { type: 'integer', format: 'int32', description: 'Position within the transaction.' },
      input: hexSchema('What it was called with.'),
      recipient: entityIdSchema,
      recipient_type: { type: ['string', 'null'], enum: ['ACCOUNT', 'CONTRACT', null] },
      result_data: hexSchema('What it returned, or why it failed.'),
      result_data_type: { type: 'string', enum: ['OUTPUT', 'REVERT_REASON', 'ERROR'] },
      timestamp: timestampSchema,
      to: { type: ['string', 'null'], pattern: '^0x([0-9a-f]{40,})?$', description: 'Address of the recipient.' },
      value: int64Schema('Tinybars that went with it.'),
    },
  },
};
