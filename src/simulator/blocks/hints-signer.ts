/**
 * hinTS threshold signatures over BLS12-381 (library generations 3.7.8 to 3.15.0). A setup whose secret τ is known makes
 * them cheap: every commitment is one multiple of the generator, and no polynomial is ever multiplied out. What comes of
 * it are true keys and signatures of the scheme; only, whoever knows the seed can sign, so they are for simulated networks
 * alone.
 */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import {
  bigEndian,
  hashToField,
  inverse,
  littleEndianBytes,
  modulo,
  BLS_SCALAR_ORDER as ORDER,
  power,
} from '../../streams/block/tss/field.ts';
import { GENERATION_A } from '../../streams/block/tss/generation.ts';
import { bytesFromSeed } from '../seed.ts';

const G1 = bls12_381.G1.Point;
const G2 = bls12_381.G2.Point;
type G1Point = InstanceType<typeof G1>;
type G2Point = InstanceType<typeof G2>;

/** RFC 9380 BLS12381G2_XMD:SHA-256_SSWU_RO with this domain. */
const MESSAGE_DOMAIN = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';
/** A generator of the multiplicative group of the scalar field. */
const FIELD_GENERATOR = 7n;
const SECRET_BYTES = 48;

const times = (a: bigint, b: bigint): bigint => (a * b) % ORDER;
const divided = (a: bigint, b: bigint): bigint => times(modulo(a, ORDER), inverse(b, ORDER));
const inG1 = (scalar: bigint): G1Point => (scalar === 0n ? G1.ZERO : G1.BASE.multiply(scalar));
const inG2 = (scalar: bigint): G2Point => (scalar === 0n ? G2.ZERO : G2.BASE.multiply(scalar));

const secretOf = (seed: string, label: string): bigint =>
  1n + (bigEndian(bytesFromSeed(seed, label, SECRET_BYTES)) % (ORDER - 1n));

/** Polynomials of a degree below `size`, given by their values at the powers of a root of unity ω. */
class Domain {
  readonly size: number;
  readonly omega: bigint;
  readonly #points: readonly bigint[];

  constructor(size: number) {
    this.size = size;
    this.omega = power(FIELD_GENERATOR, (ORDER - 1n) / BigInt(size), ORDER);
    this.#points = Array.from({ length: size }, (_, i) => power(this.omega, BigInt(i), ORDER));
  }

  /** x^size - 1, which is zero at every power of ω. */
  vanishing(x: bigint): bigint {
    return modulo(power(x, BigInt(this.size), ORDER) - 1n, ORDER);
  }

  /** The Lagrange polynomial of a place at x, which is no power of ω. */
  lagrange(place: number, x: bigint): bigint {
    const point = this.#points[place] as bigint;
    return divided(times(point, this.vanishing(x)), times(BigInt(this.size), modulo(x - point, ORDER)));
  }

  /** The polynomial with these values at x. */
  evaluate(values: readonly bigint[], x: bigint): bigint {
    return values.reduce((sum, value, place) => modulo(sum + times(value, this.lagrange(place, x)), ORDER), 0n);
  }
}

/** The part of a signature that is the same for every message that the same nodes sign. */
interface SignerSet {
  /** Of the aggregate secret key. */
  readonly secret: bigint;
  /** Aggregate key and weight. */
  readonly head: Uint8Array;
  /** Commitments, opening proofs and evaluations. */
  readonly tail: Uint8Array;
}

/** Signs for a network of nodes with given weights. */
export class HintsSigner {
  /** The verification key, 1096 bytes. */
  readonly key: Uint8Array;
  readonly #domain: Domain;
  readonly #tau: bigint;
  readonly #weights: readonly bigint[];
  readonly #secrets: readonly bigint[];
  readonly #sets = new Map<string, SignerSet>();

  constructor(seed: string, weights: readonly bigint[]) {
    // The last place belongs to nobody: it makes the sums end in zero.
    const size = 2 ** Math.ceil(Math.log2(weights.length + 1));
    const fill = (values: readonly bigint[]): bigint[] => [...values, ...new Array(size - values.length).fill(0n)];
    this.#domain = new Domain(size);
    this.#tau = secretOf(seed, 'hints setup');
    this.#weights = fill(weights);
    this.#secrets = fill(weights.map((_, nodeId) => secretOf(seed, `hints key/${nodeId}`)));
    this.key = this.#verificationKey();
  }

  /** The signature of 1632 bytes by the nodes of these numbers, who must have more than half of the weight. */
  sign(message: Uint8Array, nodeIds: readonly number[]): Uint8Array {
    const name = nodeIds.join();
    const known = this.#sets.get(name);
    const set = known ?? this.#signerSet(nodeIds);
    if (known === undefined) this.#sets.set(name, set);
    const hashed = bls12_381.G2.hashToCurve(message, { DST: MESSAGE_DOMAIN });
    return Buffer.concat([set.head, hashed.multiply(set.secret).toBytes(false), set.tail]);
  }

