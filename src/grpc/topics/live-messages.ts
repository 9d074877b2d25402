/**
 * New messages, read once for all subscribers of all topics when a block commits. A subscriber takes them when its client
 * has room for them; nothing is queued for it here. One that is further behind than what is kept in memory is told so,
 * and reads the database again.
 */
import type { Database } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import { RecentMessages, type RecentMessagesBounds } from './recent-messages.ts';
import { type TopicBatch, TopicBatchWriter } from './topic-batch.ts';
import { TopicFollower } from './topic-follower.ts';
import { topicMessageColumns, topicMessageOf } from './topic-message.ts';

export interface LiveMessagesOptions extends RecentMessagesBounds {
  readonly database: Pick<Database, 'query' | 'copyOut'>;
  readonly pageSize: number;
  /** Milliseconds between two looks for blocks that nobody announced. */
  readonly intervalMs: number;
  /** Milliseconds for which the database may fail before subscribers are told. */
  readonly patienceMs: number;
  /** Called after subscribers were woken. */
  readonly onRead?: (batches: readonly TopicBatch[]) => void;
}

/** What a subscriber gets after a time. */
export interface LiveNews {
  readonly batches: readonly TopicBatch[];
  /** The subscriber now knows all of its topic's messages up to this consensus time. */
  readonly through: Nanos;
}

/** So many topics are looked up one by one; for more of them the block's transactions are walked. */
const MOST_TOPICS_LOOKED_UP = 256;

/** What is read: the messages of some topics after a time, so many at most. */
interface News {
  readonly topics: readonly EntityId[];
  readonly after: Nanos;
  readonly limit: number;
}

/**
 * `topic_message` is indexed by topic and time only; transactions of type 27 (CONSENSUSSUBMITMESSAGE) by time. One row with the
 * end of the newest block where there is no message.
 */
const newsSql = ({ topics, after, limit }: News): string => {
  const followed = `any ('{${topics}}'::bigint[])`;
  const source =
    topics.length <= MOST_TOPICS_LOOKED_UP
      ? `topic_message m
        where m.topic_id = ${followed} and m.consensus_timestamp > ${after}
          and m.consensus_timestamp <= newest.consensus_end`
      : `transaction t
        join topic_message m on m.topic_id = t.entity_id and m.consensus_timestamp = t.consensus_timestamp
        where t.type = ${TransactionType.CONSENSUSSUBMITMESSAGE} and t.consensus_timestamp > ${after}
          and t.consensus_timestamp <= newest.consensus_end and t.entity_id = ${followed}`;
  return `with newest as (select consensus_end from record_file order by consensus_end desc limit 1)
    select newest.consensus_end, n.topic_id, ${topicMessageColumns('n')}
    from newest left join lateral (
      select m.topic_id, ${topicMessageColumns('m')} from ${source}
      order by m.consensus_timestamp limit ${limit}
    ) n on true
    order by n.topic_id, n.consensus_timestamp`;
};

/** The messages by topic, and the end of the newest block: what has come is encoded while PostgreSQL sends the rest. */
const readNews = async (
  database: Pick<Database, 'copyOut'>,
  news: News,
): Promise<{ readonly batches: readonly TopicBatch[]; readonly newest: Nanos }> => {
  const batches: TopicBatch[] = [];
  const writer = new TopicBatchWriter();
  const read: { newest: Nanos; topic: EntityId | null } = { newest: news.after, topic: null };
  const endTopic = (): void => {
    if (read.topic !== null) batches.push(writer.take(read.topic));
  };
  await database.copyOut(newsSql(news), (values) => {
    read.newest = values.int8() ?? news.after;
    const topic = values.int8();
    if (topic !== read.topic) endTopic();
    read.topic = topic;
    if (topic !== null) writer.add(topicMessageOf(values));
  });
  endTopic();
  return { batches, newest: read.newest };
};

const newestSql = 'select consensus_end from record_file order by consensus_end desc limit 1';

const lastTimeOf = (batches: readonly TopicBatch[], least: Nanos): Nanos => {
  let last = least;
  for (const { lastTime } of batches) if (lastTime > last) last = lastTime;
  return last;
};

export class LiveMessages {
  readonly #options: LiveMessagesOptions;
  readonly #recent: RecentMessages;
  readonly #followersOf = new Map<EntityId, Set<TopicFollower>>();
  /** All blocks up to this consensus time were read; undefined: nobody follows anything. */
  #through: Nanos | undefined;
  #reading: Promise<void> | undefined;
  #beginning: Promise<void> | undefined;
  #isAnnounced = false;
  #failingSince: number | undefined;
  #failure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #followers = 0;

  constructor(options: LiveMessagesOptions) {
    this.#options = options;
    this.#recent = new RecentMessages(options);
  }

  /** Messages in memory. */
  get kept(): number {
    return this.#recent.size;
  }

