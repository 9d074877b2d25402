/**
 * What the writers of fields are given: a cell is a range of bytes, as the server sent it in its text form (digits, `t` or
 * `f` for a flag, `\x` and hex for bytes), and an empty one where the value is null. Texts of any characters are asked for
 * as JSON. See database/cell-table.ts.
 *
 * A list that SQL packs into one cell divides its cells by a control character, which none of them holds.
 */
import { type JsonBytes, literalBytes } from './json-bytes.ts';

/** Between the cells and the rows of a list within one cell: group separator, as ASCII calls it. */
const listSeparator = 0x1d;

const separatorLiteral = `e'\\x${listSeparator.toString(16)}'`;

/** An aggregate that packs rows into one cell; null without rows. */
export const packedRows = (cells: readonly string[], orderBy: string): string =>
  `string_agg(concat(${cells.join(`, ${separatorLiteral}, `)}), ${separatorLiteral} order by ${orderBy})`;

/** Where the cells of a packed list begin and end. */
export const packedBounds = (bytes: Buffer, start: number, end: number): number[] => {
  const bounds = [start];
  for (let at = start; at < end; at++) if (bytes[at] === listSeparator) bounds.push(at, at + 1);
  bounds.push(end);
  return bounds;
};

/**
 * Writes a value from cells.
 * @param bounds where each of the cells begins and ends in `bytes`
 */
export type CellPut = (out: JsonBytes, bytes: Buffer, ...bounds: number[]) => void;

/**
 * Writes a value from cells and from what the answer is made of beside its rows, such as the unit that was asked for.
 * @param given what the caller gives to the writer of the resource
 */
export type GivenPut = (out: JsonBytes, given: unknown, bytes: Buffer, ...bounds: number[]) => void;

/** Writes a value from one cell. */
export type OneCellPut = (out: JsonBytes, bytes: Buffer, start: number, end: number) => void;

export const cellText = (bytes: Buffer, start: number, end: number): string =>
  start === end ? '' : bytes.toString('utf8', start, end);

const nullBytes = literalBytes('null');
const trueBytes = literalBytes('true');
const falseBytes = literalBytes('false');
const emptyString = literalBytes('""');

/** JSON by a function of the cell's text, the empty text for null. */
export const putText =
  (json: (cell: string) => string): OneCellPut =>
  (out, bytes, start, end) =>
    out.text(json(cellText(bytes, start, end)));

/** What is JSON already: numbers, texts that the server wrote as JSON. */
export const putPlain: OneCellPut = (out, bytes, start, end) => {
  if (start === end) out.literal(nullBytes);
  else out.copy(bytes, start, end);
};

/** What needs quotes, but no escapes. */
export const putQuoted: OneCellPut = (out, bytes, start, end) => {
  if (start === end) out.literal(nullBytes);
  else out.quoted(bytes, start, end);
};

const isTrue = 0x74; // t
const isFalse = 0x66; // f

export const putFlag: OneCellPut = (out, bytes, start, end) => {
  const flag = start === end ? 0 : bytes[start];
  out.literal(flag === isTrue ? trueBytes : flag === isFalse ? falseBytes : nullBytes);
};

/** A flag that counts as false where it is null. */
export const putPlainFlag: OneCellPut = (out, bytes, start, end) => {
  out.literal(start !== end && bytes[start] === isTrue ? trueBytes : falseBytes);
};

const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;
const quote = 0x22;
/** Digits that stand for nanoseconds at the end of a timestamp. */
const nanosDigits = 9;

/** Nanoseconds as `"seconds.nanoseconds"`; `other` writes those of less than a second and those before the epoch. */
export const putTimestamp =
  (other: OneCellPut): OneCellPut =>
  (out, bytes, start, end) => {
    const secondsEnd = end - nanosDigits;
    if (start === end) out.literal(nullBytes);
    else if (secondsEnd <= start || bytes[start] === minus) other(out, bytes, start, end);
    else {
      out.byte(quote);
      out.copy(bytes, start, secondsEnd);
      out.byte(point);
      out.copy(bytes, secondsEnd, end);
      out.byte(quote);
    }
  };

/**
 * An encoded id is its num where shard and realm are 0, as long as the num has no more digits than these; nums have 38 bits
 * ([HIP-1137](https://hips.hedera.com/hip/hip-1137) has the ids of other shards and realms).
 */
