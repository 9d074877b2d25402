/** Messages of topics: their place in the topic, and the running hash over all of them. */
import type { Family } from '../record-parts.ts';

/** The form of running hash that networks have used since long before block streams. */
const RUNNING_HASH_VERSION = 3n;

/** The state of a topic is the one after the last message of what ran together; messages before have trace data. */
export const submitMessage: Family = (view, parts) => {
  if (!view.isSuccessful) return;
  const topic = view.data('consensusSubmitMessage')?.consensusSubmitMessage.topicID;
  const { toldTopics } = view.execution;
  const isLast = topic !== undefined && !toldTopics.has(topic.topicNum);
  const state = isLast ? view.inState(({ topics }) => topics.get(topic.topicNum)) : undefined;
  if (topic !== undefined) toldTopics.add(topic.topicNum);
  const trace = view.messageTrace;
  const place = trace ?? (state && { sequenceNumber: state.sequenceNumber, runningHash: state.runningHash });
  if (place === undefined || place.runningHash.length === 0) {
    parts.lacks('running hash', 'neither trace data nor a state of the topic tells it');
    return;
  }
  parts.receipt.topicSequenceNumber = BigInt.asUintN(64, place.sequenceNumber);
  parts.receipt.topicRunningHash = place.runningHash;
  parts.receipt.topicRunningHashVersion = RUNNING_HASH_VERSION;
};
