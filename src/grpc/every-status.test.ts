/** Every status that clients of mirror nodes know is met by a call here, or named as one that no call can meet. */
import { existsSync, readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import type { Client } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { ConsensusTopicQuery } from '../protobuf/generated/mirror/consensus_service.ts';
import { GrpcStatus } from './call-failure.ts';
import { frameOf } from './length-prefixed.ts';
import {
  askNodes,
  at,
  callOf,
  connect,
  fileId,
  type GrpcFixture,
  type GrpcFixtureOptions,
  grpcSettings,
  type Outcome,
  openGrpc,
  subscribeTo,
  topicId,
} from './testing/grpc-server.fixture.ts';
import { insertBlock, insertTopic, messagesOf } from './testing/topic-rows.fixture.ts';

const factsPath = join(import.meta.dirname, '../../../shared/reference/grpc.md');
const SECOND = 1_000_000_000n;
const NOW = 2_000n * SECOND;
const TOPIC = topicId(900n);
const start = { topicID: TOPIC, consensusStartTime: at(0n) };
const DATA_SOURCE = 'Error querying the data source. Please retry later';

let target: TestDatabase;
let empty: TestDatabase;
const opened: GrpcFixture[] = [];

const serve = async (database: Pick<Database, 'query' | 'copyOut'>, options: GrpcFixtureOptions = {}) => {
  const fixture = await openGrpc(database, { clock: () => NOW, ...options });
  opened.push(fixture);
  return { fixture, client: connect(fixture.address) };
};

beforeAll(async () => {
  [target, empty] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const { database } = target;
  await insertTopic(database, 900n);
  await insertTopic(database, 901n);
  await insertTopic(database, 800n, 'ACCOUNT');
  await insertBlock(database, 1_000n * SECOND, [
    ...messagesOf(900n, 1n, 10n * SECOND, 3),
    ...messagesOf(901n, 1n, 20n * SECOND, 1),
    ...messagesOf(901n, 3n, 30n * SECOND, 1),
  ]);
});

afterAll(async () => {
  for (const fixture of opened) await fixture.stop();
  await Promise.all([target?.drop(), empty?.drop()]);
});

type Status = keyof typeof GrpcStatus;

interface Met {
  /** Chapter of the facts, and what they say there; undefined: of a status beside those. */
  readonly fact?: readonly [chapter: number, description: string];
  readonly status: Status;
  readonly details: string;
  readonly ask: () => Promise<Outcome<unknown>>;
}

/**
 * Statuses of the facts that no call can meet, with the reason: a subscriber that lags behind what memory holds reads the
 * database again, so that nothing of it overflows.
 */
const unmeetable = ['4 DEADLINE_EXCEEDED Client lags too much behind. Please retry later'];

const failing = (code: 'DATABASE_TIMEOUT' | 'DATABASE_UNAVAILABLE'): Pick<Database, 'query' | 'copyOut'> => ({
  query: (text, values, name) =>
    name === 'grpc-topic-messages'
      ? Promise.reject(new KagamiError(code, 'no'))
      : target.database.query(text, values, name),
  copyOut: (text, onRow) => target.database.copyOut(text, onRow),
});

/** Bytes as they are, of a call of their own. */
const send = (client: Client, bytes: Uint8Array, method = 'ConsensusService/subscribeTopic') =>
  callOf(
    client,
    `/com.hedera.mirror.api.proto.${method}`,
    (value: Uint8Array) => value,
    (answer) => answer,
    bytes,
  );

/** What the server says of a call whose deadline is over; the client's own clock is left out. */
const withDeadline = (address: string, milliseconds: number): Promise<Outcome<unknown>> =>
  new Promise((resolve, reject) => {
    const session = connectHttp2(`http://${address}`);
    session.once('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/com.hedera.mirror.api.proto.ConsensusService/subscribeTopic',
      'content-type': 'application/grpc',
      'grpc-timeout': `${milliseconds}m`,
      te: 'trailers',
    });
    stream.once('trailers', (trailers) => {
      session.destroy();
      resolve({ messages: [], code: Number(trailers['grpc-status']), details: String(trailers['grpc-message']) });
    });
    stream.resume();
    const query = ConsensusTopicQuery.fromPartial(start);
    stream.end(frameOf(ConsensusTopicQuery.encode(query).finish()));
  });

