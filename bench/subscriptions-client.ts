/** A process with subscriptions, of the SDK or as plain frames, told by its parent what to do. */
import { Client, TopicId, type TopicMessage, TopicMessageQuery } from '@hiero-ledger/sdk';
import pg from 'pg';
import { type FrameMessage, subscribeByFrames } from './frame-subscriptions.ts';

/** When the last block up to a consensus time was announced, in milliseconds since the epoch. */
export interface CommittedBlock {
  /** Nanoseconds, decimal digits. */
  readonly consensusEnd: string;
  readonly time: number;
}

export type ClientOrder =
  | {
      readonly kind: 'subscribe';
      readonly port: number;
      readonly topics: readonly string[];
      /** Calls on each connection where plain frames are read; undefined: the SDK subscribes. */
      readonly callsPerConnection?: number;
    }
  | { readonly kind: 'begin' }
  | { readonly kind: 'report'; readonly connectionString: string; readonly blocks: readonly CommittedBlock[] };

export interface ClientReport {
  readonly delivered: number;
  /** Subscriptions whose messages of one chunk are not those of the table, one after the other. */
  readonly faults: number;
  /** Messages that are in the table and did not come yet. */
  readonly behind: number;
  /** Seconds of processor time of this process. */
  readonly cpu: number;
  readonly twice: number;
  readonly errors: number;
  /** Milliseconds, of a part of the messages. */
  readonly latencies: readonly number[];
}

interface Arrival {
  readonly at: bigint;
  readonly time: number;
}

/** Every so manieth subscription is timed. */
const TIMED = 10;
const NANOS = 1_000_000_000n;

class Subscription {
  readonly topic: string;
  readonly numbers: number[] = [];
  readonly chunkNumbers: number[] = [];
  readonly arrivals: Arrival[] = [];
  /** Whether the chunks of a message come one by one; the SDK gives them together. */
  readonly areChunksSingle: boolean;
  readonly #isTimed: boolean;

  constructor(topic: string, place: number, areChunksSingle: boolean) {
    this.topic = topic;
    this.areChunksSingle = areChunksSingle;
    this.#isTimed = place % TIMED === 0;
  }

  take({ sequenceNumber, chunks, consensusTimestamp: { seconds, nanos } }: TopicMessage): void {
    if (chunks.length <= 1) this.numbers.push(sequenceNumber.toNumber());
    else this.chunkNumbers.push(...chunks.map((chunk) => chunk.sequenceNumber.toNumber()));
    if (this.#isTimed) this.#arrived(BigInt(seconds.toString()) * NANOS + BigInt(nanos.toString()));
  }

  takeFrame({ sequenceNumber, at }: FrameMessage): void {
    this.numbers.push(sequenceNumber);
    if (this.#isTimed) this.#arrived(at);
  }

  #arrived(at: bigint): void {
    if (begun) this.arrivals.push({ at, time: Date.now() });
  }
}

const subscriptions: Subscription[] = [];
let begun = false;
let delivered = 0;
let errors = 0;

const subscribe = (port: number, topics: readonly string[]): void => {
  const client = Client.forNetwork({ '127.0.0.1:50211': '0.0.3' }, { scheduleNetworkUpdate: false });
  client.setMirrorNetwork([`127.0.0.1:${port}`]);
  for (const [place, topic] of topics.entries()) {
    const subscription = new Subscription(topic, place, false);
    subscriptions.push(subscription);
    new TopicMessageQuery()
      .setTopicId(TopicId.fromString(topic))
      .setErrorHandler(() => errors++)
      .subscribe(client, null, (message) => {
        if (begun) delivered++;
        subscription.take(message);
      });
  }
};

const subscribeFrames = (port: number, topics: readonly string[], callsPerConnection: number): void => {
  const subscribers = topics.map((topic, place) => {
    const subscription = new Subscription(topic, place, true);
    subscriptions.push(subscription);
    return {
      topicNum: BigInt(topic.split('.')[2] ?? ''),
      take: (message: FrameMessage) => {
        if (begun) delivered++;
        subscription.takeFrame(message);
      },
      ended: () => errors++,
    };
  });
  subscribeByFrames(port, subscribers, callsPerConnection);
};

const latenciesOf = (blocks: readonly CommittedBlock[]): number[] => {
  const ends = blocks.map(({ consensusEnd, time }) => ({ end: BigInt(consensusEnd), time }));
  const latencies: number[] = [];
  for (const { arrivals } of subscriptions) {
    let place = 0;
    for (const { at, time } of arrivals) {
      while (place < ends.length && (ends[place]?.end ?? 0n) < at) place++;
      const block = ends[place];
      if (block !== undefined) latencies.push(time - block.time);
    }
  }
  return latencies;
};

const report = async (connectionString: string, blocks: readonly CommittedBlock[]): Promise<ClientReport> => {
  const database = new pg.Client({ connectionString });
  await database.connect();
  const stored = new Map<string, { readonly all: readonly number[]; readonly whole: readonly number[] }>();
  for (const topic of new Set(subscriptions.map(({ topic: own }) => own))) {
    const { rows } = await database.query<{ number: string; is_whole: boolean }>(
      `select sequence_number as number, coalesce(chunk_total, 1) = 1 as is_whole from topic_message where topic_id = $1
        order by consensus_timestamp`,
      [topic.split('.')[2]],
    );
    stored.set(topic, {
      all: rows.map(({ number }) => Number(number)),
      whole: rows.filter((row) => row.is_whole).map(({ number }) => Number(number)),
    });
  }
  await database.end();
  let faults = 0;
  let behind = 0;
  let twice = 0;
  for (const { topic, numbers, chunkNumbers, areChunksSingle } of subscriptions) {
    const all = stored.get(topic)?.[areChunksSingle ? 'all' : 'whole'] ?? [];
    const expected = all.slice(all.indexOf(numbers[0] ?? -1));
    behind += expected.length - numbers.length;
    if (numbers.some((number, place) => number !== expected[place])) faults++;
    const every = [...numbers, ...chunkNumbers];
    twice += every.length - new Set(every).size;
  }
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / 1e6;
  return { delivered, faults, behind, cpu, twice, errors, latencies: latenciesOf(blocks) };
};

process.on('message', async (order: ClientOrder) => {
  if (order.kind === 'subscribe') {
    const { port, topics, callsPerConnection } = order;
    if (callsPerConnection === undefined) subscribe(port, topics);
    else subscribeFrames(port, topics, callsPerConnection);
    process.send?.({});
  } else if (order.kind === 'begin') begun = true;
  else process.send?.(await report(order.connectionString, order.blocks));
});
