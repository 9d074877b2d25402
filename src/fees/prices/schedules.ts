/** Scheduled transactions. What is scheduled is paid for when it is executed, so it is not priced here. */
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { keyCount } from '../key-count.ts';
import { unknownTransactionType } from '../problems.ts';
import { extra, type Price, price } from './price.ts';

export const schedulePrices: readonly Price[] = [
  price('scheduleCreate', HederaFunctionality.ScheduleCreate, ({ scheduledTransactionBody, adminKey }) => {
    if (scheduledTransactionBody === undefined) throw unknownTransactionType();
    return [
      ...(adminKey === undefined ? [] : [extra('KEYS', keyCount(adminKey))]),
      ...(scheduledTransactionBody.data?.$case === 'contractCall'
        ? [extra('SCHEDULE_CREATE_CONTRACT_CALL_BASE', 1)]
        : []),
    ];
  }),
  price('scheduleSign', HederaFunctionality.ScheduleSign),
  price('scheduleDelete', HederaFunctionality.ScheduleDelete),
];
