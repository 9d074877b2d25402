import { TopicID } from '../../protobuf/generated/services/basic_types.ts';
import { protobufKey } from '../keys/account-key.ts';
import { fees } from '../network/fee-schedule.ts';
import type { BlockBuilder } from '../records/block-builder.ts';
import { accountId, tokenId, topicId } from '../records/proto-ids.ts';
import type { Account, Token, Topic } from '../state/ledger-entities.ts';
import { remember, removeAt } from '../state/ledger-state.ts';
import { type Activity, chooseOther, chooseUser } from './choose.ts';

const HBAR = 100_000_000n;
const AUTO_RENEW = { seconds: 7_776_000n };
const KEPT_TOPICS = 3;
const MAX_TOPICS = 500;
const MESSAGE_FEE = 100_000n;

const fixedFee = (fee: NonNullable<Topic['fee']>) => ({
  fixedFee: { amount: fee.amount, ...(fee.token && { denominatingTokenId: tokenId(fee.token.num) }) },
  feeCollectorAccountId: accountId(fee.collector.num),
});

/** Units of the token that a message to a topic costs which charges in it. */
const TOKEN_MESSAGE_FEE = 3n;

/**
 * Submits a TopicCreate. Messages to one in four cost something, which may be units of a token; one account besides the
 * creator is exempt from that.
 */
export const createTopicFor = (builder: BlockBuilder, creator: Account, feeToken?: Token): Topic => {
  const { random, state } = builder;
  const num = builder.takeNum();
  const hasSubmitKey = random.chance(0.25);
  const inHbar = random.chance(0.25) ? { amount: MESSAGE_FEE, collector: creator } : undefined;
  const fee = feeToken === undefined ? inHbar : { amount: TOKEN_MESSAGE_FEE, collector: creator, token: feeToken };
  const friend = fee && chooseOther(builder, creator);
  const topic: Topic = {
    num,
    idBytes: TopicID.encode(topicId(num)).finish(),
    creator,
    hasSubmitKey,
    fee,
    exempt: friend === undefined ? [] : [friend],
    memo: `topic ${num}`,
    sequence: 0n,
    runningHash: new Uint8Array(48),
  };
  const key = creator.key === undefined ? undefined : protobufKey(creator.key);
  builder.submit({
    payer: creator,
    fee: fees.topicCreate,
    data: {
      $case: 'consensusCreateTopic',
      consensusCreateTopic: {
        memo: topic.memo,
        autoRenewPeriod: AUTO_RENEW,
        autoRenewAccount: accountId(creator.num),
        ...(key && { adminKey: key }),
        ...(key && hasSubmitKey && { submitKey: key }),
        ...(key && fee && { feeScheduleKey: key, customFees: [fixedFee(fee)] }),
        feeExemptKeyList: topic.exempt.flatMap((account) => (account.key ? [protobufKey(account.key)] : [])),
      },
    },
    receipt: { topicID: topicId(num) },
  });
  creator.pinned = true;
  // Its key is in the topic's list.
  if (friend !== undefined) friend.pinned = true;
  state.topics.push(topic);
  return topic;
};

export const createTopic: Activity = (builder) => {
  const creator = chooseUser(builder, HBAR);
  if (creator === undefined || builder.state.topics.length >= MAX_TOPICS) return false;
  createTopicFor(builder, creator);
  return true;
};

/** The treasury of a token without fees has a topic whose messages cost units of it. */
export const createTokenTopic: Activity = (builder) => {
  const { state } = builder;
  const token = state.fungible.find(
    ({ treasury, fees: own, hasKycKey, paused }) =>
      own.length === 0 && !hasKycKey && !paused && treasury.balance >= HBAR && treasury.key !== undefined,
  );
  if (token === undefined || state.topics.length >= MAX_TOPICS) return false;
  createTopicFor(builder, token.treasury, token);
  return true;
};

/** A topic gets another memo; one that charges hbar for messages may change the price, or give up charging. */
export const updateTopic: Activity = (builder) => {
  const { random, state } = builder;
  const topic = random.pick(state.topics);
  if (topic === undefined || topic.creator.balance < HBAR) return false;
  const memo = `topic ${topic.num} after ${topic.sequence} messages`;
  const changesFee = topic.fee !== undefined && topic.fee.token === undefined && random.chance(0.5);
  const fee = changesFee && random.chance(0.7) ? { amount: MESSAGE_FEE * 2n, collector: topic.creator } : undefined;
  builder.submit({
    payer: topic.creator,
    fee: fees.topicManage,
    data: {
      $case: 'consensusUpdateTopic',
      consensusUpdateTopic: {
        topicID: topicId(topic.num),
        memo,
        ...(changesFee && { customFees: { fees: fee === undefined ? [] : [fixedFee(fee)] } }),
      },
    },
  });
  topic.memo = memo;
  if (changesFee) topic.fee = fee;
  return true;
};

export const deleteTopic: Activity = (builder) => {
  const { random, state } = builder;
  if (state.topics.length <= KEPT_TOPICS) return false;
  const index = random.below(state.topics.length);
  const topic = state.topics[index] as Topic;
  if (topic.creator.balance < HBAR || topic.fee?.token !== undefined) return false;
  builder.submit({
    payer: topic.creator,
    fee: fees.topicManage,
    data: { $case: 'consensusDeleteTopic', consensusDeleteTopic: { topicID: topicId(topic.num) } },
  });
  removeAt(state.topics, index);
  remember(state.deletedTopics, topic);
  return true;
};
