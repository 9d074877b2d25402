import { createHash, hash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';

/** SHA-384 (48 bytes) over the concatenation of `chunks`: the hash of record files, running hashes and transactions. */
export const sha384 = (...chunks: readonly Uint8Array[]): Buffer => {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return hash('sha384', first, 'buffer');
  const digest = createHash('sha384');
  for (const chunk of chunks) digest.update(chunk);
  return digest.digest();
};

/** Keccak-256 (32 bytes), the hash of Ethereum addresses, topics and transactions. */
export const keccak256 = (bytes: Uint8Array): Uint8Array => keccak_256(bytes);
