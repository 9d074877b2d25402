/**
 * Whether pairings on BLS12-381 have the product 1, where the points of the second group are known beforehand: the lines
 * of their Miller loops are kept (Costello and Stebila, "Fixed argument pairings"), and all loops share their squarings.
 */
import { type Field, modulo, type Pair } from './bls12-381-field.ts';
import { CURVE_PARAMETER, FP2, FP6, FP12, PRIME } from './bls12-381-limbs.ts';

/** A point that is not infinity: (x / z, y / z), with coordinates below p. */
export interface FirstPoint {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
}

/** A point of the group of order r on the twist. */
export interface SecondPoint {
  readonly x: Pair;
  readonly y: Pair;
}

const PAIRS_IN_FP6 = FP6 / FP2;
const PAIRS_IN_FP12 = FP12 / FP2;
/** Pairs of a line, and of what a line is multiplied by. */
const LINE = 2;
const SCALES = 2;

const multiply = ([a, b]: Pair, [c, d]: Pair): Pair => [modulo(a * c - b * d), modulo(a * d + b * c)];
const subtract = ([a, b]: Pair, [c, d]: Pair): Pair => [modulo(a - c), modulo(b - d)];
const times = (factor: bigint, [a, b]: Pair): Pair => [modulo(factor * a), modulo(factor * b)];
const power = (base: Pair, exponent: bigint): Pair => {
  let result: Pair = [1n, 0n];
  for (const digit of exponent.toString(2)) {
    result = multiply(result, result);
    if (digit === '1') result = multiply(result, base);
  }
  return result;
};

/** From the second highest bit on. */
const parameterBits = [...CURVE_PARAMETER.toString(2)].slice(1).map((digit) => digit === '1');
const linesPerPoint = parameterBits.reduce((sum, isSet) => sum + (isSet ? 2 : 1), 0);

type Inverse = Field['inverse'];

const inverseOf = ([a, b]: Pair, inverse: Inverse): Pair => {
  const norm = inverse(modulo(a * a + b * b));
  return [modulo(a * norm), modulo(-b * norm)];
};

/**
 * The lines through a running multiple of the point, without the coordinates of the first group's point: -slope, which is
 * to be multiplied by its x, and slope · x - y. All of a line is divided by that point's y, which the pairing forgets.
 */
const linesOf = (point: SecondPoint, inverse: Inverse): readonly (readonly [constant: Pair, ofX: Pair])[] => {
  const lines: (readonly [Pair, Pair])[] = [];
  let { x, y } = point;
  const step = (slope: Pair, otherX: Pair): void => {
    lines.push([subtract(multiply(slope, x), y), times(-1n, slope)]);
    const sumX = subtract(subtract(multiply(slope, slope), x), otherX);
    y = subtract(multiply(slope, subtract(x, sumX)), y);
    x = sumX;
  };
  for (const isSet of parameterBits) {
    step(multiply(times(3n, multiply(x, x)), inverseOf(times(2n, y), inverse)), x);
    if (isSet) step(multiply(subtract(y, point.y), inverseOf(subtract(x, point.x), inverse)), point.x);
  }
  return lines;
};

/** Degrees in w of the coefficients of an element of Fp12, in their order in memory. */
const degrees = [0, 2, 4, 1, 3, 5] as const;

/** Pairs of the field's memory for a check of so many pairings. */
export const pairsForChecks = (points: number): number => points * (linesPerPoint * LINE + SCALES) + 12 * PAIRS_IN_FP12;

/**
 * @param points as many as there are pairings
 * @returns whether the product of the pairings of as many points with them is 1
 */
