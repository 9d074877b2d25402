/** Subscriptions of the SDK on a live network, across the ends and starts of the importer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type SubscriptionHandle, TopicId, type TopicMessage, TopicMessageQuery } from '@hiero-ledger/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { simulateLedger } from '../../simulator/simulate-ledger.ts';
import { freePort } from './testing/free-port.fixture.ts';
import { eventually, type KagamiProcess, startKagami } from './testing/kagami-process.fixture.ts';

const SEED = 'live subscriptions';
const TOPICS = 5;
const SUBSCRIBERS = 40;

let target: TestDatabase;
let folder: string;
let importer: KagamiProcess | undefined;
let interfaces: KagamiProcess | undefined;
let client: Client | undefined;
const subscriptions: SubscriptionHandle[] = [];

const startImporter = (): KagamiProcess =>
  startKagami(folder, [
    ...['start', '--roles', 'importer', '--simulate', '--seed', SEED, '--tps', '60', '--port', '0'],
    ...['--database', target.connectionString, '--data', folder],
    ...['--set', 'kagami.simulator.mix=message=1', '--set', 'kagami.simulator.blockInterval=500'],
  ]);

beforeAll(async () => {
  target = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'kagami-live-'));
  await simulateLedger({
    out: join(folder, 'network'),
    seed: SEED,
    transactions: TOPICS,
    tps: TOPICS,
    users: 20,
    mix: 'topiccreate=1',
    start: BigInt(Date.now() - 30_000) * 1_000_000n,
  });
}, 60_000);

afterAll(async () => {
  for (const subscription of subscriptions) subscription.unsubscribe();
  client?.close();
  await importer?.end('SIGTERM');
  await interfaces?.end('SIGTERM');
  await target?.drop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}, 60_000);

it('brings each message once and in order while the importer is stopped, killed and started', async () => {
  const { database } = target;
  importer = startImporter();
  const port = await freePort();
  interfaces = startKagami(folder, [
    ...['start', '--roles', 'grpc', '--no-simulator', '--port', '0', '--database', target.connectionString],
    ...['--data', folder, '--set', `hiero.mirror.grpc.port=${port}`],
    ...['--set', `hiero.mirror.grpc.netty.maxConcurrentCallsPerConnection=${SUBSCRIBERS}`],
  ]);
  const messages = async (): Promise<number> =>
    Number((await database.query<{ count: string }>('select count(*) from topic_message'))[0]?.count);
  await eventually('message', 60_000, async () => (await messages()) > 0);
  const topics = await database.query<{ id: string }>(
    `select id from entity where type = 'TOPIC' order by id limit $1`,
    [TOPICS],
  );
  expect(topics).toHaveLength(TOPICS);

  client = Client.forNetwork({ '127.0.0.1:50211': '0.0.3' }, { scheduleNetworkUpdate: false });
  client.setMirrorNetwork([`127.0.0.1:${port}`]);
  const errors: string[] = [];
  const received = Array.from({ length: SUBSCRIBERS }, (_, place) => ({
    topic: topics[place % TOPICS]?.id ?? '',
    numbers: [] as number[],
  }));
  for (const { topic, numbers } of received) {
    const subscription = new TopicMessageQuery()
      .setTopicId(TopicId.fromString(`0.0.${topic}`))
      .setStartTime(0)
      .setErrorHandler((_message, error) => errors.push(error.message))
      // A message of several chunks comes with its last one, so it has no place in the order.
      .subscribe(client, null, ({ chunks, sequenceNumber }: TopicMessage) => {
        if (chunks.length <= 1) numbers.push(sequenceNumber.toNumber());
      });
    subscriptions.push(subscription);
  }
  const further = async (): Promise<void> => {
    const known = await messages();
    await eventually('further messages', 60_000, async () => (await messages()) > known + 100);
  };
  await further();
  expect(await importer.end('SIGTERM')).toBe(0);
  importer = startImporter();
  await further();
  await importer.end('SIGKILL');
  importer = startImporter();
  await further();
  expect(await importer.end('SIGTERM')).toBe(0);

  const stored = new Map<string, readonly number[]>();
  for (const { id } of topics) {
    const rows = await database.query<{ number: string }>(
      `select sequence_number as number from topic_message where topic_id = $1 and coalesce(chunk_total, 1) = 1
        order by consensus_timestamp`,
      [id],
    );
    stored.set(
      id,
      rows.map(({ number }) => Number(number)),
    );
  }
  await eventually('last message of every subscriber', 30_000, () =>
    received.every(({ topic, numbers }) => numbers.at(-1) === stored.get(topic)?.at(-1)),
  );
  for (const { topic, numbers } of received) expect(numbers).toEqual(stored.get(topic));
  expect(errors).toEqual([]);
}, 300_000);
