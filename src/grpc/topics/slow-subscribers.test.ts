/** Subscribers that take their time, fall behind, or stop reading, and what that costs everybody else: nothing. */
import type { Client } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { ConsensusTopicQuery, ConsensusTopicResponse } from '../../protobuf/generated/mirror/consensus_service.ts';
import {
  at,
  connect,
  type GrpcFixture,
  grpcSettings,
  openGrpc,
  subscribeTo,
  topicId,
} from '../testing/grpc-server.fixture.ts';
import { insertBlock, insertTopic, messagesOf } from '../testing/topic-rows.fixture.ts';
import { PastMessages } from './past-messages.ts';

const SECOND = 1_000_000_000n;
const NOW = 9_000n * SECOND;
const COUNT = 5_000;

let test: TestDatabase;
let fixture: GrpcFixture;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertTopic(test.database, 900n);
  await insertTopic(test.database, 901n);
  await insertBlock(test.database, 1_000n * SECOND, messagesOf(900n, 1n, 10n * SECOND, COUNT));
  const listener = { ...grpcSettings.listener, maxBufferSize: 3 };
  fixture = await openGrpc(test.database, { clock: () => NOW, settings: { listener } });
});

afterAll(async () => {
  await fixture.stop();
  await test.drop();
});

/** A subscription whose client reads only when told. */
const pausedSubscription = (client: Client, topic: bigint) => {
  const query = {
    topicID: topicId(topic),
    consensusStartTime: at(0n),
    consensusEndTime: undefined,
    limit: BigInt(COUNT),
  };
  const call = client.makeServerStreamRequest(
    '/com.hedera.mirror.api.proto.ConsensusService/subscribeTopic',
    (value: ConsensusTopicQuery) => Buffer.from(ConsensusTopicQuery.encode(value).finish()),
    ConsensusTopicResponse.decode,
    query,
  );
  call.on('error', () => undefined);
  call.pause();
  return call;
};

it('gives everybody their history while others have stopped reading, and those too when they go on', {
  timeout: 180_000,
}, async () => {
  // More of them than there are pages in memory.
  const clients = Array.from({ length: 20 }, () => connect(fixture.address));
  const paused = clients.flatMap((client) => [1, 2].map(() => pausedSubscription(client, 900n)));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const outcome = await subscribeTo(connect(fixture.address), {
    topicID: topicId(900n),
    consensusStartTime: at(0n),
    limit: BigInt(COUNT),
  });
  expect(outcome.messages).toHaveLength(COUNT);
  const [first] = paused;
  const received: bigint[] = [];
  await new Promise((resolve) => {
    first?.on('data', ({ sequenceNumber }: ConsensusTopicResponse) => received.push(sequenceNumber));
    first?.on('end', resolve);
    first?.resume();
  });
  expect(received).toEqual(Array.from({ length: COUNT }, (_, index) => BigInt(index + 1)));
  for (const call of paused) call.cancel();
});

it('sends one who is behind what memory has no longer', async () => {
  const { interface: served } = fixture;
  await insertBlock(test.database, 2_000n * SECOND, messagesOf(901n, 1n, 1_500n * SECOND, 1));
  let blocks = 0;
  const outcome = await subscribeTo(
    connect(fixture.address),
    { topicID: topicId(901n), consensusStartTime: at(0n), limit: 41n },
    ({ sequenceNumber }) => {
      if ((sequenceNumber - 1n) % 10n !== 0n || blocks === 4) return false;
      const time = 2_000n * SECOND + BigInt(blocks++) * SECOND;
      void insertBlock(test.database, time + SECOND, messagesOf(901n, sequenceNumber + 1n, time + 1n, 10)).then(() =>
        served.onBlockCommitted(),
      );
      return false;
    },
  );
  expect(outcome.messages.map(({ sequenceNumber }) => Number(sequenceNumber))).toEqual(
    Array.from({ length: 41 }, (_, index) => index + 1),
  );
});

it('lets a page go whose subscriber does not read on, and reads it again', async () => {
  const past = new PastMessages({ database: test.database, pageSize: 100, maxPages: 1, maxHoldMs: 50 });
  const signal = new AbortController().signal;
  const slow = past.read(900n, { from: 0n, to: NOW }, 250n, signal);
  const spans = [await slow.next()].map(({ value }) => [value?.firstNumber, value?.lastNumber]);
  await new Promise((resolve) => setTimeout(resolve, 200));
  // The only place is free again, though the first page was not read to its end.
  const other = past.read(900n, { from: 0n, to: NOW }, 5n, signal);
  expect((await other.next()).value).toHaveLength(5);
  await other.return(undefined);
  for await (const { firstNumber, lastNumber } of slow) spans.push([firstNumber, lastNumber]);
  const numbers = spans.flatMap(([first, last]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index),
  );
  expect(numbers).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
});
