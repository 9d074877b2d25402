/** Columns of a result, its contract's address, its block and its Ethereum transaction, as result.ts reads them. */

export interface ResultRow {
  readonly amount: string | null;
  readonly bloom: Buffer | null;
  readonly call_result: Buffer | null;
  readonly consensus_timestamp: string;
  readonly contract_id: string;
  readonly created_contract_ids: readonly string[] | null;
  readonly error_message: string | null;
  /** Of the contract. */
  readonly evm_address: Buffer | null;
  readonly failed_initcode: Buffer | null;
  readonly function_parameters: Buffer;
  /** A serialized ContractFunctionResult; only where the sender has no id. */
  readonly function_result: Buffer | null;
  readonly gas_consumed: string | null;
  readonly gas_limit: string;
  readonly gas_used: string | null;
  readonly sender_id: string | null;
  readonly transaction_hash: Buffer | null;
  readonly transaction_index: number | null;
  readonly transaction_result: number;
}

/** A result with its block and, for an Ethereum transaction, what that was signed with. */
export interface BlockResultRow extends ResultRow {
  readonly block_gas_used: string | null;
  readonly block_hash: string | null;
  readonly block_number: string | null;
  /** Null: the transaction is no Ethereum transaction, and neither are the columns below. */
  readonly ethereum_type: number | null;
  readonly ethereum_access_list: string | null;
  readonly ethereum_authorization_list: string | null;
  readonly ethereum_chain_id: Buffer | null;
  readonly ethereum_gas_price: Buffer | null;
  readonly ethereum_max_fee_per_gas: Buffer | null;
  readonly ethereum_max_priority_fee_per_gas: Buffer | null;
  readonly ethereum_nonce: string | null;
  readonly ethereum_recovery_id: number | null;
  readonly ethereum_signature_r: Buffer | null;
  readonly ethereum_signature_s: Buffer | null;
  readonly ethereum_signature_v: Buffer | null;
  readonly ethereum_to_address: Buffer | null;
  readonly ethereum_value: Buffer | null;
}

/** Of `contract_result` or a like relation. */
export const resultColumns = (alias: string): string => `${alias}.amount, ${alias}.bloom, ${alias}.call_result,
  ${alias}.consensus_timestamp, ${alias}.contract_id, ${alias}.created_contract_ids, ${alias}.error_message,
  ${alias}.failed_initcode, ${alias}.function_parameters,
  case when ${alias}.sender_id is null then ${alias}.function_result end as function_result, ${alias}.gas_consumed,
  ${alias}.gas_limit, ${alias}.gas_used, ${alias}.payer_account_id, ${alias}.sender_id, ${alias}.transaction_hash,
  ${alias}.transaction_index, ${alias}.transaction_result`;

// In these joins `limit 1` keeps the planner from joining in any other way than one probe for each result.

/** Joins the contract of `r` as `e`. */
export const contractJoin =
  'left join lateral (select evm_address from entity where id = r.contract_id limit 1) e on true';

/** Joins the block of `r` as `b`: the first that ends no earlier, under the given condition. */
export const blockJoin = (condition: string): string => `left join lateral (
    select consensus_start, gas_used, hash, index from record_file where consensus_end >= r.consensus_timestamp
    order by consensus_end limit 1
  ) b on ${condition}`;

/** Joins the Ethereum transaction of `r` as `t`. */
export const ethereumJoin = `left join lateral (
    select * from ethereum_transaction
    where consensus_timestamp = r.consensus_timestamp and payer_account_id = r.payer_account_id limit 1
  ) t on true`;

/** Of the three joins. */
export const joinedColumns = `e.evm_address, b.gas_used as block_gas_used, b.hash as block_hash,
  b.index as block_number, t.type as ethereum_type, t.access_list::text as ethereum_access_list,
  t.authorization_list::text as ethereum_authorization_list, t.chain_id as ethereum_chain_id,
  t.gas_price as ethereum_gas_price, t.max_fee_per_gas as ethereum_max_fee_per_gas,
  t.max_priority_fee_per_gas as ethereum_max_priority_fee_per_gas, t.nonce as ethereum_nonce,
  t.recovery_id as ethereum_recovery_id, t.signature_r as ethereum_signature_r,
  t.signature_s as ethereum_signature_s, t.signature_v as ethereum_signature_v,
  t.to_address as ethereum_to_address, t.value as ethereum_value`;
