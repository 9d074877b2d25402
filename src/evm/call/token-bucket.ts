/** A limit per second that allows bursts of one second's worth. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** @param capacity tokens that one second brings @param now milliseconds of a clock that never goes back */
  constructor(capacity: number, now: () => number) {
    this.#capacity = capacity;
    this.#now = now;
    this.#tokens = capacity;
    this.#filledAt = now();
  }

  /** Takes all the tokens, or none and gives false. */
  take(tokens: number): boolean {
    this.#refill();
    if (this.#tokens < tokens) return false;
    this.#tokens -= tokens;
    return true;
  }

  giveBack(tokens: number): void {
    this.#refill();
    this.#tokens = Math.min(this.#capacity, this.#tokens + tokens);
  }

  #refill(): void {
    const now = this.#now();
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#filledAt) * this.#capacity) / 1000);
    this.#filledAt = now;
  }
}
