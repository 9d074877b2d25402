/**
 * Numbers of several hundred bits as limbs of 29 bits, each in 32 bits of memory, least first. Products of two limbs have
 * 58 bits, so that a column of products can be summed up in 64 bits before any carry is taken.
 */
import { type Code, i32, i64, type Local, type Locals } from './assembler.ts';

export const LIMB_BITS = 29;
export const LIMB_MASK = (1n << 29n) - 1n;
const LIMB_MASK_32 = 2 ** 29 - 1;
const SHIFT = 29n;
const BYTES = 4;

export const limbsFor = (bits: number): number => Math.ceil(bits / LIMB_BITS);

/** Limbs from which on a way through bytes is shorter than one limb after the other. */
const MANY = 7;

export const writeLimbs = (memory: DataView, address: number, count: number, value: bigint): void => {
  if (count < MANY) {
    let rest = value;
    for (let i = 0; i < count; i++) {
      memory.setUint32(address + BYTES * i, Number(rest & LIMB_MASK), true);
      rest >>= SHIFT;
    }
    return;
  }
  // Four bytes to spare, since a limb may be spread over five.
  const size = Math.ceil((count * LIMB_BITS) / 8) + 4;
  const bytes = Buffer.from(value.toString(16).padStart(2 * size, '0'), 'hex').reverse();
  for (let i = 0; i < count; i++) {
    const bit = LIMB_BITS * i;
    const [byte, offset] = [bit >>> 3, bit & 7];
    const low = bytes.readUInt32LE(byte) >>> offset;
    const high = offset === 0 ? 0 : (bytes[byte + 4] as number) << (32 - offset);
    memory.setUint32(address + BYTES * i, (low | high) & LIMB_MASK_32, true);
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

interface Operands {
  /** Takes the limbs from memory. */
  readonly load: Code;
  /** Products of limbs that belong to a column of the result. */
  products(column: number): readonly Code[];
}

/** Two numbers, or one that is to be squared, most of whose products come twice. */
export const operands = (locals: Locals, count: number, a: Code, b: Code | undefined): Operands => {
  const left = locals.i64s(count);
  const right = locals.i64s(count);
  const at = (limbs: readonly Local[], index: number): Code => (limbs[index] as Local).get;
  return {
    load: [
      left.map((local, index) => local.set(i64.loadWord(a, BYTES * index))),
      right.map((local, index) =>
        local.set(b === undefined ? i64.shl(at(left, index), i64.const(1n)) : i64.loadWord(b, BYTES * index)),
      ),
    ],
    products: (column) => {
      const found: Code[] = [];
      for (let i = Math.max(0, column - count + 1); i <= Math.min(column, count - 1); i++) {
        const j = column - i;
        if (b !== undefined) found.push(i64.mul(at(left, i), at(right, j)));
        else if (i === j) found.push(i64.mul(at(left, i), at(left, i)));
        else if (i < j) found.push(i64.mul(at(left, i), at(right, j)));
      }
      return found;
    },
  };
};

const mask = (value: Code): Code => i64.and(value, i64.const(LIMB_MASK));
const shifted = (value: Code): Code => i64.shr(value, i64.const(SHIFT));

/**
 * Montgomery's product a·b / 2^(29·count) of numbers below twice the modulus, itself below twice the modulus, which must
 * be below a quarter of 2^(29·count). Sums up column by column (finely integrated product scanning).
 * @param b undefined: a is squared
 * @param modulus its limbs as 64-bit operands
 * @param inverse what `negativeInverse` says of it, likewise
 */
export const montgomeryProduct = (
  locals: Locals,
  count: number,
  result: Code,
  a: Code,
  b: Code | undefined,
  modulus: readonly Code[],
  inverse: Code,
): Code => {
  const { load, products } = operands(locals, count, a, b);
  const factors = locals.i64s(count);
  const sum = locals.i64();
  const add = (value: Code): Code => sum.set(i64.add(sum.get, value));
  /** Summed up apart from what was carried, for which the processor need not wait. */
  const column = (index: number): Code => {
    const terms = [...products(index)];
    for (let i = Math.max(0, index - count + 1); i < Math.min(index, count); i++) {
      // The last factor of a low column is not known before its sum.
      terms.push(i64.mul((factors[i] as Local).get, modulus[index - i] as Code));
    }
    return add(terms.reduce((total, term) => i64.add(total, term)));
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
  return [load, sum.set(i64.const(0n)), low, high, i64.storeWord(result, sum.get, BYTES * (count - 1))];
};

/** The product modulo 2^(29·count). */
export const lowProduct = (locals: Locals, count: number, result: Code, a: Code, b: Code | undefined): Code => {
  const { load, products } = operands(locals, count, a, b);
  const sum = locals.i64();
  const columns = Array.from({ length: count }, (_, column) => [
    sum.set(products(column).reduce((total, product) => i64.add(total, product), sum.get)),
    i64.storeWord(result, mask(sum.get), BYTES * column),
    sum.set(shifted(sum.get)),
  ]);
  return [load, sum.set(i64.const(0n)), columns];
};

/** Operands that read limbs from a fixed place in memory. */
export const limbsAt = (address: number, count: number): readonly Code[] =>
  Array.from({ length: count }, (_, index) => i64.loadWord(i32.const(0), address + BYTES * index));
