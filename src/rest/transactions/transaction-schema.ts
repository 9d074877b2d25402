/** JSON Schemas of transactions, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import {
  entityIdSchema,
  int64Schema,
  keySchema,
  linksSchema,
  nullableTimestampSchema,
  objectSchema,
  timestampSchema,
} from '../../api/schemas.ts';
import { transactionTypeNames } from '../../ledger/transaction-type.ts';

const listOf = (items: JsonSchema, description: string): JsonSchema => ({ type: 'array', description, items });

const base64OrNull = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  contentEncoding: 'base64',
  description,
});

const digits = (description: string): JsonSchema => ({ type: ['string', 'null'], pattern: '^-?\\d+$', description });

const isApproval: JsonSchema = { type: 'boolean', description: 'Whether an allowance was used.' };

export const transactionTypeSchema: JsonSchema = {
  type: 'string',
  enum: [...transactionTypeNames, 'UNKNOWN'],
  description: 'Kind of the transaction.',
};

const transactionProperties: Readonly<Record<string, JsonSchema>> = {
  batch_key: { ...keySchema, description: 'Key that the batch around this transaction has to be signed with.' },
  bytes: base64OrNull('The whole signed transaction, where the importer keeps it.'),
  charged_tx_fee: int64Schema('Fee in tinybars that was taken.', { type: ['integer', 'null'] }),
  consensus_timestamp: timestampSchema,
  entity_id: { ...entityIdSchema, description: 'The entity that the transaction created or is about.' },
  high_volume: { type: 'boolean', description: 'Whether the payer chose high-volume pricing.' },
  high_volume_pricing_multiplier: int64Schema('Factor of the fee under high-volume pricing.', {
    type: ['integer', 'null'],
    minimum: 0,
  }),
  max_custom_fees: listOf(
    objectSchema({
      account_id: { ...entityIdSchema, description: 'Who limits what they pay.' },
      amount: int64Schema('The limit, in the smallest unit of the token or in tinybars.'),
      denominating_token_id: { ...entityIdSchema, description: 'The token; null for hbar.' },
    }),
    'The most custom fees that the payer accepts.',
  ),
  max_fee: digits('Largest fee in tinybars that the payer accepts.'),
  memo_base64: base64OrNull('The memo.'),
  name: transactionTypeSchema,
  nft_transfers: listOf(
    objectSchema({
      is_approval: isApproval,
      receiver_account_id: { ...entityIdSchema, description: 'Null: burnt or wiped.' },
      sender_account_id: { ...entityIdSchema, description: 'Null: minted.' },
      serial_number: int64Schema('Serial number within the token.', { type: ['integer', 'null'] }),
      token_id: entityIdSchema,
    }),
    'Moved NFTs.',
  ),
  node: { ...entityIdSchema, description: 'Account of the node that the transaction was sent to.' },
  nonce: {
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'Not 0: a child of the transaction with this id.',
  },
  parent_consensus_timestamp: {
    ...nullableTimestampSchema,
    description: 'Of the transaction that this one is a child of.',
  },
  result: { type: 'string', description: 'Name of the response code.' },
  scheduled: { type: 'boolean', description: 'Whether a schedule executed it.' },
  staking_reward_transfers: listOf(
    objectSchema({ account: entityIdSchema, amount: int64Schema('Reward in tinybars.') }),
    'Staking rewards paid along with it.',
  ),
  token_transfers: listOf(
    objectSchema({
      account: entityIdSchema,
      amount: int64Schema('In the smallest unit of the token; negative for who gave.'),
      is_approval: isApproval,
      token_id: entityIdSchema,
    }),
    'Moved fungible tokens.',
  ),
  transaction_hash: base64OrNull('SHA-384 hash.'),
  transaction_id: { type: 'string', description: 'Payer and valid start: shard.realm.num-seconds-nanoseconds.' },
  transfers: listOf(
    objectSchema({
      account: entityIdSchema,
      amount: int64Schema('In tinybars; negative for who gave.'),
      is_approval: isApproval,
    }),
    'Moved hbar, fees included.',
  ),
  valid_duration_seconds: digits('For how long after its valid start the transaction may reach consensus.'),
  valid_start_timestamp: timestampSchema,
};

const transactionSchema: JsonSchema = objectSchema(transactionProperties);

const assessedCustomFeeSchema: JsonSchema = objectSchema({
  amount: int64Schema('In the smallest unit of the token or in tinybars.'),
  collector_account_id: entityIdSchema,
  effective_payer_account_ids: { type: 'array', items: entityIdSchema, description: 'Accounts that paid it.' },
  token_id: { ...entityIdSchema, description: 'The token; null for hbar.' },
});

/** A transaction asked for alone shows the custom fees too, where there were any. */
const transactionDetailSchema: JsonSchema = {
  type: 'object',
  required: Object.keys(transactionProperties),
  properties: {
    assessed_custom_fees: listOf(assessedCustomFeeSchema, 'Custom fees that were taken.'),
    ...transactionProperties,
  },
};

export const transactionSchemas = { Transaction: transactionSchema };
export const transactionDetailSchemas = { TransactionDetail: transactionDetailSchema };

export const transactionsSchema: JsonSchema = objectSchema({
  links: linksSchema,
  transactions: { type: 'array', items: { $ref: '#/components/schemas/Transaction' } },
});

export const transactionDetailsSchema: JsonSchema = objectSchema({
  transactions: { type: 'array', items: { $ref: '#/components/schemas/TransactionDetail' } },
});
