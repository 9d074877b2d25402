import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { TransactionID } from '../../protobuf/generated/services/basic_types.ts';
import {
  at,
  connect,
  type GrpcFixture,
  type GrpcFixtureOptions,
  grpcSettings,
  openGrpc,
  subscribeTo,
  topicId,
} from '../testing/grpc-server.fixture.ts';
import { insertBlock, insertTopic, messagesOf } from '../testing/topic-rows.fixture.ts';

const SECOND = 1_000_000_000n;
const NOW = 2_000n * SECOND;
const LONG_MAX = (1n << 63n) - 1n;

let test: TestDatabase;
let database: Database;
const opened: GrpcFixture[] = [];

const serve = async (options: GrpcFixtureOptions = {}, over: Pick<Database, 'query' | 'copyOut'> = database) => {
  const fixture = await openGrpc(over, { clock: () => NOW, ...options });
  opened.push(fixture);
  return { ...fixture, client: connect(fixture.address) };
};

const numbers = ({ messages }: { readonly messages: readonly { readonly sequenceNumber: bigint }[] }) =>
  messages.map(({ sequenceNumber }) => Number(sequenceNumber));

const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

beforeAll(async () => {
  test = await createTestDatabase();
  ({ database } = test);
  await insertTopic(database, 900n);
  await insertTopic(database, 901n);
  await insertTopic(database, 902n);
  await insertTopic(database, 903n);
  await insertTopic(database, 904n);
  await insertTopic(database, 905n);
  await insertTopic(database, 800n, 'ACCOUNT');
  await insertBlock(database, 1_000n * SECOND, [
    ...messagesOf(900n, 1n, 10n * SECOND, 3),
    ...messagesOf(901n, 1n, 20n * SECOND, 1_001),
  ]);
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ stop }) => stop()));
});

afterAll(async () => {
  await test.drop();
});

it.each([
  ['no topic', {}, 3, 'subscribeTopic.filter.topicId: must not be null'],
  [
    'a limit beyond int64',
    { topicID: topicId(900n), limit: 1n << 63n },
    3,
    'subscribeTopic.filter.limit: must be greater than or equal to 0',
  ],
  [
    'a start before the epoch',
    { topicID: topicId(900n), consensusStartTime: { seconds: -1n, nanos: 0 } },
    3,
    'subscribeTopic.filter.startTime: must be greater than or equal to 0',
  ],
  [
    'an end that is the start',
    { topicID: topicId(900n), consensusStartTime: at(5n), consensusEndTime: at(5n) },
    3,
    'subscribeTopic.filter.validEndTime: End time must be after start time',
  ],
  [
    'an end in the past without a start',
    { topicID: topicId(900n), consensusEndTime: at(NOW) },
    3,
    'subscribeTopic.filter.validEndTime: End time must be after start time',
  ],
  [
    'a start in the future',
    { topicID: topicId(900n), consensusStartTime: at(NOW + 1n) },
    3,
    'subscribeTopic.filter.validStartTime: Start time must be before the current time',
  ],
  [
    'a start beyond all times',
    { topicID: topicId(900n), consensusStartTime: { seconds: LONG_MAX, nanos: 0 } },
    3,
    'subscribeTopic.filter.validStartTime: Start time must be before the current time',
  ],
  [
    'several faults',
    { limit: LONG_MAX + 1n, consensusStartTime: at(NOW + 1n) },
    3,
    'subscribeTopic.filter.topicId: must not be null, ' +
      'subscribeTopic.filter.limit: must be greater than or equal to 0, ' +
      'subscribeTopic.filter.validStartTime: Start time must be before the current time',
  ],
  ['a negative number', { topicID: topicId(-1n) }, 3, 'Invalid entity ID: 0.0.-1'],
  ['a number too large', { topicID: topicId(1n << 38n) }, 3, 'Invalid entity ID: 0.0.274877906944'],
  ['a topic that is not there', { topicID: topicId(999n) }, 5, '0.0.999 does not exist'],
  ['an empty id', { topicID: topicId(0n) }, 5, '0.0.0 does not exist'],
  ['an account', { topicID: topicId(800n) }, 3, 'Not a valid topic'],
] as const)('refuses %s', async (_name, query, code, details) => {
  const { client } = await serve();
  expect(await subscribeTo(client, query)).toEqual({ messages: [], code, details });
});

