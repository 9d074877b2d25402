import { randomBytes } from 'node:crypto';
import type { G1Point, G2Point, PairingCurve } from '../../../curves/pairing-curve.ts';
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
import { type HintsKey, type HintsSignature, readHintsKey, readHintsSignature } from './hints-layout.ts';

/** RFC 9380 BLS12381G2_XMD:SHA-256_SSWU_RO with this domain. */
export const HINTS_MESSAGE_DOMAIN = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';

/** A generator of the multiplicative group of the scalar field. */
const GENERATOR = 7n;

/** Bits of the random numbers that join the pairing equations. */
const RANDOM_BYTES = 16;

/** A hinTS key, read; one serves all signatures of a roster. */
export interface PreparedHintsKey {
  readonly curve: PairingCurve;
  readonly key: HintsKey;
  /** Root of unity of the order `size`. */
  readonly omega: bigint;
}

/**
 * `curve` is BLS12-381.
 * @throws InvalidProof unless `bytes` are a hinTS verification key.
 */
export const prepareHintsKey = (curve: PairingCurve, bytes: Uint8Array): PreparedHintsKey => {
  const key = readHintsKey(curve, bytes);
  return { curve, key, omega: power(GENERATOR, (BLS_SCALAR_ORDER - 1n) / key.size, BLS_SCALAR_ORDER) };
};

const times = (a: bigint, b: bigint): bigint => (a * b) % BLS_SCALAR_ORDER;

const random = (): bigint => bigEndian(randomBytes(RANDOM_BYTES));

/**
 * Verifies a hinTS signature of 1632 bytes: more than half of the weight in the key signed `message`. The five pairing
 * equations are joined with random factors into one product of six pairings.
 * @throws InvalidProof.
 */
export const verifyHints = (
  { curve, key, omega }: PreparedHintsKey,
  bytes: Uint8Array,
  message: Uint8Array,
  generation: Generation,
): void => {
  const { signature, checkSubgroups } = readHintsSignature(curve, bytes);
  const { aggregateKey, aggregateWeight, aggregateSignature, points, scalars } = signature;
  if (curve.isInfinite(aggregateKey) || curve.isInfinite(aggregateSignature))
    invalid('the aggregate key or signature is infinite');
  if (times(2n, aggregateWeight) <= key.totalWeight) {
    invalid(`the signature holds ${aggregateWeight} of the weight ${key.totalWeight}, must hold more than half`);
  }
  if (curve.isInfinite(key.lagrange) || curve.isInfinite(key.vanishing)) {
    // Such a key binds no weight. The one that is known, of a test setup of generation Z, can only stand for all of it.
    const isWhole = generation.name === 'Z' && aggregateWeight === key.totalWeight;
    if (!isWhole) invalid('the hinTS key does not bind the weight of those who signed');
  }
  const weights = curve.sum([
    [key.weights, 1n],
    [key.lagrange, -aggregateWeight],
  ]);
  const r = challengeOf(curve, key, signature, generation);
  checkEvaluations(key, signature, omega, r);
  checkSubgroups();

  const s = openingScalar(curve, signature, weights, r, generation);
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
  const besideH0: [G1Point, bigint][] = [];
  let factor = atR;
  let evaluation = 0n;
  for (const [commitment, value] of openings) {
    besideH0.push([commitment, factor]);
    evaluation += times(factor, value);
    factor = times(factor, s);
  }
  besideH0.push(
    [points.ps, atNext],
    [key.g0, -(evaluation + times(atNext, psNext))],
    [points.openingR, times(atR, r)],
    [points.openingNext, times(atNext, times(r, inverse(omega, BLS_SCALAR_ORDER)))],
    [aggregateKey, -aggregation],
    [points.qxTau, -degree],
  );
  const besideH1: [G1Point, bigint][] = [
    [points.openingR, -atR],
    [points.openingNext, -atNext],
    [points.qx, degree - aggregation],
  ];
  const holds = curve.isProductOne([
    [aggregateKey, curve.hashTo2(message, HINTS_MESSAGE_DOMAIN)],
    [curve.negative(key.g0), aggregateSignature],
    [curve.sum([[points.b, aggregation]]), key.keys],
    [curve.sum([[points.qz, -aggregation]]), key.vanishing],
    [curve.sum(besideH1), key.h1],
    [curve.sum(besideH0), key.h0],
  ]);
  if (!holds) invalid('the hinTS signature does not verify');
};

const compressed = (curve: PairingCurve, points: readonly (G1Point | G2Point)[]): Uint8Array[] =>
  points.map((point) => curve.compressed(point));

/** The point at which the polynomials are opened. */
const challengeOf = (curve: PairingCurve, key: HintsKey, signature: HintsSignature, generation: Generation): bigint => {
  const { aggregateKey, aggregateWeight, points } = signature;
  const { b, ps, qx, qz, qxTau, q1, q2, q3, q4 } = points;
  const aggregate = generation.challengeCoversAggregate
    ? [...compressed(curve, [key.h1, aggregateKey]), littleEndianBytes(aggregateWeight)]
    : [];
  const transcript = [
    ...compressed(curve, [key.keys]),
    ...aggregate,
    ...compressed(curve, [key.weights, b, ps, qx, qz, qxTau, q1, q2, q3, q4]),
  ];
  return hashToField(Buffer.concat(transcript), generation.challengeDomain, BLS_SCALAR_ORDER);
};

/** The scalar whose powers join the openings. */
const openingScalar = (
  curve: PairingCurve,
  { points, scalars }: HintsSignature,
  weights: G1Point,
  r: bigint,
  { openingDomain }: Generation,
): bigint => {
  if (openingDomain === null) return r;
  const { ps, b, q1, q3, q2, q4 } = points;
  const { psR, wR, bR, q1R, q3R, q2R, q4R } = scalars;
  const transcript = [
    ...compressed(curve, [ps, weights, b, q1, q3, q2, q4]),
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
