import type { G1Point, G2Point, PairingCurve } from '../../../curves/pairing-curve.ts';
import { BLS_FIELD_ORDER, BLS_SCALAR_ORDER, bigEndian, canonical, invalid } from './field.ts';

/** Layouts of hinTS keys and signatures over BLS12-381: numbers little-endian, points uncompressed and big-endian. */

export const HINTS_KEY_BYTES = 1096;
export const HINTS_SIGNATURE_BYTES = 1632;

const COORDINATE_BYTES = 48;
const SCALAR_BYTES = 32;
const FLAGS = 0xe0;
const INFINITY = 0x40;

export interface HintsKey {
  /** Places of the roster, a power of two. */
  readonly size: bigint;
  readonly totalWeight: bigint;
  readonly g0: G1Point;
  readonly h0: G2Point;
  /** [τ]₂ */
  readonly h1: G2Point;
  /** The last Lagrange polynomial at τ. */
  readonly lagrange: G1Point;
  /** The weights at τ. */
  readonly weights: G1Point;
  /** The secret keys at τ. */
  readonly keys: G2Point;
  /** The vanishing polynomial at τ. */
  readonly vanishing: G2Point;
}

const SIGNATURE_POINTS = ['b', 'qx', 'qxTau', 'qz', 'ps', 'q1', 'q3', 'q2', 'q4', 'openingR', 'openingNext'] as const;
const SIGNATURE_SCALARS = ['psR', 'psNext', 'wR', 'bR', 'q1R', 'q3R', 'q2R', 'q4R'] as const;

export interface HintsSignature {
  readonly aggregateKey: G1Point;
  readonly aggregateWeight: bigint;
  readonly aggregateSignature: G2Point;
  /** Commitments and opening proofs. */
  readonly points: Readonly<Record<(typeof SIGNATURE_POINTS)[number], G1Point>>;
  /** Claimed evaluations. */
  readonly scalars: Readonly<Record<(typeof SIGNATURE_SCALARS)[number], bigint>>;
}

/** Reads values one after another; points are on their curve, in the prime subgroup only after `checkSubgroups`. */
class LayoutReader {
  readonly #curve: PairingCurve;
  readonly #bytes: Uint8Array;
  readonly #points: { readonly point: G1Point | G2Point; readonly what: string }[] = [];
  #position = 0;

  constructor(curve: PairingCurve, bytes: Uint8Array) {
    this.#curve = curve;
    this.#bytes = bytes;
  }

  uint64(): bigint {
    return canonical(this.#take(8), 1n << 64n, 'the size');
  }

  scalar(what: string): bigint {
    return canonical(this.#take(SCALAR_BYTES), BLS_SCALAR_ORDER, what);
  }

  g1(what: string): G1Point {
    const coordinates = this.#coordinates(2, what);
    if (coordinates === undefined) return this.#curve.infinity1;
    const [x, y] = coordinates as [bigint, bigint];
    return this.#kept(this.#curve.g1(x, y), what);
  }

  g2(what: string): G2Point {
    const coordinates = this.#coordinates(4, what);
    if (coordinates === undefined) return this.#curve.infinity2;
    const [xImaginary, xReal, yImaginary, yReal] = coordinates as [bigint, bigint, bigint, bigint];
    return this.#kept(this.#curve.g2([xReal, xImaginary], [yReal, yImaginary]), what);
  }

  /** @throws InvalidProof when a point that was read is outside the prime subgroup. */
  checkSubgroups(): void {
    for (const { point, what } of this.#points) {
      if (!this.#curve.hasOrder(point)) invalid(`${what} is outside the prime subgroup`);
    }
  }

  #take(length: number): Uint8Array {
    const start = this.#position;
    this.#position += length;
    return this.#bytes.subarray(start, this.#position);
  }

  /** Undefined for the point at infinity. */
  #coordinates(count: number, what: string): bigint[] | undefined {
    const bytes = this.#take(count * COORDINATE_BYTES);
    const flags = (bytes[0] as number) & FLAGS;
    if (flags === INFINITY && (bytes[0] as number) === INFINITY && bytes.subarray(1).every((byte) => byte === 0)) {
      return undefined;
    }
    if (flags !== 0) invalid(`${what} has wrong flags`);
    return Array.from({ length: count }, (_, i) => {
      const value = bigEndian(bytes.subarray(i * COORDINATE_BYTES, (i + 1) * COORDINATE_BYTES));
      return value < BLS_FIELD_ORDER ? value : invalid(`a coordinate of ${what} is not below its modulus`);
    });
  }

  #kept<P extends G1Point | G2Point>(point: P | undefined, what: string): P {
    if (point === undefined) return invalid(`${what} is not on its curve`);
    this.#points.push({ point, what });
    return point;
  }
}

const MAX_SIZE = 1n << 32n;

/**
 * Reads a hinTS verification key of 1096 bytes.
 * @throws InvalidProof.
 */
export const readHintsKey = (curve: PairingCurve, bytes: Uint8Array): HintsKey => {
  const reader = new LayoutReader(curve, bytes);
  const size = reader.uint64();
  if (size < 2n || size > MAX_SIZE || (size & (size - 1n)) !== 0n) invalid(`${size} places are no power of two`);
  const key: HintsKey = {
    size,
    totalWeight: reader.scalar('the total weight'),
    g0: reader.g1('g0'),
    h0: reader.g2('h0'),
    h1: reader.g2('h1'),
    lagrange: reader.g1('the Lagrange commitment'),
    weights: reader.g1('the commitment to the weights'),
    keys: reader.g2('the commitment to the keys'),
    vanishing: reader.g2('the vanishing commitment'),
  };
  reader.checkSubgroups();
  return key;
};

/**
 * Reads a hinTS signature of 1632 bytes; `checkSubgroups` of what it gives has still to be called, after what is cheaper.
 * @throws InvalidProof.
 */
export const readHintsSignature = (
  curve: PairingCurve,
  bytes: Uint8Array,
): { readonly signature: HintsSignature; readonly checkSubgroups: () => void } => {
  const reader = new LayoutReader(curve, bytes);
  const aggregateKey = reader.g1('the aggregate key');
  const aggregateWeight = reader.scalar('the aggregate weight');
  const aggregateSignature = reader.g2('the aggregate signature');
  const points = Object.fromEntries(SIGNATURE_POINTS.map((name) => [name, reader.g1(`the point ${name}`)]));
  const scalars = Object.fromEntries(SIGNATURE_SCALARS.map((name) => [name, reader.scalar(`the scalar ${name}`)]));
  const signature = { aggregateKey, aggregateWeight, aggregateSignature, points, scalars } as HintsSignature;
  return { signature, checkSubgroups: () => reader.checkSubgroups() };
};