it('refuses bytes that are no query, and queries of more than 1,024 bytes', async () => {
  const { client } = await serve();
  const path = '/com.hedera.mirror.api.proto.ConsensusService/subscribeTopic';
  const send = (bytes: Buffer) =>
    new Promise((resolve) => {
      const call = client.makeServerStreamRequest(
        path,
        (value: Buffer) => value,
        (value) => value,
        bytes,
      );
      call.on('data', () => undefined);
      call.on('error', ({ code, details }: { code: number; details: string }) => resolve([code, details]));
    });
  expect(await send(Buffer.from('0aff', 'hex'))).toEqual([13, 'Invalid protobuf byte sequence']);
  expect(await send(Buffer.alloc(1_025))).toEqual([8, 'Received message larger than max (1025 vs 1024)']);
});

it('sends history from a start to a limit', async () => {
  const { client } = await serve();
  const outcome = await subscribeTo(client, { topicID: topicId(900n), consensusStartTime: at(0n), limit: 3n });
  expect(numbers(outcome)).toEqual([1, 2, 3]);
  expect(outcome.messages[0]).toMatchObject({
    consensusTimestamp: { seconds: 10n, nanos: 0 },
    message: Buffer.from('message 1'),
    runningHash: Buffer.from([1, 2]),
    sequenceNumber: 1n,
    runningHashVersion: 3n,
    chunkInfo: undefined,
  });
  expect(outcome.code).toBe(0);
});

it('takes the largest time there is as no end', async () => {
  const { client } = await serve();
  const outcome = await subscribeTo(client, {
    topicID: topicId(900n),
    consensusStartTime: at(0n),
    consensusEndTime: { seconds: 31_556_889_864_403_199n, nanos: 999_999_999 },
    limit: 1n,
  });
  expect([numbers(outcome), outcome.code]).toEqual([[1], 0]);
});

it.each([
  ['exactly a page', 1_000n, undefined, 1_000],
  ['more than 2^31', 1n << 31n, 20n * SECOND + 1_001n, 1_001],
  ['to an end that is no message any more', 0n, 20n * SECOND + 1_000n, 1_000],
])('sends history of several pages: %s', async (_name, limit, end, count) => {
  const { client } = await serve();
  const outcome = await subscribeTo(client, {
    topicID: topicId(901n),
    consensusStartTime: at(20n * SECOND),
    consensusEndTime: end === undefined ? undefined : at(end),
    limit,
  });
  expect([numbers(outcome), outcome.code]).toEqual([range(1, count), 0]);
});

it('goes on with what is committed after the history, each message once', async () => {
  const { client, interface: served } = await serve();
  await insertBlock(database, 1_100n * SECOND, messagesOf(902n, 1n, 1_050n * SECOND, 3));
  const receiving = subscribeTo(
    client,
    { topicID: topicId(902n), consensusStartTime: at(0n), limit: 7n },
    (message) => {
      if (message.sequenceNumber === 3n) {
        void insertBlock(database, 1_101n * SECOND, messagesOf(902n, 4n, 1_100n * SECOND + 1n, 2))
          .then(() => served.onBlockCommitted())
          .then(() => insertBlock(database, 1_102n * SECOND, messagesOf(902n, 6n, 1_101n * SECOND + 1n, 2)))
          .then(() => served.onBlockCommitted());
      }
      return false;
    },
  );
  const outcome = await receiving;
  expect([numbers(outcome), outcome.code]).toEqual([[1, 2, 3, 4, 5, 6, 7], 0]);
});

it('finds new blocks that nobody announces', async () => {
  const { client } = await serve({ settings: { listener: { ...grpcSettings.listener, interval: 50 } } });
  await insertBlock(database, 1_200n * SECOND, messagesOf(903n, 1n, 1_150n * SECOND, 1));
  let isNext = false;
  const outcome = await subscribeTo(client, { topicID: topicId(903n), consensusStartTime: at(0n), limit: 2n }, () => {
    if (!isNext) void insertBlock(database, 1_201n * SECOND, messagesOf(903n, 2n, 1_200n * SECOND + 1n, 1));
    isNext = true;
    return false;
  });
  expect(numbers(outcome)).toEqual([1, 2]);
});