  /** Consensus time up to which the blocks were read; undefined while nobody follows anything. */
  get through(): Nanos | undefined {
    return this.#through;
  }

  /**
   * Begins to follow a topic: its messages after the consensus time `since` are kept for `next`.
   * To be ended by `unfollow`.
   * @param signal aborted when the subscriber is gone
   * @throws KagamiError what the database throws
   */
  async follow(
    topic: EntityId,
    signal: AbortSignal,
  ): Promise<{ readonly follower: TopicFollower; readonly since: Nanos }> {
    this.#followers++;
    try {
      if (this.#through === undefined) {
        this.#beginning ??= this.#begin().finally(() => {
          this.#beginning = undefined;
        });
        await this.#beginning;
      }
      const since = this.#through ?? 0n;
      this.#recent.follow(topic, since);
      const follower = new TopicFollower(topic, signal);
      const others = this.#followersOf.get(topic);
      if (others === undefined) this.#followersOf.set(topic, new Set([follower]));
      else others.add(follower);
      return { follower, since };
    } catch (fault) {
      this.#left();
      throw fault;
    }
  }

  unfollow(follower: TopicFollower): void {
    follower.leave();
    const { topic } = follower;
    const followers = this.#followersOf.get(topic);
    followers?.delete(follower);
    if (followers?.size === 0) this.#followersOf.delete(topic);
    this.#recent.unfollow(topic);
    this.#left();
  }

  /**
   * What a topic has after a time, waiting for it if there is nothing yet, at most for so many milliseconds. Undefined:
   * that is too long ago to be in memory. Without messages when time or client are over.
   * @throws KagamiError when the database has failed for too long
   */
  async next(follower: TopicFollower, after: Nanos, withinMs?: number): Promise<LiveNews | undefined> {
    const { topic, signal } = follower;
    const deadline = withinMs === undefined ? undefined : performance.now() + withinMs;
    for (;;) {
      const batches = this.#recent.after(topic, after);
      if (batches === undefined) return undefined;
      const through = this.#through ?? after;
      const isLate = deadline !== undefined && performance.now() >= deadline;
      if (batches.length > 0 || signal.aborted || through > after || isLate) return { batches, through };
      if (this.#failingSince !== undefined && Date.now() - this.#failingSince > this.#options.patienceMs) {
        throw this.#failure;
      }
      await follower.wait(deadline);
    }
  }

  /** To be called after every commit of a block. */
  committed(): void {
    if (this.#followers === 0) return;
    this.#isAnnounced = true;
    this.#read();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#followers = 0;
    this.#wakeAll();
  }

  async #begin(): Promise<void> {
    const [row] = await this.#options.database.query<{ consensus_end: string }>(newestSql, [], 'grpc-newest-block');
    this.#through = row === undefined ? 0n : BigInt(row.consensus_end);
    this.#schedule();
  }

  #left(): void {
    this.#followers--;
    if (this.#followers > 0) return;
    clearTimeout(this.#timer);
    this.#through = undefined;
    this.#failingSince = undefined;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#followers === 0) return;
    this.#timer = setTimeout(() => this.#read(), this.#options.intervalMs);
    this.#timer.unref();
  }

  #read(): void {
    if (this.#reading !== undefined) return;
    this.#reading = this.#readNews().finally(() => {
      this.#reading = undefined;
      if (this.#isAnnounced && this.#followers > 0) this.#read();
      else this.#schedule();
    });
  }

  async #readNews(): Promise<void> {
    this.#isAnnounced = false;
    try {
      while (this.#through !== undefined) if (await this.#readPage(this.#through)) break;
      this.#failingSince = undefined;
    } catch (fault) {
      this.#failingSince ??= Date.now();
      this.#failure = fault;
      if (Date.now() - this.#failingSince > this.#options.patienceMs) this.#wakeAll();
    }
  }

  /** Whether that was all. */
  async #readPage(after: Nanos): Promise<boolean> {
    const { database, pageSize } = this.#options;
    const topics = this.#recent.beginRead();
    const { batches, newest } = await readNews(database, { topics, after, limit: pageSize });
    // The last follower may have gone, and another one have come since.
    if (this.#through !== after) return true;
    for (const batch of batches) this.#recent.add(batch);
    const isAll = batches.reduce((sum, { length }) => sum + length, 0) < pageSize;
    const end = isAll ? newest : lastTimeOf(batches, after);
    if (end > after) this.#through = end;
    this.#recent.endRead(end);
    for (const { topic } of batches) this.#wakeTopic(topic);
    this.#options.onRead?.(batches);
    return isAll;
  }

  #wakeTopic(topic: EntityId): void {
    for (const follower of this.#followersOf.get(topic) ?? []) follower.wake();
  }

  #wakeAll(): void {
    for (const topic of this.#followersOf.keys()) this.#wakeTopic(topic);
  }
}
