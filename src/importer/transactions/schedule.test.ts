import { describe, expect, it } from 'vitest';
import { encodeTransaction, transactionOf } from '../../ledger/testing/ethereum-transaction.fixture.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import {
  account,
  bytes,
  ED25519,
  handle,
  type ItemFields,
  itemOf,
  PAYER,
  SINCE_T,
  T,
} from './testing/handled.fixture.ts';

const scheduleID = { scheduleNum: 4000n };
const SCHEDULE = { id: 4000n, type: 'SCHEDULE', timestamp_range: SINCE_T };

const create = (body: object, more: ItemFields = {}): ItemFields => ({
  data: { $case: 'scheduleCreate', scheduleCreate: body },
  receipt: { scheduleID },
  ...more,
});

const CREATED = {
  schedule_id: 4000n,
  consensus_timestamp: T,
  creator_account_id: PAYER,
  payer_account_id: PAYER,
  transaction_body: bytes(''),
  wait_for_expiry: false,
};

describe('schedule create', () => {
  it('creates entity and schedule', () => {
    const body = {
      adminKey: ED25519.key,
      expirationTime: { seconds: 5n, nanos: 6 },
      memo: 'm',
      payerAccountID: account(44n),
      scheduledTransactionBody: { memo: 'x' },
      waitForExpiry: true,
    };
    const handled = handle(itemOf(create(body)));
    expect(handled.entityId).toBe(4000n);
    expect(handled.all).toEqual([
      {
        table: 'entity',
        row: {
          ...SCHEDULE,
          created_timestamp: T,
          deleted: false,
          key: ED25519.bytes,
          memo: 'm',
          public_key: ED25519.publicKey,
        },
      },
      {
        table: 'schedule',
        row: {
          ...CREATED,
          expiration_time: 5_000_000_006n,
          payer_account_id: 44n,
          transaction_body: bytes('120178'),
          wait_for_expiry: true,
        },
      },
    ]);
  });

  it('creates the entity alone without schedules', () => {
    expect(handle(itemOf(create({})), { persist: { schedules: false } }).all).toEqual([
      { table: 'entity', row: { ...SCHEDULE, created_timestamp: T, deleted: false, memo: '' } },
    ]);
  });

  it('only points to the schedule that was already there', () => {
    const handled = handle(itemOf(create({}, { status: ResponseCodeEnum.IDENTICAL_SCHEDULE_ALREADY_CREATED })));
    expect(handled.entityId).toBe(4000n);
    expect(handled.all).toEqual([]);
  });

  it('is created by the sender of the Ethereum transaction that made it', () => {
    const ethereum = (senderId: object, ethereumData = encodeTransaction(transactionOf(2))) =>
      itemOf({
        data: { $case: 'ethereumTransaction', ethereumTransaction: { ethereumData } },
        record: { body: { $case: 'contractCallResult', contractCallResult: { senderId } } },
      });
    const creator = (parent: ReturnType<typeof itemOf>) => handle(itemOf(create({}, { parent }))).rows('schedule');
    expect(creator(ethereum(account(45n)))).toEqual([{ ...CREATED, creator_account_id: 45n, payer_account_id: 45n }]);
    expect(creator(ethereum({}))).toEqual([CREATED]);
    expect(creator(ethereum(account(45n), bytes('03c0')))).toEqual([CREATED]);
    expect(creator(itemOf({ data: { $case: 'contractCall', contractCall: {} } }))).toEqual([CREATED]);
  });
});

describe('schedule delete and sign', () => {
  it('end the schedule', () => {
    const data = { $case: 'scheduleDelete' as const, scheduleDelete: { scheduleID } };
    expect(handle(itemOf({ data })).all).toEqual([{ table: 'entity', row: { ...SCHEDULE, deleted: true } }]);
    expect(handle(itemOf({ data, status: ResponseCodeEnum.INVALID_SCHEDULE_ID })).all).toEqual([]);
  });

  it('leave the signature to the common rows', () => {
    const data = { $case: 'scheduleSign' as const, scheduleSign: { scheduleID } };
    expect(handle(itemOf({ data }))).toMatchObject({ entityId: 4000n, all: [] });
  });
});
