const CHUNK_BYTES = 256 * 1024;
const MAX_VARINT_BYTES = 10;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const VARINT = 0;
const LENGTH_DELIMITED = 2;

/**
 * Writes protobuf messages one after the other into chunks that it never writes to again, so that what `take` gives stays
 * valid without a copy. Fields are written in the order of the calls.
 */
export class RecordWriter {
  #chunk: Buffer = Buffer.alloc(0);
  /** Where the message that is being written begins. */
  #start = 0;
  #at = 0;

  /** A length-delimited field of any bytes, no bytes included. */
  bytes(field: number, value: Uint8Array): void {
    this.#reserve(2 * MAX_VARINT_BYTES + value.length);
    this.#varint(field * 8 + LENGTH_DELIMITED);
    this.#varint(value.length);
    this.#chunk.set(value, this.#at);
    this.#at += value.length;
  }

  /** The same, of bytes that stand in two pieces. */
  joined(field: number, first: Uint8Array, second: Uint8Array): void {
    this.#reserve(2 * MAX_VARINT_BYTES + first.length + second.length);
    this.#varint(field * 8 + LENGTH_DELIMITED);
    this.#varint(first.length + second.length);
    this.#chunk.set(first, this.#at);
    this.#chunk.set(second, this.#at + first.length);
    this.#at += first.length + second.length;
  }

  /** A varint field, left out when it is 0 as proto3 does. Values are unsigned 64-bit integers. */
  uint64(field: number, value: bigint): void {
    if (value !== 0n) this.presentUint64(field, value);
  }

  /** The same, written even when it is 0. */
  presentUint64(field: number, value: bigint): void {
    this.#reserve(2 * MAX_VARINT_BYTES);
    this.#varint(field * 8 + VARINT);
    let rest = value;
    while (rest > MAX_SAFE) {
      this.#chunk[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#varint(Number(rest));
  }

  /** Ends the message and gives its bytes. */
  take(): Uint8Array {
    const message = new Uint8Array(this.#chunk.buffer, this.#chunk.byteOffset + this.#start, this.#at - this.#start);
    this.#start = this.#at;
    return message;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#chunk.length) return;
    const written = this.#chunk.subarray(this.#start, this.#at);
    const chunk = Buffer.from(new ArrayBuffer(Math.max(CHUNK_BYTES, 2 * (written.length + bytes))));
    chunk.set(written);
    this.#chunk = chunk;
    this.#start = 0;
    this.#at = written.length;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#chunk[this.#at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#chunk[this.#at++] = rest;
  }
}
