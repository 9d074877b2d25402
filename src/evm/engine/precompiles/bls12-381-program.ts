/**
 * Arithmetic of the extension field of BLS12-381 as a WebAssembly program: Fp2 = Fp[u] / (u² + 1), Fp6 = Fp2[v] / (v³ - ξ)
 * with ξ = 1 + u, Fp12 = Fp6[w] / (w² - v), with elements of Fp as in bls12-381-limbs.ts.
 */
import { Assembler, type Code, i32, type Program, repeated } from './assembler.ts';
import { defineFp2, type Fp2 } from './bls12-381-fp2.ts';
import { FIRST_FREE, FP2, FP6, offset, writePrime } from './bls12-381-limbs.ts';
import { definePoints, type PointFunctions } from './bls12-381-points.ts';

/** Makes room in memory for intermediate results: each function has its own, since none calls itself. */
class Room {
  #next = FIRST_FREE;

  take(byteCount: number): number {
    const address = this.#next;
    this.#next += byteCount;
    return address;
  }

  get end(): number {
    return this.#next;
  }

  fp2s(count: number): readonly Code[] {
    return Array.from({ length: count }, () => i32.const(this.take(FP2)));
  }

  fp6s(count: number): readonly Code[] {
    return Array.from({ length: count }, () => i32.const(this.take(FP6)));
  }
}

const coefficients = (element: Code, count: number): Code[] =>
  Array.from({ length: count }, (_, index) => offset(element, FP2 * index));

/** Results may share an address with operands, but not with one that is multiplied by ξ. */
export interface FieldFunctions extends PointFunctions {
  /** Of two elements of Fp each. */
  multiplyLanes(result: number, a: number, b: number): void;
  /** So many times, at least once. */
  squareLanes(result: number, a: number, times: number): void;
  multiplyFp2(result: number, a: number, b: number): void;
  squareFp2(result: number, a: number): void;
  conjugateFp2(result: number, a: number): void;
  copy(result: number, a: number): void;
  /** a + b. */
  addFp2(result: number, a: number, b: number): void;
  /** a - b. */
  subtractFp2(result: number, a: number, b: number): void;
  /** a - bξ. */
  subtractTimesXi(result: number, a: number, b: number): void;
  /** aξ - b. */
  timesXiMinus(result: number, a: number, b: number): void;
  /** a + bξ. */
  addTimesXi(result: number, a: number, b: number): void;
  multiplyFp6(result: number, a: number, b: number): void;
  multiplyFp12(result: number, a: number, b: number): void;
  squareFp12(result: number, a: number): void;
  /** By c0·scale0 + c1·scale1·v + v·w, for c0 and c1 side by side at `line`, and two elements of Fp, each of them twice, side by side at `scales`. */
  multiplyByLine(element: number, line: number, scales: number): void;
  /** To the power p^6: a - bw for a + bw. */
  conjugate(result: number, a: number): void;
  /** So many times, at least once; only for elements whose inverse is their conjugate. */
  squareUnitary(result: number, a: number, times: number): void;
}

export interface FieldProgram extends Omit<Program, 'functions'> {
  readonly functions: FieldFunctions;
  /** The first address for callers. */
  readonly free: number;
}

