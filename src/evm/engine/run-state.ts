/** What one run keeps besides the world: paid accesses, storage, transient storage, logs, children, refunds. */
import type { EntityId } from '../../ledger/entity-id.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { Status } from '../hapi/operation.ts';
import { Journal } from '../state/journal.ts';
import type { AddressHex, WordHex } from '../state/records.ts';
import type { World } from '../state/world.ts';
import type { ChildRecord, ChildRecords, EmittedLog } from '../system-contracts/system-contract.ts';
import { ContractSlots } from './contract-slots.ts';
import { HaltError } from './halts.ts';
import { wordToHex } from './words.ts';

const MOST_CHILDREN = 50;

const statusNames: ReadonlyMap<number, Status> = new Map(
  Object.entries(ResponseCodeEnum).map(([name, status]) => [status, name as Status]),
);

class Children implements ChildRecords {
  readonly records: { status: number }[] = [];
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  add({ status }: ChildRecord): void {
    if (this.records.length >= MOST_CHILDREN) throw new HaltError('MAX_CHILD_RECORDS_EXCEEDED');
    const record = { status };
    this.records.push(record);
    this.#journal.note(() => {
      if (record.status === ResponseCodeEnum.SUCCESS) record.status = ResponseCodeEnum.REVERTED_SUCCESS;
    });
  }
}

export class RunState {
  readonly world: World;
  readonly children: Children;
  readonly logs: EmittedLog[] = [];
  /** Contracts that this run created. */
  readonly created = new Set<EntityId>();
  /** Contracts that go away when the run ends. */
  readonly destroyed = new Set<EntityId>();
  readonly #journal = new Journal();
  readonly #warm = new Set<AddressHex>();
  readonly #slots = new Map<EntityId, ContractSlots>();
  readonly #transient = new Map<EntityId, Map<bigint, bigint>>();
  #refund = 0;

  constructor(world: World) {
    this.world = world;
    this.children = new Children(this.#journal);
  }

  checkpoint(): void {
    this.world.checkpoint();
    this.#journal.checkpoint();
  }

  commit(): void {
    this.world.commit();
    this.#journal.commit();
  }

  revert(): void {
    this.world.revert();
    this.#journal.revert();
  }

  get refund(): number {
    return this.#refund;
  }

  addRefund(amount: number): void {
    this.#refund += amount;
    this.#journal.note(() => {
      this.#refund -= amount;
    });
  }

  /** Notes an access of an address; false when it has been accessed before. */
  warm(address: AddressHex): boolean {
    if (this.#warm.has(address)) return false;
    this.#warm.add(address);
    this.#journal.note(() => this.#warm.delete(address));
    return true;
  }

  isWarm(address: AddressHex): boolean {
    return this.#warm.has(address);
  }

  slotsOf(id: EntityId): ContractSlots {
    let slots = this.#slots.get(id);
    if (slots === undefined) {
      slots = new ContractSlots(id, this.world, this.#journal, this.created.has(id));
      this.#slots.set(id, slots);
    }
    return slots;
  }

  addLog(log: EmittedLog): void {
    this.logs.push(log);
    this.#journal.note(() => this.logs.pop());
  }

  addCreated(id: EntityId): void {
    this.created.add(id);
    this.#journal.note(() => this.created.delete(id));
  }

  addDestroyed(id: EntityId): void {
    if (this.destroyed.has(id)) return;
    this.destroyed.add(id);
    this.#journal.note(() => this.destroyed.delete(id));
  }

  transient(id: EntityId, key: bigint): bigint {
    return this.#transient.get(id)?.get(key) ?? 0n;
  }

  putTransient(id: EntityId, key: bigint, value: bigint): void {
    const words = this.#transient.get(id) ?? new Map<bigint, bigint>();
    this.#transient.set(id, words);
    const before = words.get(key) ?? 0n;
    words.set(key, value);
    this.#journal.note(() => words.set(key, before));
  }

  /** Slots written so far; the lowest contract wins where several wrote one slot. */
  writtenSlots(): Map<WordHex, WordHex> {
    const written = new Map<WordHex, WordHex>();
    const ids = [...this.#slots.keys()].sort((a, b) => (a < b ? 1 : -1));
    for (const id of ids) {
      for (const [key, slot] of this.slotsOf(id).slots) {
        if (slot.written) written.set(wordToHex(key), wordToHex(slot.value));
      }
    }
    return new Map([...written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Gives the world what the run has changed in storage. */
  putWrittenSlots(): void {
    for (const [id, { slots }] of this.#slots) {
      if (this.destroyed.has(id)) continue;
      for (const [key, slot] of slots) if (slot.written) this.world.putSlot(id, wordToHex(key), wordToHex(slot.value));
    }
  }

  /** Distinct statuses of children that failed by themselves, in order. */
  failedChildStatuses(): Status[] {
    const failed = this.children.records
      .map(({ status }) => status)
      .filter((status) => status !== ResponseCodeEnum.SUCCESS && status !== ResponseCodeEnum.REVERTED_SUCCESS);
    return [...new Set(failed)].map((status) => statusNames.get(status) ?? 'UNKNOWN');
  }
}
