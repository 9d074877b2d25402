/** What the documentation says of the body and the answer of contract calls. */
import type { JsonSchema } from '../../api/route.ts';

const address = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  pattern: '^(0[xX])?[0-9a-fA-F]{40}$',
  description,
  example: '0x00000000000000000000000000000000000004e2',
});

const slots = (description: string): JsonSchema => ({
  type: 'array',
  maxItems: 100,
  description,
  items: {
    type: 'object',
    required: ['key', 'value'],
    properties: {
      key: { type: 'string', description: 'Slot, 32 bytes of hex.' },
      value: { type: 'string', description: 'Value, 32 bytes of hex.' },
    },
  },
});

const stateOverrideSchema: JsonSchema = {
  type: 'object',
  description: 'State that counts in place of the stored one. `state` and `state_diff` exclude each other.',
  required: ['address'],
  properties: {
    address: {
      type: 'string',
      pattern: '^(0[xX])?[0-9a-fA-F]{40}$',
      description: 'Whose state it is; an account or contract that does not exist is made up.',
    },
    balance: { type: 'string', description: 'Balance in tinybars, in hex.', example: '0x5f5e100' },
    code: { type: 'string', description: 'Code in hex.', example: '0x600160005260206000f3' },
    nonce: { type: 'string', description: 'Nonce in hex.', example: '0x1' },
    state: slots('Slots that make up the whole storage; others read zero.'),
    state_diff: slots('Slots that differ from the storage.'),
  },
};

const contractCallRequestSchema: JsonSchema = {
  type: 'object',
  description: 'A call that is executed on the state of a block and leaves no trace. Other members are ignored.',
  properties: {
    block: {
      type: ['string', 'null'],
      default: 'latest',
      description:
        'Block on whose state the call runs: `latest` (also `pending`, `safe`, `finalized`), `earliest`, a number in ' +
        'decimal or hex, or a hash of 32 or 48 bytes.',
      example: 'latest',
    },
    data: {
      type: ['string', 'null'],
      maxLength: 262_146,
      description: 'Function selector and arguments, or the code that creates a contract, in hex.',
      example: '0x06fdde03',
    },
    estimate: {
      type: 'boolean',
      default: false,
      description: 'Answer with a sufficient gas limit in place of the result.',
    },
    from: address('Sender. Left out: the treasury calls; required with a `value`.'),
    gas: {
      type: 'integer',
      format: 'int64',
      minimum: 21_000,
      default: 15_000_000,
      description: 'Gas limit.',
      example: 120_000,
    },
    gasPrice: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      default: 0,
      description: 'More than 0: a sender must be able to pay the gas, at the price of the network.',
    },
    state_overrides: { type: 'array', items: stateOverrideSchema, description: 'Refused unless the server allows it.' },
    to: address('Contract that is called. Left out, empty or zero: `data` creates a contract.'),
    value: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      default: 0,
      description: 'Amount that is sent, in tinybars.',
    },
  },
};

const contractCallResponseSchema: JsonSchema = {
  type: 'object',
  required: ['result'],
  properties: {
    result: {
      type: 'string',
      description: 'Return data, the code of a created contract, or the estimated gas as 8 bytes; in hex.',
      example: '0x0000000000005208',
    },
  },
};

export const contractCallSchemas: Readonly<Record<string, JsonSchema>> = {
  ContractCallRequest: contractCallRequestSchema,
  ContractCallResponse: contractCallResponseSchema,
};
