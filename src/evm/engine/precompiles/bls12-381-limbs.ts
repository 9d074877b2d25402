/**
 * Pairs of elements of the field of BLS12-381 in WebAssembly, whose prime p has 381 bits: both at once, each in a lane of
 * its own. An element is 14 limbs of 28 bits in 32 bits of memory, least first, in Montgomery's form: they stand for
 * themselves times 2^392. Limbs of the two elements alternate, so that a vector has two limbs of each.
 *
 * Limbs have signs. What functions take and give has limbs from 0 up to 2^28 (the uppermost may be a little below 0) and
 * lies between a little below 0 and a little above p. Between them sums may have limbs of twice that size: a column of
 * products stays within 63 bits as long as the sizes of its factors, multiplied and summed up, are eight at most.
 */
import { type Code, i32, i32x4, i64x2, type Local, type Locals, v128 } from './assembler.ts';

export const PRIME = BigInt(
  '0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab',
);
/** |x|, where x < 0 makes the curve. */
export const CURVE_PARAMETER = 0xd201000000010000n;

export const LIMBS = 14;
export const LIMB_BITS = 28n;
const TOP = LIMBS - 1;
const MASK = (1n << LIMB_BITS) - 1n;
/** What elements are multiplied by. */
export const MONTGOMERY_FACTOR = 1n << (LIMB_BITS * BigInt(LIMBS));

const LIMB_BYTES = 4;
/** Bytes from a limb to the next one of the same element. */
export const STRIDE = 2 * LIMB_BYTES;
/** Bytes of a pair, which is an element of Fp2 as well: a + bu. */
export const FP2 = LIMBS * STRIDE;
export const FP6 = 3 * FP2;
export const FP12 = 2 * FP6;

const VECTOR = 16;
const VECTORS = FP2 / VECTOR;

/** Where the prime is kept, twice: pairs lie behind it. */
const PRIME_PLACE = 0;
export const FIRST_FREE = PRIME_PLACE + FP2;

/** To be called once the memory is there. */
export const writePrime = (memory: DataView): void => {
  for (let index = 0; index < LIMBS; index++) {
    const limb = Number((PRIME >> (LIMB_BITS * BigInt(index))) & MASK);
    for (const lane of [0, LIMB_BYTES]) memory.setInt32(PRIME_PLACE + STRIDE * index + lane, limb, true);
  }
};

/** -1 / p modulo 2^28. */
const INVERSE = ((): bigint => {
  let inverse = 1n;
  for (let bits = 1; bits < Number(LIMB_BITS); bits *= 2) inverse = (inverse * (2n - PRIME * inverse)) & MASK;
  return -inverse & MASK;
})();
/** 2^40 divided by the uppermost limb that p has, its lower limbs being its fraction. */
const QUOTIENT_BITS = 40;
const RECIPROCAL = (1n << (BigInt(QUOTIENT_BITS) + LIMB_BITS * BigInt(TOP))) / PRIME;

/**
 * Vectors shift 64-bit numbers with their sign in many steps, and without it in one: so sums have this added, and what
 * is left of it after the shift taken off.
 */
const BIAS = 1n << 63n;
const AGAIN = BIAS - (BIAS >> LIMB_BITS);

const splat = (value: bigint): Code => {
  const number = Number(value);
  return i32x4.const(number, number, number, number);
};
const lanes = (first: number, second: number): Code => i32x4.const(first, second, first, second);
/** Ones in a lane, and everywhere. */
const FIRST = lanes(-1, 0);
const SECOND = lanes(0, -1);
const BOTH = lanes(-1, -1);
const ZERO = i64x2.const(0n);
const BIAS_EACH = i64x2.const(BIAS);
const AGAIN_EACH = i64x2.const(AGAIN);
const MASK_EACH = i64x2.const(MASK);
const MASK_WORDS = splat(MASK);
/** Nothing carries on from the uppermost limb. */
const BUT_TOP = i32x4.const(Number(MASK), Number(MASK), -1, -1);
const INVERSE_WORDS = splat(INVERSE);
const RECIPROCAL_WORDS = splat(RECIPROCAL);

const mask = (value: Code): Code => v128.and(value, MASK_EACH);
const shifted = (value: Code): Code => i64x2.shr(value, i32.const(Number(LIMB_BITS)));
/** The lower halves of two 64-bit numbers, twice. */
const lowerHalves = (value: Local): Code => i32x4.shuffle(value.get, value.get, 0, 2, 0, 2);
const negatedWhere = (value: Code, lanes: Code): Code => i32x4.sub(v128.xor(value, lanes), lanes);
const exchanged = (value: Local): Code => i32x4.shuffle(value.get, value.get, 1, 0, 3, 2);

type Vectors = readonly Local[];
const at = (vectors: Vectors, index: number): Local => vectors[index] as Local;
const sum = (terms: readonly Code[]): Code => terms.reduce((total, term) => i64x2.add(total, term));

