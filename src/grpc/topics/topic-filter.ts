/** What a subscriber asks for, read from the query and checked. */
import { type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import { MAX_INT64 } from '../../ledger/int64.ts';
import { MAX_NANOS, type Nanos, nanosOf } from '../../ledger/timestamp.ts';
import type { ConsensusTopicQuery } from '../../protobuf/generated/mirror/consensus_service.ts';
import type { Timestamp } from '../../protobuf/generated/services/timestamp.ts';
import { invalidArgument } from '../call-failure.ts';

export interface TopicFilter {
  readonly topic: EntityId;
  /** First consensus time of interest, in nanoseconds. */
  readonly start: Nanos;
  /** First consensus time that is of no interest any more; undefined: none. */
  readonly end: Nanos | undefined;
  /** Messages to send; undefined: no limit. */
  readonly limit: bigint | undefined;
}

/** From this second on a time does not fit into nanoseconds of 64 bits, and counts as the last there is. */
const FIRST_CLAMPED_SECOND = 9_223_372_035n;

const nanosOfQuery = (timestamp: Timestamp): Nanos =>
  timestamp.seconds >= FIRST_CLAMPED_SECOND ? MAX_NANOS : nanosOf(timestamp);

/**
 * Gathers all faults of a query, as `subscribeTopic.filter.<property>: <text>`, joined by a comma.
 * @param now nanoseconds of the moment at which the subscription begins
 * @throws CallFailure INVALID_ARGUMENT; KagamiError INVALID_ENTITY_ID for ids out of range, before anything else
 */
export const topicFilterOf = (query: ConsensusTopicQuery, now: Nanos): TopicFilter => {
  const { topicID, consensusStartTime, consensusEndTime, limit } = query;
  const topic = topicID && encodeEntityId(topicID.shardNum, topicID.realmNum, topicID.topicNum);
  const start = consensusStartTime === undefined ? now : nanosOfQuery(consensusStartTime);
  const end = consensusEndTime && nanosOfQuery(consensusEndTime);
  const faults: string[] = [];
  const check = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(`subscribeTopic.filter.${fault}`);
  };
  check(topic !== undefined, 'topicId: must not be null');
  check(limit <= MAX_INT64, 'limit: must be greater than or equal to 0');
  check(start >= 0n, 'startTime: must be greater than or equal to 0');
  check(end === undefined || end > start, 'validEndTime: End time must be after start time');
  check(start <= now, 'validStartTime: Start time must be before the current time');
  if (topic === undefined || faults.length > 0) throw invalidArgument(faults.join(', '));
  return { topic, start, end: end === MAX_NANOS ? undefined : end, limit: limit === 0n ? undefined : limit };
};
