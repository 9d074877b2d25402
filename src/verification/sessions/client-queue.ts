/**
 * Keeps one client from taking what all need: each has a few places, waits for one of them when they are taken, and is
 * refused when too much of its own waits.
 */
import { KagamiError } from '../../errors/kagami-error.ts';

export interface ClientQueueLimits {
  readonly perClient: number;
  readonly waitingPerClient: number;
  /** Places of all clients together. */
  readonly overall: number;
}

interface Waiting {
  readonly client: string;
  readonly start: () => void;
}

export class ClientQueue {
  readonly #limits: ClientQueueLimits;
  readonly #running = new Map<string, number>();
  #total = 0;
  #waiting: Waiting[] = [];

  constructor(limits: ClientQueueLimits) {
    this.#limits = limits;
  }

  /**
   * Resolves when there is a place, to the function that gives it back (once; further calls do nothing).
   * @throws KagamiError VERIFICATION_CLIENT_BUSY
   */
  async enter(client: string): Promise<() => void> {
    if (!this.#hasPlace(client)) {
      const ahead = this.#waiting.filter((waiting) => waiting.client === client).length;
      if (ahead >= this.#limits.waitingPerClient) {
        throw new KagamiError(
          'VERIFICATION_CLIENT_BUSY',
          'Too many requests at once; wait for the answers of earlier ones.',
        );
      }
      await new Promise<void>((start) => this.#waiting.push({ client, start }));
    } else this.#take(client);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(client);
    };
  }

  #hasPlace(client: string): boolean {
    return this.#total < this.#limits.overall && (this.#running.get(client) ?? 0) < this.#limits.perClient;
  }

  #take(client: string): void {
    this.#total++;
    this.#running.set(client, (this.#running.get(client) ?? 0) + 1);
  }

  #leave(client: string): void {
    this.#total--;
    const running = (this.#running.get(client) ?? 1) - 1;
    if (running === 0) this.#running.delete(client);
    else this.#running.set(client, running);
    // The client with the fewest places goes first, so that many clients share what there is.
    const candidates = this.#waiting.filter((waiting) => this.#hasPlace(waiting.client));
    const places = (waiting: Waiting): number => this.#running.get(waiting.client) ?? 0;
    const next = candidates.toSorted((a, b) => places(a) - places(b))[0];
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
    this.#take(next.client);
    next.start();
  }
}
