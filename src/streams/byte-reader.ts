import { streamError } from './stream-error.ts';

/** Bounds-checked reader of the big-endian fixed layouts (record files v1 to v5, signature files). */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly file: string;
  position = 0;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, file: string) {
    this.bytes = bytes;
    this.file = file;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get atEnd(): boolean {
    return this.position >= this.bytes.length;
  }

  /** @throws KagamiError STREAM_TRUNCATED when fewer than `length` bytes are left. */
  #advance(length: number, what: string): number {
    const start = this.position;
    if (length > this.bytes.length - start) {
      throw streamError('STREAM_TRUNCATED', {
        file: this.file,
        offset: start,
        rule: `${what} takes ${length} bytes, ${this.bytes.length - start} are left`,
      });
    }
    this.position = start + length;
    return start;
  }

  uint8(what: string): number {
    return this.#view.getUint8(this.#advance(1, what));
  }

  int32(what: string): number {
    return this.#view.getInt32(this.#advance(4, what));
  }

  uint64(what: string): bigint {
    return this.#view.getBigUint64(this.#advance(8, what));
  }

  /** The next 8 bytes without consuming them. */
  peekUint64(what: string): bigint {
    const value = this.uint64(what);
    this.position -= 8;
    return value;
  }

  /** A view of the next `length` bytes; nothing is copied. */
  slice(length: number, what: string): Uint8Array {
    const start = this.#advance(length, what);
    return new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + start, length);
  }

  /** An int32 length in 0..max, then that many bytes. */
  lengthPrefixed(max: number, what: string): Uint8Array {
    const offset = this.position;
    const length = this.int32(`length of ${what}`);
    if (length < 0 || length > max) {
      throw streamError('STREAM_OVERSIZED', {
        file: this.file,
        offset,
        rule: `length of ${what} is ${length}, must be 0 to ${max}`,
      });
    }
    return this.slice(length, what);
  }

  /** Reads a value that the format fixes. */
  expectInt32(expected: number, what: string): void {
    const offset = this.position;
    const found = this.int32(what);
    if (found !== expected) this.malformed(offset, `${what} is ${found}, must be ${expected}`);
  }

  expectUint8(expected: number, what: string): void {
    const offset = this.position;
    const found = this.uint8(what);
    if (found !== expected) this.malformed(offset, `${what} is ${found}, must be ${expected}`);
  }

  expectUint64(expected: bigint, what: string): void {
    const offset = this.position;
    const found = this.uint64(what);
    if (found !== expected)
      this.malformed(offset, `${what} is ${found.toString(16)}, must be ${expected.toString(16)}`);
  }

  expectEnd(): void {
    if (!this.atEnd) {
      throw streamError('STREAM_TRAILING_BYTES', {
        file: this.file,
        offset: this.position,
        rule: `${this.bytes.length - this.position} bytes follow the end of the file`,
      });
    }
  }

  malformed(offset: number, rule: string): never {
    throw streamError('STREAM_MALFORMED', { file: this.file, offset, rule });
  }
}
