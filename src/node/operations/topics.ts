import type { TopicID } from '../../protobuf/generated/services/basic_types.ts';
import type { Topic } from '../../simulator/state/ledger-entities.ts';
import type { LedgerState } from '../../simulator/state/ledger-state.ts';
import type { SubmittedTopic } from '../../simulator/state/submitted-state.ts';

/** A topic of clients or of simulated users; what only the former have is missing from the latter. */
export type KnownTopic = Topic & Partial<Omit<SubmittedTopic, keyof Topic>>;

/** Undefined: there is none, or it is deleted. */
export const findTopic = ({ topics, submitted }: LedgerState, id: TopicID | undefined): KnownTopic | undefined => {
  if (id === undefined || id.shardNum !== 0n || id.realmNum !== 0n) return undefined;
  return submitted.topics.get(id.topicNum) ?? topics.find(({ num }) => num === id.topicNum);
};
