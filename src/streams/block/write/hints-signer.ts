import { bls12_381 } from '@noble/curves/bls12-381.js';
import { BLS_SCALAR_ORDER, hashToField, inverse, littleEndianBytes, modulo, power } from '../tss/field.ts';
import { GENERATION_A } from '../tss/generation.ts';
import { HINTS_MESSAGE_DOMAIN } from '../tss/hints.ts';

type G1Point = InstanceType<typeof bls12_381.G1.Point>;
type G2Point = InstanceType<typeof bls12_381.G2.Point>;

/** A node of a roster that signs. */
export interface SigningNode {
  readonly nodeId: bigint;
  readonly weight: bigint;
  /** Whether it takes part; true by default. */
  readonly signs?: boolean;
}

const ORDER = BLS_SCALAR_ORDER;
const GENERATOR = 7n;

const add = (a: bigint, b: bigint): bigint => modulo(a + b, ORDER);
const times = (a: bigint, b: bigint): bigint => modulo(a * b, ORDER);
const over = (a: bigint, b: bigint): bigint => times(a, inverse(b, ORDER));

/** Coefficients, the constant one first. */
type Polynomial = readonly bigint[];

const evaluate = (polynomial: Polynomial, x: bigint): bigint =>
  polynomial.reduceRight((value, coefficient) => add(times(value, x), coefficient), 0n);

const sum = (a: Polynomial, b: Polynomial, factor = 1n): bigint[] =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, i) => add(a[i] ?? 0n, times(factor, b[i] ?? 0n)));

const product = (a: Polynomial, b: Polynomial): bigint[] => {
  const result: bigint[] = new Array(a.length + b.length - 1).fill(0n);
  a.forEach((left, i) => {
    b.forEach((right, j) => {
      result[i + j] = add(result[i + j] as bigint, times(left, right));
    });
  });
  return result;
};

/** Polynomials over the roots of unity of one order. */
class Domain {
  readonly size: number;
  readonly omega: bigint;

  constructor(size: number) {
    this.size = size;
    this.omega = power(GENERATOR, (ORDER - 1n) / BigInt(size), ORDER);
  }

  /** The polynomial with these values at 1, ω, ω², ... */
  interpolate(values: readonly bigint[]): bigint[] {
    const inverseSize = inverse(BigInt(this.size), ORDER);
    return values.map((_, k) => {
      const coefficient = values.reduce((total, value, i) => {
        const exponent = BigInt((this.size - ((i * k) % this.size)) % this.size);
        return add(total, times(value, power(this.omega, exponent, ORDER)));
      }, 0n);
      return times(coefficient, inverseSize);
    });
  }

  /** Quotient and remainder by x^size - 1. */
  divide(polynomial: Polynomial): { readonly quotient: bigint[]; readonly remainder: bigint[] } {
    const rest = [...polynomial];
    const quotient: bigint[] = new Array(Math.max(rest.length - this.size, 0)).fill(0n);
    for (let i = rest.length - 1; i >= this.size; i--) {
      const coefficient = rest[i] as bigint;
      quotient[i - this.size] = coefficient;
      rest[i - this.size] = add(rest[i - this.size] as bigint, coefficient);
      rest[i] = 0n;
    }
    return { quotient, remainder: rest.slice(0, this.size) };
  }

  /** `polynomial` at x/ω. */
  shift(polynomial: Polynomial): bigint[] {
    const step = inverse(this.omega, ORDER);
    return polynomial.map((coefficient, i) => times(coefficient, power(step, BigInt(i), ORDER)));
  }

  vanishing(x: bigint): bigint {
    return add(power(x, BigInt(this.size), ORDER), -1n);
  }
}

const G1 = bls12_381.G1.Point;
const G2 = bls12_381.G2.Point;

const g1 = (scalar: bigint): G1Point => (scalar === 0n ? G1.ZERO : G1.BASE.multiplyUnsafe(scalar));
const g2 = (scalar: bigint): G2Point => (scalar === 0n ? G2.ZERO : G2.BASE.multiplyUnsafe(scalar));
const uncompressed = (point: G1Point | G2Point): Uint8Array => point.toBytes(false);
const compressed = (point: G1Point | G2Point): Uint8Array => point.toBytes(true);

interface ConstantParts {
  /** The aggregate of the secret keys. */
  readonly secret: bigint;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** A hinTS key with all its secrets, and the signatures that they make. The last place of the key belongs to no node. */
export class HintsSigner {
  /** 1096 bytes. */
  readonly key: Uint8Array;
  readonly #domain: Domain;
  readonly #tau: bigint;
  readonly #nodes: readonly SigningNode[];
  readonly #secrets: readonly bigint[];
  #constant: ConstantParts | undefined;
  readonly #keyPoints: { readonly h1: G2Point; readonly weights: G1Point; readonly keys: G2Point };

