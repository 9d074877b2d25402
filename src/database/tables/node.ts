/** Consensus nodes, registered nodes and their stakes. */
import {
  bool,
  bytea,
  historyOf,
  int2Array,
  int8,
  int8Array,
  int8range,
  jsonb,
  nullable,
  table,
  varchar,
  withDefault,
} from '../column.ts';

export const node = table(
  'node',
  {
    admin_key: nullable(bytea),
    created_timestamp: nullable(int8),
    deleted: withDefault(bool, 'false'),
    node_id: int8,
    timestamp_range: int8range,
    decline_reward: withDefault(bool, 'false'),
    grpc_proxy_endpoint: nullable(jsonb),
    account_id: nullable(int8),
    associated_registered_nodes: nullable(int8Array),
  },
  ['node_id'],
);

export const nodeHistory = historyOf(node);

export const registeredNode = table(
  'registered_node',
  {
    admin_key: nullable(bytea),
    created_timestamp: nullable(int8),
    deleted: withDefault(bool, 'false'),
    description: nullable(varchar(100)),
    registered_node_id: int8,
    service_endpoints: nullable(jsonb),
    timestamp_range: int8range,
    type: withDefault(int2Array, "'{}'::smallint[]"),
  },
  ['registered_node_id'],
);

export const registeredNodeHistory = historyOf(registeredNode);

export const nodeStake = table(
  'node_stake',
  {
    consensus_timestamp: int8,
    epoch_day: int8,
    node_id: int8,
    reward_rate: int8,
    stake: int8,
    stake_rewarded: int8,
    staking_period: int8,
    max_stake: int8,
    min_stake: int8,
    stake_not_rewarded: int8,
  },
  ['consensus_timestamp', 'node_id'],
);

export const networkStake = table(
  'network_stake',
  {
    consensus_timestamp: int8,
    epoch_day: int8,
    max_staking_reward_rate_per_hbar: int8,
    node_reward_fee_denominator: int8,
    node_reward_fee_numerator: int8,
    stake_total: int8,
    staking_period: int8,
    staking_period_duration: int8,
    staking_periods_stored: int8,
    staking_reward_fee_denominator: int8,
    staking_reward_fee_numerator: int8,
    staking_reward_rate: int8,
    staking_start_threshold: int8,
    max_stake_rewarded: withDefault(int8, '0'),
    max_total_reward: withDefault(int8, '0'),
    reserved_staking_rewards: withDefault(int8, '0'),
    reward_balance_threshold: withDefault(int8, '0'),
    unreserved_staking_reward_balance: withDefault(int8, '0'),
  },
  ['consensus_timestamp'],
);
