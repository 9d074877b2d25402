import { edwards } from '@noble/curves/abstract/edwards.js';
import { BN254_SCALAR_ORDER, canonical, invalid, littleEndianBytes } from './field.ts';

/** Order of the prime subgroup. */
export const BABY_JUBJUB_ORDER = 2736030358979909402780800718157159386076813972158567259200215660948447373041n;

/**
 * BabyJubJub in the form x² + y² = 1 + d·x²y² (a = 1), which is not the one of
 * [EIP-2494](https://eips.ethereum.org/EIPS/eip-2494).
 */
const Point = edwards({
  p: BN254_SCALAR_ORDER,
  n: BABY_JUBJUB_ORDER,
  h: 8n,
  a: 1n,
  d: 9706598848417545097372247223557719406784115219466060233080913168975159366771n,
  Gx: 19698561148652590122159747500897617769866003486955115824547446575314762165298n,
  Gy: 19298250018296453272277890825869354524455968081175474282777126169995084727839n,
});

export type JubjubPoint = InstanceType<typeof Point>;

export const JUBJUB_GENERATOR: JubjubPoint = Point.BASE;
export const JUBJUB_IDENTITY: JubjubPoint = Point.ZERO;

/** @throws InvalidProof unless the 64 bytes are a point of the prime subgroup (x, then y, little-endian). */
export const jubjubPoint = (bytes: Uint8Array, what: string): JubjubPoint => {
  const x = canonical(bytes.subarray(0, 32), BN254_SCALAR_ORDER, what);
  const y = canonical(bytes.subarray(32, 64), BN254_SCALAR_ORDER, what);
  const point = onCurve(x, y) ? Point.fromAffine({ x, y }) : invalid(`${what} is not on its curve`);
  return point.is0() || point.isTorsionFree() ? point : invalid(`${what} is outside the prime subgroup`);
};

const onCurve = (x: bigint, y: bigint): boolean => {
  const { a, d, p } = Point.CURVE();
  const [xx, yy] = [(x * x) % p, (y * y) % p];
  return (a * xx + yy - 1n - d * ((xx * yy) % p)) % p === 0n;
};

/** 64 bytes. */
export const uncompressedJubjub = (point: JubjubPoint): Uint8Array => {
  const { x, y } = point.toAffine();
  return Buffer.concat([littleEndianBytes(x), littleEndianBytes(y)]);
};

/** 32 bytes: y, whose last byte tells the larger x. */
export const compressedJubjub = (point: JubjubPoint): Uint8Array => {
  const { x, y } = point.toAffine();
  const bytes = littleEndianBytes(y);
  if (x > BN254_SCALAR_ORDER - x) bytes[31] = (bytes[31] as number) | 0x80;
  return bytes;
};

/** `scalar` times `point`; scalars of 0 are for the library no scalars. */
export const timesJubjub = (point: JubjubPoint, scalar: bigint): JubjubPoint =>
  scalar === 0n || point.is0() ? Point.ZERO : point.multiplyUnsafe(scalar);
