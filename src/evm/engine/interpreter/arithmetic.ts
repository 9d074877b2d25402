/** Arithmetic of words that is too rare to be written out in the loop. All take and give unsigned 256-bit words. */
import { MAX_WORD } from '../words.ts';

const signed = (word: bigint): bigint => BigInt.asIntN(256, word);
const unsigned = (value: bigint): bigint => BigInt.asUintN(256, value);

export const signedDivide = (a: bigint, b: bigint): bigint => (b === 0n ? 0n : unsigned(signed(a) / signed(b)));

export const signedModulo = (a: bigint, b: bigint): bigint => (b === 0n ? 0n : unsigned(signed(a) % signed(b)));

export const signedLess = (a: bigint, b: bigint): boolean => signed(a) < signed(b);

export const addModulo = (a: bigint, b: bigint, n: bigint): bigint => (n === 0n ? 0n : (a + b) % n);

export const multiplyModulo = (a: bigint, b: bigint, n: bigint): bigint => (n === 0n ? 0n : (a * b) % n);

export const power = (base: bigint, exponent: bigint): bigint => {
  if (base === 2n) return exponent < 256n ? 1n << exponent : 0n;
  let result = 1n;
  let factor = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = unsigned(result * factor);
    factor = unsigned(factor * factor);
  }
  return result;
};

/** Bytes of an exponent, which EXP is charged for. */
export const byteLength = (word: bigint): number => (word === 0n ? 0 : Math.ceil(word.toString(16).length / 2));

/** Extends the sign of a number of `index` + 1 bytes. */
export const signExtend = (index: bigint, word: bigint): bigint =>
  index > 30n ? word : unsigned(BigInt.asIntN(Number(index) * 8 + 8, word));

/** The byte at `index` from the most significant one. */
export const byteAt = (index: bigint, word: bigint): bigint =>
  index > 31n ? 0n : (word >> BigInt(8 * (31 - Number(index)))) & 0xffn;

export const arithmeticShiftRight = (shift: bigint, word: bigint): bigint => {
  const value = signed(word);
  if (shift > 255n) return value < 0n ? MAX_WORD : 0n;
  return unsigned(value >> shift);
};
