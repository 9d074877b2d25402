import { bls12_381 } from '@noble/curves/bls12-381.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openField } from './bls12-381-field.ts';
import { PRIME } from './bls12-381-limbs.ts';
import { createOpenings, PAIRS_FOR_OPENINGS, type Projective } from './bls12-381-openings.ts';

const { Fp, Fr } = bls12_381.fields;
const G1 = bls12_381.G1.Point;
type Point = typeof G1.BASE;

const openings = createOpenings(openField(PAIRS_FOR_OPENINGS));
const pointOf = ({ x, y, z }: Projective): Point => new G1(x, y, z);

/** What another library makes of the same; undefined when it refuses a point. */
const expected = (commitment: Uint8Array, proof: Uint8Array, z: bigint, y: bigint): [Point, Point] | undefined => {
  try {
    const [c, p] = [G1.fromBytes(commitment), G1.fromBytes(proof)];
    c.assertValidity();
    p.assertValidity();
    return [p, c.add(p.multiplyUnsafe(z)).add(G1.BASE.multiplyUnsafe(y).negate())];
  } catch {
    return undefined;
  }
};

const agree = (commitment: Uint8Array, proof: Uint8Array, z: bigint, y: bigint): boolean => {
  const opening = openings.open({ commitment, proof }, z, y);
  const other = expected(commitment, proof, z, y);
  expect(opening === undefined).toBe(other === undefined);
  if (opening === undefined || other === undefined) return false;
  expect(pointOf(opening.proof).equals(other[0])).toBe(true);
  expect(pointOf(opening.sum).equals(other[1])).toBe(true);
  return true;
};

const INFINITY = Uint8Array.from([0xc0, ...new Array<number>(47).fill(0)]);
const X = 0xd201000000010000n;
const scalar = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt({ min: 0n, max: Fr.ORDER - 1n }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0n, 1n, 2n, X - 1n, X, X * X - 1n, X * X, X ** 3n - 1n, X ** 3n, Fr.ORDER - 1n),
  },
);
const member = fc.oneof(
  { weight: 5, arbitrary: fc.bigInt({ min: 1n, max: Fr.ORDER - 1n }).map((factor) => G1.BASE.multiply(factor)) },
  { weight: 1, arbitrary: fc.constantFrom(G1.BASE, G1.BASE.negate()) },
);
const encoded = fc.oneof(
  { weight: 8, arbitrary: member.map((point) => point.toBytes(true)) },
  { weight: 1, arbitrary: fc.constant(INFINITY) },
);
/** Bytes that mostly are no point, or none of the group. */
const odd = fc.oneof(
  fc.uint8Array({ minLength: 48, maxLength: 48 }),
  fc
    .tuple(fc.bigInt({ min: 0n, max: PRIME + 1_000n }), fc.constantFrom(0x80, 0xa0, 0xc0, 0xe0, 0, 0x20, 0x40))
    .map(([x, flags]) => {
      const bytes = Uint8Array.from(Buffer.from(x.toString(16).padStart(96, '0'), 'hex'));
      bytes[0] = (bytes[0] as number) | flags;
      return bytes;
    }),
  fc.constantFrom(
    Uint8Array.from([0xc0, ...new Array<number>(46).fill(0), 1]),
    Uint8Array.from([0xe0, ...new Array<number>(47).fill(0)]),
    // (0, 2) has order three.
    Uint8Array.from([0x80, ...new Array<number>(47).fill(0)]),
    Uint8Array.from([0xa0, ...new Array<number>(47).fill(0)]),
    Uint8Array.from([...new Array<number>(48).fill(0xff)]),
    Uint8Array.from([0x80, ...Buffer.from(PRIME.toString(16).padStart(96, '0'), 'hex').subarray(1)]),
  ),
);

describe('openings', () => {
  it('give the sum that another library gives', () => {
    fc.assert(
      fc.property(encoded, encoded, scalar, scalar, (commitment, proof, z, y) => {
        expect(agree(commitment, proof, z, y)).toBe(true);
      }),
      { numRuns: 120 },
    );
  });

  it('refuse what is no point of the group, in either place', () => {
    fc.assert(
      fc.property(odd, encoded, fc.boolean(), scalar, (bytes, point, isFirst, number) => {
        agree(isFirst ? bytes : point, isFirst ? point : bytes, number, 7n);
      }),
      { numRuns: 250 },
    );
  });

  it('refuse points of the curve outside of the group', () => {
    const outside = Array.from({ length: 40 }, (_, x) => BigInt(x)).flatMap((x) => {
      const square = Fp.add(Fp.pow(x, 3n), 4n);
      if (!Fp.eql(Fp.pow(square, (PRIME - 1n) / 2n), 1n)) return [];
      if (new G1(x, Fp.sqrt(square), 1n).isTorsionFree()) return [];
      const bytes = Uint8Array.from(Buffer.from(x.toString(16).padStart(96, '0'), 'hex'));
      bytes[0] = 0x80;
      return [bytes];
    });
    expect(outside.length).toBeGreaterThan(10);
    for (const bytes of outside) {
      expect(openings.open({ commitment: bytes, proof: G1.BASE.toBytes(true) }, 1n, 1n)).toBeUndefined();
      expect(openings.open({ commitment: G1.BASE.toBytes(true), proof: bytes }, 1n, 1n)).toBeUndefined();
    }
  });

  it('find infinity where everything cancels out', () => {
    const [z, y] = [12_345n, Fr.ORDER - 678n];
    const proof = G1.BASE.multiply(99n);
    const commitment = G1.BASE.multiply(y).subtract(proof.multiply(z));
    const opening = openings.open({ commitment: commitment.toBytes(true), proof: proof.toBytes(true) }, z, y);
    expect(opening?.sum.z).toBe(0n);
    expect(openings.open({ commitment: INFINITY, proof: INFINITY }, z, 0n)).toMatchObject({
      sum: { z: 0n },
      proof: { z: 0n },
    });
  });
});