const defineFp6 = (assembler: Assembler, room: Room, { multiply, looseSum, linear, reducedLinear }: Fp2) => {
  const foldedUp = linear('foldedUp', [1], [1, 'xi'], [-1, 'xi'], [-1, 'xi']);
  const foldedOnce = linear('foldedOnce', [1], [-1], [-1], [1, 'xi']);
  const foldedNever = linear('foldedNever', [1], [-1], [-1], [1]);
  const addProductTimesXi = reducedLinear('addProductTimesXi', [1], [1, 'xi'], [1, 'xi']);
  const addThree = reducedLinear('addThree', [1], [1], [1]);
  const minusTwoPlusXi = reducedLinear('minusTwoPlusXi', [1], [-1], [-1], [1, 'xi']);
  const minusTwoPlus = reducedLinear('minusTwoPlus', [1], [-1], [-1], [1]);
  /** Karatsuba's way, as for polynomials of three coefficients. */
  const multiplyFp6 = assembler.define('multiplyFp6', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    const [a0, a1, a2] = coefficients(a, 3) as [Code, Code, Code];
    const [b0, b1, b2] = coefficients(b, 3) as [Code, Code, Code];
    const [v0, v1, v2, m0, m1, m2, s, t] = room.fp2s(8) as [Code, Code, Code, Code, Code, Code, Code, Code];
    const mixed = (into: Code, x0: Code, x1: Code, y0: Code, y1: Code): Code => [
      looseSum(s, x0, x1),
      looseSum(t, y0, y1),
      multiply(into, s, t),
    ];
    return [
      ...[multiply(v0, a0, b0), multiply(v1, a1, b1), multiply(v2, a2, b2)],
      mixed(m0, a1, a2, b1, b2),
      mixed(m1, a0, a1, b0, b1),
      mixed(m2, a0, a2, b0, b2),
      foldedUp(offset(result, 0), v0, m0, v1, v2),
      foldedOnce(offset(result, FP2), m1, v0, v1, v2),
      foldedNever(offset(result, 2 * FP2), m2, v0, v2, v1),
    ];
  });
  /**
   * The product of an element with l0 + l1·v, plus v or v² times another one; `result` may be neither of them.
   */
  const lineProduct = (name: string, isSquare: boolean) =>
    assembler.define(name, 4, (locals) => {
      const [result, a, line, other] = locals.parameters(4) as [Code, Code, Code, Code];
      const [a0, a1, a2] = coefficients(a, 3) as [Code, Code, Code];
      const [r0, r1, r2] = coefficients(result, 3) as [Code, Code, Code];
      const [o0, o1, o2] = coefficients(other, 3) as [Code, Code, Code];
      const [l0, l1] = coefficients(line, 2) as [Code, Code];
      const [t0, t1, m, s, t] = room.fp2s(5) as [Code, Code, Code, Code, Code];
      // v·o = (ξ·o2, o0, o1), v²·o = (ξ·o1, ξ·o2, o0).
      return [
        ...[multiply(t0, a0, l0), multiply(t1, a1, l1)],
        ...[looseSum(s, a0, a1), looseSum(t, l0, l1), multiply(m, s, t)],
        ...[multiply(s, a2, l1), multiply(t, a2, l0)],
        addProductTimesXi(r0, t0, s, isSquare ? o1 : o2),
        isSquare ? minusTwoPlusXi(r1, m, t0, t1, o2) : minusTwoPlus(r1, m, t0, t1, o0),
        addThree(r2, t, t1, isSquare ? o0 : o1),
      ];
    });
  return {
    multiplyFp6,
    lineAndV: lineProduct('lineAndV', false),
    lineAndSquareOfV: lineProduct('lineAndSquareOfV', true),
  };
};

