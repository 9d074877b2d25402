/** A subscriber that waits for what comes in its topic. */
import type { EntityId } from '../../ledger/entity-id.ts';

export class TopicFollower {
  readonly topic: EntityId;
  readonly signal: AbortSignal;
  #resolve: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param signal aborted when the subscriber is gone */
  constructor(topic: EntityId, signal: AbortSignal) {
    this.topic = topic;
    this.signal = signal;
    signal.addEventListener('abort', this.wake, { once: true });
  }

  /** Resolves when the follower is woken, or at a time of `performance.now()`. One at a time. */
  wait(deadline: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (deadline !== undefined) {
        this.#timer = setTimeout(this.wake, Math.ceil(Math.max(0, deadline - performance.now())));
      }
    });
  }

  /** Does nothing when nobody waits. */
  readonly wake = (): void => {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.();
  };

  /** To be called when the follower is not used any more. */
  leave(): void {
    this.signal.removeEventListener('abort', this.wake);
    this.wake();
  }
}
