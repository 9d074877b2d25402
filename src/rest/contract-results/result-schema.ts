/** JSON Schemas of contract results, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import { entityIdSchema, int64Schema, linksSchema, timestampSchema } from '../../api/schemas.ts';
import { contractResultLog } from '../contracts/contract-log.ts';
import { stateChange } from './state-change.ts';

const nullable: JsonSchema = { type: ['integer', 'null'] };

const addressSchema = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  pattern: '^0x([0-9a-f]{2})+$',
  description,
  examples: ['0x0000000000000000000000000000000000001f41'],
});

const hexSchema = (description: string): JsonSchema => ({
  type: 'string',
  pattern: '^0x([0-9a-f]{2})*$',
  description,
});

const nullableHexSchema = (description: string): JsonSchema => ({
  ...hexSchema(description),
  type: ['string', 'null'],
});

const quantitySchema = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  pattern: '^0x[0-9a-f]*$',
  description,
});

const resultProperties: Readonly<Record<string, JsonSchema>> = {
  address: addressSchema('Of the contract: its own, or the one that holds its num.'),
  amount: int64Schema('Tinybars sent along; weibars under `hbar=false`.', nullable),
  bloom: hexSchema('Bloom filter of the logs.'),
  call_result: hexSchema('What the call returned.'),
  contract_id: { ...entityIdSchema, description: 'The contract that was called or created.' },
  created_contract_ids: { type: 'array', items: entityIdSchema },
  error_message: { type: ['string', 'null'], description: 'Why it failed: hex of a reason given, or a name.' },
  from: addressSchema('Of the caller.'),
  function_parameters: hexSchema('What the contract was called with.'),
  gas_consumed: int64Schema('Gas that the execution took.', nullable),
  gas_limit: int64Schema('Most gas that it might take.'),
  gas_used: int64Schema('Gas that was paid.', nullable),
  hash: hexSchema('Hash of the Ethereum transaction, or the first 32 bytes of the own hash of another.'),
  timestamp: { ...timestampSchema, description: 'Consensus timestamp of the transaction.' },
  to: addressSchema('What was called, as the Ethereum transaction named it, or with the num of the contract.'),
};

const accessListSchema: JsonSchema = {
  type: 'array',
  description: 'Slots that the transaction announced to use.',
  items: {
    type: 'object',
    properties: {
      address: { type: 'string' },
      storage_keys: { type: 'array', items: { type: 'string' } },
    },
  },
};

const authorizationListSchema: JsonSchema = {
  type: 'array',
  description: 'Code that accounts delegated to; only where the server is set to show it.',
  items: {
    type: 'object',
    properties: {
      address: { type: 'string' },
      chain_id: { type: 'string' },
      nonce: int64Schema('Of the account.'),
      r: { type: 'string' },
      s: { type: 'string' },
      y_parity: { type: ['string', 'integer'] },
    },
  },
};

const blockResultProperties: Readonly<Record<string, JsonSchema>> = {
  ...resultProperties,
  access_list: accessListSchema,
  block_gas_used: int64Schema('Gas of all results of the block.', nullable),
  block_hash: { ...quantitySchema('Hash of the block; `0x` while it is not known.'), type: 'string' },
  block_number: int64Schema('Number of the block; null while it is not known.', nullable),
  chain_id: quantitySchema('Chain that the transaction was signed for, or that of the network.'),
  failed_initcode: nullableHexSchema('Code that could not be deployed.'),
  gas_price: quantitySchema('Offered by a legacy transaction; without an Ethereum transaction, the price in force.'),
  max_fee_per_gas: quantitySchema('Most that was offered for a unit of gas.'),
  max_priority_fee_per_gas: quantitySchema('Most that was offered to be preferred.'),
  nonce: int64Schema('Of the sender, in its Ethereum transaction.', nullable),
  r: nullableHexSchema('First half of the signature.'),
  result: { type: 'string', description: 'Name of the response code.', examples: ['SUCCESS'] },
  s: nullableHexSchema('Second half of the signature.'),
  status: { type: 'string', enum: ['0x1', '0x0'], description: '0x1: succeeded.' },
  transaction_index: { type: ['integer', 'null'], format: 'int32', description: 'Place within the block.' },
  type: { type: 'integer', format: 'int32', description: 'Type of the Ethereum transaction; 0 for others.' },
  v: { ...nullable, description: 'Recovery id, or v of a legacy transaction.' },
};

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const listSchema = (entry: string): JsonSchema => ({
  type: 'object',
  required: ['results', 'links'],
  properties: { results: { type: 'array', items: ref(entry) }, links: linksSchema },
});

const objectSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({ type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } });

const optionalProperties = { authorization_list: authorizationListSchema };

export const contractResultsSchema = listSchema('ContractResult');
export const contractResultSchemas: Readonly<Record<string, JsonSchema>> = {
  // What `response.briefContractResults` leaves out is not required.
  ContractResult: objectSchema(resultProperties, {
    ...blockResultProperties,
    ...optionalProperties,
    access_list: {
      ...hexSchema('RLP of the slots that the transaction announced to use (EIP-2930); 0x: none.'),
      examples: [`0xd7d694${'67'.repeat(20)}c0`],
    },
    status: { type: 'integer', enum: [1, 0], description: '1: succeeded.' },
  }),
};

export const blockResultsSchema = listSchema('ContractBlockResult');
export const blockResultSchemas: Readonly<Record<string, JsonSchema>> = {
  ContractBlockResult: objectSchema(blockResultProperties, optionalProperties),
};

export const resultDetailsSchema = ref('ContractResultDetails');
export const resultDetailsSchemas: Readonly<Record<string, JsonSchema>> = {
  ContractResultDetails: objectSchema(
    {
      ...blockResultProperties,
      logs: { type: 'array', items: contractResultLog.schema },
      state_changes: { type: 'array', items: stateChange.schema },
    },
    optionalProperties,
  ),
  ...contractResultLog.schemas,
  ...stateChange.schemas,
};
