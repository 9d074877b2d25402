/** Accounts, contracts, files, topics, tokens and schedules as they are now and as they were, and what they stake. */
import {
  bool,
  bytea,
  enumOf,
  historyOf,
  int4,
  int8,
  int8range,
  nullable,
  table,
  text,
  varchar,
  withDefault,
} from '../column.ts';

export const entity = table(
  'entity',
  {
    auto_renew_account_id: nullable(int8),
    auto_renew_period: nullable(int8),
    created_timestamp: nullable(int8),
    deleted: nullable(bool),
    expiration_timestamp: nullable(int8),
    id: int8,
    key: nullable(bytea),
    memo: withDefault(text, "''::text"),
    num: int8,
    public_key: nullable(varchar()),
    proxy_account_id: nullable(int8),
    realm: int8,
    shard: int8,
    receiver_sig_required: nullable(bool),
    max_automatic_token_associations: nullable(int4),
    timestamp_range: int8range,
    type: withDefault(enumOf('entity_type'), "'UNKNOWN'::entity_type"),
    alias: nullable(bytea),
    ethereum_nonce: nullable(withDefault(int8, '0')),
    evm_address: nullable(bytea),
    decline_reward: withDefault(bool, 'false'),
    staked_account_id: nullable(int8),
    staked_node_id: nullable(withDefault(int8, "'-1'::integer")),
    stake_period_start: nullable(withDefault(int8, "'-1'::integer")),
    obtainer_id: nullable(int8),
    permanent_removal: nullable(bool),
    balance: nullable(int8),
    balance_timestamp: nullable(int8),
    delegation_address: nullable(bytea),
  },
  ['id'],
);

export const entityHistory = historyOf(entity);

export const entityStake = table(
  'entity_stake',
  {
    end_stake_period: int8,
    id: int8,
    pending_reward: int8,
    staked_node_id_start: int8,
    staked_to_me: int8,
    stake_total_start: int8,
    timestamp_range: int8range,
  },
  ['id'],
);

export const entityStakeHistory = historyOf(entityStake);
