/** JSON Schemas of what belongs to an account, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import {
  entityIdSchema,
  int64Schema,
  linksSchema,
  nullableTimestampSchema,
  objectSchema,
  timestampRangeSchema,
  timestampSchema,
} from '../../api/schemas.ts';
import { freezeStatuses, kycStatuses } from './token-relationships.ts';

/** A page of one list. */
const pageOf = (name: string, items: JsonSchema): JsonSchema =>
  objectSchema({ [name]: { type: 'array', items }, links: linksSchema });

const owner: JsonSchema = { ...entityIdSchema, description: 'Whose property it is.' };
const spender: JsonSchema = { ...entityIdSchema, description: 'Who may spend it.' };
const validity: JsonSchema = { ...timestampRangeSchema, description: 'Since when the allowance stands so.' };
const tokenId: JsonSchema = { ...entityIdSchema, description: 'The token.' };

export const cryptoAllowancesSchema = pageOf(
  'allowances',
  objectSchema({
    amount: int64Schema('Tinybars that may still be spent.', { examples: [75] }),
    amount_granted: int64Schema('Tinybars that the owner allowed.', { examples: [100] }),
    owner,
    spender,
    timestamp: validity,
  }),
);

export const tokenAllowancesSchema = pageOf(
  'allowances',
  objectSchema({
    amount: int64Schema('What may still be spent, in the smallest unit of the token.', { examples: [75] }),
    amount_granted: int64Schema('What the owner allowed, in the smallest unit of the token.', { examples: [100] }),
    owner,
    spender,
    timestamp: validity,
    token_id: tokenId,
  }),
);

export const nftAllowancesSchema = pageOf(
  'allowances',
  objectSchema({
    approved_for_all: { type: 'boolean', description: 'Always true: the spender may move all NFTs of the token.' },
    owner,
    spender,
    timestamp: validity,
    token_id: tokenId,
  }),
);

export const stakingRewardsSchema = pageOf(
  'rewards',
  objectSchema({
    account_id: { ...entityIdSchema, description: 'The account that was rewarded.' },
    amount: int64Schema('Tinybars paid.', { examples: [10] }),
    timestamp: { ...timestampSchema, description: 'When the transaction that paid reached consensus.' },
  }),
);

/** Named values, or null when neither the account nor a known token says. */
const statusSchema = (names: readonly string[], description: string): JsonSchema => ({
  type: ['string', 'null'],
  enum: [...names, null],
  description,
});

export const tokenRelationshipsSchema = pageOf(
  'tokens',
  objectSchema({
    automatic_association: {
      type: ['boolean', 'null'],
      description: 'Whether the network associated the token by itself.',
    },
    balance: int64Schema('In the smallest unit of the token; of an NFT the number held.', { examples: [5] }),
    created_timestamp: { ...nullableTimestampSchema, description: 'When the token was associated.' },
    decimals: {
      type: ['integer', 'null'],
      format: 'int64',
      description: 'Decimal places of the token; null for a token that is not known.',
    },
    freeze_status: statusSchema(freezeStatuses, 'Whether the account may move the token.'),
    kyc_status: statusSchema(kycStatuses, 'Whether the account has passed KYC for the token.'),
    token_id: tokenId,
  }),
);
