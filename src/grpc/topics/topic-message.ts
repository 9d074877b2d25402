/** Rows of `topic_message` as they are read for subscribers: those of a topic in one value. */
import { PackedRows, packedRows } from '../../database/packed-rows.ts';

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

/** In the order in which `topicMessagesIn` reads them. */
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

/** Messages of one topic in order of time. */
export interface TopicMessages {
  readonly count: number;
  readonly content: Buffer | null;
}

/** Columns of the rows of `topic_message` that `topicMessagesSql` gathers, of the table named `table`. */
export const topicMessageColumns = (table: string): string =>
  columnNames.map((column) => `${table}.${column}`).join(', ');

/** What makes a `TopicMessages` of rows with `topicMessageColumns`. */
export const gatheredTopicMessages = `count(*)::int as count, ${packedRows(columnNames, 'consensus_timestamp')} as content`;

const NO_BYTES = Buffer.alloc(0);

/** The messages one by one. */
export function* topicMessagesIn({ content }: TopicMessages): Generator<TopicMessageRow, undefined> {
  const rows = new PackedRows(content);
  while (rows.nextRow()) {
    yield {
      consensusTimestamp: rows.int8() ?? 0n,
      sequenceNumber: rows.int8() ?? 0n,
      message: rows.bytes() ?? NO_BYTES,
      runningHash: rows.bytes() ?? NO_BYTES,
      runningHashVersion: rows.int(),
      chunkNum: rows.int(),
      chunkTotal: rows.int(),
      initialTransactionId: rows.bytes(),
      payerAccountId: rows.int8(),
      validStartTimestamp: rows.int8(),
    };
  }
}