export const offset = (address: Code, bytes: number): Code =>
  bytes === 0 ? address : i32.add(address, i32.const(bytes));

interface Loaded {
  readonly vectors: Vectors;
  readonly code: Code;
}

const derived = (locals: Locals, make: (index: number) => Code): Loaded => {
  const vectors = locals.v128s(VECTORS);
  return { vectors, code: vectors.map((local, index) => local.set(make(index))) };
};

const load = (locals: Locals, address: Code): Loaded => derived(locals, (index) => v128.load(address, VECTOR * index));
const loadPrime = (locals: Locals): Loaded => load(locals, i32.const(PRIME_PLACE));

/** A second factor: its limbs in the half of a vector where those of a first factor are, wherever that is. */
interface SecondFactor {
  readonly straight: Vectors;
  readonly crossed: Vectors;
  readonly code: Code;
}

/** @param places those of the numbers that make up a vector, and of the same with its halves exchanged */
const secondFactor = (
  locals: Locals,
  vectors: Vectors,
  places: readonly [number, number, number, number] = [0, 1, 2, 3],
): SecondFactor => {
  const [a, b, c, d] = places;
  const pick = (index: number, ...from: readonly [number, number, number, number]): Code =>
    i32x4.shuffle(at(vectors, index).get, at(vectors, index).get, ...from);
  const isStraight = places.every((place, index) => place === index);
  const straight = isStraight ? { vectors, code: [] } : derived(locals, (index) => pick(index, a, b, c, d));
  const crossed = derived(locals, (index) => pick(index, c, d, a, b));
  return { straight: straight.vectors, crossed: crossed.vectors, code: [straight.code, crossed.code] };
};

const limbProduct = (a: Vectors, i: number, { straight, crossed }: SecondFactor, j: number): Code => {
  const [left, right] = [at(a, i >> 1).get, at(i % 2 === j % 2 ? straight : crossed, j >> 1).get];
  return i % 2 === 0 ? i64x2.productLow(left, right) : i64x2.productHigh(left, right);
};

/** The products of limbs that belong to a column. */
const productsOf = (a: Vectors, b: SecondFactor, column: number): Code[] => {
  const products: Code[] = [];
  for (let i = Math.max(0, column - TOP); i <= Math.min(column, TOP); i++)
    products.push(limbProduct(a, i, b, column - i));
  return products;
};

/** The same of a square, most of which come twice. */
const squaresOf = (a: Vectors, straight: SecondFactor, doubled: SecondFactor, column: number): Code[] => {
  const products: Code[] = [];
  for (let i = Math.max(0, column - TOP); 2 * i <= column; i++) {
    products.push(limbProduct(a, i, 2 * i === column ? straight : doubled, column - i));
  }
  return products;
};

/** Montgomery's reduction of sums of products, column by column. */
const reduce = (locals: Locals, result: Code, column: (index: number) => readonly Code[]): Code => {
  const prime = loadPrime(locals);
  const factors = locals.v128s(LIMBS);
  const total = locals.v128();
  const timesPrime = (factor: Local, index: number): Code => {
    const limbs = at(prime.vectors, index >> 1).get;
    return index % 2 === 0 ? i64x2.productLow(factor.get, limbs) : i64x2.productHigh(factor.get, limbs);
  };
  const add = (index: number): Code => {
    const terms = [...column(index)];
    // The last factor of a low column is not known before its sum.
    for (let i = Math.max(0, index - TOP); i < Math.min(index, LIMBS); i++) {
      terms.push(timesPrime(at(factors, i), index - i));
    }
    return total.set(i64x2.add(i64x2.add(total.get, index === 0 ? BIAS_EACH : AGAIN_EACH), sum(terms)));
  };
  const low = factors.map((factor, index) => [
    add(index),
    factor.set(v128.and(i32x4.mul(total.get, INVERSE_WORDS), MASK_WORDS)),
    factor.set(lowerHalves(factor)),
    total.set(shifted(i64x2.add(total.get, timesPrime(factor, 0)))),
  ]);
  const limbs = locals.v128s(LIMBS);
  const high = limbs.map((limb, index) =>
    index === TOP
      ? limb.set(total.get)
      : [add(LIMBS + index), limb.set(mask(total.get)), total.set(shifted(total.get))],
  );
  return [prime.code, total.set(ZERO), low, high, storeLimbs(result, limbs)];
};

/** Two 64-bit numbers for each limb, of which the lower halves count. */
const storeLimbs = (result: Code, limbs: Vectors): Code =>
  Array.from({ length: VECTORS }, (_, index) =>
    v128.store(
      result,
      i32x4.shuffle(at(limbs, 2 * index).get, at(limbs, 2 * index + 1).get, 0, 2, 4, 6),
      VECTOR * index,
    ),
  );

