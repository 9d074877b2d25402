/** ConsensusCreateTopic, of topics with fees of their own as well ([HIP-991](https://hips.hedera.com/hip/hip-991)). */
import { type Key, TopicID } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { topicId } from '../../simulator/records/proto-ids.ts';
import { demand } from '../transactions/refusal.ts';
import { authorize, demandKey, serializedKey } from './authorization.ts';
import { demandMemo, demandRenewal } from './limits.ts';
import { isEmptyKey, isUsableKey } from './new-keys.ts';
import { type MessageOf, operation, type Performance } from './operation.ts';
import { checkExemptKeys, topicFees } from './topic-fees.ts';

type CreateTopic = MessageOf<'consensusCreateTopic'>;

const check = (message: CreateTopic): void => {
  checkExemptKeys(message);
  demand(message.autoRenewPeriod !== undefined, ResponseCodeEnum.INVALID_RENEWAL_PERIOD);
};

/** An empty key is no key. */
const given = (key: Key | undefined): Key | undefined => (isEmptyKey(key) ? undefined : key);

const renewalAccount = ({ autoRenewAccount }: CreateTopic, performance: Performance): bigint | undefined => {
  if (autoRenewAccount === undefined) return undefined;
  const account = performance.directory.find(autoRenewAccount);
  demand(account?.deleted === false, ResponseCodeEnum.INVALID_AUTORENEW_ACCOUNT);
  if (account === undefined) return undefined;
  if (account !== performance.payer) authorize(account, performance);
  return account.num;
};

export const createTopic = operation({
  kind: 'consensusCreateTopic',
  type: 24,
  check,
  perform: (message, performance) => {
    const { builder, state, payer } = performance;
    const adminKey = given(message.adminKey);
    const submitKey = given(message.submitKey);
    if (adminKey !== undefined) demandKey(adminKey, performance);
    const autoRenewAccount = renewalAccount(message, performance);
    demandMemo(message.memo);
    const seconds = message.autoRenewPeriod?.seconds ?? 0n;
    demandRenewal(seconds);
    demand(submitKey === undefined || isUsableKey(submitKey), ResponseCodeEnum.BAD_ENCODING);
    const charged = topicFees(message, performance);
    const num = builder.takeNum();
    state.submitted.topics.set(num, {
      num,
      idBytes: TopicID.encode(topicId(num)).finish(),
      creator: payer,
      hasSubmitKey: submitKey !== undefined,
      fee: undefined,
      exempt: [],
      ...charged,
      memo: message.memo,
      sequence: 0n,
      runningHash: new Uint8Array(48),
      adminKey: adminKey && serializedKey(adminKey),
      submitKey: submitKey && serializedKey(submitKey),
      autoRenewPeriod: seconds,
      autoRenewAccount,
      created: builder.consensusTime,
    });
    return { receipt: { topicID: topicId(num) } };
  },
});
