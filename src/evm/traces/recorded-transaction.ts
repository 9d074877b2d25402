/**
 * Contract transactions as the ledger recorded them, in the form in which a run executes them again.
 * Three things the reference leaves out are taken up: call data that stood in a file, the init code of contracts created
 * by HAPI, however they are asked for, and their constructor's arguments.
 */
import type { Queryable } from '../../database/connection.ts';
import { fileContentSql } from '../../database/file-content.ts';
import { fromHex, toHex } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { isSuccessful, responseCodeName } from '../../ledger/response-code.ts';
import type { RunTransaction } from '../engine/run.ts';
import type { Status } from '../hapi/operation.ts';
import type { AddressHex } from '../state/records.ts';
import { longZeroHex } from '../state/world.ts';
import { authorizationsOf } from './authorizations.ts';

export interface RecordedTransaction {
  /** Nanoseconds. */
  readonly consensusTimestamp: bigint;
  readonly transaction: RunTransaction;
  /** The called or created contract; 0n when the transaction failed before there was one. */
  readonly contractId: EntityId;
  /** As the network recorded it. */
  readonly status: Status;
  readonly succeeded: boolean;
  /** As the network charged it, 0n where it recorded none. */
  readonly gasUsed: bigint;
}

interface RecordedRow {
  readonly consensus_timestamp: string;
  readonly contract_id: string;
  readonly amount: string | null;
  readonly gas_limit: string;
  readonly gas_used: string | null;
  readonly transaction_result: number;
  readonly function_parameters: Buffer;
  readonly type: number | null;
  readonly sender_id: string | null;
  readonly sender_address: Buffer | null;
  readonly contract_address: Buffer | null;
  readonly to_address: Buffer | null;
  readonly is_ethereum: boolean;
  readonly call_data: Buffer | null;
  readonly call_data_id: string | null;
  readonly authorization_list: string | null;
  readonly failed_initcode: Buffer | null;
  readonly initcode: Buffer | null;
  readonly file_id: string | null;
}

const CONTRACT_CREATE = 8;

const recordedSql = `
  select result.consensus_timestamp, result.contract_id, result.amount, result.gas_limit, result.function_parameters,
    result.gas_used, result.transaction_result,
    result.failed_initcode, transaction.type, result.sender_id,
    coalesce(sender.evm_address, case when length(sender.alias) = 20 then sender.alias end) as sender_address,
    coalesce(called.evm_address, case when length(called.alias) = 20 then called.alias end) as contract_address,
    ethereum.to_address, ethereum.consensus_timestamp is not null as is_ethereum, ethereum.call_data,
    ethereum.call_data_id, ethereum.authorization_list::text as authorization_list, contract.initcode, contract.file_id
  from contract_result result
  left join transaction on transaction.consensus_timestamp = result.consensus_timestamp
    and transaction.payer_account_id = result.payer_account_id
  left join ethereum_transaction ethereum on ethereum.consensus_timestamp = result.consensus_timestamp
  left join entity sender on sender.id = result.sender_id
  left join entity called on called.id = result.contract_id
  left join contract on contract.id = result.contract_id
  where result.consensus_timestamp = $1`;

const fileSql = fileContentSql({ file: '$1', until: '$2' });

/** Files hold code and call data as hex digits. */
const fileBytes = async (db: Queryable, fileId: string, timestamp: string): Promise<Uint8Array> => {
  const [row] = await db.query<{ content: Buffer | null }>(fileSql, [fileId, timestamp], 'recorded-file');
  const text = Buffer.from(row?.content ?? [])
    .toString('latin1')
    .trim();
  return fromHex(text) ?? new Uint8Array();
};

const concat = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
};

/** Code of a creation, with the constructor's arguments. Those that a file holds come without them. */
const initCode = async (db: Queryable, row: RecordedRow): Promise<Uint8Array> => {
  if (row.failed_initcode !== null && row.failed_initcode.length > 0) return row.failed_initcode;
  const { initcode, function_parameters, file_id } = row;
  if (initcode !== null && initcode.length > 0) {
    const complete =
      function_parameters.length === 0 || initcode.subarray(-function_parameters.length).equals(function_parameters);
    return complete ? initcode : concat(initcode, function_parameters);
  }
  if (file_id === null) return function_parameters;
  return concat(await fileBytes(db, file_id, row.consensus_timestamp), function_parameters);
};

const ethereumData = async (db: Queryable, row: RecordedRow): Promise<Uint8Array> => {
  if (row.call_data !== null && row.call_data.length > 0) return row.call_data;
  if (row.call_data_id !== null) return fileBytes(db, row.call_data_id, row.consensus_timestamp);
  return row.function_parameters;
};

const addressOf = (address: Buffer | null, id: string | null): AddressHex | undefined => {
  if (address !== null) return toHex(address);
  return id === null ? undefined : longZeroHex(BigInt(id));
};

/** Where the network put the contract: what it created itself is addressed by that. */
const createdAddress = ({ contract_id, contract_address }: RecordedRow): AddressHex | undefined =>
  contract_id === '0' ? undefined : addressOf(contract_address, contract_id);

const transactionOf = async (db: Queryable, row: RecordedRow): Promise<RunTransaction> => {
  const shared = {
    from: addressOf(row.sender_address, row.sender_id),
    value: BigInt(row.amount ?? 0),
    gas: BigInt(row.gas_limit),
  };
  if (row.is_ethereum) {
    const isCreation = row.to_address === null || row.to_address.length === 0;
    const data = await ethereumData(db, row);
    if (isCreation) return { ...shared, to: undefined, data, newAddress: createdAddress(row) };
    const authorizations = authorizationsOf(row.authorization_list);
    return { ...shared, to: toHex(row.to_address), data, ...(authorizations.length > 0 && { authorizations }) };
  }
  if (row.type === CONTRACT_CREATE) {
    return { ...shared, to: undefined, data: await initCode(db, row), newAddress: createdAddress(row) };
  }
  return { ...shared, to: addressOf(row.contract_address, row.contract_id), data: row.function_parameters };
};

/** The contract transaction at a consensus timestamp; undefined without a contract result. */
export const recordedTransaction = async (
  db: Queryable,
  timestamp: bigint,
): Promise<RecordedTransaction | undefined> => {
  const [row] = await db.query<RecordedRow>(recordedSql, [timestamp.toString()], 'recorded-transaction');
  if (row === undefined) return undefined;
  return {
    consensusTimestamp: timestamp,
    contractId: BigInt(row.contract_id),
    status: responseCodeName(row.transaction_result) as Status,
    succeeded: isSuccessful(row.transaction_result),
    gasUsed: BigInt(row.gas_used ?? 0),
    transaction: await transactionOf(db, row),
  };
};
