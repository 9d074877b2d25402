/** Keys of entities. Nearly all are one key of 32 or 33 bytes, whose hex stands in the cell as the answer shows it. */
import { keyObjectJson } from '../json.ts';
import { cellBytes, type OneCellPut } from './cells.ts';
import { literalBytes } from './json-bytes.ts';

/** A serialized `Key` that is one public key: its field, its length, its bytes. */
const plainKeys = [
  { type: 'ED25519', head: '1220', bytes: 32 },
  { type: 'ECDSA_SECP256K1', head: '3a21', bytes: 33 },
].map(({ type, head, bytes }) => ({
  prefix: literalBytes(`\\x${head}`),
  length: `\\x${head}`.length + 2 * bytes,
  before: literalBytes(`{"_type":"${type}","key":"`),
}));

const after = literalBytes('"}');

const beginsWith = (bytes: Buffer, start: number, prefix: Uint8Array): boolean => {
  for (let i = 0; i < prefix.length; i++) if (bytes[start + i] !== prefix[i]) return false;
  return true;
};

/** A serialized `Key` as `{"_type","key"}`; null for no key and for the empty key list. */
export const putKey: OneCellPut = (out, bytes, start, end) => {
  for (const { prefix, length, before } of plainKeys) {
    if (end - start === length && beginsWith(bytes, start, prefix)) {
      out.literal(before);
      out.copy(bytes, start + prefix.length, end);
      out.literal(after);
      return;
    }
  }
  out.text(keyObjectJson(cellBytes(bytes, start, end)));
};
