import { randomBytes } from 'node:crypto';
import { mulAddUnsafe } from '@noble/curves/abstract/curve.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import {
  BLS_SCALAR_ORDER,
  bigEndian,
  hashToField,
  invalid,
  inverse,
  littleEndianBytes,
  modulo,
  power,
} from './field.ts';
import type { Generation } from './generation.ts';
import {
  type G1Point,
  type G2Point,
  type HintsKey,
  type HintsSignature,
  readHintsKey,
  readHintsSignature,
} from './hints-layout.ts';

/** RFC 9380 BLS12381G2_XMD:SHA-256_SSWU_RO with this domain. */
export const HINTS_MESSAGE_DOMAIN = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';

/** A generator of the multiplicative group of the scalar field. */
const GENERATOR = 7n;

/** Bits of the random numbers that join the pairing equations. */
const RANDOM_BYTES = 16;

type LineCoefficients = ReturnType<typeof bls12_381.utils.calcPairingPrecomputes>;

/** A hinTS key, read and made ready for pairings; one serves all signatures of a roster. */
export interface PreparedHintsKey {
  readonly key: HintsKey;
  /** Root of unity of the order `size`. */
  readonly omega: bigint;
  readonly lines: Readonly<Record<'h0' | 'h1' | 'keys' | 'vanishing', LineCoefficients | null>>;
}

/** @throws InvalidProof unless `bytes` are a hinTS verification key. */
export const prepareHintsKey = (bytes: Uint8Array): PreparedHintsKey => {
  const key = readHintsKey(bytes);
  return {
    key,
    omega: power(GENERATOR, (BLS_SCALAR_ORDER - 1n) / key.size, BLS_SCALAR_ORDER),
    lines: {
      h0: linesOf(key.h0),
      h1: linesOf(key.h1),
      keys: linesOf(key.keys),
      vanishing: linesOf(key.vanishing),
    },
  };
};

/** Null for the point at infinity, whose pairings are 1. */
const linesOf = (point: G2Point): LineCoefficients | null =>
  point.is0() ? null : bls12_381.utils.calcPairingPrecomputes(point);

const times = (a: bigint, b: bigint): bigint => (a * b) % BLS_SCALAR_ORDER;

const random = (): bigint => bigEndian(randomBytes(RANDOM_BYTES));

/**
 * Verifies a hinTS signature of 1632 bytes: more than half of the weight in the key signed `message`. The five pairing
 * equations are joined with random factors into one product of six pairings.
 * @throws InvalidProof.
 */
export const verifyHints = (
  { key, omega, lines }: PreparedHintsKey,
  bytes: Uint8Array,
  message: Uint8Array,
  generation: Generation,
): void => {
  const { signature, checkSubgroups } = readHintsSignature(bytes);
  const { aggregateKey, aggregateWeight, aggregateSignature, points, scalars } = signature;
  if (aggregateKey.is0() || aggregateSignature.is0()) invalid('the aggregate key or signature is infinite');
  if (times(2n, aggregateWeight) <= key.totalWeight) {
    invalid(`the signature holds ${aggregateWeight} of the weight ${key.totalWeight}, must hold more than half`);
  }
  if (key.lagrange.is0() || key.vanishing.is0()) {
    // Such a key binds no weight. The one that is known, of a test setup of generation Z, can only stand for all of it.
    const isWhole = generation.name === 'Z' && aggregateWeight === key.totalWeight;
    if (!isWhole) invalid('the hinTS key does not bind the weight of those who signed');
  }
  const weights = key.weights.subtract(multiple(key.lagrange, aggregateWeight));
  const r = challengeOf(key, signature, generation);
  checkEvaluations(key, signature, omega, r);
  checkSubgroups();

  const s = openingScalar(signature, weights, r, generation);
  const { psR, psNext, wR, bR, q1R, q3R, q2R, q4R } = scalars;
  const openings: readonly (readonly [G1Point, bigint])[] = [
    [points.ps, psR],
    [weights, wR],
    [points.b, bR],
    [points.q1, q1R],
    [points.q3, q3R],
    [points.q2, q2R],
    [points.q4, q4R],
  ];
  // One random factor for each equation but the first.
  const [atR, atNext, aggregation, degree] = [random(), random(), random(), random()];
  const sum = new PointSum();
  let factor = atR;
  let evaluation = 0n;
  for (const [commitment, value] of openings) {
    sum.add(commitment, factor);
    evaluation += times(factor, value);
    factor = times(factor, s);
  }
  sum.add(points.ps, atNext);
  sum.add(key.g0, -(evaluation + times(atNext, psNext)));
  sum.add(points.openingR, times(atR, r));
  sum.add(points.openingNext, times(atNext, times(r, inverse(omega, BLS_SCALAR_ORDER))));
  sum.add(aggregateKey, -aggregation);
  sum.add(points.qxTau, -degree);
  const besideH1 = new PointSum();
  besideH1.add(points.openingR, -atR);
  besideH1.add(points.openingNext, -atNext);
  besideH1.add(points.qx, degree - aggregation);

  const hashed = bls12_381.G2.hashToCurve(message, { DST: HINTS_MESSAGE_DOMAIN }) as G2Point;
  const holds = isProductOne([
    [aggregateKey, linesOf(hashed)],
    [key.g0.negate(), linesOf(aggregateSignature)],
    [multiple(points.b, aggregation), lines.keys],
    [multiple(points.qz, aggregation).negate(), lines.vanishing],
    [besideH1.total(), lines.h1],
    [sum.total(), lines.h0],
  ]);
  if (!holds) invalid('the hinTS signature does not verify');
};

