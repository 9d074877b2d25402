/** How topics and data of synthetic logs are written: big-endian numbers without leading zeros, 0 as no bytes. */
import { type EntityId, MAX_ENTITY_NUM } from '../../ledger/entity-id.ts';

const NO_BYTES: Uint8Array = new Uint8Array(0);

/** `value` as an unsigned 64-bit number. */
export const numberBytes = (value: bigint): Uint8Array => {
  if (value === 0n) return NO_BYTES;
  let rest = BigInt.asUintN(64, value);
  if (rest <= 0xffff_ffffn) return smallNumberBytes(Number(rest));
  const low = Number(rest & 0xffff_ffffn);
  rest >>= 32n;
  const high = smallNumberBytes(Number(rest));
  const bytes = new Uint8Array(high.length + 4);
  bytes.set(high);
  new DataView(bytes.buffer).setUint32(high.length, low);
  return bytes;
};

const smallNumberBytes = (value: number): Uint8Array => {
  const length = value > 0xff_ffff ? 4 : value > 0xffff ? 3 : value > 0xff ? 2 : 1;
  const bytes = new Uint8Array(length);
  for (let i = length - 1, rest = value; i >= 0; i--, rest >>>= 8) bytes[i] = rest;
  return bytes;
};

/** The trimmed long-zero address of an entity, which has neither shard nor realm; no bytes for the empty id. */
export const idTopic = (id: EntityId): Uint8Array => numberBytes(id & MAX_ENTITY_NUM);

/** The num in what `idTopic` gave; 0 for the empty id. */
export const numOfIdTopic = (topic: Uint8Array): number => {
  let num = 0;
  for (const byte of topic) num = num * 256 + byte;
  return num;
};
