/**
 * Arithmetic modulo the prime of secp256k1 and on its points in Jacobian coordinates, as a WebAssembly program. Elements
 * have nine limbs of 29 bits and stand for themselves or any number that many primes larger. The prime is 2^256 - c for
 * c = 2^32 + 977, so that what lies above is folded in by a small factor.
 */
import { Assembler, branchIf, type Code, i32, i64, type Local, type Locals, loop, type Program } from './assembler.ts';
import { LIMB_BITS, LIMB_MASK, limbsFor, operands, readLimbs, writeLimbs } from './limbs.ts';

const PRIME = 2n ** 256n - 2n ** 32n - 977n;
/** Of an element. */
export const ELEMENT = 40;
/** Of x, y and z of a point; z = 0 stands for nothing: who adds points takes care of infinity. */
export const POINT = 3 * ELEMENT;

const COUNT = limbsFor(261);
const TOP = COUNT - 1;
/** Bits of the uppermost limb that lie below 2^256. */
const TOP_BITS = BigInt(256 - TOP * LIMB_BITS);
/** c by limbs. */
const [C0, C1] = [977n, 8n];
/** 2^261 modulo the prime, likewise. */
const [ABOVE0, ABOVE1] = [C0 << 5n, C1 << 5n];

/** Room for intermediate results, before what callers use. */
const SCRATCH = 0;
const SCRATCH_ELEMENTS = 12;
/** Where additions leave a multiple of the difference of the points' y. The sum's z is one of that of their x. */
export const DIFFERENCE_Y = SCRATCH + ELEMENT;
/** The first address for callers. */
export const FREE = SCRATCH + SCRATCH_ELEMENTS * ELEMENT;

const shift = (value: Code): Code => i64.shrSigned(value, i64.const(BigInt(LIMB_BITS)));
const mask = (value: Code): Code => i64.and(value, i64.const(LIMB_MASK));
const limb = (address: Code, index: number): Code => i64.loadWord(address, 4 * index);
const storeLimb = (address: Code, index: number, value: Code): Code => i64.storeWord(address, value, 4 * index);

/**
 * A product below 2^261 and a bit: its limbs may exceed 29 bits by one. Columns are summed up apart from each other and
 * carries taken in two runs as short as possible, since powers wait for each product in turn.
 */
const productCode = (locals: Locals, result: Code, a: Code, b: Code | undefined): Code => {
  const { load, products } = operands(locals, COUNT, a, b);
  const columns = locals.i64s(2 * COUNT);
  const column = (index: number): Local => columns[index] as Local;
  const add = (index: number, value: Code): Code => column(index).set(i64.add(column(index).get, value));
  /** Carries from one column to the next. */
  const carry = (from: number, to: number): Code =>
    Array.from({ length: to - from }, (_, index) => [
      add(from + index + 1, shift(column(from + index).get)),
      column(from + index).set(mask(column(from + index).get)),
    ]);
  const foldInto = (index: number, value: Code): Code => [
    add(index, i64.mul(value, i64.const(ABOVE0))),
    add(index + 1, i64.mul(value, i64.const(ABOVE1))),
  ];
  const above = column(COUNT);
  return [
    load,
    columns.map((local, index) =>
      local.set(products(index).reduce<Code>((sum, product) => i64.add(sum, product), i64.const(0n))),
    ),
    carry(COUNT, 2 * COUNT - 1),
    // From below, so that the column above the uppermost is taken before it is added to.
    columns.slice(COUNT).map((local, index) => {
      if (index > 0) return foldInto(index, local.get);
      return [foldInto(0, above.get), above.set(i64.const(0n))];
    }),
    carry(0, COUNT),
    foldInto(0, above.get),
    carry(0, 3),
    Array.from({ length: COUNT }, (_, index) => storeLimb(result, index, column(index).get)),
  ];
};

type Term = readonly [factor: bigint, element: Code];

