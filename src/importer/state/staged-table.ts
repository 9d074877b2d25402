/**
 * The versions of one table's rows that a batch holds, by key.
 *
 * What a batch writes must not depend on how many blocks it spans, so a version from an earlier block of the batch
 * counts as if the database already held it. That matters where the merge is coarser inside one block than between
 * blocks: a delta that precedes a change in its own block belongs to the changed version (a parent transaction's
 * transfers can come before its child creates the account), while a delta of an earlier block belongs to the version
 * before. Likewise a column fixed at insertion can still be filled later in the block that inserted the row. And what a
 * version takes over from the one before waits until all are staged: otherwise a second change of the same instant could
 * not tell what the first one said itself from what an earlier block of the batch said.
 */
import type { Int8Range } from '../../database/column.ts';

/** A staged row; of tables that keep versions a change says from when on it holds, a delta does not. */
export type Ranged = { timestamp_range?: Int8Range | null | undefined };

export type VersionKey = number | bigint | string;

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** An id as key: as a number where it fits, because maps find numbers much faster. */
export const idKey = (id: bigint): number | bigint => (id >= 0n && id <= MAX_SAFE ? Number(id) : id);

/** Two ids below this are one exact number together. */
const PAIRABLE = 1n << 26n;
const PAIR_FACTOR = 2 ** 26;

/** Two ids as one key: a number where they fit, which costs a fraction of the text that others need. */
export const pairKey = (first: bigint, second: bigint): number | string =>
  first >= 0n && first < PAIRABLE && second >= 0n && second < PAIRABLE
    ? Number(first) * PAIR_FACTOR + Number(second)
    : `${first} ${second}`;

/** How versions of one table combine in memory. Every function changes its first argument. */
export interface Combination<V> {
  /** `next` takes over from `previous` what it does not say itself. */
  readonly inherit: (next: V, previous: V) => void;
  /** `again` is another change at the very time of `version`. */
  readonly repeat: (version: V, again: V) => void;
  /** A delta alters a version, or is added to another delta. */
  readonly applyDelta: (version: V, delta: V) => void;
  /** The same for the first delta that a block has for what an earlier block left. */
  readonly foldDelta: (version: V, delta: V) => void;
  /** A change takes over the delta that its own block staged before it. */
  readonly absorbDelta: (next: V, delta: V) => void;
  /** A delta earlier in the same block belongs to the version that follows it, and not to the one before. */
  readonly deltaCarriesForward: boolean;
  /** Where the version before `next` ends; null when both are changes of the same instant and become one. */
  readonly endOf: (previous: V, next: V) => bigint | null;
  /**
   * Whether a version says itself what decides how the database adds it up. Where the versions of earlier blocks don't, only
   * the row in the database may: what follows is merged after them, as if they were of another batch.
   */
  readonly isDecided?: (version: V) => boolean;
}

/** The combination, and what a table's definition says besides. */
export interface MergeRules<K, V> extends Combination<V> {
  readonly keyOf: (version: K) => VersionKey;
  /** Whether changes close the version before them; otherwise a change alters the one row (`repeat`). */
  readonly keepsVersions: boolean;
  /** Undefined for each column that a row keeps from its insertion on. */
  readonly nothingInserted: Readonly<Record<string, undefined>>;
}

/** What the batch holds for one key. */
export class KeyState<V> {
  /** Delta on the row that the database holds, applied before the versions. */
  delta: V | undefined;
  /** Changes in order of time; all but the last have a closed range. */
  readonly versions: V[] = [];
  /** How many of them have taken over what the version before them said. */
  inherited = 0;
  /** Block that staged the last of the versions. */
  versionBlock = -1;
  /** Block that staged each of the versions; the first one may insert the row. */
  readonly blocks: number[] = [];
  /** How many of the versions are merged before the others; undefined: all at once. */
  mergedFirst: number | undefined;
  /** Block that staged the last delta. */
  deltaBlock = -1;
  /** Delta of `pendingBlock` whose version is still open: a change in that block would take it. */
  pending: V | undefined;
  pendingBlock = -1;
}

/** What is written of a staged table, whichever it is. */
export interface StagedRows {
  readonly size: number;
  settled(): Iterable<{
    readonly delta: StagedRow | undefined;
    readonly versions: readonly StagedRow[];
    /** How many of the versions are merged before the others; undefined: all at once. */
    readonly mergedFirst?: number | undefined;
  }>;
}

export type StagedRow = Readonly<Record<string, unknown>>;

export class StagedTable<K, V extends K & Ranged> {
  readonly #rules: MergeRules<K, V>;
  readonly #states = new Map<VersionKey, KeyState<V>>();

