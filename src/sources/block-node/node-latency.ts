/** How long blocks take from consensus until a node has sent them whole, averaged so that later ones count more. */
const NEWEST_PART = 0.3;
/** Probes in a row without an answer after which a measurement no longer counts. */
const MAX_MISSES = 3;

export class NodeLatency {
  #averageMs: number | undefined;
  #misses = 0;

  /** Milliseconds to order by: what was never measured comes first, so that it is; what no longer answers last. */
  get rankMs(): number {
    return this.#misses >= MAX_MISSES ? Number.POSITIVE_INFINITY : (this.#averageMs ?? 0);
  }

  /** Milliseconds; undefined before the first measurement, or when it no longer counts. */
  get averageMs(): number | undefined {
    return this.#misses >= MAX_MISSES ? undefined : this.#averageMs;
  }

  measured(milliseconds: number): void {
    this.#misses = 0;
    const before = this.#averageMs;
    this.#averageMs = before === undefined ? milliseconds : NEWEST_PART * milliseconds + (1 - NEWEST_PART) * before;
  }

  missed(): void {
    this.#misses++;
  }
}
