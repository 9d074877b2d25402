/** Token definitions, associations with accounts, airdrops and custom fees. */
import {
  bool,
  bytea,
  entityId,
  enumOf,
  historyOf,
  int2,
  int8,
  int8range,
  jsonb,
  nullable,
  table,
  varchar,
  withDefault,
} from '../column.ts';

export const token = table(
  'token',
  {
    token_id: entityId,
    created_timestamp: int8,
    decimals: int8,
    freeze_default: withDefault(bool, 'false'),
    freeze_key: nullable(bytea),
    initial_supply: int8,
    kyc_key: nullable(bytea),
    name: varchar(100),
    supply_key: nullable(bytea),
    symbol: varchar(100),
    total_supply: withDefault(int8, '0'),
    treasury_account_id: entityId,
    wipe_key: nullable(bytea),
    max_supply: withDefault(int8, "'9223372036854775807'::bigint"),
    supply_type: withDefault(enumOf('token_supply_type'), "'INFINITE'::token_supply_type"),
    type: withDefault(enumOf('token_type'), "'FUNGIBLE_COMMON'::token_type"),
    fee_schedule_key: nullable(bytea),
    pause_key: nullable(bytea),
    pause_status: withDefault(enumOf('token_pause_status'), "'NOT_APPLICABLE'::token_pause_status"),
    timestamp_range: int8range,
    freeze_status: int2,
    kyc_status: int2,
    metadata: nullable(bytea),
    metadata_key: nullable(bytea),
  },
  ['token_id'],
);

export const tokenHistory = historyOf(token);

export const tokenAccount = table(
  'token_account',
  {
    account_id: int8,
    associated: withDefault(bool, 'false'),
    automatic_association: nullable(bool),
    created_timestamp: nullable(int8),
    freeze_status: nullable(int2),
    kyc_status: nullable(int2),
    timestamp_range: int8range,
    token_id: int8,
    balance: withDefault(int8, '0'),
    balance_timestamp: nullable(int8),
  },
  ['account_id', 'token_id'],
);

export const tokenAccountHistory = historyOf(tokenAccount);

export const tokenAirdrop = table('token_airdrop', {
  amount: nullable(int8),
  receiver_account_id: int8,
  sender_account_id: int8,
  serial_number: int8,
  state: withDefault(enumOf('airdrop_state'), "'PENDING'::airdrop_state"),
  timestamp_range: int8range,
  token_id: int8,
});

export const tokenAirdropHistory = historyOf(tokenAirdrop);

export const customFee = table(
  'custom_fee',
  {
    fixed_fees: nullable(jsonb),
    fractional_fees: nullable(jsonb),
    royalty_fees: nullable(jsonb),
    timestamp_range: int8range,
    entity_id: int8,
  },
  ['entity_id'],
);

export const customFeeHistory = historyOf(customFee);