/** Of each lane by itself. */
export const laneProduct = (locals: Locals, result: Code, a: Code, b: Code): Code => {
  const [left, right] = [load(locals, a), load(locals, b)];
  const factor = secondFactor(locals, right.vectors);
  return [
    left.code,
    right.code,
    factor.code,
    reduce(locals, result, (index) => productsOf(left.vectors, factor, index)),
  ];
};

export const laneSquare = (locals: Locals, result: Code, a: Code): Code => {
  const once = load(locals, a);
  const twice = derived(locals, (index) => i32x4.add(at(once.vectors, index).get, at(once.vectors, index).get));
  const [straight, doubled] = [secondFactor(locals, once.vectors), secondFactor(locals, twice.vectors)];
  return [
    ...[once.code, twice.code, straight.code, doubled.code],
    reduce(locals, result, (index) => squaresOf(once.vectors, straight, doubled, index)),
  ];
};

/** a·b + c·d of each lane by itself; or a·b - c·d. */
export const sumOfLaneProducts = (
  locals: Locals,
  result: Code,
  [a, b, c, d]: readonly [Code, Code, Code, Code],
  isDifference: boolean,
): Code => {
  const [first, second, third, fourth] = [a, b, c, d].map((address) => load(locals, address)) as [
    ...[Loaded, Loaded, Loaded, Loaded],
  ];
  const [left, right] = [secondFactor(locals, second.vectors), secondFactor(locals, fourth.vectors)];
  const negated = derived(locals, (index) => negatedWhere(at(third.vectors, index).get, BOTH));
  const other = isDifference ? negated : third;
  return [
    ...[first.code, second.code, third.code, fourth.code, left.code, right.code],
    isDifference ? negated.code : [],
    reduce(locals, result, (index) => [
      ...productsOf(first.vectors, left, index),
      ...productsOf(other.vectors, right, index),
    ]),
  ];
};

/** A pair times u: (a + bu)u = -b + au. */
const timesU = (locals: Locals, vectors: Vectors): Loaded =>
  derived(locals, (index) => negatedWhere(exchanged(at(vectors, index)), FIRST));

/** (w + xu)(y + zu) = (w + xu)y + (-x + wu)z. */
export const fp2Product = (locals: Locals, result: Code, a: Code, b: Code): Code => {
  const [left, right] = [load(locals, a), load(locals, b)];
  const turned = timesU(locals, left.vectors);
  const real = secondFactor(locals, right.vectors, [0, 0, 2, 2]);
  const imaginary = secondFactor(locals, right.vectors, [1, 1, 3, 3]);
  return [
    ...[left.code, right.code, turned.code, real.code, imaginary.code],
    reduce(locals, result, (index) => [
      ...productsOf(left.vectors, real, index),
      ...productsOf(turned.vectors, imaginary, index),
    ]),
  ];
};

/** (x + yu)² = (x + y)(x - y) + 2xyu. */
export const fp2Square = (locals: Locals, result: Code, a: Code): Code => {
  const once = load(locals, a);
  const other = derived(locals, (index) => exchanged(at(once.vectors, index)));
  const sums = derived(locals, (index) => {
    const { get } = at(once.vectors, index);
    return i32x4.add(i32x4.shuffle(get, get, 0, 0, 2, 2), at(other.vectors, index).get);
  });
  const differences = derived(locals, (index) =>
    i32x4.sub(at(once.vectors, index).get, v128.and(at(other.vectors, index).get, FIRST)),
  );
  const factor = secondFactor(locals, differences.vectors);
  return [
    ...[once.code, other.code, sums.code, differences.code, factor.code],
    reduce(locals, result, (index) => productsOf(sums.vectors, factor, index)),
  ];
};

/** A small multiple of a pair; of the pair times ξ = 1 + u, or of its conjugate, as elements of Fp2. */
export type Multiple = readonly [factor: number, pair: Code, of?: 'xi' | 'conjugate'];

interface Term {
  readonly factor: number;
  readonly vectors: Vectors;
  readonly code: Code;
}

const termsOf = (locals: Locals, multiples: readonly Multiple[]): readonly Term[] =>
  multiples.map(([factor, address, of]) => {
    const plain = load(locals, address);
    if (of === undefined) return { factor, ...plain };
    if (of === 'conjugate') {
      const { vectors, code } = derived(locals, (index) => negatedWhere(at(plain.vectors, index).get, SECOND));
      return { factor, vectors, code: [plain.code, code] };
    }
    const turned = timesU(locals, plain.vectors);
    const { vectors, code } = derived(locals, (index) =>
      i32x4.add(at(plain.vectors, index).get, at(turned.vectors, index).get),
    );
    return { factor, vectors, code: [plain.code, turned.code, code] };
  });