const defineFp12 = (assembler: Assembler, room: Room, fp2: Fp2, fp6: ReturnType<typeof defineFp6>): void => {
  const { add, addTimesXi, linear, reducedLinear, copy, looseSum, square, multiplyLanes } = fp2;
  const { multiplyFp6, lineAndV, lineAndSquareOfV } = fp6;
  const minusAndXi = reducedLinear('minusAndXi', [1], [-1], [-1, 'xi']);
  const minusTwo = reducedLinear('reducedMinusTwo', [1], [-1], [-1]);
  const twice = reducedLinear('twice', [2]);
  const reducedAdd = reducedLinear('reducedAdd', [1], [1]);
  const reducedAddTimesXi = reducedLinear('reducedAddTimesXi', [1], [1, 'xi']);
  const negate = linear('negate', [-1]);
  const eachOf3 = (make: (index: number) => Code): Code => [0, 1, 2].map((index) => make(FP2 * index));
  const add6 = (result: Code, a: Code, b: Code): Code =>
    eachOf3((at) => add(offset(result, at), offset(a, at), offset(b, at)));
  /** a + v·b. */
  const addTimesV = (result: Code, a: Code, b: Code, isReduced: boolean): Code => {
    const [b0, b1, b2] = coefficients(b, 3) as [Code, Code, Code];
    const [plus, plusXi] = isReduced ? [reducedAdd, reducedAddTimesXi] : [add, addTimesXi];
    return [
      plusXi(result, a, b2),
      plus(offset(result, FP2), offset(a, FP2), b0),
      plus(offset(result, 2 * FP2), offset(a, 2 * FP2), b1),
    ];
  };

  assembler.define('multiplyFp12', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    const [t0, t1, s, t, m] = room.fp6s(5) as [Code, Code, Code, Code, Code];
    const [a1, b1] = [offset(a, FP6), offset(b, FP6)];
    return [
      ...[multiplyFp6(t0, a, b), multiplyFp6(t1, a1, b1)],
      ...[add6(s, a, a1), add6(t, b, b1), multiplyFp6(m, s, t)],
      addTimesV(result, t0, t1, true),
      eachOf3((at) => minusTwo(offset(result, FP6 + at), offset(m, at), offset(t0, at), offset(t1, at))),
    ];
  });

  assembler.define('squareFp12', 2, (locals) => {
    const [result, a] = locals.parameters(2) as [Code, Code];
    const a1 = offset(a, FP6);
    const [t, s, u, m] = room.fp6s(4) as [Code, Code, Code, Code];
    const [t0, t1, t2] = coefficients(t, 3) as [Code, Code, Code];
    return [
      ...[multiplyFp6(t, a, a1), add6(s, a, a1), addTimesV(u, a, a1, false), multiplyFp6(m, s, u)],
      minusAndXi(result, m, t0, t2),
      minusTwo(offset(result, FP2), offset(m, FP2), t1, t0),
      minusTwo(offset(result, 2 * FP2), offset(m, 2 * FP2), t2, t1),
      eachOf3((at) => twice(offset(result, FP6 + at), offset(t, at))),
    ];
  });

  assembler.define('multiplyByLine', 3, (locals) => {
    const [element, line, scales] = locals.parameters(3) as [Code, Code, Code];
    const scaled = i32.const(room.take(2 * FP2));
    const [first, second] = room.fp6s(2) as [Code, Code];
    const other = offset(element, FP6);
    // (a + bw)(L + vw) = aL + v²b + (bL + va)w.
    return [
      multiplyLanes(scaled, line, scales),
      multiplyLanes(offset(scaled, FP2), offset(line, FP2), offset(scales, FP2)),
      lineAndSquareOfV(first, element, scaled, other),
      lineAndV(second, other, scaled, element),
      eachOf3((at) => [copy(offset(element, at), offset(first, at)), copy(offset(other, at), offset(second, at))]),
    ];
  });

  assembler.define('conjugate', 2, (locals) => {
    const [result, a] = locals.parameters(2) as [Code, Code];
    return eachOf3((at) => [
      copy(offset(result, at), offset(a, at)),
      negate(offset(result, FP6 + at), offset(a, FP6 + at)),
    ]);
  });

  const real = reducedLinear('realPart', [3], [3, 'xi'], [-2]);
  const imaginary = reducedLinear('imaginaryPart', [3], [-3], [-3], [2]);
  const imaginaryTimesXi = reducedLinear('imaginaryPartTimesXi', [3, 'xi'], [-3, 'xi'], [-3, 'xi'], [2]);
  /** By squares in three fields of degree four (Granger and Scott, "Faster squaring in the cyclotomic subgroup"). */
  const squareOnce = assembler.define('squareUnitaryOnce', 2, (locals) => {
    const [result, a] = locals.parameters(2) as [Code, Code];
    const [g0, g1, g2, h0, h1, h2] = coefficients(a, 6) as [Code, Code, Code, Code, Code, Code];
    const [r0, r1, r2, s0, s1, s2] = coefficients(result, 6) as [Code, Code, Code, Code, Code, Code];
    const squares = (x: Code, y: Code): { readonly code: Code; readonly of: readonly [Code, Code, Code] } => {
      const [xx, yy, both, sum] = room.fp2s(4) as [Code, Code, Code, Code];
      return {
        code: [square(xx, x), square(yy, y), looseSum(sum, x, y), square(both, sum)],
        of: [xx, yy, both],
      };
    };
    const [first, second, third] = [squares(g0, h1), squares(h0, g2), squares(g1, h2)];
    // A pair's square is xx + ξ·yy and both - xx - yy.
    const realOf = (into: Code, { of: [xx, yy] }: typeof first, before: Code): Code => real(into, xx, yy, before);
    const imaginaryOf = (into: Code, { of: [xx, yy, both] }: typeof first, before: Code): Code =>
      imaginary(into, both, xx, yy, before);
    const [xx, yy, both] = third.of;
    return [
      ...[first.code, second.code, third.code],
      realOf(r0, first, g0),
      realOf(r1, second, g1),
      realOf(r2, third, g2),
      imaginaryTimesXi(s0, both, xx, yy, h0),
      imaginaryOf(s1, first, h1),
      imaginaryOf(s2, second, h2),
    ];
  });
  repeated(assembler, 'squareUnitary', squareOnce);
};

/** @param byteCount memory for callers */
export const createFieldProgram = (byteCount: number): FieldProgram => {
  const assembler = new Assembler();
  const room = new Room();
  const fp2 = defineFp2(assembler);
  fp2.linear('conjugateFp2', [1, 'conjugate']);
  fp2.linear('subtractFp2', [1], [-1]);
  fp2.linear('subtractTimesXi', [1], [-1, 'xi']);
  fp2.linear('timesXiMinus', [1, 'xi'], [-1]);
  const fp6 = defineFp6(assembler, room, fp2);
  defineFp12(assembler, room, fp2, fp6);
  definePoints(assembler, fp2, () => i32.const(room.take(FP2)));
  repeated(assembler, 'squareLanes', fp2.squareLanes);
  const free = room.end;
  const { functions, ...rest } = assembler.instantiate(free + byteCount);
  writePrime(rest.memory);
  return { ...rest, functions: functions as unknown as FieldFunctions, free };
};
