import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { protobufKey } from '../account-key.ts';
import type { BlockBuilder, Draft } from '../block-builder.ts';
import { fees } from '../fee-schedule.ts';
import { cryptoTransferData } from '../item-encoder.ts';
import { removeAt, type Schedule } from '../ledger-state.ts';
import { accountId, scheduleId, timestampOf } from '../proto-ids.ts';
import { type Activity, chooseOther, chooseUser } from './choose.ts';

const HBAR = 100_000_000n;
const MAX_PENDING = 200;
/** The network drops schedules that nobody completes within half an hour. */
const LIFETIME_NANOS = 1_800_000_000_000n;

const scheduledTransactionId = (schedule: Schedule) => ({
  transactionValidStart: timestampOf(schedule.validStart),
  accountID: accountId(schedule.creator.num),
  scheduled: true,
});

const transferOf = ({ sender, receiver, amount }: Schedule) => [
  { account: sender, amount: -amount },
  { account: receiver, amount },
];

/** Somebody schedules a transfer out of another's account. */
export const createSchedule: Activity = (builder) => {
  const { random, state } = builder;
  dropExpired(builder);
  const creator = chooseUser(builder, HBAR);
  const sender = creator && chooseOther(builder, creator);
  const receiver = sender && chooseOther(builder, sender);
  if (creator?.key === undefined || sender === undefined || receiver === undefined) return false;
  if (state.schedules.length >= MAX_PENDING || receiver.receiverSignatureRequired) return false;
  const schedule: Schedule = {
    num: builder.takeNum(),
    creator,
    sender,
    receiver,
    amount: BigInt(random.between(1, 10_000_000)),
    validStart: builder.validStartOf(creator),
    createdAt: builder.consensusTime,
  };
  builder.submit({
    payer: creator,
    fee: fees.schedule,
    data: {
      $case: 'scheduleCreate',
      scheduleCreate: {
        scheduledTransactionBody: {
          transactionFee: HBAR,
          memo: 'scheduled',
          data: {
            $case: 'cryptoTransfer',
            cryptoTransfer: {
              transfers: {
                accountAmounts: transferOf(schedule).map(({ account, amount }) => ({
                  accountID: accountId(account.num),
                  amount,
                })),
              },
            },
          },
        },
        adminKey: protobufKey(creator.key),
        memo: `schedule ${schedule.num}`,
      },
    },
    receipt: { scheduleID: scheduleId(schedule.num), scheduledTransactionID: scheduledTransactionId(schedule) },
  });
  state.schedules.push(schedule);
  return true;
};

/** The sender signs a schedule that waits for it, and the transfer follows at once. */
export const signSchedule: Activity = (builder) => {
  const { random, state } = builder;
  dropExpired(builder);
  if (state.schedules.length === 0) return false;
  const index = random.below(state.schedules.length);
  const schedule = state.schedules[index] as Schedule;
  const { creator, sender } = schedule;
  if (sender.balance < HBAR || creator.balance < HBAR || sender.deleted || creator.deleted) return false;
  removeAt(state.schedules, index);
  builder.submit({
    payer: sender,
    fee: fees.schedule,
    data: { $case: 'scheduleSign', scheduleSign: { scheduleID: scheduleId(schedule.num) } },
    receipt: { scheduledTransactionID: scheduledTransactionId(schedule) },
    following: [execution(schedule)],
  });
  return true;
};

const execution = (schedule: Schedule): Draft => {
  const hbar = transferOf(schedule);
  const affordable = schedule.sender.balance > schedule.amount + HBAR / 2n;
  return {
    payer: schedule.creator,
    fee: fees.transfer,
    memo: 'scheduled',
    data: cryptoTransferData(hbar),
    hbar,
    status: affordable ? ResponseCodeEnum.SUCCESS : ResponseCodeEnum.INSUFFICIENT_ACCOUNT_BALANCE,
    record: { scheduleRef: scheduleId(schedule.num) },
    scheduledSince: schedule.validStart,
  };
};

export const deleteSchedule: Activity = (builder) => {
  const { random, state } = builder;
  dropExpired(builder);
  if (state.schedules.length === 0) return false;
  const index = random.below(state.schedules.length);
  const { num, creator } = state.schedules[index] as Schedule;
  if (creator.balance < HBAR || creator.deleted) return false;
  removeAt(state.schedules, index);
  builder.submit({
    payer: creator,
    fee: fees.schedule,
    data: { $case: 'scheduleDelete', scheduleDelete: { scheduleID: scheduleId(num) } },
  });
  return true;
};

const dropExpired = ({ state, consensusTime }: BlockBuilder): void => {
  for (let i = state.schedules.length - 1; i >= 0; i--) {
    const schedule = state.schedules[i] as Schedule;
    if (schedule.createdAt + LIFETIME_NANOS <= consensusTime) removeAt(state.schedules, i);
  }
};
