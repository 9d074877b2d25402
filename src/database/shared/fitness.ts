/**
 * Which statements are kept off shared connections, since they took too long there. One comes back after a while: what takes
 * long with one value need not with another.
 */

/** Milliseconds. */
const firstPause = 250;
const longestPause = 32_000;
const mostKept = 2_000;

interface Refusal {
  readonly until: number;
  readonly pause: number;
}

export class Fitness {
  readonly #refusals = new Map<string, Refusal>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  isFit(key: string): boolean {
    const refusal = this.#refusals.size === 0 ? undefined : this.#refusals.get(key);
    return refusal === undefined || refusal.until <= this.#now();
  }

  /** Keeps it off for a while, twice as long as the last time. */
  refuse(key: string): void {
    const last = this.#refusals.get(key)?.pause;
    const pause = last === undefined ? firstPause : Math.min(longestPause, last * 2);
    this.#refusals.delete(key);
    this.#refusals.set(key, { until: this.#now() + pause, pause });
    if (this.#refusals.size <= mostKept) return;
    const [oldest] = this.#refusals.keys();
    if (oldest !== undefined) this.#refusals.delete(oldest);
  }

  /** It has been short: the next refusal is a shorter one. */
  praise(key: string): void {
    if (this.#refusals.size === 0) return;
    const last = this.#refusals.get(key);
    if (last === undefined) return;
    if (last.pause <= firstPause) this.#refusals.delete(key);
    else this.#refusals.set(key, { until: 0, pause: last.pause / 2 });
  }
}
