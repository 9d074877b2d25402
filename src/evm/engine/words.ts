/** EVM words as bigint, bytes and hex. */

import { longZeroHexOf } from '../../ledger/evm-address.ts';
import type { AddressHex, WordHex } from '../state/records.ts';

export const WORD_LIMIT = 1n << 256n;
export const MAX_WORD = WORD_LIMIT - 1n;
const ADDRESS_MASK = (1n << 160n) - 1n;

const hexDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export const bytesToHex = (bytes: Uint8Array): string => {
  let hex = '';
  for (const byte of bytes) hex += hexDigits[byte];
  return hex;
};

export const hexToBytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

export const wordToHex = (word: bigint): WordHex => word.toString(16).padStart(64, '0');

export const hexToWord = (hex: string): bigint => BigInt(`0x${hex}`);

/** Addresses of precompiled contracts and system contracts: contracts that call them do so all the time. */
const lowestAddresses: readonly AddressHex[] = Array.from({ length: 1_001 }, (_, num) => longZeroHexOf(num));

/** The address in a word's lowest 20 bytes. */
export const wordToAddress = (word: bigint): AddressHex =>
  word < 1_001n ? (lowestAddresses[Number(word)] as AddressHex) : (word & ADDRESS_MASK).toString(16).padStart(40, '0');

/** Writes a word, most significant byte first. */
export const writeWord = (view: DataView, offset: number, word: bigint): void => {
  view.setBigUint64(offset + 24, word);
  const rest = word >> 64n;
  if (rest === 0n) {
    view.setBigUint64(offset, 0n);
    view.setBigUint64(offset + 8, 0n);
    view.setBigUint64(offset + 16, 0n);
    return;
  }
  view.setBigUint64(offset + 16, rest);
  view.setBigUint64(offset + 8, rest >> 64n);
  view.setBigUint64(offset, rest >> 128n);
};

export const readWord = (view: DataView, offset: number): bigint => {
  const high = view.getBigUint64(offset);
  const second = view.getBigUint64(offset + 8);
  const third = view.getBigUint64(offset + 16);
  const low = view.getBigUint64(offset + 24);
  if (high === 0n && second === 0n) return third === 0n ? low : (third << 64n) | low;
  return (((high << 64n) | second) << 128n) | (third << 64n) | low;
};

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const wordToBytes = (word: bigint): Uint8Array => {
  const bytes = new Uint8Array(32);
  writeWord(viewOf(bytes), 0, word);
  return bytes;
};

/** A slice that reads zeros beyond the data's end; a view of the data where it lies wholly inside. */
export const paddedSlice = (data: Uint8Array, offset: number, length: number): Uint8Array => {
  if (offset + length <= data.length) return data.subarray(offset, offset + length);
  const slice = new Uint8Array(length);
  if (offset < data.length) slice.set(data.subarray(offset));
  return slice;
};
