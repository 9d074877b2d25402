/**
 * Messages of a topic that are in the database already, page by page.
 *
 * A page takes memory until its subscriber has read it. So only so many pages are held at a time, by all subscribers
 * together, and one whose subscriber does not go on for a while is let go and read again later.
 */
import type { Database } from '../../database/connection.ts';
import { PackedRows } from '../../database/packed-rows.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { type TopicBatch, TopicBatchWriter } from './topic-batch.ts';
import { packedTopicMessages, topicMessageColumns, topicMessageOf } from './topic-message.ts';

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

const pageSql = `select count(*)::int as count, ${packedTopicMessages} as content from (
  select ${topicMessageColumns('m')} from topic_message m
  where m.topic_id = $1 and m.consensus_timestamp >= $2 and m.consensus_timestamp <= $3
  order by m.consensus_timestamp limit $4
) page`;

interface PageRow {
  readonly count: number;
  readonly content: Buffer | null;
}

const EMPTY_PAGE: PageRow = { count: 0, content: null };

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
  readonly writer: TopicBatchWriter;
}

/** A page in a place, until it is dropped. */
class HeldPage {
  readonly #owner: PageOwner;
  /** Those that no batch has had yet. */
  #rows: PackedRows | undefined;
  readonly #onDrop: () => void;
  readonly #timer: NodeJS.Timeout;

  constructor(owner: PageOwner, rows: PackedRows, holdMs: number, onDrop: () => void) {
    this.#owner = owner;
    this.#rows = rows;
    this.#onDrop = onDrop;
    this.#timer = setTimeout(() => this.drop(), holdMs);
  }

  /** The next encoded messages, of which there must be some; undefined when the page was let go. */
  batch(): TopicBatch | undefined {
    this.#timer.refresh();
    const rows = this.#rows;
    if (rows === undefined) return undefined;
    const { topic, writer } = this.#owner;
    while (writer.length < BATCH && rows.nextRow()) writer.add(topicMessageOf(rows.values));
    return writer.take(topic);
  }

  drop(): void {
    clearTimeout(this.#timer);
    if (this.#rows === undefined) return;
    this.#rows = undefined;
    this.#onDrop();
  }
}

export class PastMessages {
  readonly #options: PastMessagesOptions;
  readonly #places: Places;
  readonly #writer = new TopicBatchWriter();

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
      const [{ count, content } = EMPTY_PAGE] = await this.#options.database.query<PageRow>(
        pageSql,
        [topic, from, to, size],
        'grpc-topic-messages',
      );
      const owner = { topic, writer: this.#writer };
      const page = new HeldPage(owner, new PackedRows(content), this.#options.maxHoldMs, () => this.#places.give());
      return { page, length: count };
    } catch (fault) {
      this.#places.give();
      throw fault;
    }
  }
}
