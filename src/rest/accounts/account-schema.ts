/** JSON Schemas of accounts, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import { entityIdSchema, int64Schema, keySchema, linksSchema, nullableTimestampSchema } from '../../api/schemas.ts';
import { tokenBalancesSchema } from '../balances/balance-schema.ts';
import { transactionSchemas } from '../transactions/transaction-schema.ts';

const evmAddressSchema: JsonSchema = { type: 'string', pattern: '^0x[0-9a-f]{40}$' };

const balanceSchema: JsonSchema = {
  type: ['object', 'null'],
  description: 'Null when the request asks for no balances.',
  required: ['balance', 'timestamp', 'tokens'],
  properties: {
    balance: int64Schema('Tinybars; null when it is not known.', { type: ['integer', 'null'] }),
    timestamp: {
      ...nullableTimestampSchema,
      description: 'When the balance last changed; of a past balance, the snapshot it was taken from.',
    },
    tokens: tokenBalancesSchema,
  },
};

const accountProperties: Readonly<Record<string, JsonSchema>> = {
  account: { ...entityIdSchema, description: 'The id.' },
  alias: {
    type: ['string', 'null'],
    pattern: '^[A-Z2-7]*$',
    description: 'Alias in base32 without padding.',
  },
  auto_renew_period: int64Schema('Seconds by which the expiry is extended when it is reached.', {
    type: ['integer', 'null'],
  }),
  balance: balanceSchema,
  created_timestamp: nullableTimestampSchema,
  decline_reward: { type: 'boolean', description: 'Whether staking rewards are declined.' },
  deleted: { type: ['boolean', 'null'] },
  ethereum_nonce: int64Schema('Nonce of the last Ethereum transaction, or of the contract.', {
    type: ['integer', 'null'],
  }),
  evm_address: { ...evmAddressSchema, description: 'Own address; without one, that of the alias or of the num.' },
  expiry_timestamp: {
    type: ['string', 'null'],
    pattern: '^-?\\d+\\.\\d{9}$',
    description: 'Expiry that was set; without one, creation and renewal period together.',
  },
  key: keySchema,
  max_automatic_token_associations: {
    type: ['integer', 'null'],
    format: 'int32',
    minimum: -1,
    description: 'How many tokens may be associated by transfers alone; -1: any number.',
  },
  memo: { type: ['string', 'null'] },
  pending_reward: int64Schema('Tinybars of rewards that the account would collect now.'),
  receiver_sig_required: {
    type: ['boolean', 'null'],
    description: 'Whether receiving hbar or tokens takes a signature of the account.',
  },
  stake_period_start: {
    type: ['string', 'null'],
    pattern: '^-?\\d+\\.\\d{9}$',
    description:
      'Start of the staking period in which the stake was last changed or rewarded; null unless staked to a node.',
  },
  staked_account_id: { ...entityIdSchema, description: 'The account it is staked to.' },
  staked_node_id: int64Schema('The node it is staked to.', { type: ['integer', 'null'] }),
};

/** Shown under a setting. */
const optionalProperties: Readonly<Record<string, JsonSchema>> = {
  delegation_address: {
    type: 'string',
    pattern: '^0x([0-9a-f]{40})?$',
    description: 'Address of the contract whose code runs for the account; `0x` without one. Only where it is enabled.',
  },
};

const accountSchema: JsonSchema = {
  type: 'object',
  description: 'An account, or a contract as the holder of a balance.',
  required: Object.keys(accountProperties),
  properties: { ...accountProperties, ...optionalProperties },
};

export const accountsSchema: JsonSchema = {
  type: 'object',
  required: ['accounts', 'links'],
  properties: {
    accounts: { type: 'array', items: { $ref: '#/components/schemas/Account' } },
    links: linksSchema,
  },
};

const accountWithTransactionsSchema: JsonSchema = {
  type: 'object',
  required: [...Object.keys(accountProperties), 'transactions', 'links'],
  properties: {
    ...accountProperties,
    ...optionalProperties,
    transactions: {
      type: 'array',
      description: 'One page of what the account paid for, and of what moved its hbar or tokens.',
      items: { $ref: '#/components/schemas/Transaction' },
    },
    links: { ...linksSchema, description: 'To the next page of transactions.' },
  },
};

export const accountSchemas = { Account: accountSchema };
export const accountWithTransactionsSchemas = {
  AccountWithTransactions: accountWithTransactionsSchema,
  ...transactionSchemas,
};
