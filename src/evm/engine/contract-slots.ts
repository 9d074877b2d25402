/** Storage of one contract as a run sees it. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Journal } from '../state/journal.ts';
import type { World } from '../state/world.ts';
import { hexToWord, wordToHex } from './words.ts';

/** A slot that the run has looked at. */
export interface Slot {
  value: bigint;
  /** Before the run. */
  readonly original: bigint;
  /** Whether its first access has been paid for. */
  warm: boolean;
  written: boolean;
}

/**
 * Keeps words as numbers beside the world, which keeps them as hex digits: slots are written to the world once, when
 * the run has succeeded.
 */
export class ContractSlots {
  readonly id: EntityId;
  readonly slots = new Map<bigint, Slot>();
  readonly #world: World;
  readonly #journal: Journal;
  readonly #isNew: boolean;

  constructor(id: EntityId, world: World, journal: Journal, isNew: boolean) {
    this.id = id;
    this.#world = world;
    this.#journal = journal;
    this.#isNew = isNew;
  }

  /** The slot if it needs no read of stored state. */
  find(key: bigint): Slot | undefined {
    const slot = this.slots.get(key);
    if (slot !== undefined) return slot;
    if (this.#isNew) return this.#keep(key, 0n);
    const stored = this.#world.knownSlot(this.id, wordToHex(key));
    return stored === undefined ? undefined : this.#keep(key, hexToWord(stored));
  }

  /** Reads what `find` does not know. */
  async load(key: bigint): Promise<void> {
    this.#keep(key, hexToWord(await this.#world.slot(this.id, wordToHex(key))));
  }

  /** Notes that the first access is paid for. */
  warm(slot: Slot): void {
    slot.warm = true;
    this.#journal.note(() => {
      slot.warm = false;
    });
  }

  write(slot: Slot, value: bigint): void {
    const { value: before, written } = slot;
    slot.value = value;
    slot.written = true;
    this.#journal.note(() => {
      slot.value = before;
      slot.written = written;
    });
  }

  #keep(key: bigint, value: bigint): Slot {
    const slot = { value, original: value, warm: false, written: false };
    this.slots.set(key, slot);
    return slot;
  }
}
