/** The newest messages of the topics that somebody follows, kept once for all subscribers, within bounds. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import type { TopicMessage } from './topic-message.ts';

export interface RecentMessagesBounds {
  readonly maxMessages: number;
  readonly maxBytes: number;
}

/** Estimate of what a message takes beside its bytes. */
const OVERHEAD_BYTES = 200;

interface RecentTopic {
  followers: number;
  /** All messages after this time are in `messages`, as far as blocks were read. */
  completeAfter: Nanos;
  /** In order of time. */
  messages: TopicMessage[];
}

/** Index of the first message after a time. */
const firstAfter = (messages: readonly TopicMessage[], time: Nanos): number => {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((messages[middle]?.consensusTimestamp ?? 0n) > time) high = middle;
    else low = middle + 1;
  }
  return low;
};

export class RecentMessages {
  readonly #bounds: RecentMessagesBounds;
  readonly #topics = new Map<EntityId, RecentTopic>();
  /** Topics that are followed since after the last read began. */
  readonly #unread = new Set<EntityId>();
  /** Topics of the kept messages, oldest message first. */
  #order: EntityId[] = [];
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
    this.#topics.set(topic, { followers: 1, completeAfter: now, messages: [] });
    this.#unread.add(topic);
  }

  unfollow(topic: EntityId): void {
    const known = this.#topics.get(topic);
    if (known === undefined || --known.followers > 0) return;
    for (const message of known.messages) this.#forget(message);
    if (known.messages.length > 0) this.#order = this.#order.filter((other) => other !== topic);
    this.#topics.delete(topic);
  }

  add(message: TopicMessage): void {
    const { topic } = message;
    const known = this.#topics.get(topic);
    if (known === undefined) return;
    known.messages.push(message);
    this.#order.push(topic);
    this.#messages++;
    this.#bytes += message.frame.length + OVERHEAD_BYTES;
  }

  /** Lets the oldest messages go until the rest is within the bounds. */
  #trim(): void {
    const { maxMessages, maxBytes } = this.#bounds;
    const dropped = new Map<EntityId, number>();
    let count = 0;
    while (this.#messages > maxMessages || this.#bytes > maxBytes) {
      const topic = this.#order[count++];
      if (topic === undefined) break;
      const position = dropped.get(topic) ?? 0;
      const message = this.#topics.get(topic)?.messages[position];
      dropped.set(topic, position + 1);
      if (message !== undefined) this.#forget(message);
    }
    if (count === 0) return;
    this.#order.splice(0, count);
    for (const [topic, number] of dropped) {
      const known = this.#topics.get(topic);
      if (known === undefined) continue;
      const gone = known.messages.splice(0, number);
      known.completeAfter = gone.at(-1)?.consensusTimestamp ?? known.completeAfter;
    }
  }

  /** What a topic had after a time; undefined when that is not known any more, and the database must be asked. */
  after(topic: EntityId, time: Nanos): readonly TopicMessage[] | undefined {
    const known = this.#topics.get(topic);
    if (known === undefined || known.completeAfter > time) return undefined;
    return known.messages.slice(firstAfter(known.messages, time));
  }

  #forget({ frame }: TopicMessage): void {
    this.#messages--;
    this.#bytes -= frame.length + OVERHEAD_BYTES;
  }
}
