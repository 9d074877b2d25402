/** com.hedera.mirror.api.proto.ConsensusService/subscribeTopic */
import type { GrpcServerSettings, GrpcSettings } from '../../config/settings/grpc.ts';
import type { Database } from '../../database/connection.ts';
import { formatEntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { ConsensusTopicQuery } from '../../protobuf/generated/mirror/consensus_service.ts';
import { CallFailure, GrpcStatus, invalidArgument } from '../call-failure.ts';
import type { StreamingMethod } from '../method.ts';
import { decodeRequest } from '../request.ts';
import type { LiveMessages } from './live-messages.ts';
import { PastMessages } from './past-messages.ts';
import { type TopicFilter, topicFilterOf } from './topic-filter.ts';
import { subscribe } from './topic-subscription.ts';

export interface SubscribeTopicOptions {
  readonly database: Pick<Database, 'query'>;
  readonly live: LiveMessages;
  readonly settings: GrpcSettings;
  readonly limits: Pick<GrpcServerSettings, 'maxSubscriptions'>;
  /** Nanoseconds since the epoch. */
  readonly clock: () => Nanos;
  /** Called with 1 when a subscription begins and with -1 when it ends. */
  readonly onSubscribers: (change: 1 | -1) => void;
}

/** Pages of past messages in memory at a time; each takes about a megabyte at the most. */
const MOST_PAGES = 32;
const LONGEST_HOLD_MS = 1_000;

/** @throws CallFailure NOT_FOUND for an unknown entity, INVALID_ARGUMENT for one that is no topic */
const checkTopic = async ({ database, settings }: SubscribeTopicOptions, { topic }: TopicFilter): Promise<void> => {
  const [entity] = await database.query<{ type: string }>(
    'select type from entity where id = $1',
    [topic],
    'grpc-entity-type',
  );
  if (entity === undefined) {
    if (!settings.checkTopicExists) return;
    throw new CallFailure(GrpcStatus.NOT_FOUND, `${formatEntityId(topic)} does not exist`);
  }
  if (entity.type !== 'TOPIC') throw invalidArgument('Not a valid topic');
};

export const subscribeTopic = (options: SubscribeTopicOptions): StreamingMethod => {
  const { database, live, settings, limits, clock, onSubscribers } = options;
  const past = new PastMessages({
    database,
    pageSize: settings.retriever.maxPageSize,
    maxPages: MOST_PAGES,
    maxHoldMs: LONGEST_HOLD_MS,
  });
  let subscriptions = 0;
  return {
    service: 'com.hedera.mirror.api.proto.ConsensusService',
    name: 'subscribeTopic',
    async *serve(request, signal) {
      const filter = topicFilterOf(decodeRequest(ConsensusTopicQuery, request), clock());
      if (subscriptions >= limits.maxSubscriptions) {
        throw new CallFailure(GrpcStatus.RESOURCE_EXHAUSTED, 'Too many subscriptions. Please retry later');
      }
      subscriptions++;
      onSubscribers(1);
      try {
        await checkTopic(options, filter);
        yield* subscribe(filter, { past, live, settings, clock }, signal);
      } finally {
        subscriptions--;
        onSubscribers(-1);
      }
    },
  };
};
