/**
 * Work that waits, in an order in which clients share what is there: the client whose work has cost the least goes first
 * (start-time fair queuing). A client who was away has saved nothing up: it begins at what the one cost whose turn was last,
 * so that it goes before all that have had more, and never more than one piece of work ahead of those that had as much.
 */

/** A piece of work whose turn it is. */
export interface Turn<T> {
  readonly client: string;
  readonly item: T;
}

interface Waiting<T> {
  readonly item: T;
  readonly weight: number;
}

/** A client of whom something waits. */
interface Client<T> {
  readonly waiting: Waiting<T>[];
  /** Of what waits. */
  weight: number;
  /** What its work has cost, in whatever unit the owner charges. */
  cost: number;
}

/** Clients whose cost is remembered while nothing of theirs waits. */
const MOST_REMEMBERED = 10_000;

export class FairQueue<T> {
  /** In the order in which they came; of those that cost the same, the first has its turn. */
  readonly #clients = new Map<string, Client<T>>();
  /** Cost of clients of whom nothing waits, the one charged last at the end. */
  readonly #others = new Map<string, number>();
  #size = 0;
  #weight = 0;
  /** What the client had cost whose turn was last. */
  #cost = 0;

  get size(): number {
    return this.#size;
  }

  /** Of all that waits. */
  get weight(): number {
    return this.#weight;
  }

  sizeOf(client: string): number {
    return this.#clients.get(client)?.waiting.length ?? 0;
  }

  /** Work of one client keeps its order. */
  add(client: string, item: T, weight = 1): void {
    let own = this.#clients.get(client);
    if (own === undefined) {
      own = { waiting: [], weight: 0, cost: Math.max(this.#others.get(client) ?? 0, this.#cost) };
      this.#clients.set(client, own);
      this.#others.delete(client);
    }
    own.waiting.push({ item, weight });
    own.weight += weight;
    this.#size += 1;
    this.#weight += weight;
  }

  /** Takes out what is next; undefined: nothing, or nothing of a client that may have its turn. */
  next(mayHaveTurn: (client: string) => boolean = () => true): Turn<T> | undefined {
    let first: [string, Client<T>] | undefined;
    for (const entry of this.#clients) {
      const [client, { cost }] = entry;
      if ((first === undefined || cost < first[1].cost) && mayHaveTurn(client)) first = entry;
    }
    if (first === undefined) return undefined;
    const [client, own] = first;
    this.#cost = Math.max(this.#cost, own.cost);
    return { client, item: this.#takeOut(client, own, 0) };
  }

  hasNext(mayHaveTurn: (client: string) => boolean): boolean {
    for (const client of this.#clients.keys()) if (mayHaveTurn(client)) return true;
    return false;
  }

  /** Adds to what a client's work has cost. */
  charge(client: string, amount: number): void {
    const own = this.#clients.get(client);
    if (own !== undefined) {
      own.cost += amount;
      return;
    }
    const cost = Math.max(this.#others.get(client) ?? 0, this.#cost) + amount;
    this.#others.delete(client);
    this.#others.set(client, cost);
    const [oldest] = this.#others.keys();
    if (this.#others.size > MOST_REMEMBERED && oldest !== undefined) this.#others.delete(oldest);
  }

  /** Takes out the newest work of the client of which most waits, by weight. */
  takeFromHeaviest(): Turn<T> | undefined {
    let heaviest: [string, Client<T>] | undefined;
    for (const entry of this.#clients) {
      if (heaviest === undefined || entry[1].weight > heaviest[1].weight) heaviest = entry;
    }
    if (heaviest === undefined) return undefined;
    const [client, own] = heaviest;
    return { client, item: this.#takeOut(client, own, own.waiting.length - 1) };
  }

  /** Takes out all that is so. */
  takeWhere(isSo: (item: T) => boolean): T[] {
    const taken: T[] = [];
    for (const [client, own] of this.#clients) {
      for (let index = own.waiting.length - 1; index >= 0; index--) {
        if (isSo((own.waiting[index] as Waiting<T>).item)) taken.push(this.#takeOut(client, own, index));
      }
    }
    return taken;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const { waiting } of this.#clients.values()) for (const { item } of waiting) yield item;
  }

  #takeOut(client: string, own: Client<T>, index: number): T {
    const [{ item, weight }] = own.waiting.splice(index, 1) as [Waiting<T>];
    own.weight -= weight;
    this.#size -= 1;
    this.#weight -= weight;
    if (own.waiting.length === 0) {
      this.#clients.delete(client);
      this.#others.set(client, own.cost);
    }
    return item;
  }
}
