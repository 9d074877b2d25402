import { hash } from 'node:crypto';

/** Length of every stream hash: SHA-384. */
export const HASH_BYTES = 48;

/** Class id and version of a serialized record item (v5 object stream), which v6 hashes as well. */
export const RECORD_ITEM_CLASS_ID = 0xe370929ba5429d8bn;
export const RECORD_ITEM_CLASS_VERSION = 1;

/** Class id and version of a hash inside the running hash, little-endian unlike everything else in the streams. */
const HASH_CLASS = Buffer.from('1e7451a283da22f401000000', 'hex');

const RUNNING = HASH_CLASS.length;
const ITEM = RUNNING + HASH_BYTES + HASH_CLASS.length;
const INITIAL_SCRATCH_BYTES = 64 * 1024;
const ITEM_HEADER_BYTES = 12;

/**
 * The running hash over record items, as v5 and v6 files end with it:
 * `running' = H(class || running || class || H(item))`, the item always in its v5 serialization over raw bytes.
 * One scratch buffer is reused and digests travel as latin1 text, which costs half of hash objects or buffers.
 */
export class RunningHash {
  readonly #state = Buffer.alloc(ITEM + HASH_BYTES);
  #scratch = Buffer.alloc(INITIAL_SCRATCH_BYTES);

  constructor(start: Uint8Array) {
    this.#state.set(HASH_CLASS, 0);
    this.#state.set(HASH_CLASS, RUNNING + HASH_BYTES);
    this.#state.set(start, RUNNING);
    this.#writeItemHeader();
  }

  /** Adds one item from its two protobuf messages. */
  add(record: Uint8Array, transaction: Uint8Array): void {
    const length = ITEM_HEADER_BYTES + 8 + record.length + transaction.length;
    if (length > this.#scratch.length) {
      this.#scratch = Buffer.alloc(2 * length);
      this.#writeItemHeader();
    }
    const scratch = this.#scratch;
    scratch.writeInt32BE(record.length, ITEM_HEADER_BYTES);
    scratch.set(record, ITEM_HEADER_BYTES + 4);
    const next = ITEM_HEADER_BYTES + 4 + record.length;
    scratch.writeInt32BE(transaction.length, next);
    scratch.set(transaction, next + 4);
    this.addSerialized(scratch.subarray(0, length));
  }

  /** Adds one item that is already in its v5 serialization. */
  addSerialized(item: Uint8Array): void {
    const state = this.#state;
    state.write(hash('sha384', item, 'binary'), ITEM, 'latin1');
    state.write(hash('sha384', state, 'binary'), RUNNING, 'latin1');
  }

  /** A copy of the running hash so far, 48 bytes. */
  value(): Uint8Array {
    return new Uint8Array(this.#state.subarray(RUNNING, RUNNING + HASH_BYTES));
  }

  #writeItemHeader(): void {
    this.#scratch.writeBigUInt64BE(RECORD_ITEM_CLASS_ID, 0);
    this.#scratch.writeInt32BE(RECORD_ITEM_CLASS_VERSION, 8);
  }
}
