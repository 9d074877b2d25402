/** Knows how many of the blocks that were handed on are not committed yet. */
export class CommitGate {
  #outstanding = 0;
  #waiting: (() => void)[] = [];

  /** A block was handed on. */
  handed(): void {
    this.#outstanding++;
  }

  committed(blocks: number): void {
    this.#outstanding -= blocks;
    if (this.#outstanding <= 0) this.#open();
  }

  get isSettled(): boolean {
    return this.#outstanding <= 0;
  }

  /** Resolves when every block is committed, or `signal` aborts. */
  settled(signal: AbortSignal): Promise<void> {
    if (this.isSettled || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.push(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #open(): void {
    for (const done of this.#waiting.splice(0)) done();
  }
}
