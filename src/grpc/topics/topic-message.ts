/** A row of `topic_message` as subscribers get it. */
import { decodeEntityId, type EntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND, type Nanos } from '../../ledger/timestamp.ts';
import { ConsensusTopicResponse } from '../../protobuf/generated/mirror/consensus_service.ts';
import { TransactionID } from '../../protobuf/generated/services/basic_types.ts';
import type { ConsensusMessageChunkInfo } from '../../protobuf/generated/services/consensus_submit_message.ts';
import type { Timestamp } from '../../protobuf/generated/services/timestamp.ts';
import { framesOf, HEADER_BYTES } from '../length-prefixed.ts';

export interface TopicMessageRow {
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

const columnNames = [
  'chunk_num',
  'chunk_total',
  'consensus_timestamp',
  'initial_transaction_id',
  'message',
  'payer_account_id',
  'running_hash',
  'running_hash_version',
  'sequence_number',
  'topic_id',
  'valid_start_timestamp',
] as const satisfies readonly (keyof TopicMessageRow)[];

/** The columns of a row, of the table named `table`. */
export const topicMessageColumns = (table: string): string =>
  columnNames.map((column) => `${table}.${column}`).join(', ');

/** One message, encoded once for all who get it. */
export interface TopicMessage {
  readonly topic: EntityId;
  readonly consensusTimestamp: Nanos;
  readonly sequenceNumber: bigint;
  /** A ConsensusTopicResponse with its header (`length-prefixed.ts`). */
  readonly frame: Uint8Array;
}

/** Version of the running hash that rows without one have. */
const DEFAULT_RUNNING_HASH_VERSION = 3;
const NO_BYTES = new Uint8Array(0);

const timestampOf = (nanos: Nanos): Timestamp => ({
  seconds: nanos / NANOS_PER_SECOND,
  nanos: Number(nanos % NANOS_PER_SECOND),
});

/** The id as it was stored; bytes that are none count as not there. */
const storedTransactionId = (bytes: Buffer | null): TransactionID | undefined => {
  if (bytes === null || bytes.length === 0) return undefined;
  try {
    return TransactionID.decode(bytes);
  } catch {
    return undefined;
  }
};

const transactionIdOf = (row: TopicMessageRow): TransactionID | undefined => {
  const stored = storedTransactionId(row.initial_transaction_id);
  if (stored !== undefined) return stored;
  if (row.payer_account_id === null || row.valid_start_timestamp === null) return undefined;
  const { shard, realm, num } = decodeEntityId(BigInt(row.payer_account_id));
  return {
    transactionValidStart: timestampOf(BigInt(row.valid_start_timestamp)),
    accountID: { shardNum: shard, realmNum: realm, account: { $case: 'accountNum', accountNum: num } },
    scheduled: false,
    nonce: 0,
  };
};

const chunkInfoOf = (row: TopicMessageRow): ConsensusMessageChunkInfo | undefined =>
  row.chunk_num === null
    ? undefined
    : { initialTransactionID: transactionIdOf(row), number: row.chunk_num, total: row.chunk_total ?? 0 };

const encodedMessage = (row: TopicMessageRow): Uint8Array =>
  ConsensusTopicResponse.encode({
    consensusTimestamp: timestampOf(BigInt(row.consensus_timestamp)),
    message: row.message,
    runningHash: row.running_hash ?? NO_BYTES,
    sequenceNumber: BigInt(row.sequence_number),
    runningHashVersion: BigInt(row.running_hash_version ?? DEFAULT_RUNNING_HASH_VERSION),
    chunkInfo: chunkInfoOf(row),
  }).finish();

/** Messages of one topic, whose frames lie one after the other in memory. */
const messagesOfTopic = (rows: readonly TopicMessageRow[]): readonly TopicMessage[] => {
  const encoded = rows.map(encodedMessage);
  const bytes = framesOf(encoded);
  let position = 0;
  return rows.map((row, index) => {
    const start = position;
    position += HEADER_BYTES + (encoded[index]?.length ?? 0);
    return {
      topic: BigInt(row.topic_id),
      consensusTimestamp: BigInt(row.consensus_timestamp),
      sequenceNumber: BigInt(row.sequence_number),
      frame: bytes.subarray(start, position),
    };
  });
};

/** Messages in the order of their rows; the frames of each topic lie one after the other in memory. */
export const topicMessagesOf = (rows: readonly TopicMessageRow[]): readonly TopicMessage[] => {
  const byTopic = Map.groupBy(rows, ({ topic_id }) => topic_id);
  if (byTopic.size === 1) return messagesOfTopic(rows);
  const messages = new Map<TopicMessageRow, TopicMessage>();
  for (const own of byTopic.values()) {
    for (const [index, message] of messagesOfTopic(own).entries()) messages.set(own[index] as TopicMessageRow, message);
  }
  return rows.map((row) => messages.get(row) as TopicMessage);
};

/** Bytes that go out in one piece; a client that does not read has that much waiting for it. */
const MOST_BYTES_TOGETHER = 65_536;

/** The frames of messages in as few pieces as can be had without copying, in order. */
export function* piecesOf(messages: readonly TopicMessage[]): Generator<Uint8Array> {
  let first: Uint8Array | undefined;
  let length = 0;
  for (const { frame } of messages) {
    const isNext = frame.buffer === first?.buffer && frame.byteOffset === first.byteOffset + length;
    if (isNext && length + frame.length <= MOST_BYTES_TOGETHER) length += frame.length;
    else {
      if (first !== undefined) yield new Uint8Array(first.buffer, first.byteOffset, length);
      first = frame;
      length = frame.length;
    }
  }
  if (first !== undefined) yield new Uint8Array(first.buffer, first.byteOffset, length);
}
