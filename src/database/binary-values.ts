/**
 * Values in PostgreSQL's binary form, read one after the other: neither it nor Node makes texts of numbers and lists. Each is its
 * length in bytes (-1 for null) and what its type's `send` function gives, all numbers in network order.
 */

const LENGTH_BYTES = 4;

export class BinaryValues {
  readonly #bytes: Buffer;
  readonly #headBytes: number;
  #position = 0;

  /** @param headBytes that stand before the length of each value */
  constructor(bytes: Buffer, headBytes = 0) {
    this.#bytes = bytes;
    this.#headBytes = headBytes;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length;
  }

  skip(bytes: number): void {
    this.#position += bytes;
  }

  /** A value of type int8, or of a domain over it. */
  int8(): bigint | null {
    const length = this.#length();
    return length < 0 ? null : this.#bytes.readBigInt64BE(this.#pass(length));
  }

  /** A value of type int2 or int4. */
  int(): number | null {
    const length = this.#length();
    return length < 0 ? null : this.#bytes.readIntBE(this.#pass(length), length);
  }

  /** A value of type bytea, in the memory of all of them. */
  bytes(): Buffer | null {
    const length = this.#length();
    if (length < 0) return null;
    const start = this.#pass(length);
    return this.#bytes.subarray(start, start + length);
  }

  #length(): number {
    const start = this.#pass(this.#headBytes + LENGTH_BYTES);
    return this.#bytes.readInt32BE(start + this.#headBytes);
  }

  /** Where so many bytes begin. */
  #pass(length: number): number {
    const start = this.#position;
    this.#position += length;
    return start;
  }
}
