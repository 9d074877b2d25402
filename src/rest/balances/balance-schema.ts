/** JSON Schemas of balances, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import { entityIdSchema, int64Schema, linksSchema, nullableTimestampSchema } from '../../api/schemas.ts';

export const tokenBalancesSchema: JsonSchema = {
  type: 'array',
  description: 'By token id. Only the first ones of an account that holds very many tokens.',
  items: {
    type: 'object',
    required: ['token_id', 'balance'],
    properties: {
      token_id: entityIdSchema,
      balance: int64Schema('In the smallest unit of the token; of NFTs, how many.'),
    },
  },
};

const accountBalanceSchema: JsonSchema = {
  type: 'object',
  required: ['account', 'balance', 'tokens'],
  properties: { account: entityIdSchema, balance: int64Schema('Tinybars.'), tokens: tokenBalancesSchema },
};

export const balancesSchema: JsonSchema = {
  type: 'object',
  required: ['timestamp', 'balances', 'links'],
  properties: {
    timestamp: {
      ...nullableTimestampSchema,
      description: 'Of the snapshot; of current balances, the newest change among those on this page.',
    },
    balances: { type: 'array', items: { $ref: '#/components/schemas/AccountBalance' } },
    links: linksSchema,
  },
};

export const balanceSchemas = { AccountBalance: accountBalanceSchema };