it('ends when blocks have come as far as the end time', async () => {
  const { client, interface: served } = await serve();
  const receiving = subscribeTo(client, {
    topicID: topicId(904n),
    consensusStartTime: at(NOW - 1n),
    consensusEndTime: at(NOW + SECOND),
  });
  await insertBlock(database, NOW + 2n * SECOND, [
    ...messagesOf(904n, 1n, NOW, 2),
    ...messagesOf(904n, 3n, NOW + SECOND, 1),
  ]);
  served.onBlockCommitted();
  const outcome = await receiving;
  expect([numbers(outcome), outcome.code]).toEqual([[1, 2], 0]);
});

it('ends some time after an end time that no block reaches', async () => {
  let now = NOW + 10n * SECOND;
  const hasBegun = Promise.withResolvers<void>();
  const clock = () => {
    hasBegun.resolve();
    return now;
  };
  const { client } = await serve({ clock });
  const receiving = subscribeTo(client, { topicID: topicId(900n), consensusEndTime: at(now + SECOND) });
  await hasBegun.promise;
  setTimeout(() => {
    now += 32n * SECOND;
  }, 50);
  expect(await receiving).toEqual({ messages: [], code: 0, details: '' });
});

it('waits for a topic that is not there yet, where that is allowed', async () => {
  const { client, interface: served } = await serve({ settings: { checkTopicExists: false } });
  const receiving = subscribeTo(client, { topicID: topicId(950n), consensusStartTime: at(NOW), limit: 1n });
  await insertBlock(database, NOW + 4n * SECOND, messagesOf(950n, 1n, NOW + 3n * SECOND, 1));
  served.onBlockCommitted();
  expect(numbers(await receiving)).toEqual([1]);
});

it('sends only the history without a listener, and only what is new without a retriever', async () => {
  const { listener, retriever } = grpcSettings;
  const past = await serve({ settings: { listener: { ...listener, enabled: false } } });
  const history = await subscribeTo(past.client, { topicID: topicId(900n), consensusStartTime: at(0n) });
  expect([numbers(history), history.code]).toEqual([[1, 2, 3], 0]);

  const news = await serve({ settings: { retriever: { ...retriever, enabled: false } } });
  await insertBlock(database, NOW + 5n * SECOND, messagesOf(905n, 1n, NOW + 4n * SECOND + 5n, 2));
  const receiving = subscribeTo(news.client, { topicID: topicId(905n), consensusStartTime: at(0n), limit: 1n });
  await expect.poll(() => news.registry.getSingleMetricAsString('hiero_mirror_grpc_subscribers')).toMatch(/} 1$/m);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await insertBlock(database, NOW + 6n * SECOND, messagesOf(905n, 3n, NOW + 5n * SECOND + 1n, 1));
  news.interface.onBlockCommitted();
  expect(numbers(await receiving)).toEqual([3]);
});

it('ends with an error where the database lacks a message of the topic', async () => {
  await insertTopic(database, 911n);
  await database.query(
    `insert into topic_message (consensus_timestamp, message, running_hash, sequence_number, topic_id)
      values (41, 'a', '', 4, 911), (42, 'b', '', 6, 911)`,
  );
  const { client, logged } = await serve();
  const outcome = await subscribeTo(client, { topicID: topicId(911n), consensusStartTime: at(0n) });
  expect([outcome.code, outcome.details]).toEqual([2, 'Unknown error']);
  expect(logged).toHaveLength(1);
});

it.each([
  ['DATABASE_TIMEOUT', 8],
  ['DATABASE_UNAVAILABLE', 14],
] as const)('reports a database that fails for long: %s', async (code, status) => {
  const failing: Pick<Database, 'query' | 'copyOut'> = {
    query: (text, values, name) =>
      name === 'grpc-topic-messages' ? Promise.reject(new KagamiError(code, 'no')) : database.query(text, values, name),
    copyOut: (text, onRow) => database.copyOut(text, onRow),
  };
  const retriever = { ...grpcSettings.retriever, timeout: 400 };
  const { client } = await serve({ settings: { retriever } }, failing);
  expect(await subscribeTo(client, { topicID: topicId(900n), consensusStartTime: at(0n) })).toEqual({
    messages: [],
    code: status,
    details: 'Error querying the data source. Please retry later',
  });
});