/** A sum of small multiples, below 2^257 and a bit. */
const linearCode = (locals: Locals, result: Code, terms: readonly Term[], isHalved = false): Code => {
  const limbs = locals.i64s(COUNT);
  const quotient = locals.i64();
  const negative = terms.reduce((sum, [factor]) => (factor < 0n ? sum - factor : sum), 0n);
  // Makes the sum positive whatever the operands are.
  const offset = 33n * negative * PRIME;
  const offsetLimb = (index: number): bigint => {
    const rest = offset >> BigInt(index * LIMB_BITS);
    return index === TOP ? rest : rest & LIMB_MASK;
  };
  const sumAt = (index: number): Code =>
    terms.reduce<Code>(
      (sum, [factor, element]) => {
        const value = limb(element, index);
        return i64.add(sum, factor === 1n ? value : i64.mul(value, i64.const(factor)));
      },
      i64.const(offsetLimb(index)),
    );
  const at = (index: number): Local => limbs[index] as Local;
  const add = (index: number, value: Code): Code => at(index).set(i64.add(at(index).get, value));
  /** The prime is odd, and makes the sum even. */
  const addPrimeIfOdd: Code = [
    quotient.set(i64.and(at(0).get, i64.const(1n))),
    add(0, i64.mul(quotient.get, i64.const(-C0))),
    add(1, i64.mul(quotient.get, i64.const(-C1))),
    add(TOP, i64.shl(quotient.get, i64.const(TOP_BITS))),
  ];
  const halfOf = (index: number): Code => {
    const half = i64.shr(at(index).get, i64.const(1n));
    if (index === TOP) return half;
    return i64.or(half, i64.shl(i64.and(at(index + 1).get, i64.const(1n)), i64.const(BigInt(LIMB_BITS - 1))));
  };
  return [
    limbs.map((local, index) => local.set(sumAt(index))),
    // One less than the uppermost limb says: the others may borrow from it.
    quotient.set(i64.sub(i64.shrSigned(at(TOP).get, i64.const(TOP_BITS)), i64.const(negative > 0n ? 1n : 0n))),
    add(0, i64.mul(quotient.get, i64.const(C0))),
    add(1, i64.mul(quotient.get, i64.const(C1))),
    add(TOP, i64.sub(i64.const(0n), i64.shl(quotient.get, i64.const(TOP_BITS)))),
    isHalved ? addPrimeIfOdd : [],
    Array.from({ length: TOP }, (_, index) => [
      add(index + 1, shift(at(index).get)),
      at(index).set(mask(at(index).get)),
    ]),
    limbs.map((local, index) => storeLimb(result, index, isHalved ? halfOf(index) : local.get)),
  ];
};

const at = (address: Code, index: number): Code =>
  index === 0 ? address : i32.add(address, i32.const(ELEMENT * index));
const scratch = (index: number): Code => i32.const(SCRATCH + ELEMENT * index);

