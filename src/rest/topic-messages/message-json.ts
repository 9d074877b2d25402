/** A row of `topic_message` as REST shows it. */
import { base64Json, booleanJson, entityIdJson, integerJson, textJson, timestampJson } from '../../api/json.ts';
import { nanosOf } from '../../ledger/timestamp.ts';
import { TransactionID } from '../../protobuf/generated/services/basic_types.ts';
import { accountIdJson } from '../proto-ids.ts';

export interface MessageRow {
  readonly chunk_num: number | null;
  readonly chunk_total: number | null;
  readonly consensus_timestamp: string;
  readonly initial_transaction_id: Buffer | null;
  readonly message: Buffer;
  readonly payer_account_id: string | null;
  readonly running_hash: Buffer | null;
  readonly running_hash_version: number | null;
  readonly sequence_number: string;
  readonly topic_id: string;
  readonly valid_start_timestamp: string | null;
}

export const messageColumns = `chunk_num, chunk_total, consensus_timestamp, initial_transaction_id, message,
  payer_account_id, running_hash, running_hash_version, sequence_number, topic_id, valid_start_timestamp`;

/** The version that rows without one have. */
const defaultRunningHashVersion = 3;

const transactionIdJson = (accountId: string, nonce: string, scheduled: string, validStart: string): string =>
  `{"account_id":${accountId},"nonce":${nonce},"scheduled":${scheduled},"transaction_valid_start":${validStart}}`;

const initialTransactionIdJson = (row: MessageRow): string => {
  if (row.initial_transaction_id === null) {
    return transactionIdJson(
      entityIdJson(row.payer_account_id),
      'null',
      'null',
      timestampJson(row.valid_start_timestamp),
    );
  }
  const id = TransactionID.decode(row.initial_transaction_id);
  const start = id.transactionValidStart;
  return transactionIdJson(
    accountIdJson(id.accountID),
    integerJson(id.nonce),
    booleanJson(id.scheduled),
    timestampJson(start === undefined ? null : nanosOf(start).toString()),
  );
};

const chunkInfoJson = (row: MessageRow): string =>
  row.chunk_num === null
    ? 'null'
    : `{"initial_transaction_id":${initialTransactionIdJson(row)},"number":${row.chunk_num},` +
      `"total":${integerJson(row.chunk_total)}}`;

/** `asText`: the content as UTF-8 text instead of base64. */
export const messageJson = (row: MessageRow, asText: boolean): string =>
  `{"chunk_info":${chunkInfoJson(row)},"consensus_timestamp":${timestampJson(row.consensus_timestamp)},` +
  `"message":${asText ? textJson(row.message.toString('utf8')) : base64Json(row.message)},` +
  `"payer_account_id":${entityIdJson(row.payer_account_id)},"running_hash":${base64Json(row.running_hash)},` +
  `"running_hash_version":${row.running_hash_version ?? defaultRunningHashVersion},` +
  `"sequence_number":${row.sequence_number},"topic_id":${entityIdJson(row.topic_id)}}`;
