/**
 * Arithmetic of the extension field of BLS12-381 as a WebAssembly program: Fp2 = Fp[u] / (u² + 1), Fp6 = Fp2[v] / (v³ - ξ)
 * with ξ = 1 + u, Fp12 = Fp6[w] / (w² - v), with elements of Fp as in bls12-381-limbs.ts.
 */
import { Assembler, branchIf, type Code, i32, i32x4, i64, loop, type Program, when } from './assembler.ts';
import {
  FP,
  FP2,
  FP6,
  LIMBS,
  limbAt,
  loadLimbs,
  type Multiple,
  offset,
  productsOf,
  reduce,
  reducedSum,
  reducedSum2,
  sumsOf,
} from './bls12-381-limbs.ts';

/** Bytes of what is added up at once. */
const VECTOR = 16;

/** Makes room in memory for intermediate results: each function has its own, since none calls itself. */
class Room {
  #next = 0;

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
export interface FieldFunctions {
  multiplyFp(result: number, a: number, b: number): void;
  multiplyFp2(result: number, a: number, b: number): void;
  squareFp2(result: number, a: number): void;
  /** By an element of Fp. */
  scaleFp2(result: number, a: number, factor: number): void;
  conjugateFp2(result: number, a: number): void;
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
  /** By c0·scale0 + c1·scale1·v + v·w, for c0 and c1 side by side at `line`, and two elements of Fp at `scales`. */
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

const defineFp2 = (assembler: Assembler) => {
  const multiplyFp = assembler.define('multiplyFp', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    const [x, y] = [loadLimbs(locals, a), loadLimbs(locals, b)];
    return [x.code, y.code, reduce(locals, [{ result, column: (index) => productsOf(x.limbs, y.limbs, index) }])];
  });
  /** (w + xu)(y + zu) = wy - xz + ((w + x)(y + z) - wy - xz)u; that the middle product may exceed 64 bits cancels out. */
  const multiply = assembler.define('multiplyFp2', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    const [w, x] = [loadLimbs(locals, a), loadLimbs(locals, offset(a, FP))];
    const [y, z] = [loadLimbs(locals, b), loadLimbs(locals, offset(b, FP))];
    const [left, right] = [sumsOf(locals, w.limbs, x.limbs), sumsOf(locals, y.limbs, z.limbs)];
    const [wy, xz] = [locals.i64(), locals.i64()];
    return [
      ...[w.code, x.code, y.code, z.code, left.code, right.code],
      reduce(
        locals,
        [
          { result, column: () => i64.sub(wy.get, xz.get) },
          {
            result: offset(result, FP),
            column: (index) => i64.sub(i64.sub(productsOf(left.limbs, right.limbs, index), wy.get), xz.get),
          },
        ],
        (index) => [wy.set(productsOf(w.limbs, y.limbs, index)), xz.set(productsOf(x.limbs, z.limbs, index))],
      ),
    ];
  });
  /** (x + yu)² = (x + y)(x - y) + 2xyu. */
  const square = assembler.define('squareFp2', 2, (locals) => {
    const [result, a] = locals.parameters(2) as [Code, Code];
    const [x, y] = [loadLimbs(locals, a), loadLimbs(locals, offset(a, FP))];
    const sums = sumsOf(locals, x.limbs, y.limbs);
    const [differences, doubled] = [locals.i64s(LIMBS), locals.i64s(LIMBS)];
    return [
      ...[x.code, y.code, sums.code],
      differences.map((limb, index) => limb.set(i64.sub(limbAt(x.limbs, index), limbAt(y.limbs, index)))),
      doubled.map((limb, index) => limb.set(i64.shl(limbAt(x.limbs, index), i64.const(1n)))),
      reduce(locals, [
        { result, column: (index) => productsOf(sums.limbs, differences, index) },
        { result: offset(result, FP), column: (index) => productsOf(doubled, y.limbs, index) },
      ]),
    ];
  });
  const scale = assembler.define('scaleFp2', 3, (locals) => {
    const [result, a, factor] = locals.parameters(3) as [Code, Code, Code];
    return [multiplyFp(result, a, factor), multiplyFp(offset(result, FP), offset(a, FP), factor)];
  });
  /** (x + yu)^p = x - yu. */
  assembler.define('conjugateFp2', 2, (locals) => {
    const [result, a] = locals.parameters(2) as [Code, Code];
    return [reducedSum(locals, result, [[1n, a]]), reducedSum(locals, offset(result, FP), [[-1n, offset(a, FP)]])];
  });
  /** A sum in Fp2, of the elements at the addresses that follow the result's. */
  const linear = (name: string, ...terms: readonly (readonly [factor: bigint, timesXi?: 'xi'])[]) =>
    assembler.define(name, terms.length + 1, (locals) => {
      const [result, ...elements] = locals.parameters(terms.length + 1) as [Code, ...Code[]];
      return reducedSum2(
        locals,
        result,
        terms.map(([factor, ...xi], index): Multiple => [factor, elements[index] as Code, ...xi]),
      );
    });
  /** A sum that is not reduced: a factor of one product. */
  const looseSum = assembler.define('looseSum', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    return Array.from({ length: FP2 / VECTOR }, (_, index) =>
      i32x4.store(result, i32x4.add(i32x4.load(a, VECTOR * index), i32x4.load(b, VECTOR * index)), VECTOR * index),
    );
  });
  return {
    ...{ multiplyFp, multiply, square, scale, linear, looseSum },
    add: linear('addFp2', [1n], [1n]),
    addTimesXi: linear('addTimesXi', [1n], [1n, 'xi']),
    minusTwo: linear('minusTwo', [1n], [-1n], [-1n]),
  };
};

