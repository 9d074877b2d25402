/** The 2048-bit bloom of Ethereum logs, as 256 bytes whose last bit is bit 0. */
import { keccak256 } from './hash.ts';

export const BLOOM_LENGTH = 256;

/** Sets the three bits that stand for an address or topic. Nothing for no bytes. */
export const addToBloom = (bloom: Uint8Array, value: Uint8Array): void => {
  if (value.length === 0) return;
  const hash = keccak256(value);
  for (let position = 0; position < 6; position += 2) {
    const bit = (((hash[position] as number) << 8) | (hash[position + 1] as number)) & 2047;
    const byte = BLOOM_LENGTH - 1 - (bit >> 3);
    bloom[byte] = (bloom[byte] as number) | (1 << (bit & 7));
  }
};

/** Adds all of another bloom; one of another length counts as empty. */
export const uniteBloom = (bloom: Uint8Array, other: Uint8Array): void => {
  if (other.length !== BLOOM_LENGTH) return;
  for (let i = 0; i < BLOOM_LENGTH; i++) bloom[i] = (bloom[i] as number) | (other[i] as number);
};
