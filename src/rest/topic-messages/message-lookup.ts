/**
 * `topic_message_lookup`: in which timestamp ranges a topic's sequence numbers lie. It spares a search through all time
 * partitions of `topic_message` where that table is partitioned (`query.topicMessageLookup`).
 */
import type { Bounds, Interval } from '../../api/bounds.ts';
import { conjunction } from '../../api/bounds.ts';
import { badRequest } from '../../api/problem.ts';
import type { Database } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';

type Queries = Pick<Database, 'query'>;

/** Nanoseconds, `from` inclusive, `to` exclusive. */
export interface TimestampSpan {
  readonly from: string;
  readonly to: string;
}

// One below the largest int8, whose exclusive upper bound would not fit.
const MAX_IN_RANGE = (1n << 63n) - 2n;

const rangeText = ({ lower, upper }: Interval, least: bigint): string | undefined => {
  const from = lower === null || lower < least ? least : lower;
  const to = upper === null || upper > MAX_IN_RANGE ? MAX_IN_RANGE : upper;
  return from > to ? undefined : `[${from},${to}]`;
};

/**
 * The timestamp spans that may hold messages within the bounds, in order of time.
 * @throws HttpProblem 400 for `ne`, which the table cannot serve
 */
export const lookupSpans = async (
  db: Queries,
  topicId: EntityId,
  sequenceNumbers: Bounds,
  timestamps: Bounds,
): Promise<TimestampSpan[]> => {
  if (sequenceNumbers.unequal.length > 0) {
    throw badRequest('Not equal (ne) operator is not supported for sequencenumber');
  }
  if (timestamps.unequal.length > 0) throw badRequest('Not equal (ne) operator is not supported for timestamp');
  const sequenceInterval = conjunction(sequenceNumbers);
  const timestampInterval = conjunction(timestamps);
  if (sequenceInterval === undefined || timestampInterval === undefined) return [];
  const sequenceRange = rangeText(sequenceInterval, 1n);
  const timestampRange = rangeText(timestampInterval, 0n);
  if (sequenceRange === undefined || timestampRange === undefined) return [];
  return db.query<TimestampSpan>(
    `select lower(timestamp_range) as "from", upper(timestamp_range) as "to" from topic_message_lookup
      where topic_id = $1::bigint and sequence_number_range && $2::int8range and timestamp_range && $3::int8range
      order by sequence_number_range`,
    [topicId, sequenceRange, timestampRange],
    'topic-message-lookup',
  );
};

/** The span that holds one sequence number. */
export const lookupSpan = async (
  db: Queries,
  topicId: EntityId,
  sequenceNumber: string,
): Promise<TimestampSpan | undefined> => {
  const spans = await db.query<TimestampSpan>(
    `select lower(timestamp_range) as "from", upper(timestamp_range) as "to" from topic_message_lookup
      where topic_id = $1::bigint and sequence_number_range @> $2::bigint order by sequence_number_range limit 1`,
    [topicId, sequenceNumber],
    'topic-message-lookup-one',
  );
  return spans[0];
};
