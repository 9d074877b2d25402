/** A contract as REST shows it, alone and in lists. */
import {
  booleanJson,
  entityIdJson,
  integerJson,
  keyObjectJson,
  plainJson,
  textJson,
  timestampJson,
} from '../../api/json.ts';
import { toHex } from '../../ledger/bytes.ts';
import { decodeEntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { bytesJson, evmAddressJson } from './evm-json.ts';

export interface ContractRow {
  readonly auto_renew_account_id: string | null;
  readonly auto_renew_period: string | null;
  readonly created_timestamp: string | null;
  readonly deleted: boolean | null;
  readonly ethereum_nonce: string | null;
  readonly evm_address: Buffer | null;
  readonly expiration_timestamp: string | null;
  readonly file_id: string | null;
  readonly id: string;
  readonly key: Buffer | null;
  readonly max_automatic_token_associations: number | null;
  readonly memo: string;
  readonly obtainer_id: string | null;
  readonly permanent_removal: boolean | null;
  readonly proxy_account_id: string | null;
  readonly valid_from: string;
  readonly valid_to: string | null;
}

/** Columns of `e`, a row of `entity` or `entity_history`. */
export const entityVersionColumns = `e.auto_renew_account_id, e.auto_renew_period, e.created_timestamp, e.deleted,
  e.ethereum_nonce, e.evm_address, e.expiration_timestamp, e.id, e.key, e.max_automatic_token_associations, e.memo,
  e.obtainer_id, e.permanent_removal, e.proxy_account_id, lower(e.timestamp_range) as valid_from,
  upper(e.timestamp_range) as valid_to`;

/** What was set; else the end of the first renewal period. */
const expirationJson = (row: ContractRow): string => {
  const { auto_renew_period: period, created_timestamp: created, expiration_timestamp: expiration } = row;
  if (expiration !== null || created === null || period === null) return timestampJson(expiration);
  return timestampJson((BigInt(created) + BigInt(period) * NANOS_PER_SECOND).toString());
};

const membersJson = (row: ContractRow): string =>
  `"admin_key":${keyObjectJson(row.key)},"auto_renew_account":${entityIdJson(row.auto_renew_account_id)},` +
  `"auto_renew_period":${integerJson(row.auto_renew_period)},"contract_id":${entityIdJson(row.id)},` +
  `"created_timestamp":${timestampJson(row.created_timestamp)},"deleted":${booleanJson(row.deleted)},` +
  `"evm_address":${evmAddressJson(row.evm_address, row.id)},` +
  `"expiration_timestamp":${expirationJson(row)},"file_id":${entityIdJson(row.file_id)},` +
  `"max_automatic_token_associations":${integerJson(row.max_automatic_token_associations)},` +
  `"memo":${textJson(row.memo)},"nonce":${integerJson(row.ethereum_nonce)},` +
  `"obtainer_id":${entityIdJson(row.obtainer_id)},"permanent_removal":${booleanJson(row.permanent_removal)},` +
  `"proxy_account_id":${entityIdJson(row.proxy_account_id)},` +
  `"timestamp":{"from":${timestampJson(row.valid_from)},"to":${timestampJson(row.valid_to)}}`;

/** A contract in a list. */
export const contractJson = (row: ContractRow): string => `{${membersJson(row)}}`;

export interface ContractWithBytecodeRow extends ContractRow {
  /** What the file held when the contract was created. */
  readonly file_data: Buffer | null;
  readonly initcode: Buffer | null;
  readonly runtime_bytecode: Buffer | null;
}

/** Files up to this num belong to the system; none holds bytecode. */
export const LAST_SYSTEM_FILE_NUM = 1000n;

/** Files hold bytecode as text of hex digits; whatever else is in them is shown as the text it makes. */
const bytecodeJson = ({ file_id: fileId, file_data: fileData, initcode }: ContractWithBytecodeRow): string => {
  if (fileId === null || decodeEntityId(BigInt(fileId)).num <= LAST_SYSTEM_FILE_NUM) {
    return initcode === null ? '"0x"' : plainJson(`0x${toHex(initcode)}`);
  }
  const text = fileData?.toString('utf8') ?? '';
  return textJson(text.startsWith('0x') ? text : `0x${text}`);
};

/** A contract shown alone. */
export const contractWithBytecodeJson = (row: ContractWithBytecodeRow): string =>
  `{${membersJson(row)},"bytecode":${bytecodeJson(row)},"runtime_bytecode":${bytesJson(row.runtime_bytecode)}}`;
