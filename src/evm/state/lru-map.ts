/** A map of bounded size; what was least recently used goes first. */
export class LruMap<K, V> {
  readonly #limit: number;
  readonly #values = new Map<K, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#values.size;
  }

  has(key: K): boolean {
    return this.#values.has(key);
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** Looks without counting as a use. */
  peek(key: K): V | undefined {
    return this.#values.get(key);
  }

  set(key: K, value: V): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#limit) return;
    const [oldest] = this.#values.keys();
    this.#values.delete(oldest as K);
  }

  delete(key: K): void {
    this.#values.delete(key);
  }

  /** Least recently used first. */
  keys(): IterableIterator<K> {
    return this.#values.keys();
  }

  clear(): void {
    this.#values.clear();
  }
}
