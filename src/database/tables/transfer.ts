/** Movements of hbars and fungible tokens within one transaction. */
import { bool, entityId, enumOf, hbarTinybars, int8, int8Array, nanosTimestamp, nullable, table } from '../column.ts';

export const cryptoTransfer = table('crypto_transfer', {
  entity_id: entityId,
  consensus_timestamp: nanosTimestamp,
  amount: hbarTinybars,
  payer_account_id: int8,
  is_approval: nullable(bool),
  errata: nullable(enumOf('errata_type')),
});

export const tokenTransfer = table('token_transfer', {
  token_id: entityId,
  account_id: entityId,
  consensus_timestamp: int8,
  amount: hbarTinybars,
  payer_account_id: int8,
  is_approval: nullable(bool),
});

export const nonFeeTransfer = table('non_fee_transfer', {
  entity_id: nullable(entityId),
  consensus_timestamp: nanosTimestamp,
  amount: hbarTinybars,
  payer_account_id: int8,
  is_approval: nullable(bool),
});

export const stakingRewardTransfer = table(
  'staking_reward_transfer',
  {
    account_id: int8,
    amount: int8,
    consensus_timestamp: int8,
    payer_account_id: int8,
  },
  ['consensus_timestamp', 'account_id'],
);

export const assessedCustomFee = table('assessed_custom_fee', {
  amount: int8,
  collector_account_id: int8,
  consensus_timestamp: int8,
  token_id: nullable(int8),
  effective_payer_account_ids: int8Array,
  payer_account_id: int8,
});
