/**
 * One subscription: what the topic has had since the start time, then what comes, without loss, duplicate or reorder.
 *
 * History is read up to the newest block that the live side has read, and the live side keeps the topic's messages from
 * there on, so that the two join without a gap. A subscriber that falls behind goes back to history.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { GrpcSettings } from '../../config/settings/grpc.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { CallFailure, GrpcStatus } from '../call-failure.ts';
import type { LiveMessages } from './live-messages.ts';
import type { PastMessages } from './past-messages.ts';
import type { TopicBatch } from './topic-batch.ts';
import type { TopicFilter } from './topic-filter.ts';
import type { TopicFollower } from './topic-follower.ts';

export interface SubscriptionOptions {
  readonly past: PastMessages;
  readonly live: LiveMessages;
  readonly settings: Pick<GrpcSettings, 'endTimeInterval' | 'listener' | 'retriever'>;
  /** Nanoseconds since the epoch. */
  readonly clock: () => Nanos;
}

/** Milliseconds between two looks whether the end time of a subscription is over. */
const END_CHECK_MS = 1_000;
const FIRST_RETRY_MS = 250;
const NANOS_PER_MILLISECOND = 1_000_000n;

class TopicSubscription {
  readonly #filter: TopicFilter;
  readonly #options: SubscriptionOptions;
  readonly #signal: AbortSignal;
  readonly #began: Nanos;
  /** All messages up to this consensus time are sent, or of no interest. */
  #cursor: Nanos;
  #left: bigint | undefined;
  #lastSequenceNumber: bigint | undefined;

  constructor(filter: TopicFilter, options: SubscriptionOptions, signal: AbortSignal) {
    this.#filter = filter;
    this.#options = options;
    this.#signal = signal;
    this.#began = options.clock();
    this.#cursor = filter.start - 1n;
    this.#left = filter.limit;
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    const { live, settings } = this.#options;
    const { topic } = this.#filter;
    const { follower, since } = await live.follow(topic, this.#signal);
    let through = since;
    try {
      if (!settings.retriever.enabled && through > this.#cursor) this.#cursor = through;
      for (;;) {
        yield* this.#history(through);
        if (this.#isOver(through)) return;
        yield* this.#news(follower);
        through = live.through ?? through;
        if (this.#isOver(through)) return;
      }
    } finally {
      live.unfollow(follower);
    }
  }

  /** What the database has up to a consensus time; faults that may pass are outwaited for a while. */
  async *#history(through: Nanos): AsyncGenerator<Uint8Array> {
    const { past, settings } = this.#options;
    const { topic, end } = this.#filter;
    const to = end !== undefined && end <= through ? end - 1n : through;
    let failingSince: number | undefined;
    let retryMs = FIRST_RETRY_MS;
    while (!this.#signal.aborted && this.#left !== 0n) {
      try {
        for await (const batch of past.read(topic, { from: this.#cursor + 1n, to }, this.#left, this.#signal)) {
          failingSince = undefined;
          retryMs = FIRST_RETRY_MS;
          for (const piece of this.#taken(batch)) yield piece;
        }
        if (through > this.#cursor && this.#left !== 0n && !this.#signal.aborted) this.#cursor = through;
        return;
      } catch (fault) {
        failingSince ??= Date.now();
        const isPatient = Date.now() - failingSince < settings.retriever.timeout;
        if (!isKagamiError(fault) || !fault.retryable || !isPatient) throw fault;
        await pause(retryMs, undefined, { signal: this.#signal }).catch(() => undefined);
        retryMs = Math.min(retryMs * 2, settings.retriever.timeout);
      }
    }
  }

  /** What comes, until the subscription is over or has fallen behind. */
  async *#news(follower: TopicFollower): AsyncGenerator<Uint8Array> {
    const { live } = this.#options;
    const { end } = this.#filter;
    for (;;) {
      const news = await live.next(follower, this.#cursor, end === undefined ? undefined : END_CHECK_MS);
      if (news === undefined) return;
      for (const batch of news.batches) {
        const wanted = this.#wanted(batch);
        if (wanted === undefined) break;
        for (const piece of this.#taken(wanted)) yield piece;
      }
      if (this.#left !== 0n && news.through > this.#cursor) this.#cursor = news.through;
      if (this.#isOver(news.through)) return;
    }
  }

  #wanted(batch: TopicBatch): TopicBatch | undefined {
    const { end } = this.#filter;
    const left = this.#left;
    if (left === 0n) return undefined;
    const inTime = end === undefined ? batch : batch.before(end);
    return left !== undefined && left < batch.length ? inTime?.upTo(Number(left)) : inTime;
  }

  /** Notes messages as sent and gives their bytes. */
  #taken(batch: TopicBatch): readonly Uint8Array[] {
    const last = this.#lastSequenceNumber;
    // A topic's numbers have no holes: a message is missing in the database.
    if (batch.hasHole || (last !== undefined && batch.firstNumber !== last + 1n)) {
      throw new CallFailure(GrpcStatus.UNKNOWN, 'Unknown error');
    }
    this.#lastSequenceNumber = batch.lastNumber;
    this.#cursor = batch.lastTime;
    if (this.#left !== undefined) this.#left -= BigInt(batch.length);
    return batch.pieces();
  }

  /** Whether nothing more can come, given that blocks were read up to a consensus time. */
  #isOver(through: Nanos): boolean {
    const { end } = this.#filter;
    const { settings, clock } = this.#options;
    if (this.#signal.aborted || this.#left === 0n || !settings.listener.enabled) return true;
    if (end === undefined) return false;
    const patience = BigInt(settings.endTimeInterval) * NANOS_PER_MILLISECOND;
    return end <= this.#began || through >= end - 1n || clock() > end + patience;
  }
}

/** Messages of a subscription with their headers, in pieces, until it is over or its client is gone. */
export const subscribe = (
  filter: TopicFilter,
  options: SubscriptionOptions,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> => new TopicSubscription(filter, options, signal).pieces();
