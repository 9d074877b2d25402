import { describe, expect, it } from 'vitest';
import {
  account,
  bytes,
  ED25519,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  PAYER,
  SINCE_T,
  T,
  token,
} from '../testing/handled.fixture.ts';

const topicID = { topicNum: 900n };
const TOPIC = { id: 900n, type: 'TOPIC', timestamp_range: SINCE_T };
const NO_FEES = {
  entity_id: 900n,
  fixed_fees: '[]',
  fractional_fees: null,
  royalty_fees: null,
  timestamp_range: SINCE_T,
};
const ED25519_HEX = Buffer.from(ED25519.bytes).toString('hex');

describe('topic create', () => {
  const create = (body: object): ItemFields => ({
    data: { $case: 'consensusCreateTopic', consensusCreateTopic: body },
    receipt: { topicID },
  });

  it('creates entity, topic and an empty list of fees', () => {
    const handled = handle(
      itemOf(create({ memo: 'm', autoRenewPeriod: { seconds: 5n }, autoRenewAccount: account(60n) })),
    );
    expect(handled.entityId).toBe(900n);
    expect(handled.all).toEqual([
      {
        table: 'entity',
        row: {
          ...TOPIC,
          auto_renew_account_id: 60n,
          auto_renew_period: 5n,
          created_timestamp: T,
          deleted: false,
          memo: 'm',
        },
      },
      {
        table: 'topic',
        row: { id: 900n, created_timestamp: T, fee_exempt_key_list: bytes(''), timestamp_range: SINCE_T },
      },
      { table: 'custom_fee', row: NO_FEES },
    ]);
    expect(handleFailed(create({ memo: 'm' })).all).toEqual([]);
  });

  it('keeps keys and fees', () => {
    const handled = handle(
      itemOf(
        create({
          adminKey: ED25519.key,
          submitKey: { key: { $case: 'keyList', keyList: {} } },
          feeScheduleKey: ED25519.key,
          feeExemptKeyList: [ED25519.key],
          customFees: [
            { feeCollectorAccountId: account(70n), fixedFee: { amount: 11n } },
            { feeCollectorAccountId: account(71n), fixedFee: { amount: 12n, denominatingTokenId: token(30n) } },
          ],
        }),
      ),
    );
    expect(handled.rows('topic')).toEqual([
      {
        id: 900n,
        admin_key: ED25519.bytes,
        created_timestamp: T,
        fee_exempt_key_list: bytes(`0a22${ED25519_HEX}`),
        fee_schedule_key: ED25519.bytes,
        submit_key: bytes('3200'),
        timestamp_range: SINCE_T,
      },
    ]);
    expect(JSON.parse(handled.rows('custom_fee')[0]?.fixed_fees as string)).toEqual([
      { all_collectors_are_exempt: false, amount: 11, collector_account_id: 70, denominating_token_id: null },
      { all_collectors_are_exempt: false, amount: 12, collector_account_id: 71, denominating_token_id: 30 },
    ]);
  });
});

describe('topic update', () => {
  const update = (body: object): ItemFields => ({
    data: { $case: 'consensusUpdateTopic', consensusUpdateTopic: { topicID, ...body } },
  });

  it('always makes a version of the topic, and of the fees only when they are given', () => {
    expect(handle(itemOf(update({}))).all).toEqual([
      { table: 'entity', row: { ...TOPIC, deleted: false } },
      { table: 'topic', row: { id: 900n, timestamp_range: SINCE_T } },
    ]);
    expect(handle(itemOf(update({ customFees: {} }))).rows('custom_fee')).toEqual([NO_FEES]);
    expect(handleFailed(update({ memo: 'x' })).all).toEqual([]);
  });

  it('changes what the body gives', () => {
    const handled = handle(
      itemOf(
        update({
          adminKey: ED25519.key,
          autoRenewAccount: account(0n),
          autoRenewPeriod: { seconds: 6n },
          expirationTime: { seconds: 1n, nanos: 2 },
          feeExemptKeyList: {},
          memo: '',
        }),
      ),
    );
    expect(handled.rows('entity')).toEqual([
      {
        ...TOPIC,
        auto_renew_account_id: 0n,
        auto_renew_period: 6n,
        deleted: false,
        expiration_timestamp: 1_000_000_002n,
        memo: '',
      },
    ]);
    expect(handled.rows('topic')).toEqual([
      { id: 900n, admin_key: ED25519.bytes, fee_exempt_key_list: bytes(''), timestamp_range: SINCE_T },
    ]);
  });
});