it('outlasts a database that fails for a while', async () => {
  let failures = 2;
  const no = () => Promise.reject(new KagamiError('DATABASE_UNAVAILABLE', 'no'));
  const failing: Pick<Database, 'query' | 'copyOut'> = {
    query: (text, values, name) =>
      name === 'grpc-topic-messages' && failures-- > 0 ? no() : database.query(text, values, name),
    copyOut: (text, onRow) => (failures-- > 0 ? no() : database.copyOut(text, onRow)),
  };
  const { client } = await serve({}, failing);
  const outcome = await subscribeTo(client, { topicID: topicId(900n), consensusStartTime: at(0n), limit: 3n });
  expect(numbers(outcome)).toEqual([1, 2, 3]);
});

it('refuses more subscriptions than it may have', async () => {
  const { client, registry } = await serve({ limits: { maxSubscriptions: 1 } });
  const first = subscribeTo(client, { topicID: topicId(900n), consensusStartTime: at(0n) }, () => false);
  await expect.poll(() => registry.getSingleMetricAsString('hiero_mirror_grpc_subscribers')).toMatch(/} 1$/m);
  const second = await subscribeTo(client, { topicID: topicId(900n), consensusStartTime: at(0n) });
  expect([second.code, second.details]).toEqual([8, 'Too many subscriptions. Please retry later']);
  await opened.splice(0)[0]?.stop();
  const { code, details } = await first;
  expect([code, details]).toEqual([14, 'The server is shutting down']);
});

it('frees what a client leaves behind', async () => {
  const { client, registry } = await serve();
  const outcome = await subscribeTo(client, { topicID: topicId(900n), consensusStartTime: at(0n) }, () => true);
  expect(outcome.code).toBe(1);
  await expect.poll(() => registry.getSingleMetricAsString('hiero_mirror_grpc_subscribers')).toMatch(/} 0$/m);
});

it('reads a block once for all subscribers of all topics', async () => {
  const topics = Array.from({ length: 10 }, (_, index) => 1_910n + BigInt(index));
  for (const topic of topics) await insertTopic(database, topic);
  const statements: (string | undefined)[] = [];
  const counted: Pick<Database, 'query' | 'copyOut'> = {
    query: (text, values, name) => {
      statements.push(name ?? text);
      return database.query(text, values, name);
    },
    copyOut: (text, onRow) => {
      statements.push('news');
      return database.copyOut(text, onRow);
    },
  };
  const { interface: served, address } = await serve(
    { settings: { listener: { ...grpcSettings.listener, interval: 60_000 } } },
    counted,
  );
  const clients = Array.from({ length: 10 }, () => connect(address));
  const received: bigint[] = [];
  // A connection may have five calls.
  const receiving = clients.flatMap((client, place) =>
    topics.slice((place % 2) * 5, (place % 2) * 5 + 5).map((topic) =>
      subscribeTo(client, { topicID: topicId(topic), consensusStartTime: at(NOW), limit: 3n }, () => {
        received.push(topic);
        return false;
      }),
    ),
  );
  // Every subscription asks once whether its topic exists.
  const subscribed = () => statements.filter((name) => name === 'grpc-entity-type').length;
  await vi.waitFor(() => expect(subscribed()).toBe(50), { timeout: 20_000 });
  await pause(500);
  statements.length = 0;
  const begin = NOW + 1_000n * SECOND;
  await insertBlock(
    database,
    begin + SECOND,
    topics.flatMap((topic, index) => messagesOf(topic, 1n, begin + BigInt(index) * 10n, 3)),
  );
  served.onBlockCommitted();
  for (const outcome of await Promise.all(receiving)) expect([numbers(outcome), outcome.code]).toEqual([[1, 2, 3], 0]);
  expect(received).toHaveLength(150);
  expect(statements).toEqual(['news']);
});

