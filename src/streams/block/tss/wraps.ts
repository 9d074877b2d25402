import { randomBytes } from 'node:crypto';
import { mulAddUnsafe } from '@noble/curves/abstract/curve.js';
import { bn254 } from '@noble/curves/bn254.js';
import { type Bn254G1, type Bn254G2, bn254G1, bn254G2 } from './bn254-points.ts';
import { BN254_SCALAR_ORDER, bigEndian, canonical, invalid, littleEndian, modulo } from './field.ts';
import type { Generation } from './generation.ts';
import { hashOfKey } from './key-hash.ts';

/** WRAPS over BN254: a Nova decider, which is a Groth16 proof with two KZG openings. */

const WRAPS_KEY_BYTES = 1768;
export const WRAPS_PROOF_BYTES = 704;

const PUBLIC_INPUTS = 40;
const RANDOM_BYTES = 16;

const LIMBS = 5;
const LIMB_BITS = 55n;

const ORDER = BN254_SCALAR_ORDER;
const G1 = bn254.G1.Point;

type LineCoefficients = ReturnType<typeof bn254.utils.calcPairingPrecomputes>;

/** A WRAPS verification key, read and made ready for pairings. */
export interface PreparedWrapsKey {
  readonly parametersHash: bigint;
  readonly alpha: Bn254G1;
  /** IC_0 to IC_40. */
  readonly inputs: readonly Bn254G1[];
  readonly generator: Bn254G1;
  readonly lines: Readonly<Record<'beta' | 'gamma' | 'delta' | 'h' | 'betaH', LineCoefficients>>;
}

/**
 * Reads a WRAPS verification key of 1768 bytes.
 * @throws InvalidProof.
 */
export const prepareWrapsKey = (bytes: Uint8Array): PreparedWrapsKey => {
  if (bytes.length !== WRAPS_KEY_BYTES) invalid(`a WRAPS key of ${bytes.length} bytes`);
  const g1 = (offset: number, what: string): Bn254G1 => bn254G1(bytes.subarray(offset, offset + 32), what);
  const lines = (offset: number, what: string): LineCoefficients => {
    const point = bn254G2(bytes.subarray(offset, offset + 64), what);
    return linesOf(point) ?? invalid(`${what} of the WRAPS key is infinite`);
  };
  if (littleEndian(bytes.subarray(256, 264)) !== BigInt(PUBLIC_INPUTS + 1)) invalid('wrong count of public inputs');
  return {
    parametersHash: littleEndian(bytes.subarray(0, 32)) % ORDER,
    alpha: g1(32, 'alpha'),
    inputs: Array.from({ length: PUBLIC_INPUTS + 1 }, (_, i) => g1(264 + 32 * i, `public input ${i}`)),
    generator: g1(1576, 'the generator'),
    lines: {
      beta: lines(64, 'beta'),
      gamma: lines(128, 'gamma'),
      delta: lines(192, 'delta'),
      h: lines(1640, 'h'),
      betaH: lines(1704, 'beta h'),
    },
  };
};

const linesOf = (point: Bn254G2): LineCoefficients | null =>
  point.is0() ? null : bn254.utils.calcPairingPrecomputes(point);

/** The ledger id that a WRAPS proof of 704 bytes claims, 32 bytes; whether it holds is another matter. */
export const claimedLedgerId = (proof: Uint8Array): Uint8Array => proof.subarray(40, 72);

/**
 * Verifies that rosters, each approved by the one before, lead from the ledger id (the hash of the genesis roster) to one
 * that approves this hinTS key. The Groth16 equation and both openings are joined with random factors.
 * @throws InvalidProof.
 */
