/**
 * Messages of a topic that are in the database already, page by page.
 *
 * A page takes memory until its subscriber has read it. So only so many pages are held at a time, by all subscribers
 * together, and one whose subscriber does not go on for a while is let go and read again later.
 */
import type { Database } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { type TopicBatch, topicBatchOf } from './topic-batch.ts';
import { TopicFrames } from './topic-frames.ts';
import {
  gatheredTopicMessages,
  type TopicMessageRow,
  type TopicMessages,
  topicMessageColumns,
  topicMessagesIn,
} from './topic-message.ts';

export interface PastMessagesOptions {
  readonly database: Pick<Database, 'query'>;
  readonly pageSize: number;
  /** Pages that are in memory at a time. */
  readonly maxPages: number;
  /** Milliseconds after which a page that nobody reads on is let go. */
  readonly maxHoldMs: number;
}

/** Consensus times in nanoseconds, both inclusive. */
export interface TimeSpan {
  readonly from: Nanos;
  readonly to: Nanos;
}

/** Messages that go out together. */
const BATCH = 32;

const pageSql = `select ${gatheredTopicMessages} from (
  select ${topicMessageColumns('m')} from topic_message m
  where m.topic_id = $1 and m.consensus_timestamp >= $2 and m.consensus_timestamp <= $3
  order by m.consensus_timestamp limit $4
) page`;

const NO_MESSAGES: TopicMessages = { count: 0, content: null };

/** Places for pages, given in the order in which they were asked for. */
class Places {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

interface PageOwner {
  readonly topic: EntityId;
  /** Shared by all pages: each batch is taken as soon as it is written. */
  readonly frames: TopicFrames;
}

/** A page in a place, until it is dropped. */
class HeldPage {
  readonly #topic: EntityId;
  readonly #frames: TopicFrames;
  /** Those that no batch has had yet. */
  #rest: Generator<TopicMessageRow, undefined> | undefined;
  #left: number;
  readonly #onDrop: () => void;
  readonly #timer: NodeJS.Timeout;

  constructor({ topic, frames }: PageOwner, messages: TopicMessages, holdMs: number, onDrop: () => void) {
    this.#topic = topic;
    this.#frames = frames;
    this.#rest = topicMessagesIn(messages);
    this.#left = messages.count;
    this.#onDrop = onDrop;
    this.#timer = setTimeout(() => this.drop(), holdMs);
  }

  /** The next encoded messages, of which there are some; undefined when the page was let go. */
  batch(): TopicBatch | undefined {
    this.#timer.refresh();
    if (this.#rest === undefined) return undefined;
    const count = Math.min(BATCH, this.#left);
    this.#left -= count;
    return topicBatchOf(this.#topic, this.#rest, count, this.#frames);
  }

  drop(): void {
    clearTimeout(this.#timer);
    if (this.#rest === undefined) return;
    this.#rest = undefined;
    this.#onDrop();
  }
}

export class PastMessages {
  readonly #options: PastMessagesOptions;
  readonly #places: Places;
  readonly #frames = new TopicFrames();

  constructor(options: PastMessagesOptions) {
    this.#options = options;
    this.#places = new Places(options.maxPages);
  }

  /**
   * Messages of a topic in order of consensus time, at most `limit` of them.
   * @throws KagamiError what the database throws
   */
  async *read(
    topic: EntityId,
    span: TimeSpan,
    limit: bigint | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<TopicBatch> {
    let { from } = span;
    let left = limit;
    while (from <= span.to && left !== 0n && !signal.aborted) {
      const size = left !== undefined && left < this.#options.pageSize ? Number(left) : this.#options.pageSize;
      const { page, length } = await this.#page(topic, { from, to: span.to }, size);
      try {
        let position = 0;
        while (position < length) {
          const batch = page.batch();
          if (batch === undefined) break;
          yield batch;
          position += batch.length;
          if (left !== undefined) left -= BigInt(batch.length);
          from = batch.lastTime + 1n;
        }
        if (position === length && length < size) return;
      } finally {
        page.drop();
      }
    }
  }

  async #page(topic: EntityId, { from, to }: TimeSpan, size: number): Promise<{ page: HeldPage; length: number }> {
    await this.#places.take();
    try {
      const [messages = NO_MESSAGES] = await this.#options.database.query<TopicMessages>(
        pageSql,
        [topic, from, to, size],
        'grpc-topic-messages',
      );
      const page = new HeldPage({ topic, frames: this.#frames }, messages, this.#options.maxHoldMs, () =>
        this.#places.give(),
      );
      return { page, length: messages.count };
    } catch (fault) {
      this.#places.give();
      throw fault;
    }
  }
}
