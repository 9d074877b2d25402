/**
 * Which statements are kept off shared connections, since they take too long there too often. Each one that is short earns credit,
 * and each that is not spends what many have earned: on a busy machine any statement is late now and then, which is no reason to
 * keep all of its kind away. One comes back after a while: what takes long with one value need not with another.
 */

/** Milliseconds. */
const firstPause = 250;
const longestPause = 32_000;
const mostKept = 2_000;
/** Short ones that make up for one that was not. */
const costOfLong = 20;
const mostCredit = 2 * costOfLong;

interface Standing {
  credit: number;
  /** Of the last refusal; 0: there was none. */
  pause: number;
  refusedUntil: number;
}

export class Fitness {
  readonly #standings = new Map<string, Standing>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  isFit(key: string): boolean {
    const standing = this.#standings.get(key);
    return standing === undefined || standing.refusedUntil === 0 || standing.refusedUntil <= this.#now();
  }

  /** It has been short. */
  praise(key: string): void {
    const standing = this.#standings.get(key) ?? this.#add(key);
    if (standing.credit >= mostCredit) return;
    standing.credit++;
    // A new start for what has behaved for long.
    if (standing.credit === mostCredit) standing.pause = 0;
  }

  /** It has been long; without credit it is kept off. */
  blame(key: string): void {
    const standing = this.#standings.get(key) ?? this.#add(key);
    standing.credit -= costOfLong;
    if (standing.credit < 0) this.#refuse(standing);
  }

  /** Keeps it off for a while, twice as long as the last time. */
  refuse(key: string): void {
    this.#refuse(this.#standings.get(key) ?? this.#add(key));
  }

  #refuse(standing: Standing): void {
    standing.credit = 0;
    standing.pause = standing.pause === 0 ? firstPause : Math.min(longestPause, standing.pause * 2);
    standing.refusedUntil = this.#now() + standing.pause;
  }

  #add(key: string): Standing {
    const standing: Standing = { credit: 0, pause: 0, refusedUntil: 0 };
    this.#standings.set(key, standing);
    if (this.#standings.size > mostKept) {
      const [oldest] = this.#standings.keys();
      if (oldest !== undefined) this.#standings.delete(oldest);
    }
    return standing;
  }
}
