/** A token as the list of tokens shows it, and all of a token as it is shown alone. */
import { cellText } from '../../api/resource/cells.ts';
import {
  base64,
  derived,
  digits,
  entityId,
  type field,
  flag,
  int64,
  key,
  nullable,
  numberJson,
  object,
  optional,
  plainText,
  putting,
  text,
  timestamp,
} from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';
import { int64Schema } from '../../api/schemas.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { fixedFees, fractionalFees, royaltyFees } from './custom-fees.ts';

const adminKey = key('p.key', 'May change and delete the token; null: nobody.');
const name = text('p.name');
const symbol = text('p.symbol');
const tokenId = entityId('p.token_id');
const type = plainText('p.type', { enum: ['FUNGIBLE_COMMON', 'NON_FUNGIBLE_UNIQUE'] });

/** Null in tokens from before there was metadata. */
const metadata = {
  ...base64("coalesce(p.metadata, '')", ''),
  schema: { type: 'string', contentEncoding: 'base64', description: 'Empty for tokens without metadata.' },
};

export const token = resource({
  name: 'Token',
  keys: { id: 'p.token_id' },
  fields: {
    admin_key: adminKey,
    decimals: int64('p.decimals', 'How many digits of an amount stand behind the decimal point.'),
    metadata,
    name,
    symbol,
    token_id: tokenId,
    type,
  },
});

const amount = (sql: string, description: string) => {
  const of = digits(sql, description);
  return { ...of, schema: { ...of.schema, type: 'string' } };
};

/** What was set; else the end of the first renewal period. */
const expiry = derived(
  { set: 'p.expiration_timestamp', created: 'p.created_timestamp', period: 'p.auto_renew_period' },
  int64Schema('Nanoseconds since the Unix epoch; without an expiry, creation and renewal period.', {
    type: ['integer', 'null'],
  }),
  ({ set, created, period }) => {
    if (set !== '' || period === '') return numberJson(set);
    return (BigInt(created) + BigInt(period) * NANOS_PER_SECOND).toString();
  },
);

/** Shown of tokens of one type only. */
const ofType = (tokenType: string, of: ReturnType<typeof field>) =>
  optional({
    ...putting({ ...of.cells, tokenType: 'p.type' }, of.schema, (out, bytes, ...bounds) => {
      const [start = 0, end = 0] = bounds.slice(-2);
      if (cellText(bytes, start, end) === tokenType && of.write.kind === 'cells')
        of.write.put(out, bytes, ...bounds.slice(0, -2));
    }),
  });

export const tokenInfo = resource({
  name: 'TokenInfo',
  fields: {
    admin_key: adminKey,
    auto_renew_account: entityId('p.auto_renew_account_id', 'Who pays when the token is renewed.'),
    auto_renew_period: nullable(
      int64('p.auto_renew_period', 'Seconds by which the expiry is extended when it is reached.'),
    ),
    created_timestamp: timestamp('p.created_timestamp'),
    custom_fees: object(
      {
        created_timestamp: timestamp('p.fees_timestamp', 'Since when these fees are charged.'),
        fixed_fees: fixedFees('p.fixed_fees'),
        fractional_fees: ofType('FUNGIBLE_COMMON', fractionalFees('p.fractional_fees', 'p.token_id')),
        royalty_fees: ofType('NON_FUNGIBLE_UNIQUE', royaltyFees('p.royalty_fees')),
      },
      'Fractional fees are those of fungible tokens, royalties those of NFTs.',
    ),
    decimals: amount('p.decimals', 'How many digits of an amount stand behind the decimal point.'),
    deleted: nullable(flag('p.deleted')),
    expiry_timestamp: expiry,
    fee_schedule_key: key('p.fee_schedule_key', 'May change the custom fees.'),
    freeze_default: flag('p.freeze_default', 'Whether newly associated accounts are frozen.'),
    freeze_key: key('p.freeze_key', 'May freeze and unfreeze accounts.'),
    initial_supply: amount('p.initial_supply', 'In the smallest unit.'),
    kyc_key: key('p.kyc_key', 'May grant and revoke KYC.'),
    max_supply: amount('p.max_supply', 'In the smallest unit.'),
    memo: text('p.memo'),
    metadata,
    metadata_key: key('p.metadata_key', 'May change the metadata.'),
    modified_timestamp: timestamp('p.modified_timestamp', 'When the token last changed.'),
    name,
    pause_key: key('p.pause_key', 'May pause and unpause the token.'),
    pause_status: plainText('p.pause_status', { enum: ['NOT_APPLICABLE', 'PAUSED', 'UNPAUSED'] }),
    supply_key: key('p.supply_key', 'May mint and burn.'),
    supply_type: plainText('p.supply_type', { enum: ['FINITE', 'INFINITE'] }),
    symbol,
    token_id: tokenId,
    total_supply: amount('p.total_supply', 'In the smallest unit.'),
    treasury_account_id: entityId('p.treasury_account_id', 'Who gets what is minted.'),
    type,
    wipe_key: key('p.wipe_key', 'May wipe balances of accounts.'),
  },
});
