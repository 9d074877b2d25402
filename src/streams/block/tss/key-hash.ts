import { BN254_SCALAR_ORDER, hashToField, littleEndian } from './field.ts';
import type { Generation } from './generation.ts';
import { poseidonHash } from './poseidon.ts';

const PIECE_BYTES = 32;

/** The hash of a hinTS verification key, which rosters approve: a number below the order of BN254's scalars. */
export const hashOfKey = (key: Uint8Array, { keyHashDomain }: Generation): bigint => {
  if (keyHashDomain !== null) return hashToField(key, keyHashDomain, BN254_SCALAR_ORDER);
  const pieces: bigint[] = [];
  for (let start = 0; start < key.length; start += PIECE_BYTES) {
    pieces.push(littleEndian(key.subarray(start, start + PIECE_BYTES)) % BN254_SCALAR_ORDER);
  }
  return poseidonHash(pieces);
};
