import {
  type MapChangeKey,
  type MapChangeValue,
  StateChange,
  StateChanges,
} from '../../protobuf/generated/block/stream/output/state_changes.ts';
import { timestampOf } from '../records/proto-ids.ts';
import { lengthDelimited } from './item-bytes.ts';

export type StateKey = NonNullable<Parameters<typeof MapChangeKey.fromPartial>[0]['keyChoice']>;
export type StateValue = NonNullable<Parameters<typeof MapChangeValue.fromPartial>[0]['valueChoice']>;

const CHANGE_FIELD = 2;

/**
 * The changes that a transaction and its children leave in the state: one for every key, in the order in which keys were
 * first touched, with the last value. A network commits a transaction and what it brought about together.
 */
export class FamilyChanges {
  readonly #changes = new Map<string, Uint8Array>();
  readonly #places = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  /** Sets a key's change from serialized StateChange bytes. */
  putBytes(name: string, change: Uint8Array): void {
    this.#changes.set(name, change);
  }

  put(name: string, stateId: number, key: StateKey, value: StateValue): void {
    const mapUpdate = { key: { keyChoice: key }, value: { valueChoice: value } };
    this.#encode(name, { stateId, changeOperation: { $case: 'mapUpdate', mapUpdate } });
  }

  remove(name: string, stateId: number, key: StateKey): void {
    const mapDelete = { key: { keyChoice: key } };
    this.#encode(name, { stateId, changeOperation: { $case: 'mapDelete', mapDelete } });
  }

  /** The place of a storage slot among the changed slots of its owner; `name` is the slot's key here. */
  slotPlace(owner: string, name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const place = this.#counts.get(owner) ?? 0;
    this.#counts.set(owner, place + 1);
    this.#places.set(name, place);
    return place;
  }

  /** The StateChanges message; of a transaction that changed nothing it has the time alone. */
  bytes(at: bigint): Uint8Array {
    const head = StateChanges.encode({ consensusTimestamp: timestampOf(at), stateChanges: [] }).finish();
    return Buffer.concat([head, ...[...this.#changes.values()].map((change) => lengthDelimited(CHANGE_FIELD, change))]);
  }

  #encode(name: string, change: Parameters<typeof StateChange.fromPartial>[0]): void {
    this.#changes.set(name, StateChange.encode(StateChange.fromPartial(change)).finish());
  }
}
