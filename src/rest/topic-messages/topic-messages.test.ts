import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { TransactionID } from '../../protobuf/generated/services/basic_types.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { topicMessageRoutes } from './topic-messages.ts';

let test: TestDatabase;
let plain: ReturnType<typeof restRequests>;
let byLookup: ReturnType<typeof restRequests>;

const start = 1_234_567_890_000_000_000n;
const count = 20;
const otherTopic = encodeEntityId(1n, 2n, 7n);

const initialId = Buffer.from(
  TransactionID.encode(
    TransactionID.fromPartial({
      accountID: { account: { $case: 'accountNum', accountNum: 3n } },
      transactionValidStart: { seconds: 5n, nanos: 1 },
      nonce: 1,
      scheduled: true,
    }),
  ).finish(),
).toString('hex');

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(test.database, 'topic_message', [
    ...Array.from({ length: count }, (_, i) => ({
      consensus_timestamp: start + BigInt(i),
      message: '\\xe2848f0a',
      running_hash: '\\x0102',
      running_hash_version: i === 2 ? null : 2,
      sequence_number: i + 1,
      topic_id: 7,
      payer_account_id: 3,
      chunk_num: i === 0 || i === 1 ? i + 1 : null,
      chunk_total: i === 0 || i === 1 ? 2 : null,
      valid_start_timestamp: i === 1 ? 9_000_000_001n : null,
      initial_transaction_id: i === 0 ? `\\x${initialId}` : null,
    })),
    {
      consensus_timestamp: start + 1000n,
      message: '\\x',
      running_hash: '\\x',
      sequence_number: 1,
      topic_id: otherTopic,
      payer_account_id: encodeEntityId(1n, 2n, 3n),
    },
  ]);
  await insertRows(test.database, 'topic_message_lookup', [
    { partition: 'a', topic_id: 7, sequence_number_range: '[1,11)', timestamp_range: `[${start},${start + 10n})` },
    {
      partition: 'b',
      topic_id: 7,
      sequence_number_range: '[11,21)',
      timestamp_range: `[${start + 10n},${start + 20n})`,
    },
  ]);
  await insertRows(test.database, 'transaction', [
    { consensus_timestamp: start, type: 27, result: 22, payer_account_id: 3, valid_start_ns: 1, entity_id: 7 },
    { consensus_timestamp: start + 1n, type: 27, result: 10, payer_account_id: 3, valid_start_ns: 1, entity_id: 7 },
    { consensus_timestamp: start + 2n, type: 14, result: 22, payer_account_id: 3, valid_start_ns: 1, entity_id: 7 },
  ]);
  plain = restRequests(topicMessageRoutes, test.database);
  byLookup = restRequests(topicMessageRoutes, test.database, { rest: { query: { topicMessageLookup: true } } });
});
afterAll(() => test?.drop());

const sequence = (pages: readonly { json: { messages: { sequence_number: number }[] } }[]): number[] =>
  pages.flatMap(({ json }) => json.messages.map(({ sequence_number }) => sequence_number));
const upwards = Array.from({ length: count }, (_, i) => i + 1);

describe.each(['without', 'with'])('GET /api/v1/topics/{id}/messages %s the lookup table', (mode) => {
  const get = (url: string) => (mode === 'with' ? byLookup : plain)(url);

  it.each([
    ['', upwards],
    ['sequencenumber=3', [3]],
    ['sequencenumber=3&sequencenumber=4', []],
    ['sequencenumber=gte:9&sequencenumber=lt:13', [9, 10, 11, 12]],
    ['sequencenumber=gt:15&order=desc', [20, 19, 18, 17, 16]],
    ['sequencenumber=lte:2&order=desc', [2, 1]],
    ['timestamp=1234567890.000000002', [3]],
    ['timestamp=gt:1234567890.000000017&sequencenumber=gt:2', [19, 20]],
    ['timestamp=gt:1234567891', []],
    ['timestamp=gt:9999999999.999999999', []],
    ['sequencenumber=gt:9223372036854775806', []],
  ])('?%s', async (query, expected) => {
    expect(sequence([await get(`/api/v1/topics/7/messages?${query}`)])).toEqual(expected);
  });

  it('links through all messages in both orders', async () => {
    for (const limit of [1, 3, 10, 20]) {
      const from = (query: string) => followLinks(get, `/api/v1/topics/0.0.7/messages?${query}&limit=${limit}`);
      expect(sequence(await from('order=asc'))).toEqual(upwards);
      expect(sequence(await from('order=desc'))).toEqual(upwards.toReversed());
      expect(sequence(await from('sequencenumber=gt:5&timestamp=lte:1234567890.000000015'))).toEqual(
        upwards.slice(5, 16),
      );
      expect(sequence(await from('sequencenumber=lt:14&order=desc'))).toEqual(upwards.slice(0, 13).toReversed());
    }
  });

  it('gives an empty list of a topic that does not exist', async () => {
    expect((await get('/api/v1/topics/8/messages')).json).toEqual({ links: { next: null }, messages: [] });
  });

  it('finds one by number', async () => {
    expect((await get('/api/v1/topics/7/messages/12')).json.sequence_number).toBe(12);
    expect(await get('/api/v1/topics/7/messages/21')).toMatchObject({ status: 404, messages: ['Not found'] });
  });
});