  constructor(nodes: readonly SigningNode[], secret: (purpose: string, order: bigint) => bigint) {
    let size = 8;
    while (size <= nodes.length) size *= 2;
    const domain = new Domain(size);
    const tau = secret('setup', ORDER);
    this.#domain = domain;
    this.#tau = tau;
    this.#nodes = nodes;
    this.#secrets = this.#padded(
      nodes.map(({ nodeId }) => secret(`hints key ${nodeId}`, ORDER)),
      0n,
    );
    const weights = this.#weights();
    const total = weights.reduce(add, 0n);
    this.#keyPoints = {
      h1: g2(tau),
      weights: g1(evaluate(domain.interpolate(weights), tau)),
      keys: g2(evaluate(domain.interpolate(this.#secrets), tau)),
    };
    const sizeBytes = Buffer.alloc(8);
    sizeBytes.writeBigUInt64LE(BigInt(size));
    this.key = Buffer.concat([
      sizeBytes,
      littleEndianBytes(total),
      uncompressed(G1.BASE),
      uncompressed(G2.BASE),
      uncompressed(this.#keyPoints.h1),
      uncompressed(g1(evaluate(this.#lastLagrange(), tau))),
      uncompressed(this.#keyPoints.weights),
      uncompressed(this.#keyPoints.keys),
      uncompressed(g2(domain.vanishing(tau))),
    ]);
  }

  /** The signature of the nodes that sign, 1632 bytes. */
  sign(message: Uint8Array): Uint8Array {
    this.#constant ??= this.#constantParts();
    const { secret, head, tail } = this.#constant;
    const hashed = bls12_381.G2.hashToCurve(message, { DST: HINTS_MESSAGE_DOMAIN }) as G2Point;
    return Buffer.concat([head, uncompressed(hashed.multiplyUnsafe(secret)), tail]);
  }

  /** Everything but the aggregate signature: it is the same for every message that the same nodes sign. */
  #constantParts(): ConstantParts {
    const domain = this.#domain;
    const tau = this.#tau;
    const bits = this.#padded(
      this.#nodes.map(({ signs = true }) => (signs ? 1n : 0n)),
      0n,
    );
    bits[domain.size - 1] = 1n;
    const plainWeights = this.#weights();
    const aggregateWeight = plainWeights.reduce((total, weight, i) => add(total, times(weight, bits[i] as bigint)), 0n);
    const weights = [...plainWeights];
    weights[domain.size - 1] = add(weights[domain.size - 1] as bigint, -aggregateWeight);
    let partial = 0n;
    const partialSums = weights.map((weight, i) => {
      partial = add(partial, times(weight, bits[i] as bigint));
      return partial;
    });

    const b = domain.interpolate(bits);
    const w = domain.interpolate(weights);
    const ps = domain.interpolate(partialSums);
    const last = this.#lastLagrange();
    const q1 = domain.divide(sum(sum(ps, domain.shift(ps), -1n), product(w, b), -1n)).quotient;
    const q2 = domain.divide(sum(product(b, b), b, -1n)).quotient;
    const q3 = domain.divide(product(last, ps)).quotient;
    const q4 = domain.divide(product(last, sum(b, [1n], -1n))).quotient;
    const aggregation = domain.divide(product(domain.interpolate(this.#secrets), b));
    const aggregateSecret = aggregation.remainder[0] as bigint;
    const qx = aggregation.remainder.slice(1);

    const commit = (polynomial: Polynomial): G1Point => g1(evaluate(polynomial, tau));
    const points = {
      b: commit(b),
      qx: commit(qx),
      qxTau: g1(times(tau, evaluate(qx, tau))),
      qz: commit(aggregation.quotient),
      ps: commit(ps),
      q1: commit(q1),
      q3: commit(q3),
      q2: commit(q2),
      q4: commit(q4),
    };
    const aggregateKey = g1(aggregateSecret);
    const { keys, h1, weights: keyWeights } = this.#keyPoints;
    const transcript = [
      compressed(keys),
      compressed(h1),
      compressed(aggregateKey),
      littleEndianBytes(aggregateWeight),
      compressed(keyWeights),
      ...[points.b, points.ps, points.qx, points.qz, points.qxTau, points.q1, points.q2, points.q3, points.q4].map(
        compressed,
      ),
    ];
    const r = hashToField(Buffer.concat(transcript), GENERATION_A.challengeDomain, ORDER);
    const next = over(r, domain.omega);
    const opened = [ps, w, b, q1, q3, q2, q4].reduceRight<bigint[]>((rest, polynomial) => sum(polynomial, rest, r), []);
    const opening = (polynomial: Polynomial, at: bigint): G1Point =>
      g1(over(add(evaluate(polynomial, tau), -evaluate(polynomial, at)), add(tau, -at)));
    return {
      secret: aggregateSecret,
      head: Buffer.concat([uncompressed(aggregateKey), littleEndianBytes(aggregateWeight)]),
      tail: Buffer.concat([
        ...Object.values(points).map(uncompressed),
        uncompressed(opening(opened, r)),
        uncompressed(opening(ps, next)),
        littleEndianBytes(evaluate(ps, r)),
        littleEndianBytes(evaluate(ps, next)),
        ...[w, b, q1, q3, q2, q4].map((polynomial) => littleEndianBytes(evaluate(polynomial, r))),
      ]),
    };
  }

  #padded(values: readonly bigint[], filler: bigint): bigint[] {
    return Array.from({ length: this.#domain.size }, (_, i) => values[i] ?? filler);
  }

  #weights(): bigint[] {
    return this.#padded(
      this.#nodes.map(({ weight }) => weight),
      0n,
    );
  }

  #lastLagrange(): bigint[] {
    const values = this.#padded([], 0n);
    values[this.#domain.size - 1] = 1n;
    return this.#domain.interpolate(values);
  }
}
