/**
 * Columns of a result, its contract's address, its block and its Ethereum transaction, as result.ts reads them: each says once
 * where its value comes from and which form that has; the select lists and the types of the rows follow.
 */

/** A column of a row whose value arrives as `Value`. */
interface Column<Value> {
  /** SQL expression. */
  readonly sql: string;
  /** Of a type only. */
  readonly value?: Value;
}

/** A column that a result has by itself, and one that is made from a synthetic log. */
interface OwnColumn<Value> {
  /** SQL expression over `contract_result` or a like relation under an alias. */
  of(alias: string): string;
  /** SQL expression over a log `l`. */
  readonly ofLog: string;
  readonly value?: Value;
}

type RowOf<Columns extends Readonly<Record<string, { readonly value?: unknown }>>> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Column<infer Value> | OwnColumn<infer Value> ? Value : never;
};

const computed = <Value>(of: (alias: string) => string, ofLog: string): OwnColumn<Value> => ({ of, ofLog });

/** @param ofLog left out: the column of that name */
const own = <Value>(column: string, ofLog: string = `l.${column}`): OwnColumn<Value> =>
  computed((alias) => `${alias}.${column}`, ofLog);

const from = <Value>(sql: string): Column<Value> => ({ sql });

/** Digits of an int8. */
type Digits = string;

const ownColumns = {
  amount: own<Digits | null>('amount', 'null::bigint'),
  bloom: own<Buffer | null>('bloom', 'null::bytea'),
  call_result: own<Buffer | null>('call_result', 'null::bytea'),
  consensus_timestamp: own<Digits>('consensus_timestamp'),
  contract_id: own<Digits>('contract_id'),
  created_contract_ids: own<readonly Digits[] | null>('created_contract_ids', 'null::bigint[]'),
  error_message: own<string | null>('error_message', 'null::text'),
  failed_initcode: own<Buffer | null>('failed_initcode', 'null::bytea'),
  function_parameters: own<Buffer>('function_parameters', "''::bytea"),
  /** A serialized ContractFunctionResult; only where the sender has no id. */
  function_result: computed<Buffer | null>(
    (alias) => `case when ${alias}.sender_id is null then ${alias}.function_result end`,
    'null::bytea',
  ),
  gas_consumed: own<Digits | null>('gas_consumed', 'null::bigint'),
  gas_limit: own<Digits>('gas_limit', '0::bigint'),
  gas_used: own<Digits | null>('gas_used', 'null::bigint'),
  payer_account_id: own<Digits>('payer_account_id'),
  sender_id: own<Digits | null>('sender_id', 'l.payer_account_id'),
  transaction_hash: own<Buffer | null>('transaction_hash'),
  transaction_index: own<number | null>('transaction_index'),
  transaction_result: own<number>('transaction_result', '22::smallint'),
};

const contractColumns = { evm_address: from<Buffer | null>('e.evm_address') };

/** All of the Ethereum transaction are null where the transaction is none. */
const blockColumns = {
  block_gas_used: from<Digits | null>('b.gas_used'),
  block_hash: from<string | null>('b.hash'),
  block_number: from<Digits | null>('b.index'),
  ethereum_type: from<number | null>('t.type'),
  ethereum_access_list: from<string | null>('t.access_list::text'),
  ethereum_authorization_list: from<string | null>('t.authorization_list::text'),
  ethereum_chain_id: from<Buffer | null>('t.chain_id'),
  ethereum_gas_price: from<Buffer | null>('t.gas_price'),
  ethereum_max_fee_per_gas: from<Buffer | null>('t.max_fee_per_gas'),
  ethereum_max_priority_fee_per_gas: from<Buffer | null>('t.max_priority_fee_per_gas'),
  ethereum_nonce: from<Digits | null>('t.nonce'),
  ethereum_recovery_id: from<number | null>('t.recovery_id'),
  ethereum_signature_r: from<Buffer | null>('t.signature_r'),
  ethereum_signature_s: from<Buffer | null>('t.signature_s'),
  ethereum_signature_v: from<Buffer | null>('t.signature_v'),
  ethereum_to_address: from<Buffer | null>('t.to_address'),
  ethereum_value: from<Buffer | null>('t.value'),
};

/** What only the details of an Ethereum transaction's result show. */
const detailColumns = {
  ethereum_call_data: from<Buffer | null>('t.call_data'),
  /** File that holds the call data. */
  ethereum_call_data_id: from<Digits | null>('t.call_data_id'),
  ethereum_gas_limit: from<Digits | null>('t.gas_limit'),
};

/** A result with its contract's address. */
export type ResultRow = RowOf<typeof ownColumns & typeof contractColumns>;

/** A result with its block and, for an Ethereum transaction, what that was signed with. */
export type BlockResultRow = ResultRow & RowOf<typeof blockColumns>;

/** Made from a synthetic log, it lacks the details. */
export type DetailsRow = BlockResultRow & Partial<RowOf<typeof detailColumns>>;

type Expressions = readonly (readonly [name: string, sql: string])[];

const selectList = (expressions: Expressions): string =>
  expressions.map(([name, sql]) => `${sql} as ${name}`).join(', ');

const joinedList = (columns: Readonly<Record<string, Column<unknown>>>): string =>
  selectList(Object.entries(columns).map(([name, { sql }]) => [name, sql]));

/** Of `contract_result` or a like relation. */
export const resultColumns = (alias: string): string =>
  selectList(Object.entries(ownColumns).map(([name, column]) => [name, column.of(alias)]));

/** The columns of `resultColumns`, from a synthetic log `l`. */
export const syntheticColumns: string = selectList(
  Object.entries(ownColumns).map(([name, column]) => [name, column.ofLog]),
);

/** Of the first of the joins below. */
export const joinedContract: string = joinedList(contractColumns);

/** Of all of them. */
export const joinedColumns: string = joinedList({ ...contractColumns, ...blockColumns });

/** Of all of them, with the details. */
export const detailedColumns: string = joinedList({ ...contractColumns, ...blockColumns, ...detailColumns });

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
