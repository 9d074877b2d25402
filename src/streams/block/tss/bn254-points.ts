import { bn254 } from '@noble/curves/bn254.js';
import type { G1Point, G2Point, PairingCurve } from '../../../curves/pairing-curve.ts';
import { BN254_FIELD_ORDER, invalid, littleEndian, power } from './field.ts';

/** BN254 points as arkworks compresses them: x little-endian, two flags in the top bits of its last byte. */

const BN254_G1_BYTES = 32;

const { Fp2 } = bn254.fields;

const FLAGS = 0xc0;
const LARGER_Y = 0x80;
const INFINITY = 0x40;

const FIELD = BN254_FIELD_ORDER;

const withoutFlags = (bytes: Uint8Array): { readonly flags: number; readonly x: Uint8Array } => {
  const x = new Uint8Array(bytes);
  const last = x.length - 1;
  const flags = (x[last] as number) & FLAGS;
  x[last] = (x[last] as number) & ~FLAGS;
  return { flags, x };
};

/** @throws InvalidProof unless the flags are those of a point; undefined for the one at infinity. */
const compressedX = (
  bytes: Uint8Array,
  what: string,
): { readonly larger: boolean; readonly x: Uint8Array } | undefined => {
  const { flags, x } = withoutFlags(bytes);
  if (flags === FLAGS) invalid(`${what} has wrong flags`);
  if (flags !== INFINITY) return { larger: flags === LARGER_Y, x };
  if (x.some((byte) => byte !== 0)) invalid(`${what} is infinite and has a coordinate`);
  return undefined;
};

const coordinate = (bytes: Uint8Array, what: string): bigint => {
  const value = littleEndian(bytes);
  return value < FIELD ? value : invalid(`a coordinate of ${what} is not below its modulus`);
};

/** Undefined when `square` has no root; the field's order is 3 modulo 4. */
const squareRoot = (square: bigint): bigint | undefined => {
  const root = power(square, (FIELD + 1n) / 4n, FIELD);
  return (root * root - square) % FIELD === 0n ? root : undefined;
};

/**
 * Reads a point of G1, 32 bytes; `curve` is BN254.
 * @throws InvalidProof.
 */
export const bn254G1 = (curve: PairingCurve, bytes: Uint8Array, what: string): G1Point => {
  const compressed = compressedX(bytes, what);
  if (compressed === undefined) return curve.infinity1;
  const x = coordinate(compressed.x, what);
  const root = squareRoot((x * x * x + 3n) % FIELD) ?? invalid(`${what} is not on its curve`);
  const isLarger = root > FIELD - root;
  const y = isLarger === compressed.larger ? root : (FIELD - root) % FIELD;
  return curve.g1(x, y) ?? invalid(`${what} is not on its curve`);
};

/**
 * Reads a point of G2, 64 bytes: the real part of x, then the imaginary part.
 * @throws InvalidProof.
 */
export const bn254G2 = (curve: PairingCurve, bytes: Uint8Array, what: string): G2Point => {
  const compressed = compressedX(bytes, what);
  if (compressed === undefined) return curve.infinity2;
  const x = Fp2.fromBigTuple([
    coordinate(compressed.x.subarray(0, BN254_G1_BYTES), what),
    coordinate(compressed.x.subarray(BN254_G1_BYTES), what),
  ]);
  const root =
    squareRoot2(Fp2.add(Fp2.mul(Fp2.sqr(x), x), bn254.G2.Point.CURVE().b)) ?? invalid(`${what} is not on its curve`);
  const negative = Fp2.neg(root);
  const isLarger = root.c1 === negative.c1 ? root.c0 > negative.c0 : root.c1 > negative.c1;
  const y = isLarger === compressed.larger ? root : negative;
  const point = curve.g2([x.c0, x.c1], [y.c0, y.c1]) ?? invalid(`${what} is not on its curve`);
  return curve.hasOrder(point) ? point : invalid(`${what} is outside the prime subgroup`);
};

type Element2 = ReturnType<typeof Fp2.fromBigTuple>;

const squareRoot2 = (square: Element2): Element2 | undefined => {
  try {
    const root = Fp2.sqrt(square);
    return Fp2.eql(Fp2.sqr(root), square) ? root : undefined;
  } catch {
    // The library throws where there is no root.
    return undefined;
  }
};
