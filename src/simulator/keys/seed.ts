import { createHash } from 'node:crypto';

/**
 * `length` bytes that follow from a seed text and a label alone: SHA-512 over seed, label and a counter, repeated.
 * Everything secret or random of a simulated network starts here.
 */
export const bytesFromSeed = (seed: string, label: string, length: number): Buffer => {
  const blocks: Buffer[] = [];
  for (let counter = 0; blocks.length * 64 < length; counter++) {
    blocks.push(createHash('sha512').update(`${seed}\0${label}\0${counter}`).digest());
  }
  return Buffer.concat(blocks).subarray(0, length);
};

/** Four words for `Random`. */
export const wordsFromSeed = (seed: string, label: string): Uint32Array => {
  const bytes = bytesFromSeed(seed, label, 16);
  return Uint32Array.from({ length: 4 }, (_, i) => bytes.readUInt32LE(4 * i));
};