export const verifyWraps = (
  proof: Uint8Array,
  key: PreparedWrapsKey,
  ledgerId: Uint8Array,
  hintsKey: Uint8Array,
  generation: Generation,
): void => {
  const scalar = (offset: number, what: string): bigint => canonical(proof.subarray(offset, offset + 32), ORDER, what);
  const g1 = (offset: number, what: string): Bn254G1 => bn254G1(proof.subarray(offset, offset + 32), what);
  for (const offset of [32, 104, 176, 248]) {
    if (littleEndian(proof.subarray(offset, offset + 8)) !== 2n) invalid('a pair of the WRAPS proof is none');
  }
  const steps = scalar(0, 'the number of steps');
  const genesis = [scalar(40, 'the genesis roster'), scalar(72, 'the genesis key')] as const;
  const now = [scalar(112, 'the roster'), scalar(144, 'the key')] as const;
  if (steps < 2n) invalid(`a WRAPS proof of ${steps} steps`);
  if (now[1] !== hashOfKey(hintsKey, generation)) invalid('the WRAPS proof approves another hinTS key');
  if (genesis[0] !== littleEndian(ledgerId)) invalid('the WRAPS proof is one of another ledger');

  const folded = { w: g1(184, 'U.cmW'), e: g1(216, 'U.cmE') };
  const latest = { w: g1(256, 'u.cmW'), e: g1(288, 'u.cmE') };
  if (!latest.e.is0()) invalid('the last step of the WRAPS proof has an error term');
  const groth16 = { a: g1(320, 'A'), b: bn254G2(proof.subarray(352, 416), 'B'), c: g1(416, 'C') };
  const openings = {
    w: { value: scalar(448, 'the evaluation of W'), proof: g1(480, 'the opening of W') },
    e: { value: scalar(512, 'the evaluation of E'), proof: g1(544, 'the opening of E') },
  };
  const cross = g1(576, 'cmT');
  const folding = scalar(608, 'the folding scalar');
  const challenges = { w: scalar(640, 'the challenge of W'), e: scalar(672, 'the challenge of E') };

  const commitments = { w: folded.w.add(multiple(latest.w, folding)), e: folded.e.add(multiple(cross, folding)) };
  const inputs = [
    key.parametersHash,
    steps,
    ...genesis,
    ...now,
    ...limbsOf(commitments.w),
    ...limbsOf(commitments.e),
    challenges.w,
    challenges.e,
    openings.w.value,
    openings.e.value,
    ...limbsOf(cross),
  ];
  const [first, ...others] = key.inputs;
  const publicInput = sumOf([
    [first as Bn254G1, 1n],
    ...others.map((point, i) => [point, inputs[i] as bigint] as const),
  ]);

  const [ofW, ofE] = [random(), random()];
  const besideH = sumOf([
    [commitments.w, ofW],
    [commitments.e, ofE],
    [key.generator, -(ofW * openings.w.value + ofE * openings.e.value)],
    [openings.w.proof, ofW * challenges.w],
    [openings.e.proof, ofE * challenges.e],
  ]);
  const besideBetaH = sumOf([
    [openings.w.proof, -ofW],
    [openings.e.proof, -ofE],
  ]);
  const holds = isProductOne([
    [groth16.a, linesOf(groth16.b)],
    [key.alpha.negate(), key.lines.beta],
    [publicInput.negate(), key.lines.gamma],
    [groth16.c.negate(), key.lines.delta],
    [besideH, key.lines.h],
    [besideBetaH, key.lines.betaH],
  ]);
  if (!holds) invalid('the WRAPS proof does not verify');
};

const random = (): bigint => bigEndian(randomBytes(RANDOM_BYTES));

const multiple = (point: Bn254G1, scalar: bigint): Bn254G1 =>
  scalar === 0n || point.is0() ? G1.ZERO : point.multiplyUnsafe(scalar);

const sumOf = (terms: readonly (readonly [Bn254G1, bigint])[]): Bn254G1 => {
  const points: Bn254G1[] = [];
  const scalars: bigint[] = [];
  for (const [point, scalar] of terms) {
    const factor = modulo(scalar, ORDER);
    if (factor === 0n || point.is0()) continue;
    points.push(point);
    scalars.push(factor);
  }
  return points.length === 0 ? G1.ZERO : mulAddUnsafe(G1, points, scalars);
};

/** Both coordinates as the circuit takes them: five limbs of 55 bits each, least first; zeros for infinity. */
const limbsOf = (point: Bn254G1): bigint[] => {
  const { x, y } = point.is0() ? { x: 0n, y: 0n } : point.toAffine();
  return [x, y].flatMap((value) =>
    Array.from({ length: LIMBS }, (_, i) => BigInt.asUintN(Number(LIMB_BITS), value >> (LIMB_BITS * BigInt(i)))),
  );
};

const isProductOne = (pairs: readonly (readonly [Bn254G1, LineCoefficients | null])[]): boolean => {
  const loops: [LineCoefficients, bigint, bigint][] = [];
  for (const [point, coefficients] of pairs) {
    if (coefficients === null || point.is0()) continue;
    const { x, y } = point.toAffine();
    loops.push([coefficients, x, y]);
  }
  const { Fp12 } = bn254.fields;
  return Fp12.eql(Fp12.finalExponentiate(bn254.millerLoopBatch(loops)), Fp12.ONE);
};
