/** Contracts, their calls, logs, traces, storage, and Ethereum transactions. */
import {
  bool,
  bytea,
  enumOf,
  int2,
  int4,
  int8,
  int8Array,
  jsonb,
  nanosTimestamp,
  nullable,
  table,
  text,
  withDefault,
} from '../column.ts';

export const contract = table(
  'contract',
  {
    id: int8,
    file_id: nullable(int8),
    initcode: nullable(bytea),
    runtime_bytecode: nullable(bytea),
  },
  ['id'],
);

export const contractAction = table(
  'contract_action',
  {
    call_depth: int4,
    call_type: nullable(int4),
    caller: nullable(int8),
    caller_type: nullable(withDefault(enumOf('entity_type'), "'CONTRACT'::entity_type")),
    consensus_timestamp: int8,
    gas: int8,
    gas_used: int8,
    index: int4,
    input: nullable(bytea),
    recipient_account: nullable(int8),
    recipient_address: nullable(bytea),
    recipient_contract: nullable(int8),
    result_data: nullable(bytea),
    result_data_type: int4,
    value: int8,
    call_operation_type: nullable(int4),
    payer_account_id: int8,
  },
  ['consensus_timestamp', 'index'],
);

export const contractLog = table(
  'contract_log',
  {
    bloom: bytea,
    consensus_timestamp: int8,
    contract_id: int8,
    data: bytea,
    index: int4,
    topic0: nullable(bytea),
    topic1: nullable(bytea),
    topic2: nullable(bytea),
    topic3: nullable(bytea),
    payer_account_id: int8,
    root_contract_id: nullable(int8),
    transaction_hash: nullable(bytea),
    transaction_index: nullable(int4),
    synthetic: nullable(bool),
  },
  ['consensus_timestamp', 'index'],
);

export const contractResult = table(
  'contract_result',
  {
    function_parameters: bytea,
    gas_limit: int8,
    function_result: nullable(bytea),
    gas_used: nullable(int8),
    consensus_timestamp: nanosTimestamp,
    amount: nullable(int8),
    bloom: nullable(bytea),
    call_result: nullable(bytea),
    contract_id: int8,
    created_contract_ids: nullable(int8Array),
    error_message: nullable(text),
    payer_account_id: int8,
    sender_id: nullable(int8),
    failed_initcode: nullable(bytea),
    transaction_hash: nullable(bytea),
    transaction_index: nullable(int4),
    transaction_result: int2,
    transaction_nonce: withDefault(int4, '0'),
    gas_consumed: nullable(int8),
  },
  ['consensus_timestamp'],
);

export const contractState = table(
  'contract_state',
  {
    contract_id: int8,
    created_timestamp: int8,
    modified_timestamp: int8,
    slot: bytea,
    value: nullable(bytea),
  },
  ['contract_id', 'slot'],
);

export const contractStateChange = table(
  'contract_state_change',
  {
    consensus_timestamp: int8,
    contract_id: int8,
    payer_account_id: int8,
    slot: bytea,
    value_read: bytea,
    value_written: nullable(bytea),
    migration: withDefault(bool, 'false'),
  },
  ['consensus_timestamp', 'contract_id', 'slot'],
);

export const contractTransaction = table(
  'contract_transaction',
  {
    consensus_timestamp: int8,
    entity_id: int8,
    contract_ids: int8Array,
    payer_account_id: int8,
  },
  ['consensus_timestamp', 'entity_id'],
);

export const contractTransactionHash = table('contract_transaction_hash', {
  consensus_timestamp: int8,
  hash: bytea,
  payer_account_id: int8,
  entity_id: int8,
  transaction_result: int2,
});

export const ethereumTransaction = table(
  'ethereum_transaction',
  {
    call_data_id: nullable(int8),
    call_data: nullable(bytea),
    chain_id: nullable(bytea),
    consensus_timestamp: int8,
    data: bytea,
    gas_limit: int8,
    gas_price: nullable(bytea),
    hash: bytea,
    max_fee_per_gas: nullable(bytea),
    max_gas_allowance: int8,
    max_priority_fee_per_gas: nullable(bytea),
    nonce: int8,
    payer_account_id: int8,
    recovery_id: nullable(int2),
    signature_r: bytea,
    signature_s: bytea,
    signature_v: nullable(bytea),
    to_address: nullable(bytea),
    type: int2,
    value: nullable(bytea),
    authorization_list: nullable(jsonb),
    access_list: nullable(jsonb),
  },
  ['consensus_timestamp'],
);
