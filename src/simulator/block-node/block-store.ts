import type { BlockFolder } from '../blocks/block-folder.ts';

const KEPT_BLOCKS = 64;

/** The blocks that a block node has: those of a folder, the newest also in memory. */
export class BlockStore {
  readonly #folder: BlockFolder;
  readonly #recent = new Map<bigint, Uint8Array>();
  readonly #waiting = new Set<() => void>();
  #first: bigint | undefined;
  #last: bigint | undefined;

  private constructor(folder: BlockFolder, numbers: readonly bigint[]) {
    this.#folder = folder;
    this.#first = numbers[0];
    this.#last = numbers.at(-1);
  }

  static async open(folder: BlockFolder): Promise<BlockStore> {
    return new BlockStore(folder, await folder.numbers());
  }

  /** Number of the oldest block, undefined while there is none. */
  get first(): bigint | undefined {
    return this.#first;
  }

  get last(): bigint | undefined {
    return this.#last;
  }

  /** Adds a block that is in the folder now. */
  add(number: bigint, block: Uint8Array): void {
    this.#first ??= number;
    if (this.#last === undefined || number > this.#last) this.#last = number;
    this.#recent.set(number, block);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > KEPT_BLOCKS && oldest !== undefined) this.#recent.delete(oldest);
    for (const wake of this.#waiting) wake();
  }

  /** Forgets all blocks before one, whose files are gone. */
  removeBefore(number: bigint): void {
    if (this.#first === undefined || this.#first >= number) return;
    for (const known of this.#recent.keys()) if (known < number) this.#recent.delete(known);
    this.#first = number;
  }

  /** The Block message of a number; undefined where there is none. */
  async read(number: bigint): Promise<Uint8Array | undefined> {
    if (this.#first === undefined || number < this.#first || number > (this.#last ?? -1n)) return undefined;
    return this.#recent.get(number) ?? (await this.#folder.read(number));
  }

  /** Resolves when there is a block of this number or a later one, or when `signal` aborts. */
  async wait(number: bigint, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (this.#last === undefined || this.#last < number)) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    }
  }
}
