/** JSON Schemas of tokens, for the OpenAPI document. */
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

const tokenTypeSchema: JsonSchema = { type: 'string', enum: ['FUNGIBLE_COMMON', 'NON_FUNGIBLE_UNIQUE'] };

const metadataSchema: JsonSchema = {
  type: 'string',
  contentEncoding: 'base64',
  description: 'Empty for tokens without metadata.',
};

const digits = (description: string): JsonSchema => ({ type: 'string', pattern: '^-?\\d+$', description });

const adminKeySchema: JsonSchema = { ...keySchema, description: 'May change and delete the token; null: nobody.' };

const tokenSchema: JsonSchema = objectSchema({
  admin_key: adminKeySchema,
  decimals: int64Schema('How many digits of an amount stand behind the decimal point.'),
  metadata: metadataSchema,
  name: { type: 'string' },
  symbol: { type: 'string' },
  token_id: entityIdSchema,
  type: tokenTypeSchema,
});

export const tokenSchemas = { Token: tokenSchema };

export const tokensSchema: JsonSchema = objectSchema({
  tokens: { type: 'array', items: { $ref: '#/components/schemas/Token' } },
  links: linksSchema,
});

const exemptSchema: JsonSchema = {
  type: 'boolean',
  description: 'Whether accounts that collect any fee of the token pay none.',
};
const collectorSchema: JsonSchema = { ...entityIdSchema, description: 'Who gets the fee.' };
const fraction = (description: string): JsonSchema =>
  objectSchema({ denominator: int64Schema('Below the line.'), numerator: int64Schema('Above the line.') }, description);
const denominationSchema: JsonSchema = { ...entityIdSchema, description: 'Token that is charged; null: hbar.' };
const chargedAmountSchema = int64Schema('In the smallest unit of the token that is charged, or in tinybars.');

const fixedFeeSchema = objectSchema({
  all_collectors_are_exempt: exemptSchema,
  amount: chargedAmountSchema,
  collector_account_id: collectorSchema,
  denominating_token_id: denominationSchema,
});

const fractionalFeeSchema = objectSchema({
  all_collectors_are_exempt: exemptSchema,
  amount: fraction('Part of the transferred amount.'),
  collector_account_id: collectorSchema,
  denominating_token_id: { ...entityIdSchema, description: 'Always the token itself.' },
  maximum: int64Schema('Most that is charged; null: no limit.', { type: ['integer', 'null'] }),
  minimum: int64Schema('Least that is charged.', { type: ['integer', 'null'] }),
  net_of_transfers: { type: 'boolean', description: 'Whether the sender pays it on top of the transferred amount.' },
});

const royaltyFeeSchema = objectSchema({
  all_collectors_are_exempt: exemptSchema,
  amount: fraction('Part of what is given in exchange for an NFT.'),
  collector_account_id: collectorSchema,
  fallback_fee: {
    ...objectSchema({ amount: chargedAmountSchema, denominating_token_id: denominationSchema }),
    type: ['object', 'null'],
    description: 'Paid by the receiver when nothing of value is given in exchange.',
  },
});

const customFeesSchema: JsonSchema = {
  type: 'object',
  description: 'Fractional fees are those of fungible tokens, royalties those of NFTs.',
  required: ['created_timestamp', 'fixed_fees'],
  properties: {
    created_timestamp: { ...timestampSchema, description: 'Since when these fees are charged.' },
    fixed_fees: { type: 'array', items: fixedFeeSchema },
    fractional_fees: { type: 'array', items: fractionalFeeSchema },
    royalty_fees: { type: 'array', items: royaltyFeeSchema },
  },
};

export const tokenInfoSchema: JsonSchema = objectSchema({
  admin_key: adminKeySchema,
  auto_renew_account: { ...entityIdSchema, description: 'Who pays when the token is renewed.' },
  auto_renew_period: int64Schema('Seconds by which the expiry is extended when it is reached.', {
    type: ['integer', 'null'],
  }),
  created_timestamp: timestampSchema,
  custom_fees: customFeesSchema,
  decimals: digits('How many digits of an amount stand behind the decimal point.'),
  deleted: { type: ['boolean', 'null'] },
  expiry_timestamp: int64Schema('Nanoseconds since the Unix epoch; without an expiry, creation and renewal period.', {
    type: ['integer', 'null'],
  }),
  fee_schedule_key: { ...keySchema, description: 'May change the custom fees.' },
  freeze_default: { type: 'boolean', description: 'Whether newly associated accounts are frozen.' },
  freeze_key: { ...keySchema, description: 'May freeze and unfreeze accounts.' },
  initial_supply: digits('In the smallest unit.'),
  kyc_key: { ...keySchema, description: 'May grant and revoke KYC.' },
  max_supply: digits('In the smallest unit.'),
  memo: { type: 'string' },
  metadata: metadataSchema,
  metadata_key: { ...keySchema, description: 'May change the metadata.' },
  modified_timestamp: { ...timestampSchema, description: 'When the token last changed.' },
  name: { type: 'string' },
  pause_key: { ...keySchema, description: 'May pause and unpause the token.' },
  pause_status: { type: 'string', enum: ['NOT_APPLICABLE', 'PAUSED', 'UNPAUSED'] },
  supply_key: { ...keySchema, description: 'May mint and burn.' },
  supply_type: { type: 'string', enum: ['FINITE', 'INFINITE'] },
  symbol: { type: 'string' },
  token_id: entityIdSchema,
  total_supply: digits('In the smallest unit.'),
  treasury_account_id: { ...entityIdSchema, description: 'Who gets what is minted.' },
  type: tokenTypeSchema,
  wipe_key: { ...keySchema, description: 'May wipe balances of accounts.' },
});

const tokenHolderSchema: JsonSchema = objectSchema({
  account: entityIdSchema,
  balance: int64Schema('In the smallest unit of the token; of NFTs, how many.'),
  decimals: int64Schema('Of the token; null when it is not known.', { type: ['integer', 'null'] }),
});

export const tokenHolderSchemas = { TokenHolder: tokenHolderSchema };

export const tokenHoldersSchema: JsonSchema = objectSchema({
  timestamp: {
    ...nullableTimestampSchema,
    description: 'Of the snapshot; of current balances, the newest change among those on this page.',
  },
  balances: { type: 'array', items: { $ref: '#/components/schemas/TokenHolder' } },
  links: linksSchema,
});
