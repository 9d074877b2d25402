import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { describe, expect, it } from 'vitest';
import { type Complex, type G1Point, type G2Point, PairingCurve } from './pairing-curve.ts';

const bls = await PairingCurve.open('bls12-381');
const bn = await PairingCurve.open('bn254');

type NobleG1 = InstanceType<typeof bls12_381.G1.Point>;
type NobleG2 = InstanceType<typeof bls12_381.G2.Point>;

/** A point of another library as one of `curve`. */
const g1 = (curve: PairingCurve, point: NobleG1): G1Point => {
  const { x, y } = point.toAffine();
  return curve.g1(x, y) ?? curve.infinity1;
};
const g2 = (curve: PairingCurve, point: NobleG2): G2Point => {
  const { x, y } = point.toAffine();
  const complex = ({ c0, c1 }: { readonly c0: bigint; readonly c1: bigint }): Complex => [c0, c1];
  return curve.g2(complex(x), complex(y)) ?? curve.infinity2;
};

const { G1, G2 } = bls12_381;
const P = G1.Point.BASE.multiply(7n);
const Q = G2.Point.BASE.multiply(11n);

describe.each([
  { name: 'BLS12-381', curve: bls, library: bls12_381 },
  { name: 'BN254', curve: bn, library: bn254 },
])('$name', ({ curve, library }) => {
  const base1 = library.G1.Point.BASE as unknown as NobleG1;
  const base2 = library.G2.Point.BASE as unknown as NobleG2;

  it('adds up multiples of points as another library does', () => {
    const [a, b] = [base1.multiply(5n), base1.multiply(9n)];
    const sum = curve.sum([
      [g1(curve, a), 12_345_678_901_234_567_890n],
      [g1(curve, b), -3n],
      [g1(curve, a), 0n],
      [curve.infinity1, 8n],
    ]);
    const expected = a.multiply(12_345_678_901_234_567_890n).subtract(b.multiply(3n));
    expect(curve.affine(sum)).toEqual(expected.toAffine());
    const many = Array.from({ length: 150 }, (_, i) => [g1(curve, a), BigInt(i)] as const);
    expect(curve.affine(curve.sum(many))).toEqual(a.multiply(11_175n).toAffine());
    const order = curve.order;
    expect(curve.isInfinite(curve.sum([[g1(curve, a), order]]))).toBe(true);
    expect(curve.isInfinite(curve.sum([]))).toBe(true);
  });

  it('says when a product of pairings is 1', () => {
    const times = (factor: bigint): readonly [G1Point, G2Point] => [
      curve.sum([[g1(curve, base1), factor]]),
      g2(curve, base2.multiply(3n)),
    ];
    expect(curve.isProductOne([times(2n), times(5n), times(-7n)])).toBe(true);
    expect(curve.isProductOne([times(2n), times(5n), times(-8n)])).toBe(false);
    expect(curve.isProductOne([[curve.infinity1, g2(curve, base2)]])).toBe(true);
    expect(curve.isProductOne([[g1(curve, base1), curve.infinity2]])).toBe(true);
    expect(curve.isProductOne([])).toBe(true);
  });

  it('knows points that are not on the curve', () => {
    const { x, y } = base1.toAffine();
    expect(curve.g1(x, y + 1n)).toBeUndefined();
    expect(curve.g2([1n, 2n], [3n, 4n])).toBeUndefined();
    expect(curve.hasOrder(g1(curve, base1))).toBe(true);
    expect(curve.hasOrder(g2(curve, base2))).toBe(true);
  });
});

describe('points of BLS12-381', () => {
  it('are compressed as another library does', () => {
    expect(bls.compressed(g1(bls, P))).toEqual(new Uint8Array(P.toBytes(true)));
    expect(bls.compressed(g1(bls, P.negate()))).toEqual(new Uint8Array(P.negate().toBytes(true)));
    expect(bls.compressed(bls.negative(g1(bls, P)))).toEqual(new Uint8Array(P.negate().toBytes(true)));
    expect(bls.compressed(g2(bls, Q))).toEqual(new Uint8Array(Q.toBytes(true)));
    expect(bls.compressed(bls.infinity1)).toEqual(new Uint8Array(G1.Point.ZERO.toBytes(true)));
    expect(bls.compressed(bls.infinity2)).toEqual(new Uint8Array(G2.Point.ZERO.toBytes(true)));
  });

  it('outside the group of prime order are told from those in it', () => {
    // On the curve y² = x³ + 4, of another order.
    const { Fp } = bls12_381.fields;
    let x = 1n;
    let y: bigint | undefined;
    for (; y === undefined; x++) {
      const square = Fp.add(Fp.mul(Fp.sqr(x), x), 4n);
      const root = Fp.pow(square, (Fp.ORDER + 1n) / 4n);
      if (Fp.eql(Fp.sqr(root), square) && !G1.Point.fromAffine({ x, y: root }).isTorsionFree()) y = root;
      if (y !== undefined) break;
    }
    const point = bls.g1(x, y as bigint) as G1Point;
    expect(bls.hasOrder(point)).toBe(false);
  });

  it('are hashed from messages as RFC 9380 says', () => {
    const domain = 'QUUX-V01-CS02-with-BLS12381G2_XMD:SHA-256_SSWU_RO_';
    for (const message of ['', 'abc', 'q'.repeat(128)]) {
      const expected = G2.hashToCurve(Buffer.from(message), { DST: domain }) as NobleG2;
      expect(bls.compressed(bls.hashTo2(Buffer.from(message), domain))).toEqual(new Uint8Array(expected.toBytes(true)));
    }
    expect(() => bls.hashTo2(Buffer.alloc(1_000), domain)).toThrow(RangeError);
  });
});
