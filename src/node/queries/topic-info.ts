import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { accountId, timestampOf } from '../../simulator/records/proto-ids.ts';
import { shownFees } from '../operations/topic-fees.ts';
import { findTopic, type KnownTopic } from '../operations/topics.ts';
import { keyOfAccount } from '../transactions/account-directory.ts';
import { demand } from '../transactions/refusal.ts';
import { queryKind, USUAL_PRICE } from './query-kind.ts';

const USUAL_RENEWAL_SECONDS = 7_776_000n;

/** Topics of simulated users have their creator's key. */
const keysOf = (topic: KnownTopic) => {
  if (topic.created !== undefined) {
    return {
      adminKey: topic.adminKey && Key.decode(topic.adminKey),
      submitKey: topic.submitKey && Key.decode(topic.submitKey),
      feeScheduleKey: topic.feeScheduleKey && Key.decode(topic.feeScheduleKey),
    };
  }
  const key = keyOfAccount(topic.creator);
  return {
    adminKey: key,
    submitKey: topic.hasSubmitKey ? key : undefined,
    feeScheduleKey: topic.fee && key,
  };
};

/** What the network knows of a topic. */
export const topicInfo = queryKind({
  name: 'consensusGetTopicInfo',
  price: USUAL_PRICE,
  find: ({ topicID }, { state, ledgerId }) => {
    const topic = findTopic(state, topicID);
    demand(topic !== undefined, ResponseCodeEnum.INVALID_TOPIC_ID);
    const seconds = topic.autoRenewPeriod ?? USUAL_RENEWAL_SECONDS;
    const renewer = topic.created === undefined ? topic.creator.num : topic.autoRenewAccount;
    return {
      answer: {
        topicID,
        topicInfo: {
          memo: topic.memo,
          runningHash: topic.runningHash,
          sequenceNumber: topic.sequence,
          expirationTime: timestampOf((topic.created ?? state.lastConsensus) + seconds * NANOS_PER_SECOND),
          autoRenewPeriod: { seconds },
          autoRenewAccount: renewer === undefined ? undefined : accountId(renewer),
          ledgerId,
          ...keysOf(topic),
          ...shownFees(topic),
        },
      },
    };
  },
});