const assemble = (memoryBytes: number): Program => {
  const assembler = new Assembler();
  const multiply = assembler.define('multiply', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    return productCode(locals, result, a, b);
  });
  const square = assembler.define('square', 2, (locals) => {
    const [result, a] = locals.parameters(2) as [Code, Code];
    return productCode(locals, result, a, undefined);
  });
  const linear = (name: string, ...factors: bigint[]) =>
    assembler.define(name, factors.length + 1, (locals) => {
      const [result, ...elements] = locals.parameters(factors.length + 1) as [Code, ...Code[]];
      return linearCode(
        locals,
        result,
        factors.map((factor, index) => [factor, elements[index] as Code]),
      );
    });
  linear('add', 1n, 1n);
  const minus = linear('subtract', 1n, -1n);
  const minusTwice = linear('minusTwice', 1n, -2n);
  const minusAndTwice = linear('minusAndTwice', 1n, -1n, -2n);
  linear('negate', -1n);
  const threeHalves = assembler.define('threeHalves', 2, (locals) => {
    const [result, element] = locals.parameters(2) as [Code, Code];
    return linearCode(locals, result, [[3n, element]], true);
  });

  assembler.define('squareTimes', 3, (locals) => {
    const [result, a, count] = locals.parameters(3) as [Code, Code, Code];
    const left = locals.i32();
    return [
      square(result, a),
      left.set(i32.sub(count, i32.const(1))),
      loop([square(result, result), left.set(i32.sub(left.get, i32.const(1))), branchIf(left.get, 0)]),
    ];
  });

  /** With l = 3x²/2 and t = xy²: (l² - 2t, l(t - x') - y⁴, yz), which is the usual doubling with half of its z. */
  assembler.define('doublePoint', 2, (locals) => {
    const [result, point] = locals.parameters(2) as [Code, Code];
    const [x, y, z] = [at(point, 0), at(point, 1), at(point, 2)];
    const [l, s, t, ll] = [0, 1, 2, 3].map(scratch) as [Code, Code, Code, Code];
    return [
      square(l, x),
      threeHalves(l, l),
      square(s, y),
      multiply(t, x, s),
      multiply(at(result, 2), y, z),
      square(ll, l),
      minusTwice(at(result, 0), ll, t),
      minus(t, t, at(result, 0)),
      multiply(t, l, t),
      square(s, s),
      minus(at(result, 1), t, s),
    ];
  });

  /** What additions have in common: u and s are the first point's x and y, as far as the second's z goes. */
  const sumCode = (result: Code, u: Code, s: Code, z: Code): Code => {
    const [h, r, hh, hhh, v] = [0, 1, 6, 7, 8].map(scratch) as [Code, Code, Code, Code, Code];
    return [
      square(hh, h),
      multiply(hhh, h, hh),
      multiply(v, u, hh),
      multiply(hh, s, hhh),
      multiply(at(result, 2), z, h),
      square(h, r),
      minusAndTwice(at(result, 0), h, hhh, v),
      minus(v, v, at(result, 0)),
      multiply(v, r, v),
      minus(at(result, 1), v, hh),
    ];
  };
  /** To a point whose z is 1. */
  assembler.define('addAffine', 4, (locals) => {
    const [result, point, x2, y2] = locals.parameters(4) as [Code, Code, Code, Code];
    const [h, r, zz, zzz] = [0, 1, 2, 3].map(scratch) as [Code, Code, Code, Code];
    const z = at(point, 2);
    return [
      square(zz, z),
      multiply(zzz, zz, z),
      multiply(h, x2, zz),
      minus(h, h, at(point, 0)),
      multiply(r, y2, zzz),
      minus(r, r, at(point, 1)),
      sumCode(result, at(point, 0), at(point, 1), z),
    ];
  });
  /** To a point whose z stands with its square and cube. */
  assembler.define('addPoint', 5, (locals) => {
    const [result, point, x2, y2, powers] = locals.parameters(5) as [Code, Code, Code, Code, Code];
    const [h, r, zz, zzz, u, s] = [0, 1, 2, 3, 4, 5].map(scratch) as [Code, Code, Code, Code, Code, Code];
    const z = at(point, 2);
    return [
      square(zz, z),
      multiply(zzz, zz, z),
      multiply(u, at(point, 0), at(powers, 1)),
      multiply(s, at(point, 1), at(powers, 2)),
      multiply(h, x2, zz),
      minus(h, h, u),
      multiply(r, y2, zzz),
      minus(r, r, s),
      multiply(zz, z, at(powers, 0)),
      sumCode(result, u, s, zz),
    ];
  });
  return assembler.instantiate(memoryBytes);
};

type Name =
  | 'multiply'
  | 'square'
  | 'squareTimes'
  | 'add'
  | 'subtract'
  | 'negate'
  | 'doublePoint'
  | 'addAffine'
  | 'addPoint';

/** Its functions take addresses, the result's first; results and operands may share one. */
export interface Secp256k1Field {
  readonly functions: Readonly<Record<Name, (...addresses: number[]) => void>>;
  readonly bytes: Uint8Array;
  write(address: number, value: bigint): void;
  read(address: number): bigint;
  isZero(address: number): boolean;
}

/** 1 / 977 modulo 2^29. */
const INVERSE = 0x12253531;
/** Elements that are zero are multiples of the prime up to this one. */
const MOST_MULTIPLE = 33;

/** @param byteCount memory for callers, from FREE on */
export const createSecp256k1Field = (byteCount: number): Secp256k1Field => {
  const { memory, bytes, functions } = assemble(FREE + byteCount);
  const limbMask = Number(LIMB_MASK);
  return {
    functions: functions as Secp256k1Field['functions'],
    bytes,
    write: (address, value) => writeLimbs(memory, address, COUNT, value),
    read: (address) => readLimbs(memory, address, COUNT) % PRIME,
    isZero: (address) => {
      // The lowest limb of the prime is -977: it tells which multiple it could be.
      const multiple = -Math.imul(memory.getUint32(address, true), INVERSE) & limbMask;
      return multiple <= MOST_MULTIPLE && readLimbs(memory, address, COUNT) % PRIME === 0n;
    },
  };
};
