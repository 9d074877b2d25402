import { randomBytes } from 'node:crypto';
import type { G1Point, G2Point, PairingCurve } from '../../../curves/pairing-curve.ts';
import { bn254G1, bn254G2 } from './bn254-points.ts';
import { BN254_SCALAR_ORDER, bigEndian, canonical, invalid, littleEndian } from './field.ts';
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

/** A WRAPS verification key, read. */
export interface PreparedWrapsKey {
  readonly curve: PairingCurve;
  readonly parametersHash: bigint;
  readonly alpha: G1Point;
  /** IC_0 to IC_40. */
  readonly inputs: readonly G1Point[];
  readonly generator: G1Point;
  readonly seconds: Readonly<Record<'beta' | 'gamma' | 'delta' | 'h' | 'betaH', G2Point>>;
}

/**
 * Reads a WRAPS verification key of 1768 bytes; `curve` is BN254.
 * @throws InvalidProof.
 */
export const prepareWrapsKey = (curve: PairingCurve, bytes: Uint8Array): PreparedWrapsKey => {
  if (bytes.length !== WRAPS_KEY_BYTES) invalid(`a WRAPS key of ${bytes.length} bytes`);
  const g1 = (offset: number, what: string): G1Point => bn254G1(curve, bytes.subarray(offset, offset + 32), what);
  const g2 = (offset: number, what: string): G2Point => {
    const point = bn254G2(curve, bytes.subarray(offset, offset + 64), what);
    return curve.isInfinite(point) ? invalid(`${what} of the WRAPS key is infinite`) : point;
  };
  if (littleEndian(bytes.subarray(256, 264)) !== BigInt(PUBLIC_INPUTS + 1)) invalid('wrong count of public inputs');
  return {
    curve,
    parametersHash: littleEndian(bytes.subarray(0, 32)) % ORDER,
    alpha: g1(32, 'alpha'),
    inputs: Array.from({ length: PUBLIC_INPUTS + 1 }, (_, i) => g1(264 + 32 * i, `public input ${i}`)),
    generator: g1(1576, 'the generator'),
    seconds: {
      beta: g2(64, 'beta'),
      gamma: g2(128, 'gamma'),
      delta: g2(192, 'delta'),
      h: g2(1640, 'h'),
      betaH: g2(1704, 'beta h'),
    },
  };
};

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
  const { curve } = key;
  const g1 = (offset: number, what: string): G1Point => bn254G1(curve, proof.subarray(offset, offset + 32), what);
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
  if (!curve.isInfinite(latest.e)) invalid('the last step of the WRAPS proof has an error term');
  const groth16 = { a: g1(320, 'A'), b: bn254G2(curve, proof.subarray(352, 416), 'B'), c: g1(416, 'C') };
  const openings = {
    w: { value: scalar(448, 'the evaluation of W'), proof: g1(480, 'the opening of W') },
    e: { value: scalar(512, 'the evaluation of E'), proof: g1(544, 'the opening of E') },
  };
  const cross = g1(576, 'cmT');
  const folding = scalar(608, 'the folding scalar');
  const challenges = { w: scalar(640, 'the challenge of W'), e: scalar(672, 'the challenge of E') };

  const fold = (point: G1Point, next: G1Point): G1Point =>
    curve.sum([
      [point, 1n],
      [next, folding],
    ]);
  const commitments = { w: fold(folded.w, latest.w), e: fold(folded.e, cross) };
  const inputs = [
    key.parametersHash,
    steps,
    ...genesis,
    ...now,
    ...limbsOf(curve, commitments.w),
    ...limbsOf(curve, commitments.e),
    challenges.w,
    challenges.e,
    openings.w.value,
    openings.e.value,
    ...limbsOf(curve, cross),
  ];
  const [first, ...others] = key.inputs;
  const minusPublicInput = curve.sum([
    [first as G1Point, -1n],
    ...others.map((point, i) => [point, -(inputs[i] as bigint)] as const),
  ]);

  const [ofW, ofE] = [random(), random()];
  const besideH = curve.sum([
    [commitments.w, ofW],
    [commitments.e, ofE],
    [key.generator, -(ofW * openings.w.value + ofE * openings.e.value)],
    [openings.w.proof, ofW * challenges.w],
    [openings.e.proof, ofE * challenges.e],
  ]);
  const besideBetaH = curve.sum([
    [openings.w.proof, -ofW],
    [openings.e.proof, -ofE],
  ]);
  const { beta, gamma, delta, h, betaH } = key.seconds;
  const holds = curve.isProductOne([
    [groth16.a, groth16.b],
    [curve.negative(key.alpha), beta],
    [minusPublicInput, gamma],
    [curve.negative(groth16.c), delta],
    [besideH, h],
    [besideBetaH, betaH],
  ]);
  if (!holds) invalid('the WRAPS proof does not verify');
};

const random = (): bigint => bigEndian(randomBytes(RANDOM_BYTES));

/** Both coordinates as the circuit takes them: five limbs of 55 bits each, least first; zeros for infinity. */
const limbsOf = (curve: PairingCurve, point: G1Point): bigint[] => {
  const { x, y } = curve.isInfinite(point) ? { x: 0n, y: 0n } : curve.affine(point);
  return [x, y].flatMap((value) =>
    Array.from({ length: LIMBS }, (_, i) => BigInt.asUintN(Number(LIMB_BITS), value >> (LIMB_BITS * BigInt(i)))),
  );
};
