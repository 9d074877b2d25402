import { bls12_381 } from '@noble/curves/bls12-381.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FP, FP12, LIMBS, MONTGOMERY_FACTOR, PRIME } from './bls12-381-limbs.ts';
import { createProductCheck, type FirstPoint, type SecondPoint } from './bls12-381-pairing.ts';
import { createFieldProgram } from './bls12-381-program.ts';
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
  const { functions, memory, free } = createFieldProgram(4 * FP12);
  const [A, B, RESULT, SCALES] = [0, 1, 2, 3].map((index) => free + FP12 * index) as [number, number, number, number];
  const factor = MONTGOMERY_FACTOR % PRIME;
  const write = (address: number, values: readonly bigint[]): void => {
    for (const [index, value] of values.entries()) {
      const form = (value * factor) % PRIME;
      for (let i = 0; i < LIMBS; i++) {
        memory.setInt32(address + FP * index + 4 * i, Number((form >> BigInt(28 * i)) & 0xfff_ffffn), true);
      }
    }
  };
  const read = (address: number, count: number): bigint[] =>
    Array.from({ length: count }, (_, index) => {
      let value = 0n;
      for (let i = LIMBS - 1; i >= 0; i--)
        value = (value << 28n) + BigInt(memory.getInt32(address + FP * index + 4 * i, true));
      return Fp.div(Fp.create(value), factor);
    });

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
          [() => functions.multiplyFp(RESULT, A, B), [Fp.mul(a2.c0, b2.c0)]],
          [() => functions.multiplyFp2(RESULT, A, B), fp2(Fp2.mul(a2, b2))],
          [() => functions.squareFp2(RESULT, A), fp2(Fp2.sqr(a2))],
          [() => functions.scaleFp2(RESULT, A, B), fp2(Fp2.mul(a2, b2.c0))],
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
        write(SCALES, right.slice(4, 6));
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
    return { x, y };
  };
  const second = (factor: bigint): SecondPoint => {
    const { x, y } = G2.multiply(factor).toAffine();
    return { x: [x.c0, x.c1], y: [y.c0, y.c1] };
  };
  const scalar = fc.bigInt({ min: 1n, max: Fr.ORDER - 1n });

  it('are 1 just when the exponents cancel out', () => {
    const secret = 0x1234_5678_9abc_def0_1234_5678_9abc_def1n;
    const isOne = createProductCheck([second(Fr.ORDER - 1n), second(secret)]);
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
    expect(createProductCheck([second(5n)])([first(7n)])).toBe(false);
    const isOne = createProductCheck([second(5n), second(7n), second(11n)]);
    expect(isOne([first(2n), first(3n), first(Fr.neg(Fr.div(31n, 11n)))])).toBe(true);
    expect(isOne([first(2n), first(3n), first(Fr.neg(Fr.div(32n, 11n)))])).toBe(false);
  });
});