export const createProductCheck = (
  field: Field,
  points: readonly SecondPoint[],
): ((firsts: readonly FirstPoint[]) => boolean) => {
  const { functions, allocate, write, read, inverse } = field;
  const loops = points.map((point) => {
    const [scales, lines] = [allocate(SCALES), allocate(linesPerPoint * LINE)];
    for (const [index, [constant, ofX]] of linesOf(point, inverse).entries()) {
      write(lines + FP2 * LINE * index, constant);
      write(lines + FP2 * (LINE * index + 1), ofX);
    }
    return { scales, lines };
  });

  // What raising to the power p multiplies the coefficients by, beside conjugating them; and the same for p².
  const xi = power([1n, 1n], (PRIME - 1n) / 6n);
  const frobenius = degrees.map((degree) => {
    const [place, placeOfSquare] = [allocate(1), allocate(1)];
    const value = power(xi, BigInt(degree));
    write(place, value);
    const norm = modulo(value[0] * value[0] + value[1] * value[1]);
    write(placeOfSquare, [norm, norm]);
    return { place, placeOfSquare };
  });
  const raiseToP = (result: number, a: number): void => {
    for (const [index, { place }] of frobenius.entries()) {
      functions.conjugateFp2(result + FP2 * index, a + FP2 * index);
      functions.multiplyFp2(result + FP2 * index, result + FP2 * index, place);
    }
  };
  const raiseToPSquared = (result: number, a: number): void => {
    for (const [index, { placeOfSquare }] of frobenius.entries()) {
      functions.multiplyLanes(result + FP2 * index, a + FP2 * index, placeOfSquare);
    }
  };

  const [value, unitary, temporary, t0, t1, t2, raised] = Array.from({ length: 7 }, () => allocate(PAIRS_IN_FP12)) as [
    ...[number, number, number, number],
    ...[number, number, number],
  ];
  const [norm, cofactors, squares] = [0, 1, 2].map(() => allocate(PAIRS_IN_FP6)) as [number, number, number];
  const [u, v, one, zero] = [0, 1, 2, 3].map(() => allocate(1)) as [number, number, number, number];
  write(one, [1n, 0n]);
  write(zero, [0n, 0n]);

  const millerLoop = (firsts: readonly FirstPoint[]): void => {
    for (let i = 0; i < PAIRS_IN_FP12; i++) functions.copy(value + FP2 * i, i === 0 ? one : zero);
    const inverted = inverse(firsts.reduce((all, { y }) => modulo(all * y), 1n));
    for (const [index, { x, z }] of firsts.entries()) {
      const others = firsts.reduce((all, other, at) => (at === index ? all : modulo(all * other.y)), inverted);
      const scales = loops[index]?.scales as number;
      const [ofConstant, ofX] = [modulo(z * others), modulo(x * others)];
      write(scales, [ofConstant, ofConstant]);
      write(scales + FP2, [ofX, ofX]);
    }
    let line = 0;
    const multiplyByLines = (): void => {
      for (const { scales, lines } of loops) functions.multiplyByLine(value, lines + FP2 * LINE * line, scales);
      line++;
    };
    for (const isSet of parameterBits) {
      if (line > 0) functions.squareFp12(value, value);
      multiplyByLines();
      if (isSet) multiplyByLines();
    }
  };

  /** 1 / (a² - v·b²), by which a - bw is the inverse of a + bw. */
  const invertNorm = (): void => {
    const { multiplyFp6, multiplyFp2, squareFp2, subtractFp2, subtractTimesXi, timesXiMinus, addFp2, addTimesXi } =
      functions;
    const [n0, n1, n2] = [norm, norm + FP2, norm + 2 * FP2];
    const [c0, c1, c2] = [cofactors, cofactors + FP2, cofactors + 2 * FP2];
    multiplyFp6(norm, value, value);
    multiplyFp6(squares, value + FP6, value + FP6);
    subtractTimesXi(n0, n0, squares + 2 * FP2);
    subtractFp2(n1, n1, squares);
    subtractFp2(n2, n2, squares + FP2);
    const cofactor = (into: number, square: number, a: number, b: number, combine: typeof subtractFp2): void => {
      squareFp2(u, square);
      multiplyFp2(v, a, b);
      combine(into, u, v);
    };
    cofactor(c0, n0, n1, n2, subtractTimesXi);
    cofactor(c1, n2, n0, n1, timesXiMinus);
    cofactor(c2, n1, n0, n2, subtractFp2);
    multiplyFp2(u, n2, c1);
    multiplyFp2(v, n1, c2);
    addFp2(u, u, v);
    multiplyFp2(v, n0, c0);
    addTimesXi(n0, v, u);
    write(u, inverseOf(read(n0), inverse));
    for (const at of [0, FP2, 2 * FP2]) multiplyFp2(norm + at, cofactors + at, u);
  };

  /** To the power of the curve's parameter, which is negative. */
  const raiseToParameter = (result: number, a: number): void => {
    let from = a;
    let squarings = 0;
    for (const isSet of parameterBits) {
      squarings++;
      if (!isSet) continue;
      functions.squareUnitary(raised, from, squarings);
      functions.multiplyFp12(raised, raised, a);
      [from, squarings] = [raised, 0];
    }
    if (squarings > 0) functions.squareUnitary(raised, raised, squarings);
    functions.conjugate(result, raised);
  };

  const isOne = (element: number): boolean => {
    for (let i = 0; i < PAIRS_IN_FP12; i++) {
      const [real, imaginary] = read(element + FP2 * i);
      if (real !== (i === 0 ? 1n : 0n) || imaginary !== 0n) return false;
    }
    return true;
  };

  /**
   * Raises to three times (p^12 - 1) / r, which is 1 just when the third of it is: (p^6 - 1)(p² + 1), then
   * (x - 1)²(x + p)(x² + p² - 1) + 3 (Hayashida, Hayasaka and Teruya, "Efficient final exponentiation via cyclotomic
   * structure for pairings over families of elliptic curves").
   */
  const isForgotten = (): boolean => {
    const { multiplyFp12, multiplyFp6, conjugate, squareUnitary } = functions;
    invertNorm();
    conjugate(unitary, value);
    multiplyFp12(temporary, unitary, unitary);
    multiplyFp6(t0, temporary, norm);
    multiplyFp6(t0 + FP6, temporary + FP6, norm);
    raiseToPSquared(t1, t0);
    multiplyFp12(unitary, t1, t0);

    const raiseToParameterLessOne = (result: number, a: number): void => {
      raiseToParameter(temporary, a);
      conjugate(result, a);
      multiplyFp12(result, temporary, result);
    };
    raiseToParameterLessOne(t0, unitary);
    raiseToParameterLessOne(t1, t0);
    raiseToParameter(t0, t1);
    raiseToP(temporary, t1);
    multiplyFp12(t0, t0, temporary);
    raiseToParameter(t1, t0);
    raiseToParameter(t2, t1);
    raiseToPSquared(temporary, t0);
    multiplyFp12(t2, t2, temporary);
    conjugate(temporary, t0);
    multiplyFp12(t2, t2, temporary);
    squareUnitary(temporary, unitary, 1);
    multiplyFp12(temporary, temporary, unitary);
    multiplyFp12(t2, t2, temporary);
    return isOne(t2);
  };

  return (firsts) => {
    millerLoop(firsts);
    return isForgotten();
  };
};
