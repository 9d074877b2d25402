/** Topics: create, update, delete. */

import { EMPTY_ENTITY_ID } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type { Key } from '../../../protobuf/generated/services/basic_types.ts';
import { FeeExemptKeyList } from '../../../protobuf/generated/services/custom_fees.ts';
import { ifGiven } from '../column-values.ts';
import {
  changedAutoRenewAccount,
  commonColumns,
  createEntity,
  deleteEntity,
  updateEntity,
} from '../entity-versions.ts';
import { type Call, defineHandler, rangeFrom, receiptOf, touch } from '../handler.ts';
import { accountNumber, topicNumber } from '../ids.ts';
import { keyBytes } from '../keys.ts';
import { stageTopicFees } from '../tokens/custom-fees.ts';

interface TopicKeys {
  readonly adminKey: Key | undefined;
  readonly submitKey: Key | undefined;
  readonly feeScheduleKey: Key | undefined;
}

const stageTopic = (call: Call<TopicKeys>, exempt: FeeExemptKeyList | undefined, created?: bigint): void => {
  const { body } = call;
  call.context.batch.stage('topic', {
    id: call.entityId,
    admin_key: keyBytes(body.adminKey),
    created_timestamp: created,
    // An empty list, stored as no bytes, is what "nobody is exempt" looks like; NULL is a topic of unknown keys.
    fee_exempt_key_list: ifGiven(exempt, (list) => FeeExemptKeyList.encode(list).finish()),
    fee_schedule_key: keyBytes(body.feeScheduleKey),
    submit_key: keyBytes(body.submitKey),
    timestamp_range: rangeFrom(call),
  });
};

export const topicCreate = defineHandler(TransactionType.CONSENSUSCREATETOPIC, 'consensusCreateTopic', {
  entityId: (source) => topicNumber(source, receiptOf(source)?.topicID),
  success(call) {
    const { body, entityId, timestamp } = call;
    if (entityId === EMPTY_ENTITY_ID) return;
    const autoRenewAccount = ifGiven(body.autoRenewAccount, (account) => accountNumber(call, account));
    touch(call, autoRenewAccount);
    createEntity(call, 'TOPIC', { ...commonColumns(body), auto_renew_account_id: autoRenewAccount });
    stageTopic(call, { keys: body.feeExemptKeyList }, timestamp);
    stageTopicFees(call, body.customFees);
  },
});

export const topicUpdate = defineHandler(TransactionType.CONSENSUSUPDATETOPIC, 'consensusUpdateTopic', {
  entityId: (source) => topicNumber(source, source.body.topicID),
  success(call) {
    const { body, entityId } = call;
    if (entityId === EMPTY_ENTITY_ID) return;
    updateEntity(call, 'TOPIC', {
      ...commonColumns(body),
      auto_renew_account_id: changedAutoRenewAccount(call, body.autoRenewAccount),
    });
    stageTopic(call, body.feeExemptKeyList);
    if (body.customFees !== undefined) stageTopicFees(call, body.customFees.fees);
  },
});

export const topicDelete = defineHandler(TransactionType.CONSENSUSDELETETOPIC, 'consensusDeleteTopic', {
  entityId: (source) => topicNumber(source, source.body.topicID),
  success: (call) => deleteEntity(call, 'TOPIC'),
});
