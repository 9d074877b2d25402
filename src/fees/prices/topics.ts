/** Topics and their messages. */
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { keyCountOf } from '../key-count.ts';
import { unknownTransactionType } from '../problems.ts';
import { extra, type Price, price } from './price.ts';

export const topicPrices: readonly Price[] = [
  price(
    'consensusCreateTopic',
    HederaFunctionality.ConsensusCreateTopic,
    ({ adminKey, feeScheduleKey, submitKey, customFees }) => [
      extra('KEYS', keyCountOf([adminKey, feeScheduleKey, submitKey])),
      ...(customFees.length > 0 ? [extra('CONSENSUS_CREATE_TOPIC_WITH_CUSTOM_FEE', 1)] : []),
    ],
  ),
  price(
    'consensusUpdateTopic',
    HederaFunctionality.ConsensusUpdateTopic,
    ({ adminKey, feeScheduleKey, submitKey, feeExemptKeyList }) => [
      extra('KEYS', keyCountOf([adminKey, feeScheduleKey, submitKey, ...(feeExemptKeyList?.keys ?? [])])),
    ],
  ),
  price('consensusDeleteTopic', HederaFunctionality.ConsensusDeleteTopic),
  price('consensusSubmitMessage', HederaFunctionality.ConsensusSubmitMessage, ({ topicID, message }, { state }) => {
    if (state === undefined) return [extra('CONSENSUS_SUBMIT_MESSAGE_WITHOUT_CUSTOM_FEE_BYTES', message.length)];
    if (topicID === undefined) throw unknownTransactionType();
    return state.hasCustomFees(topicID.topicNum)
      ? [
          extra('CONSENSUS_SUBMIT_MESSAGE_WITH_CUSTOM_FEE', 1),
          extra('CONSENSUS_SUBMIT_MESSAGE_WITH_CUSTOM_FEE_BYTES', message.length),
        ]
      : [extra('CONSENSUS_SUBMIT_MESSAGE_WITHOUT_CUSTOM_FEE_BYTES', message.length)];
  }),
];
