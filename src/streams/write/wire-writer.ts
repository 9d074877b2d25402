/** Bytes that `value` takes as a varint; `value` is a length or tag below 2^31. */
const varintBytes = (value: number): number => {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest >>>= 7) bytes++;
  return bytes;
};

/** Bytes that a length-delimited field with a tag of one byte takes. */
export const fieldBytes = (length: number): number => 1 + varintBytes(length) + length;

/** Writes protobuf fields into a buffer that its caller has sized; field numbers are below 16. */
export class WireWriter {
  readonly buffer: Buffer;
  position: number;

  constructor(buffer: Buffer, position = 0) {
    this.buffer = buffer;
    this.position = position;
  }

  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.buffer[this.position++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.position++] = rest;
  }

  /** Tag and length of a length-delimited field; its bytes follow. */
  header(field: number, length: number): void {
    this.buffer[this.position++] = (field << 3) | 2;
    this.varint(length);
  }

  /** A length-delimited field. */
  bytes(field: number, value: Uint8Array): void {
    this.header(field, value.length);
    this.buffer.set(value, this.position);
    this.position += value.length;
  }
}
