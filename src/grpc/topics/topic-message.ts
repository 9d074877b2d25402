/** Rows of `topic_message` as they are read for subscribers, in binary form. */
import type { BinaryValues } from '../../database/binary-values.ts';
import { packedRows } from '../../database/packed-rows.ts';

export interface TopicMessageRow {
  /** Nanoseconds. */
  readonly consensusTimestamp: bigint;
  readonly sequenceNumber: bigint;
  readonly message: Uint8Array;
  readonly runningHash: Uint8Array;
  readonly runningHashVersion: number | null;
  readonly chunkNum: number | null;
  readonly chunkTotal: number | null;
  readonly initialTransactionId: Uint8Array | null;
  readonly payerAccountId: bigint | null;
  /** Nanoseconds. */
  readonly validStartTimestamp: bigint | null;
}

/** In the order in which `topicMessageOf` reads them. */
const columnNames = [
  'consensus_timestamp',
  'sequence_number',
  'message',
  'running_hash',
  'running_hash_version',
  'chunk_num',
  'chunk_total',
  'initial_transaction_id',
  'payer_account_id',
  'valid_start_timestamp',
] as const;

/** Columns that make a `TopicMessageRow`, of the table named `table`. */
export const topicMessageColumns = (table: string): string =>
  columnNames.map((column) => `${table}.${column}`).join(', ');

/** All rows with `topicMessageColumns` in one value, in order of time; see `packedRows`. */
export const packedTopicMessages = packedRows(columnNames, 'consensus_timestamp');

const NO_BYTES = Buffer.alloc(0);

/** A row whose columns are the next values. */
export const topicMessageOf = (values: BinaryValues): TopicMessageRow => ({
  consensusTimestamp: values.int8() ?? 0n,
  sequenceNumber: values.int8() ?? 0n,
  message: values.bytes() ?? NO_BYTES,
  runningHash: values.bytes() ?? NO_BYTES,
  runningHashVersion: values.int(),
  chunkNum: values.int(),
  chunkTotal: values.int(),
  initialTransactionId: values.bytes(),
  payerAccountId: values.int8(),
  validStartTimestamp: values.int8(),
});
