/** Knows up to which block everything is committed, so that what a block says can be waited for. */
export class CommitGate {
  /** Undefined while nothing is. */
  #newest: bigint | undefined;
  #waiting: { readonly number: bigint; readonly done: () => void }[] = [];

  /** @param newest number of the newest block in the database */
  constructor(newest: bigint | undefined) {
    this.#newest = newest;
  }

  /** The blocks up to this one are committed, or left out for good. */
  settled(newest: bigint): void {
    this.#newest = newest;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ number }) => number > newest);
    for (const { number, done } of waiting) if (number <= newest) done();
  }

  /** Whether nothing up to this block is still being written. */
  isPast(number: bigint): boolean {
    return this.#newest !== undefined && number <= this.#newest;
  }

  /** Resolves when the blocks up to this one are settled, or `signal` aborts. */
  past(number: bigint, signal: AbortSignal): Promise<void> {
    if (this.isPast(number) || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.push({ number, done });
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