/**
 * A sum of at most seven pairs, a multiple by ξ counting twice. Limbs are as small as those of products, the whole may be
 * as many times as large: products make little of that, but sums of such sums would grow.
 */
export const carriedSum = (locals: Locals, result: Code, multiples: readonly Multiple[]): Code => {
  const terms = termsOf(locals, multiples);
  const sums = locals.v128s(VECTORS);
  const scaled = (factor: number, vector: Code): Code =>
    Math.abs(factor) === 1 ? vector : i32x4.mul(vector, splat(BigInt(Math.abs(factor))));
  const add = (index: number): Code =>
    terms.reduce<Code | undefined>((total, { factor, vectors }) => {
      const vector = scaled(factor, at(vectors, index).get);
      return (factor < 0 ? i32x4.sub : i32x4.add)(total ?? ZERO, vector);
    }, undefined) ?? [];
  const carries = derived(locals, (index) => i32x4.shrSigned(at(sums, index).get, i32.const(Number(LIMB_BITS))));
  const carried = (index: number): Code => {
    const before = index === 0 ? ZERO : at(carries.vectors, index - 1).get;
    return i32x4.shuffle(before, at(carries.vectors, index).get, 2, 3, 4, 5);
  };
  return [
    terms.map(({ code }) => code),
    sums.map((local, index) => local.set(add(index))),
    carries.code,
    sums.map((local, index) => {
      const kept = v128.and(local.get, index === VECTORS - 1 ? BUT_TOP : MASK_WORDS);
      return v128.store(result, i32x4.add(kept, carried(index)), VECTOR * index);
    }),
  ];
};

/** A sum of small multiples of pairs, less the multiple of p that it holds. */
export const reducedSum = (locals: Locals, result: Code, multiples: readonly Multiple[]): Code => {
  const prime = loadPrime(locals);
  const terms = termsOf(locals, multiples).map((term) => ({ ...term, multiplier: splat(BigInt(term.factor)) }));
  const [total, quotient] = [locals.v128(), locals.v128()];
  const addLimb = (index: number): Code =>
    terms.map(({ factor, multiplier, vectors }) => {
      const { get } = at(vectors, index >> 1);
      const isLow = index % 2 === 0;
      if (Math.abs(factor) === 1) {
        const limb = isLow ? i64x2.extendLow(get) : i64x2.extendHigh(get);
        return total.set(factor === 1 ? i64x2.add(total.get, limb) : i64x2.sub(total.get, limb));
      }
      const limb = isLow ? i64x2.productLow(get, multiplier) : i64x2.productHigh(get, multiplier);
      return total.set(i64x2.add(total.get, limb));
    });
  const limbs = locals.v128s(LIMBS);
  const lessPrimes = (index: number): Code => {
    const { get } = at(prime.vectors, index >> 1);
    const product = index % 2 === 0 ? i64x2.productLow(quotient.get, get) : i64x2.productHigh(quotient.get, get);
    return i64x2.sub(total.get, product);
  };
  return [
    prime.code,
    terms.map(({ code }) => code),
    total.set(ZERO),
    addLimb(TOP),
    total.set(lowerHalves(total)),
    quotient.set(i64x2.shrSigned(i64x2.productLow(total.get, RECIPROCAL_WORDS), i32.const(QUOTIENT_BITS))),
    quotient.set(lowerHalves(quotient)),
    total.set(BIAS_EACH),
    limbs.map((limb, index) => [
      addLimb(index),
      total.set(lessPrimes(index)),
      limb.set(index === TOP ? total.get : mask(total.get)),
      index === TOP ? [] : total.set(i64x2.add(shifted(total.get), AGAIN_EACH)),
    ]),
    storeLimbs(result, limbs),
  ];
};

/** A sum that is not reduced: a factor of one product. */
export const looseSum = (result: Code, a: Code, b: Code): Code =>
  Array.from({ length: VECTORS }, (_, index) =>
    v128.store(result, i32x4.add(v128.load(a, VECTOR * index), v128.load(b, VECTOR * index)), VECTOR * index),
  );

export const copied = (result: Code, a: Code): Code =>
  Array.from({ length: VECTORS }, (_, index) => v128.store(result, v128.load(a, VECTOR * index), VECTOR * index));

/** The first element of one pair beside the second of another. */
export const lanesOf = (result: Code, first: Code, second: Code): Code =>
  Array.from({ length: VECTORS }, (_, index) =>
    v128.store(
      result,
      v128.select(v128.load(first, VECTOR * index), v128.load(second, VECTOR * index), FIRST),
      VECTOR * index,
    ),
  );

/** Both elements of a pair in each other's place. */
export const exchangedLanes = (locals: Locals, result: Code, a: Code): Code => {
  const pair = load(locals, a);
  return [pair.code, pair.vectors.map((vector, index) => v128.store(result, exchanged(vector), VECTOR * index))];
};
