/** Which slots runs have asked for, by contract: what is worth reading together. Keys only, so commits don't touch it. */
import type { EntityId } from '../../ledger/entity-id.ts';
import { LruMap } from './lru-map.ts';
import type { WordHex } from './records.ts';

export interface HotSlotLimits {
  readonly perContract: number;
  /** Over all contracts, about: the contract least recently used goes as a whole. */
  readonly inAll: number;
}

export class HotSlots {
  readonly #limits: HotSlotLimits;
  readonly #contracts: LruMap<EntityId, LruMap<WordHex, true>>;
  #count = 0;

  constructor(limits: HotSlotLimits) {
    this.#limits = limits;
    this.#contracts = new LruMap(limits.inAll);
  }

  note(contractId: EntityId, slot: WordHex): void {
    let slots = this.#contracts.get(contractId);
    if (slots === undefined) {
      slots = new LruMap(this.#limits.perContract);
      this.#contracts.set(contractId, slots);
    }
    const before = slots.size;
    slots.set(slot, true);
    this.#count += slots.size - before;
    if (this.#count > this.#limits.inAll) this.#forgetOldest(contractId);
  }

  /** Undefined for a contract that is not known. */
  of(contractId: EntityId): WordHex[] | undefined {
    const slots = this.#contracts.get(contractId);
    return slots === undefined ? undefined : [...slots.keys()];
  }

  #forgetOldest(except: EntityId): void {
    for (const contractId of this.#contracts.keys()) {
      if (contractId === except) continue;
      this.#count -= this.#contracts.peek(contractId)?.size ?? 0;
      this.#contracts.delete(contractId);
      return;
    }
  }
}
