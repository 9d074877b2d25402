/** Rows that the importer leaves for topics, their messages and blocks. */
import type { Database } from '../../database/connection.ts';

type Queries = Pick<Database, 'query'>;

export const insertTopic = (database: Queries, id: bigint, type = 'TOPIC'): Promise<unknown> =>
  database.query(
    `insert into entity (id, num, realm, shard, type, timestamp_range, created_timestamp)
      values ($1, $1, 0, 0, $2::entity_type, '[1,)', 1)`,
    [id, type],
  );

/** A block that ends at a consensus time, with messages of topics at times of their own, as one commit. */
export const insertBlock = async (
  database: Database,
  consensusEnd: bigint,
  messages: readonly { readonly topic: bigint; readonly number: bigint; readonly time: bigint }[] = [],
): Promise<void> => {
  await database.transaction(async (client) => {
    await client.query(
      `insert into record_file (consensus_start, consensus_end, "count", digest_algorithm, file_hash, hash, index, load_end,
          load_start, name, prev_hash, version)
        values ($1, $1, 1, 0, '', $2::text, $1, 1, 1, $2::text, '', 6)`,
      [consensusEnd, String(consensusEnd)],
    );
    await client.query(
      `insert into transaction (consensus_timestamp, entity_id, payer_account_id, result, type, valid_start_ns)
        select t.at, t.topic, 2, 22, 27, t.at from unnest($1::bigint[], $2::bigint[]) t (topic, at)`,
      [messages.map(({ topic }) => topic), messages.map(({ time }) => time)],
    );
    await client.query(
      `insert into topic_message (consensus_timestamp, message, running_hash, running_hash_version, sequence_number,
          topic_id, payer_account_id, valid_start_timestamp)
        select t.at, convert_to('message ' || t.number, 'UTF8'), '\\x0102', 3, t.number, t.topic, 2, t.at
        from unnest($1::bigint[], $2::bigint[], $3::bigint[]) t (topic, number, at)`,
      [messages.map(({ topic }) => topic), messages.map(({ number }) => number), messages.map(({ time }) => time)],
    );
  });
};

/** `count` messages of a topic from a number on, a nanosecond apart from a time on. */
export const messagesOf = (topic: bigint, number: bigint, time: bigint, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    topic,
    number: number + BigInt(index),
    time: time + BigInt(index),
  }));
