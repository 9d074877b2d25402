/** What every transaction leaves behind, whatever its kind. */
import {
  bool,
  bytea,
  byteaArray,
  entityId,
  enumOf,
  hbarTinybars,
  int2,
  int4,
  int8,
  int8Array,
  jsonb,
  nanosTimestamp,
  nullable,
  table,
  withDefault,
} from '../column.ts';

export const transaction = table(
  'transaction',
  {
    consensus_timestamp: int8,
    type: int2,
    result: int2,
    payer_account_id: entityId,
    valid_start_ns: int8,
    valid_duration_seconds: nullable(int8),
    node_account_id: nullable(entityId),
    entity_id: nullable(entityId),
    initial_balance: nullable(withDefault(int8, '0')),
    max_fee: nullable(hbarTinybars),
    charged_tx_fee: nullable(int8),
    memo: nullable(bytea),
    transaction_hash: nullable(bytea),
    transaction_bytes: nullable(bytea),
    scheduled: withDefault(bool, 'false'),
    nonce: withDefault(int4, '0'),
    parent_consensus_timestamp: nullable(int8),
    errata: nullable(enumOf('errata_type')),
    index: nullable(int4),
    nft_transfer: nullable(jsonb),
    itemized_transfer: nullable(jsonb),
    transaction_record_bytes: nullable(bytea),
    max_custom_fees: nullable(byteaArray),
    batch_key: nullable(bytea),
    inner_transactions: nullable(int8Array),
    high_volume: withDefault(bool, 'false'),
    congestion_pricing_multiplier: nullable(int8),
    high_volume_pricing_multiplier: nullable(int8),
  },
  ['consensus_timestamp'],
);

export const transactionHash = table('transaction_hash', {
  consensus_timestamp: int8,
  hash: bytea,
  payer_account_id: nullable(int8),
  hash_suffix: nullable(bytea),
});

export const transactionSignature = table('transaction_signature', {
  consensus_timestamp: int8,
  public_key_prefix: bytea,
  entity_id: nullable(int8),
  signature: bytea,
  type: nullable(int2),
});

export const entityTransaction = table(
  'entity_transaction',
  {
    consensus_timestamp: int8,
    entity_id: int8,
    payer_account_id: int8,
    result: int2,
    type: int2,
  },
  ['entity_id', 'consensus_timestamp'],
);

export const prng = table(
  'prng',
  {
    consensus_timestamp: int8,
    range: int4,
    prng_bytes: nullable(bytea),
    prng_number: nullable(int4),
    payer_account_id: int8,
  },
  ['consensus_timestamp'],
);

export const networkFreeze = table(
  'network_freeze',
  {
    consensus_timestamp: int8,
    end_time: nullable(int8),
    file_hash: bytea,
    file_id: nullable(int8),
    payer_account_id: int8,
    start_time: int8,
    type: int2,
  },
  ['consensus_timestamp'],
);

export const liveHash = table(
  'live_hash',
  {
    livehash: nullable(bytea),
    consensus_timestamp: nanosTimestamp,
  },
  ['consensus_timestamp'],
);
