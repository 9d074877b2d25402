/** Scheduled transactions: create, delete, sign. Their execution is a common row, their signatures too. */

import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import { nanosOf } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { ScheduleCreateTransactionBody } from '../../protobuf/generated/services/schedule_create.ts';
import { ethereumTransactionOf } from '../contracts/ethereum-of.ts';
import { contractResultOf } from '../record-item.ts';
import { ifGiven } from './column-values.ts';
import { commonColumns, createEntity, deleteEntity } from './entity-versions.ts';
import { type Call, defineHandler, persists, receiptOf, touch } from './handler.ts';
import { accountNumber, scheduleNumber } from './ids.ts';
import { keyColumns } from './keys.ts';

/** Who created the schedule: the payer, or the sender of the Ethereum transaction that made it. */
const creatorOf = (call: Call): EntityId => {
  const { parent, payer } = call.item;
  if (parent === undefined || ethereumTransactionOf(parent) === undefined) return payer;
  const sender = accountNumber(call, contractResultOf(parent)?.senderId);
  return sender === EMPTY_ENTITY_ID ? payer : sender;
};

const stageSchedule = (call: Call<ScheduleCreateTransactionBody>): void => {
  const { body, timestamp } = call;
  const creator = creatorOf(call);
  const given = accountNumber(call, body.payerAccountID);
  const payer = given === EMPTY_ENTITY_ID ? creator : given;
  touch(call, payer);
  call.context.batch.stage('schedule', {
    schedule_id: call.entityId,
    consensus_timestamp: timestamp,
    creator_account_id: creator,
    expiration_time: ifGiven(body.expirationTime, nanosOf),
    payer_account_id: payer,
    transaction_body: call.item.scheduledBody,
    wait_for_expiry: body.waitForExpiry,
  });
};

export const scheduleCreate = defineHandler(TransactionType.SCHEDULECREATE, 'scheduleCreate', {
  entityId: (source) => scheduleNumber(source, receiptOf(source)?.scheduleID),
  success(call) {
    const { memo, adminKey } = call.body;
    createEntity(call, 'SCHEDULE', { ...commonColumns({ memo }), ...keyColumns(adminKey) });
    if (call.entityId !== EMPTY_ENTITY_ID && persists(call, 'schedules')) stageSchedule(call);
  },
});

export const scheduleDelete = defineHandler(TransactionType.SCHEDULEDELETE, 'scheduleDelete', {
  entityId: (source) => scheduleNumber(source, source.body.scheduleID),
  success: (call) => deleteEntity(call, 'SCHEDULE'),
});

export const scheduleSign = defineHandler(TransactionType.SCHEDULESIGN, 'scheduleSign', {
  entityId: (source) => scheduleNumber(source, source.body.scheduleID),
});
