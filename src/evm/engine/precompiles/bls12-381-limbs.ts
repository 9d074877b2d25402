/**
 * Elements of the field of BLS12-381 in WebAssembly, whose prime p has 381 bits: 14 limbs of 28 bits in 32 bits of memory,
 * least first, in Montgomery's form: they stand for themselves times 2^392.
 *
 * Limbs have signs. What functions take and give has limbs from 0 up to 2^28 (the uppermost may be a little below 0) and
 * lies between a little below 0 and a little above p. Between them sums may have limbs of twice that size: a column of
 * products stays within 63 bits as long as the sizes of its factors, multiplied and summed up, are eight at most.
 */
import { type Code, i32, i64, type Local, type Locals } from './assembler.ts';

export const PRIME = BigInt(
  '0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab',
);
/** |x|, where x < 0 makes the curve. */
export const CURVE_PARAMETER = 0xd201000000010000n;

export const LIMBS = 14;
const BITS = 28n;
const TOP = LIMBS - 1;
const MASK = (1n << BITS) - 1n;
/** What elements are multiplied by. */
export const MONTGOMERY_FACTOR = 1n << (BITS * BigInt(LIMBS));

/** Bytes of elements; of an Fp two words are spare. */
export const FP = 64;
export const FP2 = 2 * FP;
export const FP6 = 3 * FP2;
export const FP12 = 2 * FP6;

const limbOf = (value: bigint, index: number): bigint => (value >> (BITS * BigInt(index))) & MASK;
const primeLimbs = Array.from({ length: LIMBS }, (_, index) => i64.const(limbOf(PRIME, index)));
/** -1 / p modulo 2^28. */
const INVERSE = ((): bigint => {
  let inverse = 1n;
  for (let bits = 1; bits < Number(BITS); bits *= 2) inverse = (inverse * (2n - PRIME * inverse)) & MASK;
  return -inverse & MASK;
})();
/** 2^40 divided by the uppermost limb that p has, its lower limbs being its fraction. */
const QUOTIENT_BITS = 40n;
const RECIPROCAL = (1n << (QUOTIENT_BITS + BITS * BigInt(TOP))) / PRIME;

const mask = (value: Code): Code => i64.and(value, i64.const(MASK));
const shifted = (value: Code): Code => i64.shrSigned(value, i64.const(BITS));
const loadLimb = (address: Code, index: number): Code => i64.loadSignedWord(address, 4 * index);
const storeLimb = (address: Code, index: number, value: Code): Code => i64.storeWord(address, value, 4 * index);

type Limbs = readonly Local[];

export const offset = (address: Code, bytes: number): Code =>
  bytes === 0 ? address : i32.add(address, i32.const(bytes));
export const loadLimbs = (locals: Locals, address: Code): { readonly limbs: Limbs; readonly code: Code } => {
  const limbs = locals.i64s(LIMBS);
  return { limbs, code: limbs.map((local, index) => local.set(loadLimb(address, index))) };
};

export const limbAt = (limbs: Limbs, index: number): Code => (limbs[index] as Local).get;

/** The products of limbs that belong to a column, summed up. */
export const productsOf = (a: Limbs, b: Limbs, column: number): Code => {
  const products: Code[] = [];
  for (let i = Math.max(0, column - TOP); i <= Math.min(column, TOP); i++) {
    products.push(i64.mul(limbAt(a, i), limbAt(b, column - i)));
  }
  return products.reduce((sum, product) => i64.add(sum, product));
};

interface Reduction {
  readonly result: Code;
  /** What comes to a column. */
  column(index: number): Code;
}

/**
 * Montgomery's reductions of sums of products, column by column, all at once, so that none waits for its own last factor.
 * @param prepare comes before each column
 */
