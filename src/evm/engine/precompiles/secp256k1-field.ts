/**
 * Arithmetic modulo the prime of secp256k1 and on its points in Jacobian coordinates, as a WebAssembly program. Elements
 * are Montgomery residues by 2^261 in nine limbs of 29 bits, below two and a half times the prime. The prime is
 * 2^256 - c for c = 2^32 + 977, so that a multiple of it is subtracted by adding a multiple of c.
 */
import { Assembler, branchIf, type Code, i32, i64, type Local, type Locals, loop, type Program } from './assembler.ts';
import { LIMB_BITS, LIMB_MASK, limbsFor, readLimbs, writeLimbs } from './limbs.ts';

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
const FACTOR = 1n << BigInt(COUNT * LIMB_BITS);

/** 1 / 977 modulo 2^29. */
const INVERSE = (() => {
  let inverse = C0;
  for (let i = 0; i < 5; i++) inverse = BigInt.asUintN(LIMB_BITS, inverse * (2n - C0 * inverse));
  return inverse;
})();

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

/** a·b / 2^261, column by column. Operands below 2.5 primes give at most 1.2. */
const productCode = (locals: Locals, result: Code, a: Code, b: Code | undefined): Code => {
  const left = locals.i64s(COUNT);
  const right = b === undefined ? left : locals.i64s(COUNT);
  const doubled = locals.i64s(b === undefined ? COUNT : 0);
  const factors = locals.i64s(COUNT);
  const sum = locals.i64();
  const get = (limbs: readonly Local[], index: number): Code => (limbs[index] as Local).get;
  const add = (value: Code): Code => sum.set(i64.add(sum.get, value));
  const subtract = (value: Code): Code => sum.set(i64.sub(sum.get, value));

  const products = (column: number): Code => {
    const added: Code[] = [];
    for (let i = Math.max(0, column - TOP); i <= Math.min(column, TOP); i++) {
      const j = column - i;
      if (b !== undefined || i === j) added.push(add(i64.mul(get(left, i), get(right, j))));
      else if (i < j) added.push(add(i64.mul(get(doubled, i), get(left, j))));
    }
    return added;
  };
  /** What multiples of the prime that are due to columns before add to this one. */
  const reductions = (column: number): Code => [
    column >= 1 && column <= COUNT ? subtract(i64.mul(get(factors, column - 1), i64.const(C1))) : [],
    column >= TOP ? add(i64.shl(get(factors, column - TOP), i64.const(TOP_BITS))) : [],
  ];
  return [
    left.map((local, index) => local.set(limb(a, index))),
    b === undefined ? [] : right.map((local, index) => local.set(limb(b, index))),
    doubled.map((local, index) => local.set(i64.shl(get(left, index), i64.const(1n)))),
    sum.set(i64.const(0n)),
    factors.map((factor, column) => [
      products(column),
      reductions(column),
      factor.set(mask(i64.mul(sum.get, i64.const(INVERSE)))),
      subtract(i64.mul(factor.get, i64.const(C0))),
      sum.set(shift(sum.get)),
    ]),
    Array.from({ length: TOP }, (_, index) => [
      products(COUNT + index),
      reductions(COUNT + index),
      storeLimb(result, index, mask(sum.get)),
      sum.set(shift(sum.get)),
    ]),
    storeLimb(result, TOP, sum.get),
  ];
};

type Term = readonly [factor: bigint, element: Code];

