/** The result of a contract transaction as one row. */
import type { RowOf } from '../../database/table.ts';
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import { ContractFunctionResult } from '../../protobuf/generated/services/contract_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { contractResultOf, type RecordItem } from '../record-item.ts';
import type { HandlerContext } from '../transaction-handler.ts';
import { int64, storedText } from '../transactions/column-values.ts';
import type { Source } from '../transactions/handler.ts';
import { accountNumber } from '../transactions/ids.ts';
import { ethereumTransactionOf, evmHashOf } from './ethereum-of.ts';
import { gasConsumed, type TracedRun } from './gas-consumed.ts';

type Row = RowOf<'contract_result'>;

const NO_BYTES = new Uint8Array(0);

/** What a contract call or creation returned, with its serialized form. */
export interface FunctionResult {
  readonly message: ContractFunctionResult;
  readonly bytes: Uint8Array;
}

/** Undefined for an item without a result, or with one that says nothing. */
export const functionResultOf = (item: RecordItem): FunctionResult | undefined => {
  const message = contractResultOf(item);
  if (message === undefined) return undefined;
  const bytes = ContractFunctionResult.encode(message).finish();
  return bytes.length === 0 ? undefined : { message, bytes };
};

/** Adds a result, and makes it findable by its hash. */
export const addContractResult = ({ batch, evm, persist }: HandlerContext, row: Row): void => {
  evm.addResult(row);
  if (!persist.contractTransactionHash) return;
  batch.insert('contract_transaction_hash', {
    consensus_timestamp: row.consensus_timestamp,
    hash: row.transaction_hash ?? NO_BYTES,
    payer_account_id: row.payer_account_id,
    entity_id: row.contract_id,
    transaction_result: row.transaction_result,
  });
};

/** A row of nothing but what every transaction has. */
const emptyRow = (item: RecordItem, contractId: EntityId, hash: Uint8Array): Row => ({
  amount: null,
  bloom: null,
  call_result: null,
  consensus_timestamp: item.consensusTimestamp,
  contract_id: contractId,
  created_contract_ids: [],
  error_message: null,
  failed_initcode: null,
  function_parameters: NO_BYTES,
  function_result: null,
  gas_consumed: null,
  gas_limit: 0n,
  gas_used: null,
  payer_account_id: item.payer,
  sender_id: item.payer,
  transaction_hash: hash,
  transaction_index: null,
  transaction_nonce: item.body.transactionID?.nonce ?? 0,
  transaction_result: item.status,
});

type Request = Pick<Row, 'amount' | 'gas_limit' | 'function_parameters' | 'failed_initcode'>;

/** Call data that an Ethereum transaction has in a file, which records repeat and blocks don't. */
const sentInFile = (item: RecordItem, { files }: HandlerContext, parameters: Uint8Array): Uint8Array => {
  const { data } = item.body;
  if (item.ofBlock === undefined || parameters.length > 0 || data?.$case !== 'ethereumTransaction') return parameters;
  const { callData: file } = data.ethereumTransaction;
  return (file && files.hexContents(file)) ?? parameters;
};

/** What was asked for: by the body of a call or creation, else as the result repeats it. */
const requestOf = ({ item, context }: Source, result: ContractFunctionResult | undefined): Partial<Request> => {
  const { data } = item.body;
  if (data?.$case === 'contractCall') {
    const { amount, gas, functionParameters } = data.contractCall;
    return { amount, gas_limit: gas, function_parameters: functionParameters };
  }
  if (data?.$case === 'contractCreateInstance') {
    const { initialBalance, gas, constructorParameters, initcodeSource } = data.contractCreateInstance;
    return {
      amount: initialBalance,
      gas_limit: gas,
      function_parameters: constructorParameters,
      failed_initcode: !item.successful && initcodeSource?.$case === 'initcode' ? initcodeSource.initcode : null,
    };
  }
  if (result === undefined) return {};
  const { amount, gas, functionParameters } = result;
  return { amount, gas_limit: gas, function_parameters: sentInFile(item, context, functionParameters) };
};

/** A bloom filter of nothing takes no space. */
const storedBloom = (bloom: Uint8Array): Uint8Array => (bloom.every((byte) => byte === 0) ? NO_BYTES : bloom);

/** What is known of a result besides the item itself. */
export interface ResultParts {
  readonly contractId: EntityId;
  readonly hash: Uint8Array;
  readonly run: TracedRun;
  readonly createdContractIds: EntityId[];
}

/** `contract_result` of a transaction with a result, or of a contract call or creation without one. */
export const contractResultRow = (source: Source, result: FunctionResult | undefined, parts: ResultParts): Row => {
  const { item, context } = source;
  const row: Row = {
    ...emptyRow(item, parts.contractId, parts.hash),
    ...requestOf(source, result?.message),
    transaction_index: context.evm.transactionIndexOf(item) ?? null,
  };
  const { run } = parts;
  if (run.initcode !== undefined && run.isCreation && !item.successful) row.failed_initcode ??= run.initcode;
  if (result === undefined) return row;
  const { message, bytes } = result;
  const gasUsed = int64(message.gasUsed);
  row.bloom = storedBloom(message.bloom);
  row.call_result = message.contractCallResult;
  row.created_contract_ids = parts.createdContractIds;
  row.error_message = storedText(message.errorMessage);
  row.function_result = bytes;
  row.gas_used = gasUsed;
  row.gas_consumed = gasConsumed(item, gasUsed, run, row.function_parameters);
  if (message.senderId !== undefined) row.sender_id = accountNumber(source, message.senderId);
  return row;
};

/** Failures for which an Ethereum transaction leaves no result: it never got as far as the EVM, nor will its hash. */
const WITHOUT_RESULT: ReadonlySet<number> = new Set([
  ResponseCodeEnum.DUPLICATE_TRANSACTION,
  ResponseCodeEnum.WRONG_NONCE,
]);

/**
 * `contract_result` of an Ethereum transaction that failed before the EVM ran; undefined for any other item, and for a
 * transaction that cannot be decoded, of which nothing is known.
 */
export const failedEthereumRow = ({ item, context }: Source): Row | undefined => {
  if (item.type !== TransactionType.ETHEREUMTRANSACTION || item.successful || WITHOUT_RESULT.has(item.status)) {
    return undefined;
  }
  const transaction = ethereumTransactionOf(item);
  if (transaction === undefined) return undefined;
  return {
    ...emptyRow(item, EMPTY_ENTITY_ID, evmHashOf(item, context)),
    call_result: NO_BYTES,
    function_parameters: transaction.callData,
    gas_limit: int64(transaction.gasLimit),
    // Nothing ran, and nothing was charged for running.
    gas_consumed: 0n,
    gas_used: 0n,
  };
};
