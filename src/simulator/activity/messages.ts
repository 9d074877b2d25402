import { sha384 } from '../../ledger/hash.ts';
import { fees } from '../network/fee-schedule.ts';
import type { BlockBuilder } from '../records/block-builder.ts';
import { submitMessageData } from '../records/item-encoder.ts';
import { accountId, timestampOf, tokenId, topicId } from '../records/proto-ids.ts';
import { topicRunningHash } from '../records/topic-running-hash.ts';
import { addToHolding } from '../state/account-book.ts';
import type { Account, OpenMessage, Topic } from '../state/ledger-entities.ts';
import { removeAt } from '../state/ledger-state.ts';
import { type Activity, canPayIn, chooseUser } from './choose.ts';
import { recordTransfers } from './tokens/token-record.ts';

const HBAR = 100_000_000n;
const MAX_OPEN = 20;

/** A message, one in twenty the first chunk of a larger one, or the next chunk of one that is open. */
export const submitMessage: Activity = (builder) => {
  const { random, state } = builder;
  if (state.openMessages.length > 0 && random.chance(0.2) && continueMessage(builder)) return true;
  const topic = random.pick(state.topics);
  const payer = chooseUser(builder, HBAR);
  if (topic === undefined || payer === undefined || !canPayFee(topic, payer)) return false;
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

/** Somebody pays for a message in units of a token. */
export const submitChargedMessage: Activity = (builder) => {
  for (const topic of builder.state.topics) {
    const payer = topic.fee?.token?.holders.find(
      (holder) =>
        holder.userIndex >= 0 && holder.balance >= HBAR && isCharged(topic, holder) && canPayFee(topic, holder),
    );
    if (payer === undefined) continue;
    const content = messageText(builder, topic);
    submitTo(builder, topic, payer, content, submitMessageData(topic.idBytes, content));
    return true;
  }
  return false;
};

const continueMessage: Activity = (builder) => {
  const { random, state } = builder;
  const index = random.below(state.openMessages.length);
  const message = state.openMessages[index] as OpenMessage;
  const abandoned =
    message.payer.deleted ||
    message.payer.balance < HBAR ||
    !state.topics.includes(message.topic) ||
    !canPayFee(message.topic, message.payer);
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

const isCharged = ({ fee, exempt }: Topic, payer: Account): boolean =>
  fee !== undefined && payer !== fee.collector && !exempt.includes(payer);

const canPayFee = (topic: Topic, payer: Account): boolean => {
  const { fee } = topic;
  return fee?.token === undefined || !isCharged(topic, payer) || canPayIn(fee.token, payer, fee.collector, fee.amount);
};

/**
 * What a message to a topic costs its payer beside the network's fee ([HIP-991](https://hips.hedera.com/hip/hip-991)).
 */
const topicFee = (topic: Topic, payer: Account) => {
  const { fee } = topic;
  if (fee === undefined || !isCharged(topic, payer)) return undefined;
  const { token } = fee;
  const changes = [
    { account: payer, amount: -fee.amount },
    { account: fee.collector, amount: fee.amount },
  ];
  if (token !== undefined) for (const change of changes) addToHolding(change.account, token, change.amount);
  const limit = { amount: fee.amount, ...(token && { denominatingTokenId: tokenId(token.num) }) };
  return {
    hbar: token === undefined ? changes : [],
    body: { maxCustomFees: [{ accountId: accountId(payer.num), fees: [limit] }] },
    record: {
      ...(token && { tokenTransferLists: [recordTransfers(token, changes)] }),
      assessedCustomFees: [
        {
          amount: fee.amount,
          ...(token && { tokenId: tokenId(token.num) }),
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
