import { sha384 } from '../../ledger/hash.ts';
import { TopicID } from '../../protobuf/generated/services/basic_types.ts';
import { protobufKey } from '../account-key.ts';
import type { BlockBuilder } from '../block-builder.ts';
import { fees } from '../fee-schedule.ts';
import { submitMessageData } from '../item-encoder.ts';
import { type Account, removeAt, type Topic } from '../ledger-state.ts';
import { accountId, timestampOf, topicId } from '../proto-ids.ts';
import { topicRunningHash } from '../topic-running-hash.ts';
import { type Activity, chooseUser } from './choose.ts';

const HBAR = 100_000_000n;
const AUTO_RENEW = { seconds: 7_776_000n };
const KEPT_TOPICS = 3;
const MAX_TOPICS = 500;

export const createTopicFor = (builder: BlockBuilder, creator: Account): Topic => {
  const { random, state } = builder;
  const num = builder.takeNum();
  const hasSubmitKey = random.chance(0.25);
  const key = creator.key === undefined ? undefined : protobufKey(creator.key);
  builder.submit({
    payer: creator,
    fee: fees.topicCreate,
    data: {
      $case: 'consensusCreateTopic',
      consensusCreateTopic: {
        memo: `topic ${num}`,
        autoRenewPeriod: AUTO_RENEW,
        autoRenewAccount: accountId(creator.num),
        ...(key && { adminKey: key }),
        ...(key && hasSubmitKey && { submitKey: key }),
      },
    },
    receipt: { topicID: topicId(num) },
  });
  const topic: Topic = {
    num,
    idBytes: TopicID.encode(topicId(num)).finish(),
    creator,
    hasSubmitKey,
    sequence: 0n,
    runningHash: new Uint8Array(48),
  };
  creator.pinned = true;
  state.topics.push(topic);
  return topic;
};

export const createTopic: Activity = (builder) => {
  const creator = chooseUser(builder, HBAR);
  if (creator === undefined || builder.state.topics.length >= MAX_TOPICS) return false;
  createTopicFor(builder, creator);
  return true;
};

/** A message, one in twenty as part of a larger one. */
export const submitMessage: Activity = (builder) => {
  const { random, state } = builder;
  const topic = random.pick(state.topics);
  const payer = chooseUser(builder, HBAR / 10n);
  if (topic === undefined || payer === undefined) return false;
  const message = messageText(builder, topic);
  topic.sequence++;
  topic.runningHash = topicRunningHash({
    previous: topic.runningHash,
    payer: payer.num,
    topic: topic.num,
    consensusTimestamp: builder.consensusTime,
    sequence: topic.sequence,
    messageHash: sha384(message),
  });
  const chunked = random.chance(0.05);
  builder.submit({
    payer,
    fee: fees.message,
    data: chunked
      ? {
          $case: 'consensusSubmitMessage',
          consensusSubmitMessage: {
            topicID: topicId(topic.num),
            message,
            chunkInfo: {
              initialTransactionID: {
                transactionValidStart: timestampOf(builder.validStartOf(payer)),
                accountID: accountId(payer.num),
              },
              total: 1,
              number: 1,
            },
          },
        }
      : submitMessageData(topic.idBytes, message),
    receipt: {
      topicSequenceNumber: topic.sequence,
      topicRunningHash: topic.runningHash,
      topicRunningHashVersion: 3n,
    },
    signers: topic.hasSubmitKey ? [topic.creator.key] : [],
  });
  return true;
};

const messageText = ({ random }: BlockBuilder, topic: Topic): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      topic: `0.0.${topic.num}`,
      reading: random.below(10_000) / 100,
      sensor: `s-${random.below(50)}`,
      note: 'x'.repeat(random.below(80)),
    }),
  );

export const updateTopic: Activity = (builder) => {
  const topic = builder.random.pick(builder.state.topics);
  if (topic === undefined || topic.creator.balance < HBAR) return false;
  builder.submit({
    payer: topic.creator,
    fee: fees.topicManage,
    data: {
      $case: 'consensusUpdateTopic',
      consensusUpdateTopic: {
        topicID: topicId(topic.num),
        memo: `topic ${topic.num} after ${topic.sequence} messages`,
      },
    },
  });
  return true;
};

export const deleteTopic: Activity = (builder) => {
  const { random, state } = builder;
  if (state.topics.length <= KEPT_TOPICS) return false;
  const index = random.below(state.topics.length);
  const topic = state.topics[index] as Topic;
  if (topic.creator.balance < HBAR) return false;
  builder.submit({
    payer: topic.creator,
    fee: fees.topicManage,
    data: { $case: 'consensusDeleteTopic', consensusDeleteTopic: { topicID: topicId(topic.num) } },
  });
  removeAt(state.topics, index);
  state.deletedTopics.push(topic);
  return true;
};