it.each([
  ['history', 910n, 0n],
  ['new', 916n, 4_000n * SECOND],
])(
  'tells chunks, also where the first transaction of a message is stored badly or not at all: %s',
  async (when, topic, from) => {
    await insertTopic(database, topic);
    const { client, interface: served, registry } = await serve({ clock: () => 10_000n * SECOND });
    const subscription = () =>
      subscribeTo(client, { topicID: topicId(topic), consensusStartTime: at(from), limit: 4n });
    const waiting = when === 'new' ? subscription() : undefined;
    if (waiting !== undefined) {
      await expect.poll(() => registry.getSingleMetricAsString('hiero_mirror_grpc_subscribers')).toMatch(/} 1$/m);
      await pause(200);
    }
    const id = TransactionID.encode({
      transactionValidStart: { seconds: 7n, nanos: 8 },
      accountID: { shardNum: 0n, realmNum: 0n, account: { $case: 'accountNum', accountNum: 55n } },
      scheduled: true,
      nonce: 3,
    }).finish();
    await database.query(
      `insert into topic_message (consensus_timestamp, message, running_hash, sequence_number, topic_id, chunk_num,
        chunk_total, initial_transaction_id, payer_account_id, valid_start_timestamp)
      values ($2::bigint + 31, 'a', '', 1, $3, 1, 4, $1, 66, 12000000009), ($2::bigint + 32, 'b', '', 2, $3, 2, 4, '\\xff', 66, 12000000009),
        ($2::bigint + 33, 'c', '', 3, $3, 3, 4, null, 66, 12000000009), ($2::bigint + 34, 'd', '', 4, $3, 4, 4, null, null, null)`,
      [Buffer.from(id), from, topic],
    );
    if (waiting !== undefined) {
      await insertBlock(database, from + SECOND);
      served.onBlockCommitted();
    }
    const { messages } = await (waiting ?? subscription());
    const built = { transactionValidStart: { seconds: 12n, nanos: 9 }, scheduled: false, nonce: 0 };
    expect(messages.map(({ chunkInfo, runningHashVersion }) => ({ chunkInfo, runningHashVersion }))).toMatchObject([
      {
        chunkInfo: {
          number: 1,
          total: 4,
          initialTransactionID: {
            transactionValidStart: { seconds: 7n, nanos: 8 },
            accountID: { account: { accountNum: 55n } },
            scheduled: true,
            nonce: 3,
          },
        },
        runningHashVersion: 3n,
      },
      { chunkInfo: { number: 2, initialTransactionID: { ...built, accountID: { account: { accountNum: 66n } } } } },
      { chunkInfo: { number: 3, initialTransactionID: { ...built, accountID: { account: { accountNum: 66n } } } } },
      { chunkInfo: { number: 4, total: 4, initialTransactionID: undefined } },
    ]);
  },
);

it('reads the transactions of a block where more topics are followed than are looked up one by one', async () => {
  const topics = Array.from({ length: 257 }, (_, index) => 5_000n + BigInt(index));
  for (const topic of topics) await insertTopic(database, topic);
  const now = 20_000n * SECOND;
  const statements: (string | undefined)[] = [];
  const counted: Pick<Database, 'query' | 'copyOut'> = {
    query: (text, values, name) => {
      statements.push(name);
      return database.query(text, values, name);
    },
    copyOut: (text, onRow) => {
      statements.push(text.includes('from transaction t') ? 'walk' : 'lookup');
      return database.copyOut(text, onRow);
    },
  };
  const { client, interface: served } = await serve(
    { clock: () => now, settings: { netty: { maxConcurrentCallsPerConnection: 300 } } },
    counted,
  );
  const receiving = topics.map((topic) =>
    subscribeTo(client, { topicID: topicId(topic), consensusStartTime: at(now), limit: 2n }),
  );
  const subscribed = () => statements.filter((name) => name === 'grpc-entity-type').length;
  await vi.waitFor(() => expect(subscribed()).toBe(257), { timeout: 20_000 });
  await pause(500);
  await insertBlock(
    database,
    now + SECOND,
    topics.flatMap((topic, index) => messagesOf(topic, 1n, now + BigInt(index) * 10n + 1n, 2)),
  );
  served.onBlockCommitted();
  for (const outcome of await Promise.all(receiving)) expect([numbers(outcome), outcome.code]).toEqual([[1, 2], 0]);
  expect(statements).toContain('walk');
});