  constructor(rules: MergeRules<K, V>) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#states.size;
  }

  stage(version: V, block: number): void {
    const key = this.#rules.keyOf(version);
    let state = this.#states.get(key);
    if (state === undefined) {
      state = new KeyState<V>();
      this.#states.set(key, state);
    }
    if (!this.#rules.keepsVersions) {
      this.#stageInPlace(state, version, block);
    } else if (version.timestamp_range === undefined || version.timestamp_range === null) {
      this.#stageDelta(state, version, block);
    } else {
      this.#stageChange(state, version, block);
    }
  }

  /** The version that a delta of `block` would alter if it is of that block already; a cheap way around `stage`. */
  openDelta(key: VersionKey, block: number): V | undefined {
    const state = this.#states.get(key);
    if (state === undefined) return undefined;
    if (state.versionBlock === block) return state.versions[state.versions.length - 1];
    return state.pendingBlock === block ? state.pending : undefined;
  }

  /**
   * What is known last about a key, merged over all its versions; undefined when nothing is.
   * @param before what was known before the first version that is staged here
   */
  latest(key: K, before?: V): V | undefined {
    const state = this.#states.get(this.#rules.keyOf(key));
    if (state === undefined) return before;
    const { versions } = state;
    const [first = state.pending ?? state.delta] = versions;
    let latest = this.#following(first, before);
    for (let index = 1; index < versions.length; index++) latest = this.#following(versions[index], latest);
    return latest;
  }

  /** A copy of `next` with what it takes over; `next` itself where nothing comes before it. */
  #following(next: V | undefined, previous: V | undefined): V | undefined {
    if (next === undefined || previous === undefined) return next ?? previous;
    const following = { ...next };
    this.#rules.inherit(following, previous);
    return following;
  }

  /** All keys' states, complete: nothing pending, every version with what it takes over. Nothing is staged afterwards. */
  *settled(): Generator<KeyState<V>> {
    for (const state of this.#states.values()) {
      this.#settle(state);
      this.#inherit(state);
      yield state;
    }
  }

  #stageInPlace(state: KeyState<V>, version: V, block: number): void {
    const existing = state.versions[0];
    if (existing === undefined) state.versions.push(version);
    else this.#rules.repeat(existing, version);
    state.versionBlock = block;
  }

  #stageDelta(state: KeyState<V>, delta: V, block: number): void {
    const { applyDelta, foldDelta, deltaCarriesForward } = this.#rules;
    const last = state.versions[state.versions.length - 1];
    if (!deltaCarriesForward) {
      const target = last ?? state.delta;
      if (target === undefined) state.delta = delta;
      else if (state.versionBlock === block || state.deltaBlock === block) applyDelta(target, delta);
      else foldDelta(target, delta);
      state.deltaBlock = block;
      return;
    }
    if (state.pending !== undefined && state.pendingBlock !== block) this.#settle(state);
    if (last !== undefined && state.versionBlock === block) {
      applyDelta(last, delta);
    } else if (state.pending === undefined) {
      state.pending = delta;
      state.pendingBlock = block;
    } else {
      applyDelta(state.pending, delta);
    }
  }

  #stageChange(state: KeyState<V>, next: V, block: number): void {
    const rules = this.#rules;
    if (state.pending !== undefined && state.pendingBlock !== block) this.#settle(state);
    const pending = state.pending;
    if (pending !== undefined) {
      rules.absorbDelta(next, pending);
      state.pending = undefined;
    }
    const previous = state.versions[state.versions.length - 1];
    if (previous !== undefined) {
      if (state.blocks[0] !== block) Object.assign(next, rules.nothingInserted);
      const end = rules.endOf(previous, next);
      if (end === null) {
        rules.repeat(previous, next);
        return;
      }
      previous.timestamp_range = { lower: (previous.timestamp_range as Int8Range).lower, upper: end };
    }
    state.versions.push(next);
    state.blocks.push(block);
    state.versionBlock = block;
  }

  #inherit(state: KeyState<V>): void {
    const { versions } = state;
    if (state.inherited === 0) state.mergedFirst = this.#undecided(state);
    for (let index = Math.max(state.inherited, 1); index < versions.length; index++) {
      if (index !== state.mergedFirst) this.#rules.inherit(versions[index] as V, versions[index - 1] as V);
    }
    state.inherited = versions.length;
  }

  /** How many versions come from blocks before the one that decides how they add up; undefined when that is none. */
  #undecided({ versions, blocks }: KeyState<V>): number | undefined {
    const { isDecided } = this.#rules;
    if (isDecided === undefined || versions.length < 2) return undefined;
    let index = versions.findIndex(isDecided);
    while (index > 0 && blocks[index - 1] === blocks[index]) index--;
    return index > 0 ? index : undefined;
  }

  /** A pending delta whose block is over alters the version before it, or the row that the database holds. */
  #settle(state: KeyState<V>): void {
    const { pending } = state;
    if (pending === undefined) return;
    state.pending = undefined;
    const target = state.versions[state.versions.length - 1] ?? state.delta;
    if (target === undefined) state.delta = pending;
    else this.#rules.applyDelta(target, pending);
  }
}
