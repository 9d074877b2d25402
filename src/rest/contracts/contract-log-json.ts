/** A row of `contract_log` as REST shows it: alone, with its block, and within the details of a result. */
import { entityIdJson, integerJson, timestampJson } from '../../api/json.ts';
import { toHex } from '../../ledger/bytes.ts';
import { bytesJson, evmAddressJson, WORD_DIGITS, wordJson } from './evm-json.ts';

/** What a log is made of wherever it is shown. */
export interface ResultLogRow {
  readonly bloom: Buffer;
  readonly contract_id: string;
  readonly data: Buffer;
  /** Of the contract, by a join with `entity`. */
  readonly evm_address: Buffer | null;
  readonly index: number;
  readonly topic0: Buffer | null;
  readonly topic1: Buffer | null;
  readonly topic2: Buffer | null;
  readonly topic3: Buffer | null;
}

/** Columns of `contract_log l` left-joined with `entity e` on the contract. */
export const resultLogColumns =
  'l.bloom, l.contract_id, l.data, e.evm_address, l.index, l.topic0, l.topic1, l.topic2, l.topic3';

const topicsJson = ({ topic0, topic1, topic2, topic3 }: ResultLogRow): string => {
  const topics = [topic0, topic1, topic2, topic3].flatMap((topic) => (topic === null ? [] : [wordJson(topic)]));
  return `[${topics.join(',')}]`;
};

/** Data shorter than a word is filled up to one; no data stays empty. */
const dataJson = (data: Buffer): string =>
  data.length === 0 ? '"0x"' : `"0x${toHex(data).padStart(WORD_DIGITS, '0')}"`;

const resultLogMembersJson = (log: ResultLogRow): string =>
  `"address":${evmAddressJson(log.evm_address, log.contract_id)},"bloom":${bytesJson(log.bloom)},` +
  `"contract_id":${entityIdJson(log.contract_id)},"data":${dataJson(log.data)},"index":${log.index},` +
  `"topics":${topicsJson(log)}`;

/** A log within the details of its result. */
export const resultLogJson = (log: ResultLogRow): string => `{${resultLogMembersJson(log)}}`;

/** A log in a list of logs. */
export interface ContractLogRow extends ResultLogRow {
  /** Of its block, hex with or without `0x`. */
  readonly block_hash: string | null;
  readonly block_number: string | null;
  readonly consensus_timestamp: string;
  readonly root_contract_id: string | null;
  readonly transaction_hash: Buffer | null;
  readonly transaction_index: number | null;
}

/** Columns of a log and of its block beside `resultLogColumns`, the block as `record_file r`. */
export const contractLogColumns = `${resultLogColumns}, r.hash as block_hash, r.index as block_number,
  l.consensus_timestamp, l.root_contract_id, l.transaction_hash, l.transaction_index`;

/** A block's hash; only `0x` while the block is not known. */
const blockHashJson = (hash: string | null): string =>
  hash === null ? '"0x"' : hash.startsWith('0x') ? `"${hash}"` : `"0x${hash}"`;

export const contractLogJson = (log: ContractLogRow): string =>
  `{${resultLogMembersJson(log)},"root_contract_id":${entityIdJson(log.root_contract_id)},` +
  `"timestamp":${timestampJson(log.consensus_timestamp)},"block_hash":${blockHashJson(log.block_hash)},` +
  `"block_number":${integerJson(log.block_number)},"transaction_hash":${bytesJson(log.transaction_hash)},` +
  `"transaction_index":${integerJson(log.transaction_index)}}`;