export const reduce = (
  locals: Locals,
  reductions: readonly Reduction[],
  prepare: (column: number) => Code = () => [],
): Code => {
  const states = reductions.map((reduction) => ({
    ...reduction,
    factors: locals.i64s(LIMBS),
    sum: locals.i64(),
  }));
  const addColumn = ({ column, factors, sum }: (typeof states)[number], index: number): Code => {
    let total = i64.add(sum.get, column(index));
    // The last factor of a low column is not known before its sum.
    for (let i = Math.max(0, index - TOP); i < Math.min(index, LIMBS); i++) {
      total = i64.add(total, i64.mul(limbAt(factors, i), primeLimbs[index - i] as Code));
    }
    return sum.set(total);
  };
  const low = Array.from({ length: LIMBS }, (_, index) => [
    prepare(index),
    states.map((state) => addColumn(state, index)),
    states.map(({ factors, sum }) => (factors[index] as Local).set(mask(i64.mul(sum.get, i64.const(INVERSE))))),
    states.map(({ factors, sum }) =>
      sum.set(shifted(i64.add(sum.get, i64.mul(limbAt(factors, index), primeLimbs[0] as Code)))),
    ),
  ]);
  const high = Array.from({ length: TOP }, (_, index) => [
    prepare(LIMBS + index),
    states.map((state) => addColumn(state, LIMBS + index)),
    states.map(({ result, sum }) => storeLimb(result, index, mask(sum.get))),
    states.map(({ sum }) => sum.set(shifted(sum.get))),
  ]);
  return [
    states.map(({ sum }) => sum.set(i64.const(0n))),
    ...[low, high],
    states.map(({ result, sum }) => storeLimb(result, TOP, sum.get)),
  ];
};

/** A small multiple of an element, or of an element times ξ. */
export type Multiple = readonly [factor: bigint, element: Code, timesXi?: 'xi'];

/** A sum of small multiples of elements of Fp, less the multiple of p that it holds. */
export const reducedSum = (
  locals: Locals,
  result: Code,
  terms: readonly (readonly [factor: bigint, element: Code])[],
): Code => {
  const limbs = locals.i64s(LIMBS);
  const quotient = locals.i64();
  const at = (index: number): Local => limbs[index] as Local;
  const scaled = (factor: bigint, value: Code): Code => (factor === 1n ? value : i64.mul(value, i64.const(factor)));
  return [
    limbs.map((limb, index) =>
      limb.set(
        terms
          .map(([factor, element]) => scaled(factor, loadLimb(element, index)))
          .reduce((sum, term) => i64.add(sum, term)),
      ),
    ),
    quotient.set(i64.shrSigned(i64.mul(at(TOP).get, i64.const(RECIPROCAL)), i64.const(QUOTIENT_BITS))),
    limbs.map((limb, index) => limb.set(i64.sub(limb.get, i64.mul(quotient.get, primeLimbs[index] as Code)))),
    limbs
      .slice(0, TOP)
      .map((limb, index) => [
        at(index + 1).set(i64.add(at(index + 1).get, shifted(limb.get))),
        storeLimb(result, index, mask(limb.get)),
      ]),
    storeLimb(result, TOP, at(TOP).get),
  ];
};

export const sumsOf = (locals: Locals, a: Limbs, b: Limbs): { readonly limbs: Limbs; readonly code: Code } => {
  const limbs = locals.i64s(LIMBS);
  return { limbs, code: limbs.map((limb, index) => limb.set(i64.add(limbAt(a, index), limbAt(b, index)))) };
};

/** Both parts of a sum in Fp2; (x + yu)ξ = (x - y) + (x + y)u. */
export const reducedSum2 = (locals: Locals, result: Code, terms: readonly Multiple[]): Code => {
  const parts = (part: 0 | 1) =>
    terms.flatMap(([factor, element, timesXi]): (readonly [bigint, Code])[] => {
      const [real, imaginary] = [element, offset(element, FP)];
      if (timesXi === undefined) return [[factor, part === 0 ? real : imaginary]];
      return [
        [factor, real],
        [part === 0 ? -factor : factor, imaginary],
      ];
    });
  return [reducedSum(locals, result, parts(0)), reducedSum(locals, offset(result, FP), parts(1))];
};
