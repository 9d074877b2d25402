const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const VARINT_STEP = 128;

/**
 * Appends protobuf wire format to a buffer. Nested messages are written in place: `open` leaves room for a length of
 * the expected size, `close` fills it in and moves the content when the guess was wrong. The caller sees to capacity.
 */
export class WireWriter {
  bytes: Uint8Array;
  position = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity);
  }

  /** An unsigned varint below 2^53. */
  varint(value: number): void {
    const { bytes } = this;
    let rest = value;
    while (rest >= 0x1000_0000) {
      bytes[this.position++] = (rest % VARINT_STEP) | 0x80;
      rest = Math.floor(rest / VARINT_STEP);
    }
    while (rest >= VARINT_STEP) {
      bytes[this.position++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[this.position++] = rest;
  }

  /** An unsigned 64-bit varint; the number path is taken only where it is exact. */
  bigVarint(value: bigint): void {
    if (value <= MAX_SAFE) {
      this.varint(Number(value));
      return;
    }
    let rest = value;
    while (rest > 0x7fn) {
      this.bytes[this.position++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.bytes[this.position++] = Number(rest);
  }

  /** A sint64 in zigzag form. */
  zigzag(value: bigint): void {
    this.bigVarint(value >= 0n ? value * 2n : -value * 2n - 1n);
  }

  byte(value: number): void {
    this.bytes[this.position++] = value;
  }

  raw(source: Uint8Array): void {
    this.bytes.set(source, this.position);
    this.position += source.length;
  }

  /** A length-delimited field from ready bytes; `tag` is the one-byte tag. */
  field(tag: number, content: Uint8Array): void {
    this.byte(tag);
    this.varint(content.length);
    this.raw(content);
  }

  /** A field that is the AccountID of an account of shard 0, realm 0. */
  account(tag: number, num: bigint): void {
    this.byte(tag);
    const length = this.position++;
    this.byte(0x18);
    this.bigVarint(num);
    this.bytes[length] = this.position - length - 1;
  }

  /** Leaves `width` bytes (1 or 2) for a length and returns where the content starts. */
  open(width: number): number {
    this.position += width;
    return this.position;
  }

  /** Ends the message whose content starts at `start`; returns where its content starts now. */
  close(start: number, width: number): number {
    const length = this.position - start;
    const needed = length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : 4;
    const content = start + needed - width;
    if (needed !== width) {
      this.bytes.copyWithin(content, start, this.position);
      this.position = content + length;
    }
    const end = this.position;
    this.position = start - width;
    this.varint(length);
    this.position = end;
    return content;
  }
}
