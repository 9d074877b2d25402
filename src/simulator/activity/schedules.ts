import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { protobufKey } from '../keys/account-key.ts';
import { fees } from '../network/fee-schedule.ts';
import type { BlockBuilder } from '../records/block-builder.ts';
import type { Draft } from '../records/draft.ts';
import { cryptoTransferData } from '../records/item-encoder.ts';
import { accountId, scheduleId, timestampOf } from '../records/proto-ids.ts';
import type { Schedule } from '../state/ledger-entities.ts';
import { remember, removeAt } from '../state/ledger-state.ts';
import { type Activity, chooseOther, chooseUser } from './choose.ts';

const HBAR = 100_000_000n;
const MAX_PENDING = 200;
/** The network drops schedules that nobody completes within half an hour. */
const LIFETIME_NANOS = 1_800_000_000_000n;
const NANOS_PER_SECOND = 1_000_000_000;

const scheduledTransactionId = (schedule: Schedule) => ({
  transactionValidStart: timestampOf(schedule.validStart),
  accountID: accountId(schedule.creator.num),
  scheduled: true,
});

const transferOf = ({ sender, receiver, amount }: Schedule) => [
  { account: sender, amount: -amount },
  { account: receiver, amount },
];

/** A schedule's name in its memo; the entity keeps it. */
export const scheduleMemo = ({ num }: Schedule): string => `schedule ${num}`;

/**
 * Somebody schedules a transfer out of another's account; half of them live as long as the body says, of which some
 * wait for the end of that ([HIP-423](https://hips.hedera.com/hip/hip-423)).
 */
export const createSchedule: Activity = (builder) => {
  const { random, state, consensusTime } = builder;
  const creator = chooseUser(builder, HBAR);
  const sender = creator && chooseOther(builder, creator);
  const receiver = sender && chooseOther(builder, sender);
  if (creator?.key === undefined || sender === undefined || receiver === undefined) return false;
  if (state.schedules.length >= MAX_PENDING || receiver.receiverSignatureRequired) return false;
  const longTerm = random.chance(0.5);
  const lifetime = longTerm ? BigInt(random.between(3, 30)) * BigInt(NANOS_PER_SECOND) : LIFETIME_NANOS;
  const schedule: Schedule = {
    num: builder.takeNum(),
    creator,
    keyBytes: creator.keyBytes,
    payer: random.chance(0.2) ? sender : creator,
    sender,
    receiver,
    amount: BigInt(random.between(1, 10_000_000)),
    validStart: builder.validStartOf(creator),
    // Bodies name whole seconds.
    expiry: longTerm
      ? ((consensusTime + lifetime) / BigInt(NANOS_PER_SECOND)) * BigInt(NANOS_PER_SECOND)
      : consensusTime + lifetime,
    longTerm,
    waitForExpiry: longTerm && random.chance(0.6),
    signed: false,
    executed: undefined,
    deleted: false,
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
        memo: scheduleMemo(schedule),
        ...(schedule.payer === creator ? {} : { payerAccountID: accountId(schedule.payer.num) }),
        ...(longTerm && { expirationTime: timestampOf(schedule.expiry) }),
        waitForExpiry: schedule.waitForExpiry,
      },
    },
    receipt: { scheduleID: scheduleId(schedule.num), scheduledTransactionID: scheduledTransactionId(schedule) },
  });
  state.schedules.push(schedule);
  return true;
};

const close = ({ state }: BlockBuilder, index: number): void => {
  remember(state.closedSchedules, state.schedules[index] as Schedule);
  removeAt(state.schedules, index);
};

const isAble = ({ payer, creator, sender }: Schedule): boolean =>
  ![payer, creator, sender].some((account) => account.balance < HBAR || account.deleted);

/** The sender signs a schedule that waits for it, and the transfer follows at once, unless its time has not come. */
export const signSchedule: Activity = (builder) => {
  const { random, state } = builder;
  if (state.schedules.length === 0) return false;
  const index = random.below(state.schedules.length);
  const schedule = state.schedules[index] as Schedule;
  if (schedule.signed || schedule.expiry <= builder.consensusTime || !isAble(schedule)) return false;
  schedule.signed = true;
  const executes = !schedule.waitForExpiry;
  if (executes) {
    schedule.executed = builder.consensusTime + 1n;
    close(builder, index);
  }
  builder.submit({
    payer: schedule.sender,
    fee: fees.schedule,
    data: { $case: 'scheduleSign', scheduleSign: { scheduleID: scheduleId(schedule.num) } },
    receipt: { scheduledTransactionID: scheduledTransactionId(schedule) },
    following: executes ? [execution(schedule)] : [],
  });
  return true;
};

const execution = (schedule: Schedule): Draft => {
  const hbar = transferOf(schedule);
  const affordable = schedule.sender.balance > schedule.amount + HBAR / 2n;
  return {
    payer: schedule.payer,
    fee: fees.transfer,
    memo: 'scheduled',
    data: cryptoTransferData(hbar),
    hbar,
    status: affordable ? ResponseCodeEnum.SUCCESS : ResponseCodeEnum.INSUFFICIENT_ACCOUNT_BALANCE,
    record: { scheduleRef: scheduleId(schedule.num) },
    scheduledSince: schedule.validStart,
    scheduledBy: schedule.creator,
  };
};

export const deleteSchedule: Activity = (builder) => {
  const { random, state } = builder;
  if (state.schedules.length === 0) return false;
  const index = random.below(state.schedules.length);
  const schedule = state.schedules[index] as Schedule;
  const { num, creator } = schedule;
  if (creator.balance < HBAR || creator.deleted || schedule.expiry <= builder.consensusTime) return false;
  schedule.deleted = true;
  close(builder, index);
  builder.submit({
    payer: creator,
    fee: fees.schedule,
    data: { $case: 'scheduleDelete', scheduleDelete: { scheduleID: scheduleId(num) } },
  });
  return true;
};

/**
 * What the network does of its own accord before the builder's slot: drops schedules whose time is over, and executes
 * those that waited for it with all signatures. Takes a moment just before the slot.
 */
export const endSchedules = (builder: BlockBuilder): void => {
  const { state, consensusTime } = builder;
  let early = 50n;
  for (let i = state.schedules.length - 1; i >= 0; i--) {
    const schedule = state.schedules[i] as Schedule;
    if (schedule.expiry > consensusTime) continue;
    const due = schedule.waitForExpiry && schedule.signed && isAble(schedule);
    // As many as fit before the slot; the others have the next one.
    if (due && early <= 30n) continue;
    close(builder, i);
    if (!due) continue;
    builder.consensusTime = consensusTime - early;
    early -= 2n;
    schedule.executed = builder.consensusTime;
    builder.execute(execution(schedule));
    builder.consensusTime = consensusTime;
  }
};