describe('topic delete', () => {
  it('ends the topic', () => {
    const data = { $case: 'consensusDeleteTopic' as const, consensusDeleteTopic: { topicID } };
    expect(handle(itemOf({ data })).all).toEqual([{ table: 'entity', row: { ...TOPIC, deleted: true } }]);
    expect(handleFailed({ data }).all).toEqual([]);
  });
});

describe('submit message', () => {
  const submit = (receipt: object, body: object = {}): ItemFields => ({
    data: { $case: 'consensusSubmitMessage', consensusSubmitMessage: { topicID, message: bytes('6869'), ...body } },
    receipt: { topicRunningHash: bytes('0a0b'), topicSequenceNumber: 12n, ...receipt },
  });
  const MESSAGE = {
    chunk_num: null,
    chunk_total: null,
    consensus_timestamp: T,
    initial_transaction_id: null,
    message: bytes('6869'),
    payer_account_id: PAYER,
    running_hash: bytes('0a0b'),
    running_hash_version: null,
    sequence_number: 12n,
    topic_id: 900n,
    valid_start_timestamp: null,
  };

  it('keeps the message with its place in the topic', () => {
    const handled = handle(itemOf(submit({ topicRunningHashVersion: 3n })));
    expect(handled.entityId).toBe(900n);
    expect(handled.all).toEqual([{ table: 'topic_message', row: MESSAGE }]);
    expect(handleFailed(submit({}))).toMatchObject({ entityId: 900n, all: [] });
    expect(handle(itemOf(submit({})), { persist: { topics: false } }).all).toEqual([]);
  });

  it('spans the messages of a topic in each month when asked to', () => {
    const persist = { topicMessageLookups: true };
    const lookup = {
      topic_id: 900n,
      partition: 'topic_message_p2023_11',
      sequence_number_range: { lower: 12n, upper: 13n },
      timestamp_range: { lower: T, upper: T + 1n },
    };
    const lookups = (fields: ItemFields, options: object = { persist }) =>
      handle(itemOf(fields), options).rows('topic_message_lookup');
    expect(lookups(submit({}))).toEqual([lookup]);
    const january = { ...submit({ topicSequenceNumber: 13n }), timestamp: 1_704_067_200_000_000_000n };
    expect(lookups(january)).toMatchObject([{ partition: 'topic_message_p2024_01' }]);
    expect(lookups({ ...submit({}), timestamp: (1n << 63n) - 1n })).toEqual([]);
    expect(lookups(submit({}), {})).toEqual([]);
    expect(lookups(submit({}), { persist: { ...persist, topics: false } })).toEqual([]);
    expect(handleFailed(submit({}), { persist }).rows('topic_message_lookup')).toEqual([]);
  });

  it('writes versions of the running hash other than today’s', () => {
    const version = (topicRunningHashVersion: bigint) =>
      handle(itemOf(submit({ topicRunningHashVersion }))).rows('topic_message')[0]?.running_hash_version;
    expect([0n, 1n, 2n, 3n].map(version)).toEqual([1, 1, 2, null]);
  });

  it('keeps where a chunk belongs', () => {
    const chunkInfo = {
      initialTransactionID: { accountID: account(5n), transactionValidStart: { seconds: 1n, nanos: 2 } },
      number: 2,
      total: 3,
    };
    expect(handle(itemOf(submit({ topicRunningHashVersion: 3n }, { chunkInfo }))).rows('topic_message')).toEqual([
      { ...MESSAGE, chunk_num: 2, chunk_total: 3, initial_transaction_id: bytes('0a040801100212021805') },
    ]);
  });
});
