/**
 * Reads that are asked for one by one, sent together and kept until they may be out of date.
 *
 * What is asked for in one turn goes to the store as one load; whoever asks for what is being read shares the answer.
 * `clear` says that the store has changed: what was read before is forgotten, and a read that is still under way is
 * given to those who wait for it and not kept. Bounded by number, the least recently used goes first.
 */
import { LruMap } from './lru-map.ts';

interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (fault: unknown) => void;
}

export interface ReadCacheOptions<K, V> {
  readonly keyOf: (key: K) => string | bigint;
  /** One value for each key, in their order. */
  readonly load: (keys: readonly K[]) => Promise<readonly V[]>;
  /** Most values kept. */
  readonly limit: number;
}

export class ReadCache<K, V> {
  readonly #options: ReadCacheOptions<K, V>;
  readonly #kept: LruMap<string | bigint, Promise<V>>;
  #waiting: Waiting<K, V>[] = [];

  constructor(options: ReadCacheOptions<K, V>) {
    this.#options = options;
    this.#kept = new LruMap(options.limit);
  }

  get size(): number {
    return this.#kept.size;
  }

  has(key: K): boolean {
    return this.#kept.has(this.#options.keyOf(key));
  }

  read(key: K): Promise<V> {
    const name = this.#options.keyOf(key);
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const reading = this.#ask(key);
    this.#kept.set(name, reading);
    // A failed read is tried again by the next who asks; those who wait see the fault.
    reading.catch(() => {
      if (this.#kept.peek(name) === reading) this.#kept.delete(name);
    });
    return reading;
  }

  /** Keeps what was read by other means. */
  prime(key: K, value: V): void {
    this.#kept.set(this.#options.keyOf(key), Promise.resolve(value));
  }

  clear(): void {
    this.#kept.clear();
  }

  #ask(key: K): Promise<V> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) queueMicrotask(() => this.#send());
      this.#waiting.push({ key, resolve, reject });
    });
  }

  async #send(): Promise<void> {
    const asked = this.#waiting;
    this.#waiting = [];
    try {
      const values = await this.#options.load(asked.map(({ key }) => key));
      for (const [index, { resolve }] of asked.entries()) resolve(values[index] as V);
    } catch (fault) {
      for (const { reject } of asked) reject(fault);
    }
  }
}