describe('messages', () => {
  it('have their content in base64 or as text', async () => {
    const first = async (encoding: string) =>
      (await plain(`/api/v1/topics/7/messages?limit=1${encoding}`)).json.messages[0].message;
    expect(await first('')).toBe('4oSPCg==');
    expect(await first('&encoding=BASE64')).toBe('4oSPCg==');
    expect(await first('&encoding=utf-8')).toBe('ℏ\n');
    expect(await first('&encoding=base64&encoding=UTF8')).toBe('ℏ\n');
  });

  it('tell which chunk they are', async () => {
    const chunk = async (number: number) => (await plain(`/api/v1/topics/7/messages/${number}`)).json.chunk_info;
    expect(await chunk(1)).toEqual({
      initial_transaction_id: {
        account_id: '0.0.3',
        nonce: 1,
        scheduled: true,
        transaction_valid_start: '5.000000001',
      },
      number: 1,
      total: 2,
    });
    expect(await chunk(2)).toEqual({
      initial_transaction_id: {
        account_id: '0.0.3',
        nonce: null,
        scheduled: null,
        transaction_valid_start: '9.000000001',
      },
      number: 2,
      total: 2,
    });
    expect(await chunk(3)).toBeNull();
  });

  it('are of version 3 unless stated', async () => {
    expect((await plain('/api/v1/topics/7/messages/3')).json.running_hash_version).toBe(3);
    expect((await plain('/api/v1/topics/7/messages/4')).json.running_hash_version).toBe(2);
  });

  it('belong to the shard and realm of the network', async () => {
    const get = restRequests(topicMessageRoutes, test.database, { shard: 1n, realm: 2n });
    for (const id of ['7', '2.7', '1.2.7']) {
      expect((await get(`/api/v1/topics/${id}/messages`)).json.messages).toMatchObject([
        { topic_id: '1.2.7', payer_account_id: '1.2.3', message: '' },
      ]);
    }
    expect((await get('/api/v1/topics/0.0.7/messages')).json.messages).toHaveLength(count);
  });
});

describe('GET /api/v1/topics/messages/{timestamp}', () => {
  it('finds the message of a successful submission', async () => {
    expect((await plain('/api/v1/topics/messages/1234567890.000000000')).json.sequence_number).toBe(1);
    expect((await plain('/api/v1/topics/messages/1234567890')).json.sequence_number).toBe(1);
  });

  it.each(['1234567890.000000001', '1234567890.000000002', '1234567890.000000003', '9999999999.999999999'])(
    '%s: 404',
    async (timestamp) => {
      expect((await plain(`/api/v1/topics/messages/${timestamp}`)).status).toBe(404);
    },
  );

  it('refuses other texts', async () => {
    expect(await plain('/api/v1/topics/messages/123abc')).toMatchObject({
      status: 400,
      messages: ['Invalid parameter: consensus_timestamp'],
    });
  });
});

describe('refusals', () => {
  it.each([
    ['/api/v1/topics/x/messages', ['Invalid parameter: topic.id']],
    ['/api/v1/topics/x/messages/0', ['Invalid parameter: topic.id', 'Invalid parameter: sequencenumber']],
    ['/api/v1/topics/274877906944/messages', ['Invalid entity ID "0.0.274877906944"']],
    ['/api/v1/topics/7/messages?encoding=utf16', ['Invalid parameter: encoding']],
    ['/api/v1/topics/7/messages?sequencenumber=0', ['Invalid parameter: sequencenumber']],
  ])('%s', async (url, messages) => {
    expect(await plain(url)).toMatchObject({ status: 400, messages });
  });

  it('refuses ne only where the lookup table is used', async () => {
    expect(sequence([await plain('/api/v1/topics/7/messages?sequencenumber=ne:1&limit=2')])).toEqual([2, 3]);
    expect((await byLookup('/api/v1/topics/7/messages?sequencenumber=ne:1')).messages).toEqual([
      'Not equal (ne) operator is not supported for sequencenumber',
    ]);
    expect((await byLookup('/api/v1/topics/7/messages?timestamp=ne:1')).messages).toEqual([
      'Not equal (ne) operator is not supported for timestamp',
    ]);
  });
});
