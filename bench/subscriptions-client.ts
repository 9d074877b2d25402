/** A process with subscriptions, of the SDK or as plain frames, told by its parent what to do. */
import { Client, TopicId, type TopicMessage, TopicMessageQuery } from '@hiero-ledger/sdk';
import pg from 'pg';
import { epochTime } from './figures.ts';
import { type FrameMessage, subscribeByFrames } from './frame-subscriptions.ts';

export type ClientOrder =
  | {
      readonly kind: 'subscribe';
      readonly port: number;
      readonly topics: readonly string[];
      /** Calls on each connection where plain frames are read; undefined: the SDK subscribes. */
      readonly callsPerConnection?: number;
    }
  /** Begin and end of the measured time. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'end' }
  /** `blocks`: their consensus ends in nanoseconds, in order. */
  | { readonly kind: 'report'; readonly connectionString: string; readonly blocks: readonly string[] };

export interface ClientReport {
  /** Messages that came during the measured time. */
  readonly delivered: number;
  /** Subscriptions whose messages of one chunk are not those of the table, one after the other. */
  readonly faults: number;
  /** Messages that are in the table and did not come yet. */
  readonly behind: number;
  /** Seconds of processor time of this process during the measured time. */
  readonly cpu: number;
  readonly twice: number;
  readonly errors: number;
  /** Of a part of the messages. */
  readonly arrivals: readonly BlockArrivals[];
}

/** When messages of a block came, in milliseconds since the epoch. */
export interface BlockArrivals {
  readonly consensusEnd: string;
  readonly times: readonly number[];
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
    if (this.#isTimed) this.#arrived(BigInt(seconds.toString()) * NANOS + BigInt(nanos.toString()), epochTime());
  }

  takeFrame({ sequenceNumber, at }: FrameMessage, time: number): void {
    this.numbers.push(sequenceNumber);
    if (this.#isTimed) this.#arrived(at, time);
  }

  #arrived(at: bigint, time: number): void {
    if (isMeasured(time)) this.arrivals.push({ at, time });
  }
}

const subscriptions: Subscription[] = [];
let began = Number.POSITIVE_INFINITY;
let ended = Number.POSITIVE_INFINITY;
let processorTime = process.cpuUsage();
let delivered = 0;
let errors = 0;

/** @param time in milliseconds since the epoch */
const isMeasured = (time: number): boolean => began <= time && time < ended;

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
        if (isMeasured(epochTime())) delivered++;
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
      take: (message: FrameMessage, time: number) => {
        if (isMeasured(time)) delivered++;
        subscription.takeFrame(message, time);
      },
      ended: () => errors++,
    };
  });
  subscribeByFrames(port, subscribers, callsPerConnection);
};

/** @param ends of blocks, in order */
const arrivalsOf = (ends: readonly string[]): BlockArrivals[] => {
  const blocks = ends.map((consensusEnd) => ({ consensusEnd, end: BigInt(consensusEnd), times: [] as number[] }));
  for (const { arrivals } of subscriptions) {
    let place = 0;
    for (const { at, time } of arrivals) {
      while (place < blocks.length && (blocks[place]?.end ?? 0n) < at) place++;
      blocks[place]?.times.push(time);
    }
  }
  return blocks.filter(({ times }) => times.length > 0).map(({ consensusEnd, times }) => ({ consensusEnd, times }));
};

const report = async (connectionString: string, blocks: readonly string[]): Promise<ClientReport> => {
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
  const { user, system } = processorTime;
  const cpu = (user + system) / 1e6;
  return { delivered, faults, behind, cpu, twice, errors, arrivals: arrivalsOf(blocks) };
};

process.on('message', async (order: ClientOrder) => {
  if (order.kind === 'subscribe') {
    const { port, topics, callsPerConnection } = order;
    if (callsPerConnection === undefined) subscribe(port, topics);
    else subscribeFrames(port, topics, callsPerConnection);
    process.send?.({});
  } else if (order.kind === 'begin') {
    processorTime = process.cpuUsage();
    began = epochTime();
  } else if (order.kind === 'end') {
    processorTime = process.cpuUsage(processorTime);
    ended = epochTime();
  } else if (order.kind === 'report') process.send?.(await report(order.connectionString, order.blocks));
});
