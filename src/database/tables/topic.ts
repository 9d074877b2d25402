/** Topics and their messages. */
import {
  bytea,
  entityId,
  historyOf,
  int2,
  int4,
  int8,
  int8range,
  nanosTimestamp,
  nullable,
  table,
  text,
} from '../column.ts';

export const topic = table(
  'topic',
  {
    admin_key: nullable(bytea),
    created_timestamp: nullable(int8),
    id: int8,
    fee_exempt_key_list: nullable(bytea),
    fee_schedule_key: nullable(bytea),
    submit_key: nullable(bytea),
    timestamp_range: int8range,
  },
  ['id'],
);

export const topicHistory = historyOf(topic);

export const topicMessage = table('topic_message', {
  consensus_timestamp: nanosTimestamp,
  message: bytea,
  running_hash: bytea,
  sequence_number: int8,
  running_hash_version: nullable(int2),
  chunk_num: nullable(int4),
  chunk_total: nullable(int4),
  payer_account_id: nullable(entityId),
  valid_start_timestamp: nullable(nanosTimestamp),
  topic_id: int8,
  initial_transaction_id: nullable(bytea),
});

export const topicMessageLookup = table(
  'topic_message_lookup',
  {
    partition: text,
    sequence_number_range: int8range,
    timestamp_range: int8range,
    topic_id: int8,
  },
  ['topic_id', 'partition'],
);
