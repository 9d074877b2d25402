/** The newest messages of the topics that somebody follows, kept once for all subscribers, within bounds. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import type { TopicBatch } from './topic-batch.ts';

export interface RecentMessagesBounds {
  readonly maxMessages: number;
  readonly maxBytes: number;
}

/** Estimates of what a batch, and each of its messages, takes beside its bytes. */
const BATCH_OVERHEAD_BYTES = 1_000;
const MESSAGE_OVERHEAD_BYTES = 20;

const sizeOf = (batch: TopicBatch): number =>
  batch.byteLength + BATCH_OVERHEAD_BYTES + batch.length * MESSAGE_OVERHEAD_BYTES;

interface RecentTopic {
  followers: number;
  /** All messages after this time are in `batches`, as far as blocks were read. */
  completeAfter: Nanos;
  /** In order of time. */
  batches: TopicBatch[];
}

export class RecentMessages {
  readonly #bounds: RecentMessagesBounds;
  readonly #topics = new Map<EntityId, RecentTopic>();
  /** Topics that are followed since after the last read began. */
  readonly #unread = new Set<EntityId>();
  /** Kept batches as they were read, oldest first. */
  #order: TopicBatch[] = [];
  #messages = 0;
  #bytes = 0;

  constructor(bounds: RecentMessagesBounds) {
    this.#bounds = bounds;
  }

  /** A read of new messages begins: of these topics. */
  beginRead(): readonly EntityId[] {
    this.#unread.clear();
    return [...this.#topics.keys()];
  }

  /** A read ended whose messages were added; topics that were not part of it are known only from its end on. */
  endRead(through: Nanos): void {
    for (const topic of this.#unread) {
      const known = this.#topics.get(topic);
      if (known !== undefined) known.completeAfter = through;
    }
    this.#trim();
  }

  get size(): number {
    return this.#messages;
  }

  /** A further subscriber follows a topic; its messages after `now` are kept from now on. */
  follow(topic: EntityId, now: Nanos): void {
    const known = this.#topics.get(topic);
    if (known !== undefined) {
      known.followers++;
      return;
    }
    this.#topics.set(topic, { followers: 1, completeAfter: now, batches: [] });
    this.#unread.add(topic);
  }

  unfollow(topic: EntityId): void {
    const known = this.#topics.get(topic);
    if (known === undefined || --known.followers > 0) return;
    for (const batch of known.batches) this.#forget(batch);
    if (known.batches.length > 0) this.#order = this.#order.filter((batch) => batch.topic !== topic);
    this.#topics.delete(topic);
  }

  add(batch: TopicBatch): void {
    const known = this.#topics.get(batch.topic);
    if (known === undefined) return;
    known.batches.push(batch);
    this.#order.push(batch);
    this.#messages += batch.length;
    this.#bytes += sizeOf(batch);
  }

  /** Lets the oldest batches go until the rest is within the bounds. */
  #trim(): void {
    const { maxMessages, maxBytes } = this.#bounds;
    let count = 0;
    while (this.#messages > maxMessages || this.#bytes > maxBytes) {
      const batch = this.#order[count];
      if (batch === undefined) break;
      count++;
      this.#forget(batch);
      const known = this.#topics.get(batch.topic);
      known?.batches.shift();
      if (known !== undefined && known.completeAfter < batch.lastTime) known.completeAfter = batch.lastTime;
    }
    if (count > 0) this.#order.splice(0, count);
  }

  /** What a topic had after a time; undefined when that is not known any more, and the database must be asked. */
  after(topic: EntityId, time: Nanos): readonly TopicBatch[] | undefined {
    const known = this.#topics.get(topic);
    if (known === undefined || known.completeAfter > time) return undefined;
    const { batches } = known;
    let place = batches.length;
    while (place > 0 && (batches[place - 1]?.lastTime ?? 0n) > time) place--;
    const first = batches[place]?.after(time);
    return first === undefined ? [] : [first, ...batches.slice(place + 1)];
  }

  #forget(batch: TopicBatch): void {
    this.#messages -= batch.length;
    this.#bytes -= sizeOf(batch);
  }
}
