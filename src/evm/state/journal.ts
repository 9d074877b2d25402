/** Tables of changes over stored state, undone together back to any checkpoint. */

/** Everything that one run changes. Checkpoints nest; the last one opened is the first to be closed. */
export class Journal {
  readonly #undo: (() => void)[] = [];
  readonly #checkpoints: number[] = [];

  /** Number of open checkpoints. */
  get depth(): number {
    return this.#checkpoints.length;
  }

  /** Notes how to undo a change; nothing is noted while no checkpoint is open. */
  note(undo: () => void): void {
    if (this.#checkpoints.length > 0) this.#undo.push(undo);
  }

  checkpoint(): void {
    this.#checkpoints.push(this.#undo.length);
  }

  /** Keeps what was changed since the last checkpoint. */
  commit(): void {
    if (this.#checkpoints.pop() === undefined) throw new Error('No checkpoint is open');
    if (this.#checkpoints.length === 0) this.#undo.length = 0;
  }

  /** Undoes what was changed since the last checkpoint. */
  revert(): void {
    const start = this.#checkpoints.pop();
    if (start === undefined) throw new Error('No checkpoint is open');
    while (this.#undo.length > start) this.#undo.pop()?.();
  }
}

/** Values by key: what was changed, over what was read, over the store. */
export class JournaledTable<K, V> {
  readonly #journal: Journal;
  readonly #read: (key: K) => Promise<V>;
  readonly #values = new Map<K, V>();
  readonly #changed = new Set<K>();

  constructor(journal: Journal, read: (key: K) => Promise<V>) {
    this.#journal = journal;
    this.#read = read;
  }

  /** What is known without asking the store; undefined also stands for a known absence, see `knows`. */
  peek(key: K): V | undefined {
    return this.#values.get(key);
  }

  knows(key: K): boolean {
    return this.#values.has(key);
  }

  async get(key: K): Promise<V> {
    if (this.#values.has(key)) return this.#values.get(key) as V;
    const value = await this.#read(key);
    // A change made while the store was being asked is newer than its answer.
    if (!this.#values.has(key)) this.#values.set(key, value);
    return this.#values.get(key) as V;
  }

  put(key: K, value: V): void {
    const known = this.#values.has(key);
    const before = this.#values.get(key) as V;
    const wasChanged = this.#changed.has(key);
    this.#journal.note(() => {
      if (known) this.#values.set(key, before);
      else this.#values.delete(key);
      if (!wasChanged) this.#changed.delete(key);
    });
    this.#values.set(key, value);
    this.#changed.add(key);
  }

  /** Keys whose value was put, not only read, in the order of their first change. */
  changedKeys(): Iterable<K> {
    return this.#changed;
  }
}