/** Rows of the facts' tables that name a status: chapter, status, description. */
const statusesOf = (facts: string): string[] => {
  const found: string[] = [];
  let chapter = '';
  for (const line of facts.split('\n')) {
    chapter = /^## (\d+)/.exec(line)?.[1] ?? chapter;
    const cells = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').replaceAll('`', ''));
    const place = cells.findIndex((cell) => Object.hasOwn(GrpcStatus, cell));
    if (place > 0) found.push([chapter, ...cells.slice(place)].join(' '));
  }
  return found;
};

it('meets every status of the facts, and every status that there is here', async () => {
  const { client, fixture } = await serve(target.database);
  const bookless = await serve(empty.database);
  const retriever = { ...grpcSettings.retriever, timeout: 300 };
  const impatient = async (code: 'DATABASE_TIMEOUT' | 'DATABASE_UNAVAILABLE') =>
    (await serve(failing(code), { settings: { retriever } })).client;
  const [slow, gone] = [await impatient('DATABASE_TIMEOUT'), await impatient('DATABASE_UNAVAILABLE')];
  const single = await serve(target.database, { limits: { maxSubscriptions: 1 } });
  const first = subscribeTo(single.client, start);
  await expect
    .poll(() => single.fixture.registry.getSingleMetricAsString('hiero_mirror_grpc_subscribers'))
    .toMatch(/} 1$/m);
  const filter = 'subscribeTopic.filter.';
  const book = 'getNodes.addressBookFilter.';

  const cases: readonly Met[] = [
    {
      fact: [3, 'topicId: must not be null'],
      status: 'INVALID_ARGUMENT',
      details: `${filter}topicId: must not be null`,
      ask: () => subscribeTo(client, {}),
    },
    {
      fact: [3, 'limit: must be greater than or equal to 0'],
      status: 'INVALID_ARGUMENT',
      details: `${filter}limit: must be greater than or equal to 0`,
      ask: () => subscribeTo(client, { topicID: TOPIC, limit: 1n << 63n }),
    },
    {
      fact: [3, 'startTime: must be greater than or equal to 0'],
      status: 'INVALID_ARGUMENT',
      details: `${filter}startTime: must be greater than or equal to 0`,
      ask: () => subscribeTo(client, { topicID: TOPIC, consensusStartTime: { seconds: -1n, nanos: 0 } }),
    },
    {
      fact: [3, 'validEndTime: End time must be after start time'],
      status: 'INVALID_ARGUMENT',
      details: `${filter}validEndTime: End time must be after start time`,
      ask: () => subscribeTo(client, { ...start, consensusEndTime: at(0n) }),
    },
    {
      fact: [3, 'validStartTime: Start time must be before the current time'],
      status: 'INVALID_ARGUMENT',
      details: `${filter}validStartTime: Start time must be before the current time`,
      ask: () => subscribeTo(client, { topicID: TOPIC, consensusStartTime: at(NOW + 1n) }),
    },
    {
      fact: [3, 'Invalid entity ID: 0.0.-1 (raised while decoding, before the rest)'],
      status: 'INVALID_ARGUMENT',
      details: 'Invalid entity ID: 0.0.-1',
      ask: () => subscribeTo(client, { topicID: topicId(-1n), limit: 1n << 63n }),
    },
    {
      fact: [3, '0.0.999 does not exist (an empty TopicID message → 0.0.0 does not exist)'],
      status: 'NOT_FOUND',
      details: '0.0.999 does not exist',
      ask: () => subscribeTo(client, { topicID: topicId(999n) }),
    },
    {
      fact: [3, 'Not a valid topic'],
      status: 'INVALID_ARGUMENT',
      details: 'Not a valid topic',
      ask: () => subscribeTo(client, { topicID: topicId(800n) }),
    },
    {
      fact: [4, "the cause's message"],
      status: 'INVALID_ARGUMENT',
      details: 'Invalid entity ID: 0.0.274877906944',
      ask: () => subscribeTo(client, { topicID: topicId(1n << 38n) }),
    },
    {
      fact: [4, '<shard.realm.num> does not exist'],
      status: 'NOT_FOUND',
      details: '0.0.0 does not exist',
      ask: () => subscribeTo(client, { topicID: topicId(0n) }),
    },
    { fact: [4, DATA_SOURCE], status: 'RESOURCE_EXHAUSTED', details: DATA_SOURCE, ask: () => subscribeTo(slow, start) },
    { fact: [4, 'same text'], status: 'UNAVAILABLE', details: DATA_SOURCE, ask: () => subscribeTo(gone, start) },
    {
      fact: [4, 'gRPC library text'],
      status: 'RESOURCE_EXHAUSTED',
      details: 'Received message larger than max (1025 vs 1024)',
      ask: () => send(client, Buffer.alloc(1_025)),
    },
    {
      fact: [4, 'Unknown error'],
      status: 'UNKNOWN',
      details: 'Unknown error',
      ask: () => subscribeTo(client, { ...start, topicID: topicId(901n) }),
    },
    {
      fact: [6, `${book}fileId: must not be null`],
      status: 'INVALID_ARGUMENT',
      details: `${book}fileId: must not be null`,
      ask: () => askNodes(client, {}),
    },
    {
      fact: [6, 'limit: must be greater than or equal to 0'],
      status: 'INVALID_ARGUMENT',
      details: `${book}limit: must be greater than or equal to 0`,
      ask: () => askNodes(client, { fileId: fileId(102n), limit: -1 }),
    },
    {
      fact: [6, 'Invalid entity ID'],
      status: 'INVALID_ARGUMENT',
      details: 'Invalid entity ID: 0.0.-1',
      ask: () => askNodes(client, { fileId: fileId(-1n) }),
    },
    {
      fact: [6, 'Not a valid address book file'],
      status: 'INVALID_ARGUMENT',
      details: 'Not a valid address book file',
      ask: () => askNodes(client, { fileId: fileId(112n) }),
    },
    {
      fact: [6, '0.0.102 does not exist'],
      status: 'NOT_FOUND',
      details: '0.0.102 does not exist',
      ask: () => askNodes(bookless.client, { fileId: fileId(102n) }),
    },
    { status: 'OK', details: '', ask: () => subscribeTo(client, { ...start, limit: 3n }) },
    {
      status: 'CANCELLED',
      details: 'Cancelled on client',
      ask: () => subscribeTo(client, start, () => true),
    },
    {
      status: 'DEADLINE_EXCEEDED',
      details: 'Deadline exceeded',
      ask: () => withDeadline(fixture.address, 50),
    },
    {
      status: 'RESOURCE_EXHAUSTED',
      details: 'Too many subscriptions. Please retry later',
      ask: () => subscribeTo(single.client, start),
    },
    {
      status: 'UNIMPLEMENTED',
      details: 'The server does not implement the method /com.hedera.mirror.api.proto.ConsensusService/none',
      ask: () => send(client, Buffer.alloc(0), 'ConsensusService/none'),
    },
    {
      status: 'INTERNAL',
      details: 'Invalid protobuf byte sequence',
      ask: () => send(client, Buffer.from('0aff', 'hex')),
    },
    {
      status: 'UNAVAILABLE',
      details: 'The server is shutting down',
      ask: async () => {
        await single.fixture.stop();
        return first;
      },
    },
  ];

  const met: unknown[] = [];
  for (const { ask } of cases) {
    const { code, details } = await ask();
    met.push([code, details]);
  }
  expect(met).toEqual(cases.map(({ status, details }) => [GrpcStatus[status], details]));
  expect(new Set(cases.map(({ status }) => status))).toEqual(new Set(Object.keys(GrpcStatus)));
  if (!existsSync(factsPath)) return;
  const named = cases.flatMap(({ fact, status }) => (fact === undefined ? [] : [`${fact[0]} ${status} ${fact[1]}`]));
  expect([...named, ...unmeetable].sort()).toEqual(statusesOf(readFileSync(factsPath, 'utf8')).sort());
}, 60_000);
