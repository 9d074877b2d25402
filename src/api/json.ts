/**
 * Writers of JSON text for values as the database client hands them over: 64-bit integers and timestamps as digits,
 * bytes as Buffer. They concatenate; no value passes through a JavaScript number.
 */
import { toHex } from '../ledger/bytes.ts';
import { formatEntityId } from '../ledger/entity-id.ts';
import { keyJson } from '../ledger/key.ts';
import { formatTimestamp } from '../ledger/timestamp.ts';

/** A JSON string of any text. */
export const textJson = (text: string | null): string => (text === null ? 'null' : JSON.stringify(text));

/** A JSON string of a text that is known to need no escapes (digits, hex, base64, names of enums). */
export const plainJson = (text: string | null): string => (text === null ? 'null' : `"${text}"`);

/** A JSON number from digits or a safe integer. */
export const integerJson = (digits: string | number | null): string => (digits === null ? 'null' : `${digits}`);

/** `"seconds.nanoseconds"` from the digits of nanoseconds. */
export const timestampJson = (nanos: string | null): string =>
  nanos === null ? 'null' : `"${formatTimestamp(nanos)}"`;

/** `"shard.realm.num"` from the digits of an encoded id; null for the empty id 0 too. */
export const entityIdJson = (id: string | null): string =>
  id === null || id === '0' ? 'null' : `"${formatEntityId(id)}"`;

/** Hex with `0x`; no bytes give `"0x"`. */
export const hexJson = (bytes: Uint8Array | null): string => (bytes === null ? 'null' : `"0x${toHex(bytes)}"`);

const emptyKeyList = '3200';

/** A serialized Key as `{"_type","key"}`; null for the empty key list, which stands for "can't be changed". */
export const keyObjectJson = (bytes: Buffer | null): string => {
  if (bytes === null || (bytes.length === 2 && bytes.toString('hex') === emptyKeyList)) return 'null';
  const key = keyJson(bytes);
  return key === null ? 'null' : `{"_type":"${key._type}","key":"${key.key}"}`;
};

/** `{"next":...}` of a list's `links`. */
export const linksJson = (next: string | null): string => `{"next":${textJson(next)}}`;
