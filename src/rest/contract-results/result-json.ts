/** Rows of contract results as REST shows them: in the list of one contract, in the list of all, and alone. */
import { entityIdJson, hexJson, integerJson, plainJson, textJson, timestampJson } from '../../api/json.ts';
import { toHex } from '../../ledger/bytes.ts';
import { isSuccessful, responseCodeName } from '../../ledger/response-code.ts';
import { ContractFunctionResult } from '../../protobuf/generated/services/contract_types.ts';
import { evmAddressJson } from '../contracts/evm-json.ts';
import { accessListHexJson } from './access-list.ts';
import { type AmountUnit, gasPriceJson, quantityJson, tinybarsIn, valueJson } from './weibar.ts';

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

/** What only the details of an Ethereum transaction's result show. */
export interface EthereumDetails {
  readonly callData: Buffer | null;
  /** Content of the file that holds the call data. */
  readonly file: Buffer | null;
  readonly gasLimit: string;
}

export interface ResultFormat {
  readonly unit: AmountUnit;
  /** Of the network, for transactions that name none. */
  readonly chainId: string;
  readonly showsAuthorizationList: boolean;
  /** Tinybars for a unit of gas in a contract call at that time; null when not known. */
  readonly gasPrice: (consensusTimestamp: string) => bigint | null;
}

const NO_ENTITY = '0';
const LEGACY_TYPE = 0;
const emptyBloom = `"0x${'00'.repeat(256)}"`;

const isBlank = (bytes: Uint8Array | null): boolean => bytes === null || bytes.length === 0;

/** Null and no bytes alike are `"0x"`. */
const bytesJson = (bytes: Uint8Array | null): string => (bytes === null ? '"0x"' : hexJson(bytes));

const bloomJson = (bloom: Buffer | null): string => (bloom?.length === 0 ? emptyBloom : bytesJson(bloom));

const longZeroJson = (id: string | null): string =>
  id === null || id === NO_ENTITY ? 'null' : evmAddressJson(null, id);

const contractAddressJson = (row: ResultRow): string =>
  isBlank(row.evm_address) ? longZeroJson(row.contract_id) : evmAddressJson(row.evm_address, row.contract_id);

/** A sender that has no id here is known by the alias in the function result. */
const senderAliasJson = (functionResult: Buffer | null): string => {
  if (functionResult === null || functionResult.length === 0) return 'null';
  try {
    const account = ContractFunctionResult.decode(functionResult).senderId?.account;
    return account?.$case === 'alias' && account.alias.length > 0 ? hexJson(account.alias) : 'null';
  } catch {
    return 'null';
  }
};

const senderJson = (row: ResultRow): string =>
  row.sender_id === null ? senderAliasJson(row.function_result) : longZeroJson(row.sender_id);

const createdJson = (ids: readonly string[] | null): string => `[${(ids ?? []).map(entityIdJson).join(',')}]`;

/** The members that an Ethereum transaction may replace. */
interface Replaced {
  readonly amount: string;
  readonly errorMessage: string;
  readonly functionParameters: string;
  readonly gasLimit: string;
  readonly to: string;
}

const ownMembers = (row: ResultRow): Replaced => ({
  amount: integerJson(row.amount),
  errorMessage: textJson(row.error_message === '' ? null : row.error_message),
  functionParameters: hexJson(row.function_parameters),
  gasLimit: row.gas_limit,
  to: longZeroJson(row.contract_id),
});

const commonMembers = (row: ResultRow, replaced: Replaced): string =>
  `"address":${contractAddressJson(row)},"amount":${replaced.amount},"bloom":${bloomJson(row.bloom)},` +
  `"call_result":${bytesJson(row.call_result)},"contract_id":${entityIdJson(row.contract_id)},` +
  `"created_contract_ids":${createdJson(row.created_contract_ids)},"error_message":${replaced.errorMessage},` +
  `"from":${senderJson(row)},"function_parameters":${replaced.functionParameters},` +
  `"gas_consumed":${integerJson(row.gas_consumed)},"gas_limit":${replaced.gasLimit},` +
  `"gas_used":${integerJson(row.gas_used)},"timestamp":${timestampJson(row.consensus_timestamp)},` +
  `"to":${replaced.to},"hash":${bytesJson(row.transaction_hash)}`;

/** A result in the list of one contract, with the members that other mirror nodes show there. */
export const briefResultJson = (row: ResultRow): string => `{${commonMembers(row, ownMembers(row))}}`;

const functionParametersJson = (row: ResultRow, details: EthereumDetails | undefined): string => {
  if (!isBlank(details?.callData ?? null)) return bytesJson(details?.callData ?? null);
  const useFile = row.function_parameters.length === 0 && details !== undefined && details.file !== null;
  return hexJson(useFile ? details.file : row.function_parameters);
};

const ethereumMembers = (row: BlockResultRow, details: EthereumDetails | undefined, unit: AmountUnit): Replaced => {
  const own = ownMembers(row);
  const isUnexplained = own.errorMessage === 'null' && !isSuccessful(row.transaction_result);
  return {
    amount: valueJson(row.ethereum_value, unit),
    errorMessage: isUnexplained ? plainJson(responseCodeName(row.transaction_result)) : own.errorMessage,
    functionParameters: functionParametersJson(row, details),
    gasLimit: details?.gasLimit ?? own.gasLimit,
    to: isBlank(row.ethereum_to_address) ? own.to : hexJson(row.ethereum_to_address),
  };
};

