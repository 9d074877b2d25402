import { nanosOf } from '../ledger/timestamp.ts';
import { streamError } from './stream-error.ts';

/**
 * Splits one protobuf message into its fields without decoding them: bounds-checked, allocation-free, giving raw
 * slices of the input (what the network hashed, byte for byte). Groups, which no stream file uses, are refused.
 *
 *     const fields = new WireReader(bytes, file);
 *     while (fields.next()) if (fields.field === 3) use(fields.slice());
 */
export class WireReader {
  /** Number of the current field. */
  field = 0;
  /** Wire type of the current field: 0 varint, 1 fixed64, 2 length-delimited, 5 fixed32. */
  wireType = 0;
  /** Where the current field's tag stands in `bytes`. */
  tagStart = 0;
  /** Bounds in `bytes` of the current field's value (after the length for length-delimited fields). */
  start = 0;
  end = 0;

  readonly #bytes: Uint8Array;
  readonly #file: string;
  readonly #limit: number;
  #position: number;

  constructor(bytes: Uint8Array, file: string, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#file = file;
    this.#limit = end;
    this.#position = start;
  }

  /** Moves to the next field; false at the end of the message. */
  next(): boolean {
    const position = this.#position;
    if (position >= this.#limit) return false;
    this.tagStart = position;
    const tag = this.#varint32('field tag');
    this.field = tag >>> 3;
    this.wireType = tag & 7;
    if (this.field === 0) this.#malformed(position, 'field number 0');
    switch (this.wireType) {
      case 0:
        this.start = this.#position;
        this.#skipVarint();
        break;
      case 1:
        this.start = this.#position;
        this.#position += 8;
        break;
      case 2: {
        const length = this.#varint32('field length');
        this.start = this.#position;
        this.#position += length;
        break;
      }
      case 5:
        this.start = this.#position;
        this.#position += 4;
        break;
      default:
        this.#malformed(position, `wire type ${this.wireType}`);
    }
    if (this.#position > this.#limit) {
      throw streamError('STREAM_TRUNCATED', {
        file: this.#file,
        offset: position,
        rule: `field ${this.field} reaches ${this.#position - this.#limit} bytes beyond its message`,
      });
    }
    this.end = this.#position;
    return true;
  }

  /** The current length-delimited value, uncopied. */
  slice(): Uint8Array {
    this.#expect(2);
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + this.start, this.end - this.start);
  }

  /** Refuses the current field unless it is length-delimited. */
  expectBytes(): void {
    this.#expect(2);
  }

  /** A reader of the current length-delimited value as a message. */
  message(): WireReader {
    this.#expect(2);
    return new WireReader(this.#bytes, this.#file, this.start, this.end);
  }

  /** The current varint as int64 (two's complement). */
  int64(): bigint {
    this.#expect(0);
    let value = 0n;
    let shift = 0n;
    for (let i = this.start; i < this.end; i++) {
      value |= BigInt((this.#bytes[i] as number) & 0x7f) << shift;
      shift += 7n;
    }
    return BigInt.asIntN(64, value);
  }

  /** The current varint as int32 (two's complement, upper bits dropped as every protobuf reader does). */
  int32(): number {
    this.#expect(0);
    let value = 0;
    for (let i = this.start, shift = 0; i < this.end && shift < 32; i++, shift += 7) {
      value |= ((this.#bytes[i] as number) & 0x7f) << shift;
    }
    return value | 0;
  }

  /** The current varint in 0..2^53, as seconds of a Timestamp are; undefined when it is longer or negative. */
  smallVarint(): number | undefined {
    this.#expect(0);
    if (this.end - this.start > 7) return undefined;
    let value = 0;
    let factor = 1;
    for (let i = this.start; i < this.end; i++) {
      value += ((this.#bytes[i] as number) & 0x7f) * factor;
      factor *= 128;
    }
    return value;
  }

  /** Refuses the current field, naming the rule that it breaks. */
  refuse(rule: string): never {
    this.#malformed(this.tagStart, rule);
  }

  #expect(wireType: number): void {
    if (this.wireType !== wireType) {
      this.#malformed(this.tagStart, `field ${this.field} has wire type ${this.wireType}, must be ${wireType}`);
    }
  }

  #skipVarint(): void {
    const first = this.#position;
    const last = Math.min(this.#limit, first + 10);
    let position = first;
    while (position < last) {
      if ((this.#bytes[position++] as number) < 0x80) {
        this.#position = position;
        return;
      }
    }
    if (last === first + 10) this.#malformed(first, 'varint longer than 10 bytes');
    this.#truncated(first, 'varint');
  }

  /** Tags and lengths: at most 5 bytes and below 2^31. */
  #varint32(what: string): number {
    const bytes = this.#bytes;
    const first = this.#position;
    if (first < this.#limit && (bytes[first] as number) < 0x80) {
      this.#position = first + 1;
      return bytes[first] as number;
    }
    let value = 0;
    let factor = 1;
    for (let i = first; i < first + 5; i++) {
      if (i >= this.#limit) this.#truncated(first, what);
      const byte = bytes[i] as number;
      value += (byte & 0x7f) * factor;
      factor *= 128;
      if (byte < 0x80) {
        if (value > 0x7fffffff) this.#malformed(first, `${what} of 2^31 or more`);
        this.#position = i + 1;
        return value;
      }
    }
    return this.#malformed(first, `${what} longer than 5 bytes`);
  }

  #truncated(offset: number, what: string): never {
    throw streamError('STREAM_TRUNCATED', { file: this.#file, offset, rule: `${what} runs beyond its message` });
  }

  #malformed(offset: number, rule: string): never {
    throw streamError('STREAM_MALFORMED', { file: this.#file, offset, rule });
  }
}

/**
 * Nanoseconds of the Timestamp message {1 seconds, 2 nanos} that `fields` stands on, saturating at the bounds of int64
 * as mirror databases do (a real file of 2019 holds milliseconds in place of seconds).
 */
export const timestampNanos = (fields: WireReader): bigint => {
  const timestamp = fields.message();
  let seconds = 0n;
  let nanos = 0;
  while (timestamp.next()) {
    if (timestamp.field === 1) {
      const small = timestamp.smallVarint();
      seconds = small === undefined ? timestamp.int64() : BigInt(small);
    } else if (timestamp.field === 2) {
      nanos = timestamp.int32();
    }
  }
  return nanosOf({ seconds, nanos });
};