const mostPlainDigits = 11;
const plainIdStart = literalBytes('"0.0.');

/** Whether a cell holds an encoded id of shard and realm 0. */
export const isPlainEntityId = (bytes: Buffer, start: number, end: number): boolean =>
  end > start && end - start <= mostPlainDigits && bytes[start] !== minus;

/** An encoded id as `"shard.realm.num"`, 0 as null; `other` writes ids of other shards and realms. */
export const putEntityId =
  (other: OneCellPut): OneCellPut =>
  (out, bytes, start, end) => {
    const length = end - start;
    if (length === 0 || (length === 1 && bytes[start] === zero)) out.literal(nullBytes);
    else if (!isPlainEntityId(bytes, start, end)) other(out, bytes, start, end);
    else {
      out.literal(plainIdStart);
      out.copy(bytes, start, end);
      out.byte(quote);
    }
  };

/** `\x`, which begins bytes in hex. */
const hexPrefixBytes = 2;
const hexStart = literalBytes('"0x');

const hexValues = (() => {
  const values = new Uint8Array(256);
  for (let digit = 0; digit < 16; digit++) values[digit.toString(16).charCodeAt(0)] = digit;
  return values;
})();
const base64Digits = literalBytes('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const padding = 0x3d; // =

const octet = (bytes: Buffer, at: number): number =>
  ((hexValues[bytes[at] as number] as number) << 4) | (hexValues[bytes[at + 1] as number] as number);

/** Bytes in base64 with padding. */
export const putBase64: OneCellPut = (out, bytes, start, end) => {
  if (start === end) {
    out.literal(nullBytes);
    return;
  }
  const length = (end - start - hexPrefixBytes) >> 1;
  if (length === 0) {
    out.literal(emptyString);
    return;
  }
  out.reserve(4 * Math.ceil(length / 3) + 2);
  const { bytes: target } = out;
  let to = out.at;
  let from = start + hexPrefixBytes;
  target[to++] = quote;
  for (let left = length; left > 0; left -= 3, from += 6) {
    const first = octet(bytes, from);
    const second = left > 1 ? octet(bytes, from + 2) : 0;
    const third = left > 2 ? octet(bytes, from + 4) : 0;
    target[to++] = base64Digits[first >> 2] as number;
    target[to++] = base64Digits[((first & 3) << 4) | (second >> 4)] as number;
    target[to++] = left > 1 ? (base64Digits[((second & 15) << 2) | (third >> 6)] as number) : padding;
    target[to++] = left > 2 ? (base64Digits[third & 63] as number) : padding;
  }
  target[to++] = quote;
  out.at = to;
};

/**
 * Bytes in hex with `0x`.
 * @param none JSON in place of null
 * @param empty JSON in place of no bytes
 */
export const putHex = (none: string, empty = '"0x"'): OneCellPut => {
  const [noneBytes, emptyBytes] = [literalBytes(none), literalBytes(empty)];
  return (out, bytes, start, end) => {
    if (start === end) out.literal(noneBytes);
    else if (end - start === hexPrefixBytes) out.literal(emptyBytes);
    else {
      out.literal(hexStart);
      out.copy(bytes, start + hexPrefixBytes, end);
      out.byte(quote);
    }
  };
};

/** Bytes of the cell of a `bytea`; null for the empty cell. */
export const cellBytes = (bytes: Buffer, start: number, end: number): Buffer | null =>
  start === end ? null : Buffer.from(bytes.toString('latin1', start + hexPrefixBytes, end), 'hex');

const mostCodeDigits = 5;

/** A small number of which the answer shows the name. Names are encoded once. */
export const putName = (name: (code: number) => string): OneCellPut => {
  const known: Uint8Array[] = [];
  return (out, bytes, start, end) => {
    let code = 0;
    const isCode = end > start && end - start <= mostCodeDigits && bytes[start] !== minus;
    if (!isCode) code = Number(cellText(bytes, start, end));
    else for (let i = start; i < end; i++) code = code * 10 + (bytes[i] as number) - zero;
    if (!isCode) {
      out.text(`"${name(code)}"`);
      return;
    }
    const bytesOfName = known[code] ?? literalBytes(`"${name(code)}"`);
    known[code] = bytesOfName;
    out.literal(bytesOfName);
  };
};
