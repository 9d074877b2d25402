/** Milliseconds of the longest rest. */
const LONGEST_REST_MS = 60_000;

/**
 * Nodes whose files couldn't be read lately. They are left alone for a while, so that one that hangs costs its time-out
 * once and not with every file: first for `shortestMs`, then twice as long each time. When more than half of the nodes
 * would rest, it isn't the nodes, and none does.
 */
export class RestingNodes {
  readonly #shortestMs: number;
  readonly #clock: () => number;
  readonly #rests = new Map<string, { readonly until: number; readonly lengthMs: number }>();
  #nodes = 0;

  /** @param clock milliseconds since any moment */
  constructor(shortestMs: number, clock: () => number) {
    this.#shortestMs = shortestMs;
    this.#clock = clock;
  }

  /** The nodes there are now. */
  setNodes(places: readonly string[]): void {
    this.#nodes = places.length;
    const known = new Set(places);
    for (const place of this.#rests.keys()) if (!known.has(place)) this.#rests.delete(place);
  }

  failed(place: string): void {
    const now = this.#clock();
    const last = this.#rests.get(place);
    // Several requests fail together; they are one failure.
    if (last !== undefined && last.until > now) return;
    const lengthMs = last === undefined ? this.#shortestMs : Math.min(last.lengthMs * 2, LONGEST_REST_MS);
    this.#rests.set(place, { until: now + lengthMs, lengthMs });
  }

  succeeded(place: string): void {
    this.#rests.delete(place);
  }

  rests(place: string): boolean {
    const now = this.#clock();
    if ((this.#rests.get(place)?.until ?? now) <= now) return false;
    let resting = 0;
    for (const { until } of this.#rests.values()) if (until > now) resting++;
    return resting * 2 <= this.#nodes;
  }
}