const plainMembers = (row: BlockResultRow, unit: AmountUnit): Replaced => ({
  ...ownMembers(row),
  amount: row.amount === null ? 'null' : `${tinybarsIn(row.amount, unit)}`,
});

const failedInitcodeJson = (row: BlockResultRow, details: EthereumDetails | undefined): string => {
  if (!isBlank(row.failed_initcode)) return hexJson(row.failed_initcode);
  const callData = details?.callData ?? null;
  return isSuccessful(row.transaction_result) || isBlank(callData) ? 'null' : hexJson(callData);
};

const unknownGas = '-1';

const blockMembers = (row: BlockResultRow): string => {
  const hash = row.block_hash ?? '';
  return (
    `"block_gas_used":${row.block_gas_used === unknownGas ? 'null' : integerJson(row.block_gas_used)},` +
    `"block_hash":"${hash.startsWith('0x') ? '' : '0x'}${hash}","block_number":${integerJson(row.block_number)}`
  );
};

/** The text of a jsonb column that holds an array; `[]` for anything else. */
const arrayJson = (text: string | null): string => (text?.startsWith('[') ? text : '[]');

/** How the members are written whose type the specification gives otherwise than other mirror nodes. */
interface ResultForm {
  readonly accessList: (text: string | null) => string;
  readonly status: (successful: boolean) => string;
}

/** As other mirror nodes show results, and relays read them. */
const usualForm: ResultForm = {
  accessList: arrayJson,
  status: (successful) => (successful ? '"0x1"' : '"0x0"'),
};

/** As the specification has the elements of `/contracts/{id}/results`. */
const specifiedForm: ResultForm = {
  accessList: accessListHexJson,
  status: (successful) => (successful ? '1' : '0'),
};

const recoveryJson = (row: BlockResultRow): string =>
  row.ethereum_type === LEGACY_TYPE && row.ethereum_signature_v !== null && row.ethereum_signature_v.length > 0
    ? `${BigInt(`0x${toHex(row.ethereum_signature_v)}`)}`
    : integerJson(row.ethereum_recovery_id);

const signedMembers = (row: BlockResultRow, { unit, showsAuthorizationList }: ResultFormat, form: ResultForm): string =>
  `"access_list":${form.accessList(row.ethereum_access_list)},` +
  (showsAuthorizationList ? `"authorization_list":${arrayJson(row.ethereum_authorization_list)},` : '') +
  `"chain_id":${quantityJson(row.ethereum_chain_id)},"gas_price":${gasPriceJson(row.ethereum_gas_price, unit)},` +
  `"max_fee_per_gas":${gasPriceJson(row.ethereum_max_fee_per_gas, unit)},` +
  `"max_priority_fee_per_gas":${gasPriceJson(row.ethereum_max_priority_fee_per_gas, unit)},` +
  `"nonce":${integerJson(row.ethereum_nonce)},"r":${bytesJson(row.ethereum_signature_r)},` +
  `"s":${bytesJson(row.ethereum_signature_s)},"type":${row.ethereum_type},"v":${recoveryJson(row)}`;

const unsignedMembers = (row: BlockResultRow, { chainId, gasPrice, unit }: ResultFormat, form: ResultForm): string => {
  const price = gasPrice(row.consensus_timestamp);
  return (
    `"access_list":${form.accessList(null)},"chain_id":${textJson(chainId)},` +
    `"gas_price":${price === null ? 'null' : `"0x${tinybarsIn(price, unit).toString(16)}"`},"max_fee_per_gas":null,` +
    `"max_priority_fee_per_gas":null,"nonce":null,"r":null,"s":null,"type":${LEGACY_TYPE},"v":null`
  );
};

const blockResultMembers = (
  row: BlockResultRow,
  format: ResultFormat,
  details?: EthereumDetails,
  form: ResultForm = usualForm,
): string => {
  const isEthereum = row.ethereum_type !== null;
  const replaced = isEthereum ? ethereumMembers(row, details, format.unit) : plainMembers(row, format.unit);
  return (
    `${commonMembers(row, replaced)},${blockMembers(row)},` +
    `"result":"${responseCodeName(row.transaction_result)}","transaction_index":${integerJson(row.transaction_index)},` +
    `"status":${form.status(isSuccessful(row.transaction_result))},` +
    `"failed_initcode":${failedInitcodeJson(row, details)},` +
    (isEthereum ? signedMembers(row, format, form) : unsignedMembers(row, format, form))
  );
};

/** A result in the list of all contracts. */
export const blockResultJson = (row: BlockResultRow, format: ResultFormat): string =>
  `{${blockResultMembers(row, format)}}`;

/** A result in the list of one contract, with all members of the specification, in its types. */
export const contractResultJson = (row: BlockResultRow, format: ResultFormat): string =>
  `{${blockResultMembers(row, format, undefined, specifiedForm)}}`;

/** A result alone, with the JSON of its logs and state changes. */
export const resultDetailsJson = (
  row: BlockResultRow,
  format: ResultFormat,
  ethereum: EthereumDetails | undefined,
  logs: readonly string[],
  stateChanges: readonly string[],
): string =>
  `{${blockResultMembers(row, format, ethereum)},"logs":[${logs.join(',')}],"state_changes":[${stateChanges.join(',')}]}`;
