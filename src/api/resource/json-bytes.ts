/**
 * JSON as the bytes that go out, in UTF-8. Answers are put together here from cells as they came from the server, without
 * strings in between: those would be made, copied and collected for every value of every row.
 */
import { Buffer } from 'node:buffer';

/** Longer ranges are copied by the runtime, shorter ones byte by byte, which costs less than to call it. */
const shortBytes = 48;

const quote = 0x22;
const comma = 0x2c;

export class JsonBytes {
  bytes: Buffer;
  /** How many bytes were written. */
  at = 0;

  /** @param capacity bytes that are expected; there may be more */
  constructor(capacity = 1_024) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
  }

  /** Makes sure that so many bytes can be written to `bytes` from `at` on. */
  reserve(count: number): void {
    const needed = this.at + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }

  /** A range of other bytes, as it is. */
  copy(source: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.reserve(length);
    const { bytes } = this;
    if (length > shortBytes) bytes.set(source.subarray(start, end), this.at);
    else for (let from = start, to = this.at; from < end; ) bytes[to++] = source[from++] as number;
    this.at += length;
  }

  /** All of other bytes. */
  literal(source: Uint8Array): void {
    this.copy(source, 0, source.length);
  }

  /** A range of other bytes that needs no escapes, in quotes. */
  quoted(source: Uint8Array, start: number, end: number): void {
    this.reserve(end - start + 2);
    this.bytes[this.at++] = quote;
    this.copy(source, start, end);
    this.bytes[this.at++] = quote;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  comma(): void {
    this.byte(comma);
  }

  /** JSON that is there as text. */
  text(json: string): void {
    // A character of UTF-16 takes three bytes of UTF-8 at most.
    this.reserve(json.length * 3);
    this.at += this.bytes.write(json, this.at, 'utf8');
  }

  /** Entries with commas between them. */
  list<T>(entries: readonly T[], put: (out: JsonBytes, entry: T) => void): void {
    for (let i = 0; i < entries.length; i++) {
      if (i > 0) this.byte(comma);
      put(this, entries[i] as T);
    }
  }

  /** What was written, without memory that it does not need. */
  finish(): Buffer {
    if (this.at * 4 >= this.bytes.length * 3) return this.bytes.subarray(0, this.at);
    const exact = Buffer.allocUnsafeSlow(this.at);
    this.bytes.copy(exact, 0, 0, this.at);
    return exact;
  }

  toString(): string {
    return this.bytes.toString('utf8', 0, this.at);
  }
}

/** Text that is written again and again. */
export const literalBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
