/**
 * Numbers of several hundred bits as limbs of 29 bits, each in 32 bits of memory, least first. Products of two limbs have
 * 58 bits, so that a column of products can be summed up in 64 bits before any carry is taken.
 */
import { type Code, i32, i64, type Local, type Locals } from './assembler.ts';

export const LIMB_BITS = 29;
export const LIMB_MASK = (1n << 29n) - 1n;
const SHIFT = 29n;
const BYTES = 4;

export const limbsFor = (bits: number): number => Math.ceil(bits / LIMB_BITS);

export const writeLimbs = (memory: DataView, address: number, count: number, value: bigint): void => {
  let rest = value;
  for (let i = 0; i < count; i++) {
    memory.setUint32(address + BYTES * i, Number(rest & LIMB_MASK), true);
    rest >>= SHIFT;
  }
};

/** Limbs may exceed 29 bits. */
export const readLimbs = (memory: DataView, address: number, count: number): bigint => {
  let value = 0n;
  for (let i = count - 1; i >= 0; i--) value = (value << SHIFT) + BigInt(memory.getUint32(address + BYTES * i, true));
  return value;
};

/** -1 / modulus modulo 2^29, for an odd modulus. */
export const negativeInverse = (modulus: bigint): bigint => {
  let inverse = 1n;
  for (let bits = 1; bits < LIMB_BITS; bits *= 2) {
    inverse = BigInt.asUintN(LIMB_BITS, inverse * (2n - modulus * inverse));
  }
  return BigInt.asUintN(LIMB_BITS, -inverse);
};

const load = (address: Code, count: number, into: readonly Local[]): Code =>
  into.slice(0, count).map((local, index) => local.set(i64.loadWord(address, BYTES * index)));

const mask = (value: Code): Code => i64.and(value, i64.const(LIMB_MASK));
const shifted = (value: Code): Code => i64.shr(value, i64.const(SHIFT));

/**
 * Montgomery's product a·b / 2^(29·count) of numbers below twice the modulus, itself below twice the modulus, which must
 * be below a quarter of 2^(29·count). Sums up column by column (finely integrated product scanning).
 * @param modulus its limbs as 64-bit operands
 * @param inverse what `negativeInverse` says of it, likewise
 */
export const montgomeryProduct = (
  locals: Locals,
  count: number,
  result: Code,
  [a, b]: readonly [Code, Code],
  modulus: readonly Code[],
  inverse: Code,
): Code => {
  const [left, right, factors] = [locals.i64s(count), locals.i64s(count), locals.i64s(count)];
  const sum = locals.i64();
  const at = (limbs: readonly Local[], index: number): Code => (limbs[index] as Local).get;
  const add = (value: Code): Code => sum.set(i64.add(sum.get, value));
  /** Summed up apart from what was carried, for which the processor need not wait. */
  const column = (index: number): Code => {
    const products: Code[] = [];
    for (let i = Math.max(0, index - count + 1); i <= Math.min(index, count - 1); i++) {
      products.push(i64.mul(at(left, i), at(right, index - i)));
      // The last factor of a low column is not known before its sum.
      if (i < index) products.push(i64.mul(at(factors, i), modulus[index - i] as Code));
    }
    return add(products.reduce((total, product) => i64.add(total, product)));
  };
  const low = Array.from({ length: count }, (_, index) => {
    const factor = factors[index] as Local;
    return [
      column(index),
      factor.set(mask(i64.mul(sum.get, inverse))),
      add(i64.mul(factor.get, modulus[0] as Code)),
      sum.set(shifted(sum.get)),
    ];
  });
  const high = Array.from({ length: count - 1 }, (_, index) => [
    column(count + index),
    i64.storeWord(result, mask(sum.get), BYTES * index),
    sum.set(shifted(sum.get)),
  ]);
  return [
    load(a, count, left),
    load(b, count, right),
    sum.set(i64.const(0n)),
    low,
    high,
    i64.storeWord(result, sum.get, BYTES * (count - 1)),
  ];
};

/** The product modulo 2^(29·count). */
export const lowProduct = (locals: Locals, count: number, result: Code, [a, b]: readonly [Code, Code]): Code => {
  const [left, right] = [locals.i64s(count), locals.i64s(count)];
  const sum = locals.i64();
  const columns = Array.from({ length: count }, (_, column) => [
    sum.set(
      Array.from({ length: column + 1 }, (_none, i) =>
        i64.mul((left[i] as Local).get, (right[column - i] as Local).get),
      ).reduce((total, product) => i64.add(total, product), sum.get),
    ),
    i64.storeWord(result, mask(sum.get), BYTES * column),
    sum.set(shifted(sum.get)),
  ]);
  return [load(a, count, left), load(b, count, right), sum.set(i64.const(0n)), columns];
};

/** Operands that read limbs from a fixed place in memory. */
export const limbsAt = (address: number, count: number): readonly Code[] =>
  Array.from({ length: count }, (_, index) => i64.loadWord(i32.const(0), address + BYTES * index));
