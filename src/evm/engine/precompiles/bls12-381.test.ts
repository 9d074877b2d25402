import { bls12_381 } from '@noble/curves/bls12-381.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Field, modulo, openField } from './bls12-381-field.ts';
import { FP2, FP12, PRIME } from './bls12-381-limbs.ts';
import { createProductCheck, type FirstPoint, pairsForChecks, type SecondPoint } from './bls12-381-pairing.ts';
import { POINTS } from './bls12-381-points.ts';
import { createInverse } from './inverse.ts';

const { Fp, Fp2, Fp6, Fp12, Fr } = bls12_381.fields;
type Twelve = Parameters<typeof Fp12.fromBigTwelve>[0];
type Element = ReturnType<typeof Fp12.fromBigTwelve>;

const element = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 0n, max: PRIME - 1n }) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 1n, 2n, PRIME - 1n, PRIME - 2n, (1n << 380n) - 1n) },
);
const twelve = fc.array(element, { minLength: 12, maxLength: 12 });

const flat = ({ c0, c1 }: Element): bigint[] =>
  [c0, c1].flatMap((half) => [half.c0, half.c1, half.c2].flatMap((part) => [part.c0, part.c1]));

describe('arithmetic of the field of BLS12-381', () => {
  const pairs = FP12 / FP2;
  const field = openField(4 * pairs);
  const { functions } = field;
  const [A, B, RESULT, SCALES] = [0, 1, 2, 3].map(() => field.allocate(pairs)) as [number, number, number, number];
  const write = (address: number, values: readonly bigint[]): void => {
    for (let i = 0; i < values.length; i += 2) {
      field.write(address + (FP2 * i) / 2, [values[i] as bigint, values[i + 1] as bigint]);
    }
  };
  const read = (address: number, count: number): bigint[] =>
    Array.from({ length: count / 2 }, (_, index) => field.read(address + FP2 * index)).flat();

  it('agrees with that of another library', () => {
    fc.assert(
      fc.property(twelve, twelve, (left, right) => {
        write(A, left);
        write(B, right);
        const [a, b] = [Fp12.fromBigTwelve(left as unknown as Twelve), Fp12.fromBigTwelve(right as unknown as Twelve)];
        const { c0: a2 } = a.c0;
        const { c0: b2 } = b.c0;
        const fp2 = ({ c0, c1 }: typeof a2): bigint[] => [c0, c1];
        const checks: readonly (readonly [run: () => void, expected: readonly bigint[]])[] = [
          [() => functions.multiplyLanes(RESULT, A, B), [Fp.mul(a2.c0, b2.c0), Fp.mul(a2.c1, b2.c1)]],
          [() => functions.squareLanes(RESULT, A, 1), [Fp.sqr(a2.c0), Fp.sqr(a2.c1)]],
          [() => functions.squareLanes(RESULT, A, 3), [Fp.pow(a2.c0, 8n), Fp.pow(a2.c1, 8n)]],
          [() => functions.negateLanes(RESULT, A), [Fp.neg(a2.c0), Fp.neg(a2.c1)]],
          [() => functions.copy(RESULT, A), [a2.c0, a2.c1]],
          [() => functions.multiplyFp2(RESULT, A, B), fp2(Fp2.mul(a2, b2))],
          [() => functions.squareFp2(RESULT, A), fp2(Fp2.sqr(a2))],
          [() => functions.conjugateFp2(RESULT, A), fp2(Fp2.frobeniusMap(a2, 1))],
          [() => functions.addFp2(RESULT, A, B), fp2(Fp2.add(a2, b2))],
          [() => functions.subtractFp2(RESULT, A, B), fp2(Fp2.sub(a2, b2))],
          [() => functions.addTimesXi(RESULT, A, B), fp2(Fp2.add(a2, Fp2.mulByNonresidue(b2)))],
          [() => functions.subtractTimesXi(RESULT, A, B), fp2(Fp2.sub(a2, Fp2.mulByNonresidue(b2)))],
          [() => functions.timesXiMinus(RESULT, A, B), fp2(Fp2.sub(Fp2.mulByNonresidue(a2), b2))],
          [() => functions.multiplyFp6(RESULT, A, B), flat({ c0: Fp6.mul(a.c0, b.c0), c1: b.c1 }).slice(0, 6)],
          [() => functions.multiplyFp12(RESULT, A, B), flat(Fp12.mul(a, b))],
          [() => functions.squareFp12(RESULT, A), flat(Fp12.sqr(a))],
          [() => functions.conjugate(RESULT, A), flat(Fp12.conjugate(a))],
        ];
        for (const [run, expected] of checks) {
          run();
          expect(read(RESULT, expected.length)).toEqual(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('multiplies by lines', () => {
    fc.assert(
      fc.property(twelve, twelve, (left, right) => {
        write(A, left);
        write(B, right);
        const [first, second] = right.slice(4, 6) as [bigint, bigint];
        write(SCALES, [first, first, second, second]);
        const [a, line] = [
          Fp12.fromBigTwelve(left as unknown as Twelve),
          Fp12.fromBigTwelve(right as unknown as Twelve),
        ];
        const scaled = Fp12.create({
          c0: {
            c0: Fp2.mul(line.c0.c0, line.c0.c2.c0),
            c1: Fp2.mul(line.c0.c1, line.c0.c2.c1),
            c2: Fp2.ZERO,
          },
          c1: { c0: Fp2.ZERO, c1: Fp2.ONE, c2: Fp2.ZERO },
        });
        functions.multiplyByLine(A, B, SCALES);
        expect(read(A, 12)).toEqual(flat(Fp12.mul(a, scaled)));
      }),
      { numRuns: 40 },
    );
  });

  it('multiplies and squares again and again without growing', () => {
    const one = Fp12.fromBigTwelve(
      Array.from({ length: 12 }, (_, i) => BigInt(i + 2) ** 160n % PRIME) as unknown as Twelve,
    );
    write(A, flat(one));
    write(RESULT, flat(one));
    let expected = one;
    for (let round = 0; round < 400; round++) {
      functions.squareFp12(RESULT, RESULT);
      functions.multiplyFp12(RESULT, RESULT, A);
      expected = Fp12.mul(Fp12.sqr(expected), one);
    }
    expect(read(RESULT, 12)).toEqual(flat(expected));
  });

  it('squares what is unitary, again and again without growing', () => {
    const some = Fp12.fromBigTwelve(
      Array.from({ length: 12 }, (_, i) => BigInt(i + 3) ** 150n % PRIME) as unknown as Twelve,
    );
    const ofNorm = Fp12.div(Fp12.conjugate(some), some);
    const unitary = Fp12.mul(Fp12.frobeniusMap(ofNorm, 2), ofNorm);
    for (const times of [1, 2, 3, 500]) {
      write(A, flat(unitary));
      functions.squareUnitary(RESULT, A, times);
      expect(read(RESULT, 12)).toEqual(flat(Fp12.pow(unitary, 1n << BigInt(times))));
    }
  });

  it('inverts', () => {
    const inverse = createInverse(PRIME);
    fc.assert(fc.property(fc.bigInt({ min: 1n, max: PRIME - 1n }), (value) => (inverse(value) * value) % PRIME === 1n));
  });
});

describe('products of pairings', () => {
  const [G1, G2] = [bls12_381.G1.Point.BASE, bls12_381.G2.Point.BASE];
  const first = (factor: bigint): FirstPoint => {
    const { x, y } = G1.multiply(factor).toAffine();
    const z = modulo(factor * 31n) + 1n;
    return { x: Fp.mul(x, z), y: Fp.mul(y, z), z };
  };
  const second = (factor: bigint): SecondPoint => {
    const { x, y } = G2.multiply(factor).toAffine();
    return { x: [x.c0, x.c1], y: [y.c0, y.c1] };
  };
  const scalar = fc.bigInt({ min: 1n, max: Fr.ORDER - 1n });

  it('are 1 just when the exponents cancel out', () => {
    const secret = 0x1234_5678_9abc_def0_1234_5678_9abc_def1n;
    const isOne = createProductCheck(openField(pairsForChecks(2)), [second(Fr.ORDER - 1n), second(secret)]);
    fc.assert(
      fc.property(scalar, scalar, (a, b) => {
        expect(isOne([first(Fr.mul(secret, a)), first(a)])).toBe(true);
        expect(isOne([first(b), first(a)])).toBe(b === Fr.mul(secret, a));
        expect(isOne([first(Fr.neg(Fr.mul(secret, a))), first(a)])).toBe(false);
      }),
      { numRuns: 12 },
    );
  });

  it('are those of any number of pairs', () => {
    expect(createProductCheck(openField(pairsForChecks(1)), [second(5n)])([first(7n)])).toBe(false);
    const isOne = createProductCheck(openField(pairsForChecks(3)), [second(5n), second(7n), second(11n)]);
    expect(isOne([first(2n), first(3n), first(Fr.neg(Fr.div(31n, 11n)))])).toBe(true);
    expect(isOne([first(2n), first(3n), first(Fr.neg(Fr.div(32n, 11n)))])).toBe(false);
  });
});

describe('pairs of points', () => {
  const G1 = bls12_381.G1.Point;
  type Point = typeof G1.BASE;
  const field = openField(9);
  const { functions } = field;
  const [A, B, RESULT] = [0, 1, 2].map(() => field.allocate(POINTS / FP2)) as [number, number, number];
  /** Also with other coordinates for the same point. */
  const write = (address: number, [first, second]: readonly [Point, Point], factor: bigint): void => {
    const scaled = (value: bigint): bigint => modulo(value * factor);
    field.write(address, [scaled(first.X), scaled(second.X)]);
    field.write(address + FP2, [scaled(first.Y), scaled(second.Y)]);
    field.write(address + 2 * FP2, [scaled(first.Z), scaled(second.Z)]);
  };
  const read = (address: number): [Point, Point] => {
    const [x, y, z] = [0, FP2, 2 * FP2].map((at) => field.read(address + at)) as [
      ReturnType<Field['read']>,
      ReturnType<Field['read']>,
      ReturnType<Field['read']>,
    ];
    return [new G1(x[0], y[0], z[0]), new G1(x[1], y[1], z[1])];
  };
  const same = (points: readonly [Point, Point], expected: readonly [Point, Point]): void => {
    expect(points.map((point, lane) => point.equals(expected[lane] as Point))).toEqual([true, true]);
  };
  /** Of the curve, but of order three. */
  const small = new G1(0n, 2n, 1n);
  const point = fc.oneof(
    fc.bigInt({ min: 1n, max: Fr.ORDER - 1n }).map((scalar) => G1.BASE.multiply(scalar)),
    fc.constantFrom(G1.ZERO, G1.BASE, G1.BASE.negate(), small, small.negate(), G1.BASE.add(small)),
  );
  const both = fc.tuple(point, point);
  const factors = fc.bigInt({ min: 1n, max: PRIME - 1n });

  it('are added and doubled as another library does it, equal, opposite, infinite and of small order too', () => {
    fc.assert(
      fc.property(both, both, factors, (left, right, factor) => {
        write(A, left, factor);
        write(B, right, 1n);
        functions.addPoints(RESULT, A, B);
        same(read(RESULT), [left[0].add(right[0]), left[1].add(right[1])]);
        functions.addPoints(RESULT, A, A);
        same(read(RESULT), [left[0].double(), left[1].double()]);
        functions.doublePoints(RESULT, A, 1);
        same(read(RESULT), [left[0].double(), left[1].double()]);
        functions.doublePoints(A, A, 3);
        same(read(A), [left[0].double().double().double(), left[1].double().double().double()]);
        functions.pickPoints(RESULT, A, B);
        same(read(RESULT), [left[0].double().double().double(), right[1]]);
        functions.exchangePoints(B, B);
        same(read(B), [right[1], right[0]]);
      }),
      { numRuns: 60 },
    );
  });

  it('do not grow when they are doubled again and again', () => {
    write(A, [G1.BASE, small], 3n);
    functions.doublePoints(A, A, 1_000);
    same(read(A), [G1.BASE.multiply(Fr.pow(2n, 1_000n)), small]);
  });
});