type Fp2 = ReturnType<typeof defineFp2>;

const defineFp6 = (assembler: Assembler, room: Room, { multiply, looseSum, linear, minusTwo }: Fp2) => {
  const foldedUp = linear('foldedUp', [1n], [1n, 'xi'], [-1n, 'xi'], [-1n, 'xi']);
  const foldedOnce = linear('foldedOnce', [1n], [-1n], [-1n], [1n, 'xi']);
  const foldedNever = linear('foldedNever', [1n], [-1n], [-1n], [1n]);
  const addProductTimesXi = linear('addProductTimesXi', [1n], [1n, 'xi'], [1n, 'xi']);
  const addThree = linear('addThree', [1n], [1n], [1n]);
  const minusTwoPlusXi = linear('minusTwoPlusXi', [1n], [-1n], [-1n], [1n, 'xi']);
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
        isSquare ? minusTwoPlusXi(r1, m, t0, t1, o2) : foldedNever(r1, m, t0, t1, o0),
        addThree(r2, t, t1, isSquare ? o0 : o1),
      ];
    });
  return {
    multiplyFp6,
    minusTwo,
    lineAndV: lineProduct('lineAndV', false),
    lineAndSquareOfV: lineProduct('lineAndSquareOfV', true),
  };
};

const defineFp12 = (assembler: Assembler, room: Room, fp2: Fp2, fp6: ReturnType<typeof defineFp6>): void => {
  const { add, addTimesXi, minusTwo, linear, looseSum, square, scale } = fp2;
  const { multiplyFp6, lineAndV, lineAndSquareOfV } = fp6;
  const minusAndXi = linear('minusAndXi', [1n], [-1n], [-1n, 'xi']);
  const twice = linear('twice', [2n]);
  const negate = linear('negate', [-1n]);
  const copy = linear('copy', [1n]);
  const eachOf3 = (make: (index: number) => Code): Code => [0, 1, 2].map((index) => make(FP2 * index));
  const add6 = (result: Code, a: Code, b: Code): Code =>
    eachOf3((at) => add(offset(result, at), offset(a, at), offset(b, at)));
  /** a + v·b. */
  const addTimesV = (result: Code, a: Code, b: Code): Code => {
    const [b0, b1, b2] = coefficients(b, 3) as [Code, Code, Code];
    return [
      addTimesXi(result, a, b2),
      add(offset(result, FP2), offset(a, FP2), b0),
      add(offset(result, 2 * FP2), offset(a, 2 * FP2), b1),
    ];
  };

  assembler.define('multiplyFp12', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    const [t0, t1, s, t, m] = room.fp6s(5) as [Code, Code, Code, Code, Code];
    const [a1, b1] = [offset(a, FP6), offset(b, FP6)];
    return [
      ...[multiplyFp6(t0, a, b), multiplyFp6(t1, a1, b1)],
      ...[add6(s, a, a1), add6(t, b, b1), multiplyFp6(m, s, t)],
      addTimesV(result, t0, t1),
      eachOf3((at) => minusTwo(offset(result, FP6 + at), offset(m, at), offset(t0, at), offset(t1, at))),
    ];
  });

  assembler.define('squareFp12', 2, (locals) => {
    const [result, a] = locals.parameters(2) as [Code, Code];
    const a1 = offset(a, FP6);
    const [t, s, u, m] = room.fp6s(4) as [Code, Code, Code, Code];
    const [t0, t1, t2] = coefficients(t, 3) as [Code, Code, Code];
    return [
      ...[multiplyFp6(t, a, a1), add6(s, a, a1), addTimesV(u, a, a1), multiplyFp6(m, s, u)],
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
      scale(scaled, line, scales),
      scale(offset(scaled, FP2), offset(line, FP2), offset(scales, FP)),
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

  const real = linear('realPart', [3n], [3n, 'xi'], [-2n]);
  const imaginary = linear('imaginaryPart', [3n], [-3n], [-3n], [2n]);
  const imaginaryTimesXi = linear('imaginaryPartTimesXi', [3n, 'xi'], [-3n, 'xi'], [-3n, 'xi'], [2n]);
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
  assembler.define('squareUnitary', 3, (locals) => {
    const [result, a, times] = locals.parameters(3) as [Code, Code, Code];
    const left = locals.i32();
    const countDown = left.set(i32.sub(left.get, i32.const(1)));
    return [
      squareOnce(result, a),
      ...[left.set(times), countDown],
      when(left.get, loop([squareOnce(result, result), countDown, branchIf(left.get, 0)])),
    ];
  });
};

/** @param byteCount memory for callers */
export const createFieldProgram = (byteCount: number): FieldProgram => {
  const assembler = new Assembler();
  const room = new Room();
  const fp2 = defineFp2(assembler);
  fp2.linear('subtractFp2', [1n], [-1n]);
  fp2.linear('subtractTimesXi', [1n], [-1n, 'xi']);
  fp2.linear('timesXiMinus', [1n, 'xi'], [-1n]);
  const fp6 = defineFp6(assembler, room, fp2);
  defineFp12(assembler, room, fp2, fp6);
  const free = room.end;
  const { functions, ...rest } = assembler.instantiate(free + byteCount);
  return { ...rest, functions: functions as unknown as FieldFunctions, free };
};
