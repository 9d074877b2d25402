/** Which tasks of which client took long the last time. What others did says nothing: they could say it to do harm. */

/** The ones that took long longest ago are forgotten first. */
const MOST_REMEMBERED = 10_000;

export class KnownLongTasks {
  readonly #longFromMs: number;
  readonly #known = new Set<string>();

  /** @param longFromMs processor time in milliseconds */
  constructor(longFromMs: number) {
    this.#longFromMs = longFromMs;
  }

  /** @param likeness what tasks have in common; undefined: nothing is known of such */
  has(client: string, likeness: string | undefined): boolean {
    return likeness !== undefined && this.#known.has(keyOf(client, likeness));
  }

  note(client: string, likeness: string | undefined, cpuMs: number): void {
    if (likeness === undefined) return;
    const key = keyOf(client, likeness);
    this.#known.delete(key);
    if (cpuMs < this.#longFromMs) return;
    this.#known.add(key);
    const [oldest] = this.#known;
    if (this.#known.size > MOST_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }
}

const keyOf = (client: string, likeness: string): string => `${client} ${likeness}`;