  #verificationKey(): Uint8Array {
    const domain = this.#domain;
    const tau = this.#tau;
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(domain.size));
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0n);
    return Buffer.concat([
      size,
      littleEndianBytes(total),
      G1.BASE.toBytes(false),
      G2.BASE.toBytes(false),
      inG2(tau).toBytes(false),
      inG1(domain.lagrange(domain.size - 1, tau)).toBytes(false),
      inG1(domain.evaluate(this.#weights, tau)).toBytes(false),
      inG2(domain.evaluate(this.#secrets, tau)).toBytes(false),
      inG2(domain.vanishing(tau)).toBytes(false),
    ]);
  }

  #signerSet(nodeIds: readonly number[]): SignerSet {
    const domain = this.#domain;
    const tau = this.#tau;
    const last = domain.size - 1;
    const bits = this.#weights.map((_, place) => (place === last || nodeIds.includes(place) ? 1n : 0n));
    const weight = this.#weights.reduce((sum, value, place) => sum + value * (bits[place] as bigint), 0n);
    /** Weights, with the aggregate taken away at the last place. */
    const balanced = this.#weights.map((value, place) => (place === last ? modulo(value - weight, ORDER) : value));
    let sum = 0n;
    const partialSums = balanced.map((value, place) => {
      sum = modulo(sum + value * (bits[place] as bigint), ORDER);
      return sum;
    });
    const chosen = this.#secrets.map((value, place) => value * (bits[place] as bigint));
    // The constant term of the polynomial through the chosen keys: their mean.
    const secret = divided(
      chosen.reduce((total, value) => total + value, 0n),
      BigInt(domain.size),
    );

    const at = (x: bigint) => {
      const vanishing = domain.vanishing(x);
      const lastLagrange = domain.lagrange(last, x);
      const ps = domain.evaluate(partialSums, x);
      const before = domain.evaluate(partialSums, divided(x, domain.omega));
      const w = domain.evaluate(balanced, x);
      const b = domain.evaluate(bits, x);
      return {
        ps,
        w,
        b,
        q1: divided(ps - before - times(w, b), vanishing),
        q2: divided(times(b, b) - b, vanishing),
        q3: divided(times(lastLagrange, ps), vanishing),
        q4: divided(times(lastLagrange, modulo(b - 1n, ORDER)), vanishing),
      };
    };
    const atTau = at(tau);
    const remainder = domain.evaluate(chosen, tau);
    const qx = divided(remainder - secret, tau);
    const qz = divided(times(domain.evaluate(this.#secrets, tau), atTau.b) - remainder, domain.vanishing(tau));
    const aggregateKey = inG1(secret);
    const commitments = {
      b: inG1(atTau.b),
      qx: inG1(qx),
      qxTau: inG1(times(qx, tau)),
      qz: inG1(qz),
      ps: inG1(atTau.ps),
      q1: inG1(atTau.q1),
      q2: inG1(atTau.q2),
      q3: inG1(atTau.q3),
      q4: inG1(atTau.q4),
    };

    const { b, ps, qxTau, q1, q2, q3, q4 } = commitments;
    const compressed = (points: readonly (G1Point | G2Point)[]): Uint8Array[] =>
      points.map((point) => point.toBytes(true));
    const transcript = Buffer.concat([
      ...compressed([inG2(domain.evaluate(this.#secrets, tau)), inG2(tau), aggregateKey]),
      littleEndianBytes(weight),
      ...compressed([
        inG1(domain.evaluate(this.#weights, tau)),
        b,
        ps,
        commitments.qx,
        commitments.qz,
        qxTau,
        q1,
        q2,
        q3,
        q4,
      ]),
    ]);
    const r = hashToField(transcript, GENERATION_A.challengeDomain, ORDER);
    const atR = at(r);
    const next = divided(r, domain.omega);
    const psNext = domain.evaluate(partialSums, next);
    // Openings are joined by powers of the challenge itself.
    const joined = ({ ps, w, b, q1, q3, q2, q4 }: typeof atR): bigint =>
      [q4, q2, q3, q1, b, w, ps].reduce((total, value) => modulo(times(total, r) + value, ORDER), 0n);
    const openingR = inG1(divided(joined(atTau) - joined(atR), modulo(tau - r, ORDER)));
    const openingNext = inG1(divided(atTau.ps - psNext, modulo(tau - next, ORDER)));
    const points = [b, commitments.qx, qxTau, commitments.qz, ps, q1, q3, q2, q4, openingR, openingNext];
    const scalars = [atR.ps, psNext, atR.w, atR.b, atR.q1, atR.q3, atR.q2, atR.q4];
    return {
      secret,
      head: Buffer.concat([aggregateKey.toBytes(false), littleEndianBytes(weight)]),
      tail: Buffer.concat([...points.map((point) => point.toBytes(false)), ...scalars.map(littleEndianBytes)]),
    };
  }
}
