import { AskedBefore } from './asked-before.ts';
import type { StoredAnswer } from './stored-answer.ts';

/** What a maker of answers says about the one it made: for how long it may be kept, in milliseconds; 0: not at all. */
export interface MadeAnswer {
  readonly answer: StoredAnswer;
  readonly keepMs: number;
  /** The body piece by piece, where the answer's own is empty. */
  readonly parts?: AsyncIterable<string>;
}

interface Entry {
  readonly answer: StoredAnswer;
  readonly staleAt: number;
  bytes: number;
}

/**
 * An answer in the making. It is let go of when it is there: a map that loses entries leaves tables behind that still refer to
 * them, and one that has become old keeps those after it, with all answers, until the next collection of all garbage.
 */
interface Making {
  answer: Promise<StoredAnswer> | undefined;
}

/** What may be kept so long is likely to be asked for again: what is known by its own id, which lists give. */
const longKeptMs = 60_000;

/** Room that an entry takes beside its bytes: the map's slot, the objects, the headers. */
const entryOverheadBytes = 512;

/**
 * Whole answers by URL, exact because data changes only when a block commits: a commit empties it. An entry also ends
 * with the time its own `max-age` grants to every cache on the way, so that nothing older than promised is served even
 * where a commit goes unheard (a database that another system writes). Requests for the same URL that arrive while its
 * answer is being made share it. Bounded by bytes, the least recently used goes first.
 *
 * Where there is no more room, an answer that is good for seconds is kept only if it was asked for before: who walks through all pages of a list,
 * each of them once, displaces nothing, and the answers are garbage while they are young, which costs little to collect.
 */
export class AnswerCache {
  readonly #entries = new Map<string, Entry>();
  readonly #pending = new Map<string, Making>();
  readonly #maxBytes: number;
  readonly #now: () => number;
  readonly #askedBefore = new AskedBefore();
  #bytes = 0;
  #generation = 0;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(maxBytes: number, now: () => number = () => performance.now()) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Forgets everything. Answers still in the making are given to those who wait for them, and not kept. */
  clear(): void {
    this.#generation++;
    this.#entries.clear();
    this.#pending.clear();
    this.#bytes = 0;
  }

  /** The kept answer, if there is one and it is fresh. */
  get(key: string): StoredAnswer | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.staleAt <= this.#now()) {
      this.#bytes -= entry.bytes;
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry.answer;
  }

  /** The kept answer, or the one that `make` gives, kept if it may be. */
  async getOrMake(key: string, make: () => Promise<MadeAnswer>): Promise<StoredAnswer> {
    const kept = this.get(key) ?? this.#pending.get(key)?.answer;
    if (kept !== undefined) return kept;
    const generation = this.#generation;
    const making: Making = { answer: undefined };
    making.answer = make().then(
      ({ answer, keepMs }) => {
        making.answer = undefined;
        if (generation === this.#generation) {
          this.#pending.delete(key);
          if (keepMs > 0) this.#keep(key, answer, keepMs);
        }
        return answer;
      },
      (error: unknown) => {
        making.answer = undefined;
        if (generation === this.#generation) this.#pending.delete(key);
        throw error;
      },
    );
    this.#pending.set(key, making);
    return making.answer;
  }

  /** Counts bytes that a kept answer took on later (its compressed form). */
  grow(key: string, answer: StoredAnswer, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.answer !== answer) return;
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#evict();
  }

  #keep(key: string, answer: StoredAnswer, keepMs: number): void {
    const bytes = answer.body.byteLength + 2 * key.length + entryOverheadBytes;
    if (bytes > this.#maxBytes) return;
    const wasAsked = this.#askedBefore.note(key);
    if (!wasAsked && keepMs < longKeptMs && this.#bytes + bytes > this.#maxBytes) return;
    this.#entries.set(key, { answer, staleAt: this.#now() + keepMs, bytes });
    this.#bytes += bytes;
    this.#evict();
  }

  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(key);
      this.#bytes -= entry.bytes;
    }
  }
}
