/** JSON Schemas of NFTs, for the OpenAPI document. */

import { transactionTypeSchema } from '../../api/resource/parameter.ts';
import type { JsonSchema } from '../../api/route.ts';
import {
  entityIdSchema,
  int64Schema,
  linksSchema,
  nullableTimestampSchema,
  timestampSchema,
} from '../../api/schemas.ts';

const nftSchema: JsonSchema = {
  type: 'object',
  required: [
    'account_id',
    'created_timestamp',
    'delegating_spender',
    'deleted',
    'metadata',
    'modified_timestamp',
    'serial_number',
    'spender',
    'token_id',
  ],
  properties: {
    account_id: { ...entityIdSchema, description: 'The owner; null of an NFT that has been burnt or wiped.' },
    created_timestamp: { ...nullableTimestampSchema, description: 'When it was minted; null when that is not known.' },
    delegating_spender: {
      ...entityIdSchema,
      description: 'Who passed on an allowance for all NFTs of the owner to the spender of this one.',
    },
    deleted: { type: ['boolean', 'null'], description: 'Whether it was burnt or wiped, or its token deleted.' },
    metadata: { type: ['string', 'null'], contentEncoding: 'base64' },
    modified_timestamp: { ...timestampSchema, description: 'When it last changed.' },
    serial_number: int64Schema('Number within the token, from 1.', { minimum: 1 }),
    spender: { ...entityIdSchema, description: 'Who may transfer it beside its owner.' },
    token_id: entityIdSchema,
  },
};

export const nftSchemas = { Nft: nftSchema };

export const nftsSchema: JsonSchema = {
  type: 'object',
  required: ['nfts', 'links'],
  properties: { nfts: { type: 'array', items: { $ref: '#/components/schemas/Nft' } }, links: linksSchema },
};

const nftTransactionSchema: JsonSchema = {
  type: 'object',
  required: [
    'consensus_timestamp',
    'is_approval',
    'nonce',
    'receiver_account_id',
    'sender_account_id',
    'transaction_id',
    'type',
  ],
  properties: {
    consensus_timestamp: timestampSchema,
    is_approval: { type: 'boolean', description: 'Whether an allowance was used.' },
    nonce: { type: 'integer', format: 'int32', minimum: 0, description: 'Not 0: a child of another transaction.' },
    receiver_account_id: { ...entityIdSchema, description: 'New owner; null unless it changed hands or was minted.' },
    sender_account_id: { ...entityIdSchema, description: 'Owner before; null unless it changed hands or ended.' },
    transaction_id: { type: 'string', description: 'Payer and valid start: shard.realm.num-seconds-nanoseconds.' },
    type: transactionTypeSchema,
  },
};

export const nftTransactionSchemas = { NftTransaction: nftTransactionSchema };

export const nftTransactionsSchema: JsonSchema = {
  type: 'object',
  required: ['transactions', 'links'],
  properties: {
    transactions: { type: 'array', items: { $ref: '#/components/schemas/NftTransaction' } },
    links: linksSchema,
  },
};
