import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak256 } from './hash.ts';

/** Length in bytes of an EVM address. */
export const EVM_ADDRESS_LENGTH = 20;

const COMPRESSED_KEY_LENGTH = 33;

/** The zero bytes that a long-zero address begins with. */
const LONG_ZERO_BYTES = 12;

/** The same in hexadecimal digits. */
export const LONG_ZERO_PREFIX = '00'.repeat(LONG_ZERO_BYTES);

/** Hexadecimal digits of a number's long-zero address, without 0x. */
export const longZeroHexOf = (num: bigint | number): string => num.toString(16).padStart(2 * EVM_ADDRESS_LENGTH, '0');

/** The 20-byte address 12 zero bytes || num (8 bytes, big-endian); shard and realm are not part of it. */
export const longZeroAddress = (num: bigint): Uint8Array => {
  const address = new Uint8Array(EVM_ADDRESS_LENGTH);
  new DataView(address.buffer).setBigUint64(LONG_ZERO_BYTES, num);
  return address;
};

/** Whether 20 bytes are a long-zero address. */
export const isLongZeroAddress = (address: Uint8Array): boolean => {
  if (address.length !== EVM_ADDRESS_LENGTH) return false;
  for (let i = 0; i < LONG_ZERO_BYTES; i++) if (address[i] !== 0) return false;
  return true;
};

/** The num in a long-zero address; undefined when the address has another form. */
export const numOfLongZeroAddress = (address: Uint8Array): bigint | undefined => {
  if (!isLongZeroAddress(address)) return undefined;
  const num = new DataView(address.buffer, address.byteOffset, EVM_ADDRESS_LENGTH).getBigInt64(LONG_ZERO_BYTES);
  return num < 0n ? undefined : num;
};

/** Last 20 bytes of keccak256(x || y) of a compressed secp256k1 key (33 bytes); undefined when it isn't a point. */
export const evmAddressOfEcdsaKey = (compressed: Uint8Array): Uint8Array | undefined => {
  if (compressed.length !== COMPRESSED_KEY_LENGTH) return undefined;
  try {
    const point = secp256k1.Point.fromBytes(compressed).toBytes(false);
    return keccak256(point.subarray(1)).subarray(12);
  } catch {
    return undefined;
  }
};
