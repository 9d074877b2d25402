/** ConsensusSubmitMessage, whole or in chunks. */
import { sha384 } from '../../ledger/hash.ts';
import { type AccountID, Key, type TransactionID } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { topicRunningHash } from '../../simulator/records/topic-running-hash.ts';
import type { Account } from '../../simulator/state/ledger-entities.ts';
import { demand } from '../transactions/refusal.ts';
import { transactionKey } from '../transactions/transaction-key.ts';
import { demandKey } from './authorization.ts';
import { type LedgerView, type MessageOf, operation } from './operation.ts';
import { chargeTopicFees, checkFeeLimits, hbarDues } from './topic-fees.ts';
import { findTopic } from './topics.ts';

type SubmitMessage = MessageOf<'consensusSubmitMessage'>;

const LONGEST_MESSAGE = 1_024;
const RUNNING_HASH_VERSION = 3n;

const check = ({ message }: SubmitMessage, body: TransactionBody): void => {
  checkFeeLimits(body);
  demand(message.length > 0, ResponseCodeEnum.INVALID_TOPIC_MESSAGE);
};

const isSameAccount = (one: AccountID | undefined, other: AccountID | undefined): boolean =>
  one?.account?.$case === 'accountNum' &&
  other?.account?.$case === 'accountNum' &&
  one.account.accountNum === other.account.accountNum;

const demandChunk = ({ chunkInfo }: SubmitMessage, transactionID: TransactionID): void => {
  if (chunkInfo === undefined) return;
  const { number, total, initialTransactionID } = chunkInfo;
  demand(number >= 1 && number <= total, ResponseCodeEnum.INVALID_CHUNK_NUMBER);
  const isOfPayer = isSameAccount(initialTransactionID?.accountID, transactionID.accountID);
  demand(isOfPayer, ResponseCodeEnum.INVALID_CHUNK_TRANSACTION_ID);
  const isFirst =
    initialTransactionID !== undefined && transactionKey(initialTransactionID) === transactionKey(transactionID);
  demand(number > 1 || isFirst, ResponseCodeEnum.INVALID_CHUNK_TRANSACTION_ID);
};

const spends = ({ topicID }: SubmitMessage, payer: Account, { state }: LedgerView): bigint => {
  const topic = findTopic(state, topicID);
  return topic === undefined ? 0n : hbarDues(topic, payer);
};

export const submitMessage = operation({
  kind: 'consensusSubmitMessage',
  type: 27,
  takesFeeLimits: true,
  check,
  spends,
  perform: (message, performance) => {
    const { builder, state, payer, sent } = performance;
    const topic = findTopic(state, message.topicID);
    demand(topic !== undefined, ResponseCodeEnum.INVALID_TOPIC_ID);
    const submitKey = topic.submitKey ?? (topic.hasSubmitKey ? topic.creator.keyBytes : undefined);
    if (submitKey !== undefined) demandKey(Key.decode(submitKey), performance);
    demand(message.message.length <= LONGEST_MESSAGE, ResponseCodeEnum.MESSAGE_SIZE_TOO_LARGE);
    demandChunk(message, sent.body.transactionID as TransactionID);
    const charged = chargeTopicFees(topic, performance);
    topic.sequence++;
    topic.runningHash = topicRunningHash({
      previous: topic.runningHash,
      payer: payer.num,
      topic: topic.num,
      consensusTimestamp: builder.consensusTime,
      sequence: topic.sequence,
      messageHash: sha384(message.message),
    });
    return {
      ...charged,
      receipt: {
        topicSequenceNumber: topic.sequence,
        topicRunningHash: topic.runningHash,
        topicRunningHashVersion: RUNNING_HASH_VERSION,
      },
    };
  },
});
