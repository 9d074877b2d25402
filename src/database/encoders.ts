/**
 * Binary COPY encodings, one for each wire type (PostgreSQL, "COPY: Binary Format" and the types' send functions): a
 * 32-bit length, then the value in network byte order; length -1 is NULL.
 */
import type { Int8Range, WireType } from './column.ts';
import { type CopyBuffer, reserve } from './copy-buffer.ts';

/**
 * Writes one value that is not null. The caller has reserved `slack` bytes, which covers any value of fixed size; an
 * encoder of values without a fixed size reserves its own, plus `slack` for what follows.
 * @throws RangeError when the value does not fit the type
 */
type Encode = (buffer: CopyBuffer, value: never, slack: number) => void;

const encodeBool = (buffer: CopyBuffer, value: boolean): void => {
  const { view, position } = buffer;
  view.setInt32(position, 1);
  view.setUint8(position + 4, value ? 1 : 0);
  buffer.position = position + 5;
};

const notA = (type: string, value: unknown): RangeError => new RangeError(`${String(value)} is no ${type}`);

const encodeInt2 = (buffer: CopyBuffer, value: number): void => {
  if ((value << 16) >> 16 !== value) throw notA('smallint', value);
  const { view, position } = buffer;
  view.setInt32(position, 2);
  view.setInt16(position + 4, value);
  buffer.position = position + 6;
};

const encodeInt4 = (buffer: CopyBuffer, value: number): void => {
  if ((value | 0) !== value) throw notA('integer', value);
  const { view, position } = buffer;
  view.setInt32(position, 4);
  view.setInt32(position + 4, value);
  buffer.position = position + 8;
};

const TWO_POW_32 = 2 ** 32;

/** A number stands for the integer that it holds exactly. */
const encodeInt8 = (buffer: CopyBuffer, value: bigint | number): void => {
  const { view, position } = buffer;
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw notA('bigint', value);
    const high = Math.floor(value / TWO_POW_32);
    view.setInt32(position + 4, high);
    view.setUint32(position + 8, value - high * TWO_POW_32);
  } else {
    if (BigInt.asIntN(64, value) !== value) throw notA('bigint', value);
    view.setBigInt64(position + 4, value);
  }
  view.setInt32(position, 8);
  buffer.position = position + 12;
};

/** UTF-8; lone surrogates become U+FFFD. PostgreSQL refuses U+0000. */
const encodeText = (buffer: CopyBuffer, value: string, slack: number): void => {
  reserve(buffer, 4 + value.length * 3 + slack);
  const start = buffer.position;
  const length = buffer.bytes.write(value, start + 4);
  buffer.view.setInt32(start, length);
  buffer.position = start + 4 + length;
};

/** The format's version number, 1, then the text. */
const encodeJsonb = (buffer: CopyBuffer, value: string, slack: number): void => {
  reserve(buffer, 5 + value.length * 3 + slack);
  const start = buffer.position;
  const length = buffer.bytes.write(value, start + 5);
  buffer.view.setInt32(start, length + 1);
  buffer.bytes[start + 4] = 1;
  buffer.position = start + 5 + length;
};

const encodeBytea = (buffer: CopyBuffer, value: Uint8Array, slack: number): void => {
  const { length } = value;
  reserve(buffer, 4 + length + slack);
  const { position } = buffer;
  buffer.view.setInt32(position, length);
  buffer.bytes.set(value, position + 4);
  buffer.position = position + 4 + length;
};

const lowerInclusive = 0x02;
const upperInfinite = 0x10;

/** Flags, then the bounds that are not infinite. PostgreSQL makes `[n, n)` the empty range. */
const encodeInt8Range = (buffer: CopyBuffer, value: Int8Range): void => {
  const { view, position } = buffer;
  const { lower, upper } = value;
  view.setInt32(position, upper === null ? 13 : 25);
  view.setUint8(position + 4, upper === null ? lowerInclusive | upperInfinite : lowerInclusive);
  buffer.position = position + 5;
  encodeInt8(buffer, lower);
  if (upper !== null) encodeInt8(buffer, upper);
};

const postgresEpochMicroseconds = 946_684_800_000_000n;

/** Nanoseconds since 1970 as microseconds since 2000, rounded down. */
const encodeTimestamptz = (buffer: CopyBuffer, nanoseconds: bigint): void => {
  const remainder = nanoseconds % 1000n;
  const microseconds = (nanoseconds - (remainder < 0n ? remainder + 1000n : remainder)) / 1000n;
  encodeInt8(buffer, microseconds - postgresEpochMicroseconds);
};

const elementTypes = { bytea: 17, int8: 20, int2: 21, int4: 23 } as const;

/** Dimensions (0 or 1), no NULL elements, element type, then length and lower bound of the dimension, and the elements. */
const encodeArray =
  <E>(
    type: keyof typeof elementTypes,
    sizeOf: (element: E) => number,
    encodeElement: (buffer: CopyBuffer, element: E, slack: number) => void,
  ) =>
  (buffer: CopyBuffer, value: readonly E[], slack: number): void => {
    let size = 24;
    for (const element of value) size += 4 + sizeOf(element);
    reserve(buffer, size + slack);
    const start = buffer.position;
    const { view } = buffer;
    view.setInt32(start + 4, value.length === 0 ? 0 : 1);
    view.setInt32(start + 8, 0);
    view.setInt32(start + 12, elementTypes[type]);
    buffer.position = start + 16;
    if (value.length > 0) {
      view.setInt32(start + 16, value.length);
      view.setInt32(start + 20, 1);
      buffer.position = start + 24;
      for (const element of value) encodeElement(buffer, element, 0);
    }
    view.setInt32(start, buffer.position - start - 4);
  };

interface Encoding {
  /** Bytes with the length in front; 4 (those of NULL) for types without a fixed size. */
  readonly size: number;
  readonly encode: Encode;
}

const encoding = <V>(size: number, encode: (buffer: CopyBuffer, value: V, slack: number) => void): Encoding => ({
  size,
  encode: encode as Encode,
});

export const encodings: Readonly<Record<WireType, Encoding>> = {
  bool: encoding(5, encodeBool),
  int2: encoding(6, encodeInt2),
  int4: encoding(8, encodeInt4),
  int8: encoding(12, encodeInt8),
  int8range: encoding(29, encodeInt8Range),
  timestamptz: encoding(12, encodeTimestamptz),
  text: encoding(4, encodeText),
  jsonb: encoding(4, encodeJsonb),
  bytea: encoding(4, encodeBytea),
  'int2[]': encoding(
    4,
    encodeArray<number>('int2', () => 2, encodeInt2),
  ),
  'int4[]': encoding(
    4,
    encodeArray<number>('int4', () => 4, encodeInt4),
  ),
  'int8[]': encoding(
    4,
    encodeArray<bigint>('int8', () => 8, encodeInt8),
  ),
  'bytea[]': encoding(
    4,
    encodeArray<Uint8Array>('bytea', (element) => element.length, encodeBytea),
  ),
};
