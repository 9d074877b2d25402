/** The forms in which values of a body go into columns. */
import { problem, type Source } from './handler.ts';

/** An unsigned 64-bit field as the signed column keeps it. */
export const int64 = (value: bigint): bigint => BigInt.asIntN(64, value);

/** Text that PostgreSQL takes: it has no NUL character. */
export const storedText = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text);

/** Most characters of names, symbols and descriptions; networks allow no more bytes than that. */
const SHORT_TEXT_LENGTH = 100;

/** Text for a column of 100 characters; what a more generous network took is cut off, with a problem noted. */
export const shortText = (source: Source, text: string): string => {
  const stored = storedText(text);
  if (stored.length <= SHORT_TEXT_LENGTH) return stored;
  const characters = [...stored];
  if (characters.length <= SHORT_TEXT_LENGTH) return stored;
  problem(source, `Text of ${characters.length} characters cut to ${SHORT_TEXT_LENGTH}`);
  return characters.slice(0, SHORT_TEXT_LENGTH).join('');
};

/** What `map` makes of a value that a body gives; undefined for one that it leaves out. */
export const ifGiven = <Value, Result>(value: Value | undefined, map: (value: Value) => Result): Result | undefined =>
  value === undefined ? undefined : map(value);

export type Json = string | number | bigint | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const jsonMember = ([name, value]: [string, Json]): string => `${JSON.stringify(name)}:${jsonText(value)}`;

/** JSON text in which 64-bit integers are exact numbers. */
export const jsonText = (value: Json): string => {
  if (typeof value === 'string') return JSON.stringify(storedText(value));
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  return `{${Object.entries(value).map(jsonMember).join(',')}}`;
};

/** Text of an IPv4 (4 bytes) or IPv6 (16 bytes, eight groups, none left out) address; undefined for other lengths. */
export const ipText = (bytes: Uint8Array): string | undefined => {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: 8 }, (_, group) => view.getUint16(group * 2).toString(16)).join(':');
};