/** A sum of small multiples, less than 2.1 primes. */
const linearCode = (locals: Locals, result: Code, terms: readonly Term[]): Code => {
  const limbs = locals.i64s(COUNT);
  const quotient = locals.i64();
  const negative = terms.reduce((sum, [factor]) => (factor < 0n ? sum - factor : sum), 0n);
  // Makes the sum positive whatever the operands are.
  const offset = 3n * negative * PRIME;
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
  return [
    limbs.map((local, index) => local.set(sumAt(index))),
    // One less than the uppermost limb says: the others may borrow from it.
    quotient.set(i64.sub(i64.shrSigned(at(TOP).get, i64.const(TOP_BITS)), i64.const(negative > 0n ? 1n : 0n))),
    add(0, i64.mul(quotient.get, i64.const(C0))),
    add(1, i64.mul(quotient.get, i64.const(C1))),
    add(TOP, i64.sub(i64.const(0n), i64.shl(quotient.get, i64.const(TOP_BITS)))),
    Array.from({ length: TOP }, (_, index) => [
      add(index + 1, shift(at(index).get)),
      storeLimb(result, index, mask(at(index).get)),
    ]),
    storeLimb(result, TOP, at(TOP).get),
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
  const plus = linear('add', 1n, 1n);
  const minus = linear('subtract', 1n, -1n);
  const twice = linear('double', 2n);
  const thrice = linear('triple', 3n);
  const minusTwice = linear('minusTwice', 1n, -2n);
  const minusEightTimes = linear('minusEightTimes', 1n, -8n);
  const twiceDifference = linear('twiceDifference', 2n, -2n, -2n);
  const minusAndTwice = linear('minusAndTwice', 1n, -1n, -2n);
  linear('negate', -1n);

  assembler.define('squareTimes', 3, (locals) => {
    const [result, a, count] = locals.parameters(3) as [Code, Code, Code];
    const left = locals.i32();
    return [
      square(result, a),
      left.set(i32.sub(count, i32.const(1))),
      loop([square(result, result), left.set(i32.sub(left.get, i32.const(1))), branchIf(left.get, 0)]),
    ];
  });

  // dbl-2009-l of the Explicit-Formulas Database.
  assembler.define('doublePoint', 2, (locals) => {
    const [result, point] = locals.parameters(2) as [Code, Code];
    const [x, y, z] = [at(point, 0), at(point, 1), at(point, 2)];
    const [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(scratch) as [Code, Code, Code, Code, Code, Code];
    return [
      square(a, x),
      square(b, y),
      square(c, b),
      plus(d, x, b),
      square(d, d),
      twiceDifference(d, d, a, c),
      thrice(e, a),
      square(f, e),
      multiply(b, y, z),
      twice(at(result, 2), b),
      minusTwice(at(result, 0), f, d),
      minus(d, d, at(result, 0)),
      multiply(e, e, d),
      minusEightTimes(at(result, 1), e, c),
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
  readonly memory: DataView;
  readonly bytes: Uint8Array;
  write(address: number, value: bigint): void;
  read(address: number): bigint;
  isZero(address: number): boolean;
}

/** Elements that are zero are multiples of the prime below this one. */
const MOST_MULTIPLE = 3;

/** @param byteCount memory for callers, from FREE on */
export const createSecp256k1Field = (byteCount: number): Secp256k1Field => {
  const { memory, bytes, functions } = assemble(FREE + byteCount + 2 * ELEMENT);
  const [one, square] = [FREE + byteCount, FREE + byteCount + ELEMENT];
  writeLimbs(memory, one, COUNT, 1n);
  writeLimbs(memory, square, COUNT, (FACTOR * FACTOR) % PRIME);
  const calls = functions as Secp256k1Field['functions'];
  const inverse = Number(INVERSE);
  const limbMask = Number(LIMB_MASK);
  return {
    functions: calls,
    memory,
    bytes,
    write: (address, value) => {
      writeLimbs(memory, address, COUNT, value);
      calls.multiply(address, address, square);
    },
    read: (address) => {
      calls.multiply(SCRATCH, address, one);
      return readLimbs(memory, SCRATCH, COUNT) % PRIME;
    },
    isZero: (address) => {
      // The lowest limb of the prime is -977: it tells which multiple it could be.
      const multiple = -(Math.imul(memory.getUint32(address, true), inverse) | 0) & limbMask;
      return multiple <= MOST_MULTIPLE && readLimbs(memory, address, COUNT) % PRIME === 0n;
    },
  };
};
