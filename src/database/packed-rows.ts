/**
 * Many rows in one value: what `record_send` makes of each, one after the other, which costs neither PostgreSQL nor Node texts
 * of numbers and lists. A record is the count of its columns, and for each of them the type's oid, the length in bytes (-1 for
 * null) and the value in its type's binary form, all numbers in network order.
 */

/** SQL of one value with all rows of a group: the columns of each in their order. Null when there is no row. */
export const packedRows = (columns: readonly string[], orderBy: string): string =>
  `string_agg(record_send(row(${columns.join(', ')})), '' order by ${orderBy})`;

const NO_BYTES = Buffer.alloc(0);
const COUNT_BYTES = 4;
const OID_BYTES = 4;
const LENGTH_BYTES = 4;

/** Reads packed rows: first `nextRow`, then each column of the row in its order. */
export class PackedRows {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer | null) {
    this.#bytes = bytes ?? NO_BYTES;
  }

  /** Goes to the next row; false when there is none. */
  nextRow(): boolean {
    if (this.#position >= this.#bytes.length) return false;
    this.#position += COUNT_BYTES;
    return true;
  }

  /** A column of type int8, or of a domain over it. */
  int8(): bigint | null {
    const length = this.#length();
    return length < 0 ? null : this.#bytes.readBigInt64BE(this.#pass(length));
  }

  /** A column of type int2 or int4. */
  int(): number | null {
    const length = this.#length();
    return length < 0 ? null : this.#bytes.readIntBE(this.#pass(length), length);
  }

  /** A column of type bytea, in the memory of all rows. */
  bytes(): Buffer | null {
    const length = this.#length();
    if (length < 0) return null;
    const start = this.#pass(length);
    return this.#bytes.subarray(start, start + length);
  }

  #length(): number {
    const length = this.#bytes.readInt32BE(this.#position + OID_BYTES);
    this.#position += OID_BYTES + LENGTH_BYTES;
    return length;
  }

  /** Where the value of so many bytes begins. */
  #pass(length: number): number {
    const start = this.#position;
    this.#position += length;
    return start;
  }
}
