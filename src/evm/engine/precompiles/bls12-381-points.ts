/**
 * Pairs of points of BLS12-381's first curve, y² = x³ + 4, one in each lane: as (X / Z, Y / Z), infinity with Z = 0. The
 * formulas hold for all points, whether equal, opposite or infinite, since the curve has no point of order two (Renes,
 * Costello and Batina, "Complete addition formulas for prime order elliptic curves", algorithms 7 and 9).
 */
import { type Assembler, type Code, repeated } from './assembler.ts';
import type { Fp2 } from './bls12-381-fp2.ts';
import { exchangedLanes, FP2, lanesOf, offset, sumOfLaneProducts } from './bls12-381-limbs.ts';

/** Bytes of a pair of points. */
export const POINTS = 3 * FP2;

/** Three times the curve's 4. */
const B3 = 12;

/** Results may share an address with operands. */
export interface PointFunctions {
  /** Doubles so many times, at least once. */
  doublePoints(result: number, a: number, times: number): void;
  addPoints(result: number, a: number, b: number): void;
  /** The first point of one pair beside the second of another. */
  pickPoints(result: number, first: number, second: number): void;
  /** Both points in each other's place. */
  exchangePoints(result: number, a: number): void;
  negateLanes(result: number, a: number): void;
}

const coordinates = (points: Code): readonly [Code, Code, Code] => [
  points,
  offset(points, FP2),
  offset(points, 2 * FP2),
];

/** @param takePair gives the address of a pair for an intermediate result */
export const definePoints = (assembler: Assembler, fp2: Fp2, takePair: () => Code): void => {
  const { multiplyLanes, squareLanes, linear, reducedLinear, looseSum, minusTwo } = fp2;
  const pairs = (count: number): Code[] => Array.from({ length: count }, takePair);
  const sumOfProducts = assembler.define('sumOfProducts', 5, (locals) => {
    const [result, ...factors] = locals.parameters(5) as [Code, Code, Code, Code, Code];
    return sumOfLaneProducts(locals, result, factors, false);
  });
  const differenceOfProducts = assembler.define('differenceOfProducts', 5, (locals) => {
    const [result, ...factors] = locals.parameters(5) as [Code, Code, Code, Code, Code];
    return sumOfLaneProducts(locals, result, factors, true);
  });
  linear('negateLanes', [-1]);
  const eightfold = reducedLinear('eightfold', [8]);
  const timesB3 = reducedLinear('timesB3', [B3]);
  const minusThreefold = linear('minusThreefold', [1], [-3]);
  const threefold = linear('threefold', [3]);
  const minus = linear('minusLanes', [1], [-1]);
  const minusTwoTimesB3 = reducedLinear('minusTwoTimesB3', [B3], [-B3], [-B3]);

  const doubleOnce = assembler.define('doublePointsOnce', 2, (locals) => {
    const [result, a] = locals.parameters(2) as [Code, Code];
    const [x, y, z] = coordinates(a);
    const [sumX, sumY, sumZ] = coordinates(result);
    const [yy, zz, xy, yz, yy8, s, t, u] = pairs(8) as [Code, Code, Code, Code, Code, Code, Code, Code];
    return [
      ...[squareLanes(yy, y), squareLanes(zz, z), multiplyLanes(yz, y, z), multiplyLanes(xy, x, y)],
      ...[timesB3(zz, zz), eightfold(yy8, yy), looseSum(s, yy, zz), minusThreefold(t, yy, zz), looseSum(u, t, t)],
      multiplyLanes(sumX, u, xy),
      sumOfProducts(sumY, t, s, zz, yy8),
      multiplyLanes(sumZ, yz, yy8),
    ];
  });
  repeated(assembler, 'doublePoints', doubleOnce);

  assembler.define('addPoints', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    const [x1, y1, z1] = coordinates(a);
    const [x2, y2, z2] = coordinates(b);
    const [sumX, sumY, sumZ] = coordinates(result);
    const [xx, yy, zz, xy, yz, xz, s, t] = pairs(8) as [Code, Code, Code, Code, Code, Code, Code, Code];
    const mixed = (into: Code, [p, q]: readonly [Code, Code], [v, w]: readonly [Code, Code]): Code => [
      ...[looseSum(s, p, q), looseSum(t, v, w), multiplyLanes(into, s, t)],
    ];
    return [
      ...[multiplyLanes(xx, x1, x2), multiplyLanes(yy, y1, y2), multiplyLanes(zz, z1, z2)],
      ...[mixed(xy, [x1, y1], [x2, y2]), mixed(yz, [y1, z1], [y2, z2]), mixed(xz, [x1, z1], [x2, z2])],
      ...[minusTwo(xy, xy, xx, yy), minusTwo(yz, yz, yy, zz), minusTwoTimesB3(xz, xz, xx, zz)],
      ...[timesB3(zz, zz), looseSum(s, yy, zz), minus(t, yy, zz), threefold(xx, xx)],
      differenceOfProducts(sumX, xy, t, yz, xz),
      sumOfProducts(sumY, t, s, xz, xx),
      sumOfProducts(sumZ, s, yz, xx, xy),
    ];
  });

  const each = (make: (at: number) => Code): Code => [0, FP2, 2 * FP2].map(make);
  assembler.define('pickPoints', 3, (locals) => {
    const [result, first, second] = locals.parameters(3) as [Code, Code, Code];
    return each((at) => lanesOf(offset(result, at), offset(first, at), offset(second, at)));
  });
  assembler.define('exchangePoints', 2, (locals) => {
    const [result, a] = locals.parameters(2) as [Code, Code];
    return each((at) => exchangedLanes(locals, offset(result, at), offset(a, at)));
  });
};
