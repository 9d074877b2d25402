/**
 * Columns of a page of results, over which the fields of result.ts are: of the result, its contract's address, its block, its
 * Ethereum transaction, and of the files that tell the price of gas.
 */
import { gasPriceColumns } from './gas-price.ts';

/** SQL expressions by the names of columns. */
type Columns = Readonly<Record<string, string>>;

/** Of a result, each with its expression over a synthetic log `l`; an empty one stands for the column of that name. */
const ownColumns: Columns = {
  amount: 'null::bigint',
  bloom: 'null::bytea',
  call_result: 'null::bytea',
  consensus_timestamp: '',
  contract_id: '',
  created_contract_ids: 'null::bigint[]',
  error_message: 'null::text',
  failed_initcode: 'null::bytea',
  function_parameters: "''::bytea",
  function_result: 'null::bytea',
  gas_consumed: 'null::bigint',
  gas_limit: '0::bigint',
  gas_used: 'null::bigint',
  payer_account_id: '',
  sender_id: 'l.payer_account_id',
  transaction_hash: '',
  transaction_index: '',
  transaction_result: '22::smallint',
};

/** All of the Ethereum transaction are null where the transaction is none. */
const blockColumns: Columns = {
  block_gas_used: 'b.gas_used',
  block_hash: 'b.hash',
  block_number: 'b.index',
  ethereum_type: 't.type',
  ethereum_access_list: 't.access_list::text',
  ethereum_authorization_list: 't.authorization_list::text',
  ethereum_chain_id: 't.chain_id',
  ethereum_gas_price: 't.gas_price',
  ethereum_max_fee_per_gas: 't.max_fee_per_gas',
  ethereum_max_priority_fee_per_gas: 't.max_priority_fee_per_gas',
  ethereum_nonce: 't.nonce',
  ethereum_recovery_id: 't.recovery_id',
  ethereum_signature_r: 't.signature_r',
  ethereum_signature_s: 't.signature_s',
  ethereum_signature_v: 't.signature_v',
  ethereum_to_address: 't.to_address',
  ethereum_value: 't.value',
};

const selectList = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, sql]) => `${sql} as ${name}`)
    .join(', ');

/** Of `contract_result` or a like relation; the function result only where the sender has no id. */
export const resultColumns = (alias: string): string =>
  Object.keys(ownColumns)
    .map((name) =>
      name === 'function_result'
        ? `case when ${alias}.sender_id is null then ${alias}.function_result end as function_result`
        : `${alias}.${name}`,
    )
    .join(', ');

/** The columns of `resultColumns`, from a synthetic log `l`. */
export const syntheticColumns: string = selectList(
  Object.fromEntries(Object.entries(ownColumns).map(([name, sql]) => [name, sql || `l.${name}`])),
);

/** Of the first of the joins below. */
export const joinedContract = 'e.evm_address';

/**
 * Of all of them.
 * @param fees placeholder of the id of the fee schedules' file
 * @param rates placeholder of the id of the exchange rates' file
 */
export const joinedColumns = (fees: string, rates: string): string =>
  `${joinedContract}, ${selectList({ ...blockColumns, ...gasPriceColumns(fees, rates) })}`;

/** What only the details of an Ethereum transaction's result show. */
export const detailColumns =
  't.call_data as ethereum_call_data, t.call_data_id as ethereum_call_data_id, t.gas_limit as ethereum_gas_limit';

/** As `detailColumns`, of a result made from a synthetic log, which lacks them. */
export const noDetailColumns =
  'null::bytea as ethereum_call_data, null::bigint as ethereum_call_data_id, null::bigint as ethereum_gas_limit';

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
