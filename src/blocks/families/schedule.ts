/** Schedules: their numbers, and the ids of the transactions that they hold. */
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { Family } from '../record-parts.ts';

/** A schedule that was there already is named as well. */
export const scheduleCreate: Family = (view, parts) => {
  const isIdentical = view.status === ResponseCodeEnum.IDENTICAL_SCHEDULE_ALREADY_CREATED;
  if (!view.isSuccessful && !isIdentical) return;
  const created = view.output('createSchedule')?.createSchedule;
  if (created?.scheduleId === undefined && view.isSuccessful) {
    parts.lacks('schedule id', 'the transaction has no output');
  }
  parts.receipt.scheduleID = created?.scheduleId;
  parts.receipt.scheduledTransactionID = created?.scheduledTransactionId;
};

export const scheduleSign: Family = (view, parts) => {
  if (!view.isSuccessful) return;
  parts.receipt.scheduleID = view.data('scheduleSign')?.scheduleSign.scheduleID;
  parts.receipt.scheduledTransactionID = view.output('signSchedule')?.signSchedule.scheduledTransactionId;
};

export const scheduleDelete: Family = (view, parts) => {
  if (view.isSuccessful) parts.receipt.scheduleID = view.data('scheduleDelete')?.scheduleDelete.scheduleID;
};