const multiple = (point: G1Point, scalar: bigint): G1Point =>
  scalar === 0n || point.is0() ? bls12_381.G1.Point.ZERO : point.multiplyUnsafe(scalar);

/** A sum of multiples of points. */
class PointSum {
  readonly #points: G1Point[] = [];
  readonly #scalars: bigint[] = [];

  add(point: G1Point, scalar: bigint): void {
    const factor = modulo(scalar, BLS_SCALAR_ORDER);
    if (factor === 0n || point.is0()) return;
    this.#points.push(point);
    this.#scalars.push(factor);
  }

  total(): G1Point {
    return this.#points.length === 0
      ? bls12_381.G1.Point.ZERO
      : mulAddUnsafe(bls12_381.G1.Point, this.#points, this.#scalars);
  }
}

const isProductOne = (pairs: readonly (readonly [G1Point, LineCoefficients | null])[]): boolean => {
  const loops: [LineCoefficients, bigint, bigint][] = [];
  for (const [point, coefficients] of pairs) {
    if (coefficients === null || point.is0()) continue;
    const { x, y } = point.toAffine();
    loops.push([coefficients, x, y]);
  }
  const { Fp12 } = bls12_381.fields;
  return Fp12.eql(Fp12.finalExponentiate(bls12_381.millerLoopBatch(loops)), Fp12.ONE);
};

const compressed = (points: readonly (G1Point | G2Point)[]): Uint8Array[] => points.map((point) => point.toBytes(true));

/** The point at which the polynomials are opened. */
const challengeOf = (key: HintsKey, signature: HintsSignature, generation: Generation): bigint => {
  const { aggregateKey, aggregateWeight, points } = signature;
  const { b, ps, qx, qz, qxTau, q1, q2, q3, q4 } = points;
  const aggregate = generation.challengeCoversAggregate
    ? [...compressed([key.h1, aggregateKey]), littleEndianBytes(aggregateWeight)]
    : [];
  const transcript = [
    ...compressed([key.keys]),
    ...aggregate,
    ...compressed([key.weights, b, ps, qx, qz, qxTau, q1, q2, q3, q4]),
  ];
  return hashToField(Buffer.concat(transcript), generation.challengeDomain, BLS_SCALAR_ORDER);
};

/** The scalar whose powers join the openings. */
const openingScalar = (
  { points, scalars }: HintsSignature,
  weights: G1Point,
  r: bigint,
  { openingDomain }: Generation,
): bigint => {
  if (openingDomain === null) return r;
  const { ps, b, q1, q3, q2, q4 } = points;
  const { psR, wR, bR, q1R, q3R, q2R, q4R } = scalars;
  const transcript = [
    ...compressed([ps, weights, b, q1, q3, q2, q4]),
    ...[psR, wR, bR, q1R, q3R, q2R, q4R].map(littleEndianBytes),
  ];
  return hashToField(Buffer.concat(transcript), openingDomain, BLS_SCALAR_ORDER);
};

/** The identities that the claimed evaluations satisfy at the challenge. */
const checkEvaluations = ({ size }: HintsKey, { scalars }: HintsSignature, omega: bigint, r: bigint): void => {
  const { psR, psNext, wR, bR, q1R, q3R, q2R, q4R } = scalars;
  const vanishing = modulo(power(r, size, BLS_SCALAR_ORDER) - 1n, BLS_SCALAR_ORDER);
  const last = power(omega, size - 1n, BLS_SCALAR_ORDER);
  const lagrange = times(
    times(last, inverse(size, BLS_SCALAR_ORDER)),
    times(vanishing, inverse(r - last, BLS_SCALAR_ORDER)),
  );
  const isZero = (value: bigint): boolean => value % BLS_SCALAR_ORDER === 0n;
  if (!isZero(psR - psNext - wR * bR - q1R * vanishing)) invalid('the partial sums do not add up');
  if (!isZero(lagrange * psR - vanishing * q3R)) invalid('the sum does not end in 0');
  if (!isZero(bR * bR - bR - q2R * vanishing)) invalid('the participants are no bitmap');
  if (!isZero(lagrange * (bR - 1n) - vanishing * q4R)) invalid('the last bit is not set');
};
