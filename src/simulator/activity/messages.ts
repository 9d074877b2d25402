import { sha384 } from '../../ledger/hash.ts';
import type { BlockBuilder } from '../block-builder.ts';
import { fees } from '../fee-schedule.ts';
import { submitMessageData } from '../item-encoder.ts';
import { type Account, type OpenMessage, removeAt, type Topic } from '../ledger-state.ts';
import { accountId, timestampOf, topicId } from '../proto-ids.ts';
import { topicRunningHash } from '../topic-running-hash.ts';
import { type Activity, chooseUser } from './choose.ts';

const HBAR = 100_000_000n;
const MAX_OPEN = 20;

/** A message, one in twenty the first chunk of a larger one, or the next chunk of one that is open. */
export const submitMessage: Activity = (builder) => {
  const { random, state } = builder;
  if (state.openMessages.length > 0 && random.chance(0.2) && continueMessage(builder)) return true;
  const topic = random.pick(state.topics);
  const payer = chooseUser(builder, HBAR);
  if (topic === undefined || payer === undefined) return false;
  if (random.chance(0.05) && state.openMessages.length < MAX_OPEN) {
    const message = { topic, payer, validStart: builder.validStartOf(payer), total: random.between(1, 4), next: 1 };
    submitChunk(builder, message);
    if (message.next <= message.total) state.openMessages.push(message);
  } else {
    const content = messageText(builder, topic);
    submitTo(builder, topic, payer, content, submitMessageData(topic.idBytes, content));
  }
  return true;
};

const continueMessage: Activity = (builder) => {
  const { random, state } = builder;
  const index = random.below(state.openMessages.length);
  const message = state.openMessages[index] as OpenMessage;
  const abandoned = message.payer.deleted || message.payer.balance < HBAR || !state.topics.includes(message.topic);
  if (!abandoned) submitChunk(builder, message);
  if (abandoned || message.next > message.total) removeAt(state.openMessages, index);
  return !abandoned;
};

const submitChunk = (builder: BlockBuilder, message: OpenMessage): void => {
  const { topic, payer } = message;
  const content = messageText(builder, topic);
  submitTo(builder, topic, payer, content, {
    $case: 'consensusSubmitMessage',
    consensusSubmitMessage: {
      topicID: topicId(topic.num),
      message: content,
      chunkInfo: {
        initialTransactionID: {
          transactionValidStart: timestampOf(message.validStart),
          accountID: accountId(payer.num),
        },
        total: message.total,
        number: message.next,
      },
    },
  });
  message.next++;
};

/** What a message to a topic costs its payer beside the network's fee (HIP-991). */
const topicFee = (topic: Topic, payer: Account) => {
  const { fee } = topic;
  if (fee === undefined || payer === fee.collector || topic.exempt.includes(payer)) return undefined;
  return {
    hbar: [
      { account: payer, amount: -fee.amount },
      { account: fee.collector, amount: fee.amount },
    ],
    body: { maxCustomFees: [{ accountId: accountId(payer.num), fees: [{ amount: fee.amount }] }] },
    record: {
      assessedCustomFees: [
        {
          amount: fee.amount,
          feeCollectorAccountId: accountId(fee.collector.num),
          effectivePayerAccountId: [accountId(payer.num)],
        },
      ],
    },
  };
};

const submitTo = (
  builder: BlockBuilder,
  topic: Topic,
  payer: Account,
  message: Uint8Array,
  data: Parameters<BlockBuilder['submit']>[0]['data'],
): void => {
  topic.sequence++;
  topic.runningHash = topicRunningHash({
    previous: topic.runningHash,
    payer: payer.num,
    topic: topic.num,
    consensusTimestamp: builder.consensusTime,
    sequence: topic.sequence,
    messageHash: sha384(message),
  });
  builder.submit({
    payer,
    fee: fees.message,
    data,
    receipt: {
      topicSequenceNumber: topic.sequence,
      topicRunningHash: topic.runningHash,
      topicRunningHashVersion: 3n,
    },
    signers: topic.hasSubmitKey ? [topic.creator.key] : [],
    ...topicFee(topic, payer),
  });
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
