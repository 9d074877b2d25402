/**
 * A curve with pairings whose points are values: each is mcl's own form of it, copied out of the WebAssembly, so that
 * nothing has to be freed. Points that are read are on their curve, in the group of prime order only if that was asked.
 */
import {
  BLS12_381,
  BN254,
  FP_BYTES,
  FP2_BYTES,
  FR_BYTES,
  G1_BYTES,
  G2_BYTES,
  GT_BYTES,
  type Mcl,
  openMcl,
} from './mcl.ts';

/** A point of the first group. */
export interface G1Point {
  readonly group: 'G1';
  readonly content: Uint8Array;
}

/** A point of the second group. */
export interface G2Point {
  readonly group: 'G2';
  readonly content: Uint8Array;
}

/** An element of the quadratic extension. */
export type Complex = readonly [real: bigint, imaginary: bigint];

const CURVES = { 'bls12-381': BLS12_381, bn254: BN254 } as const;
const SIZES = { G1: G1_BYTES, G2: G2_BYTES } as const;
const COMPRESSED_SIZES = { G1: FP_BYTES, G2: FP2_BYTES } as const;

/** Terms of a sum, or pairs of a product, that mcl gets at once. */
const MOST_TERMS = 64;
const MOST_PAIRS = 8;
const MESSAGE_BYTES = 1024;

const bigEndian = (value: bigint, byteCount: number): Uint8Array =>
  Buffer.from(value.toString(16).padStart(2 * byteCount, '0'), 'hex');

export class PairingCurve {
  readonly infinity1: G1Point = { group: 'G1', content: new Uint8Array(G1_BYTES) };
  readonly infinity2: G2Point = { group: 'G2', content: new Uint8Array(G2_BYTES) };
  /** Of both groups. */
  readonly order: bigint;
  readonly #mcl: Mcl;
  readonly #points: number;
  readonly #seconds: number;
  readonly #scalars: number;
  readonly #product: number;
  readonly #buffer: number;

  private constructor(mcl: Mcl) {
    this.#mcl = mcl;
    this.#points = mcl.allocate((1 + MOST_TERMS) * G1_BYTES);
    this.#seconds = mcl.allocate(MOST_PAIRS * G2_BYTES);
    this.#scalars = mcl.allocate(MOST_TERMS * FR_BYTES);
    this.#product = mcl.allocate(GT_BYTES);
    this.#buffer = mcl.allocate(MESSAGE_BYTES);
    const digits = mcl.call('mclBn_getCurveOrder', this.#buffer, MESSAGE_BYTES);
    this.order = BigInt(Buffer.from(mcl.bytes(this.#buffer, digits)).toString('latin1'));
  }

  /** An instance of the WebAssembly of its own, which takes some ten milliseconds. */
  static async open(curve: keyof typeof CURVES): Promise<PairingCurve> {
    const mcl = await openMcl(CURVES[curve]);
    mcl.call('mclBn_setETHserialization', 1);
    // Groups are checked where that is asked: a point is then known to be on its curve for a fortieth of the time.
    mcl.call('mclBn_verifyOrderG1', 0);
    mcl.call('mclBn_verifyOrderG2', 0);
    return new PairingCurve(mcl);
  }

  /** The point with these coordinates, which are below the field's order; undefined when it isn't on the curve. */
  g1(x: bigint, y: bigint): G1Point | undefined {
    const { call } = this.#mcl;
    const at = this.#points;
    call('mclBnG1_clear', at);
    this.#writeField(at, x);
    this.#writeField(at + FP_BYTES, y);
    call('mclBnFp_setInt32', at + 2 * FP_BYTES, 1);
    return call('mclBnG1_isValid', at) === 1 ? this.#first(at) : undefined;
  }

  /** The same in the second group. */
  g2(x: Complex, y: Complex): G2Point | undefined {
    const { call } = this.#mcl;
    const at = this.#seconds;
    call('mclBnG2_clear', at);
    for (const [i, value] of [...x, ...y].entries()) this.#writeField(at + i * FP_BYTES, value);
    call('mclBnFp_setInt32', at + 2 * FP2_BYTES, 1);
    return call('mclBnG2_isValid', at) === 1 ? this.#second(at) : undefined;
  }

  /** Whether the point is in the group of prime order. */
  hasOrder(point: G1Point | G2Point): boolean {
    return this.#mcl.call(`mclBn${point.group}_isValidOrder`, this.#place(point)) === 1;
  }

  isInfinite(point: G1Point | G2Point): boolean {
    return this.#mcl.call(`mclBn${point.group}_isZero`, this.#place(point)) === 1;
  }

  /** Coordinates of a point that is not infinite. */
  affine(point: G1Point): { readonly x: bigint; readonly y: bigint } {
    const at = this.#place(point);
    this.#mcl.call('mclBnG1_normalize', at, at);
    return { x: this.#readField(at), y: this.#readField(at + FP_BYTES) };
  }

  /** As the ZCash format of BLS12-381 compresses points: 48 or 96 bytes, big-endian with three flags. */
  compressed(point: G1Point | G2Point): Uint8Array {
    const at = this.#place(point);
    const size = COMPRESSED_SIZES[point.group];
    this.#mcl.call(`mclBn${point.group}_serialize`, this.#buffer, size, at);
    return this.#mcl.bytes(this.#buffer, size).slice();
  }

  negative(point: G1Point): G1Point {
    const at = this.#place(point);
    this.#mcl.call('mclBnG1_neg', at, at);
    return this.#first(at);
  }

  /** The sum of multiples of points of prime order, by any scalars. */
  sum(terms: readonly (readonly [point: G1Point, scalar: bigint])[]): G1Point {
    const { call, bytes } = this.#mcl;
    const total = this.#product;
    call('mclBnG1_clear', total);
    for (let start = 0; start < terms.length; start += MOST_TERMS) {
      let count = 0;
      for (const [point, scalar] of terms.slice(start, start + MOST_TERMS)) {
        const factor = ((scalar % this.order) + this.order) % this.order;
        if (factor === 0n || this.isInfinite(point)) continue;
        bytes(this.#buffer, FR_BYTES).set(bigEndian(factor, FR_BYTES));
        call('mclBnFr_setBigEndianMod', this.#scalars + count * FR_BYTES, this.#buffer, FR_BYTES);
        // The first place is where other methods put what they work on.
        count++;
        bytes(this.#points + count * G1_BYTES, G1_BYTES).set(point.content);
      }
      if (count === 0) continue;
      call('mclBnG1_mulVec', this.#points, this.#points + G1_BYTES, this.#scalars, count);
      call('mclBnG1_add', total, total, this.#points);
    }
    return this.#first(total);
  }

  /**
   * The hash of a message to the second group of BLS12-381, by the suite BLS12381G2_XMD:SHA-256_SSWU_RO of RFC 9380.
   * @throws RangeError for messages of more than some 900 bytes.
   */
  hashTo2(message: Uint8Array, domain: string): G2Point {
    const { call, bytes } = this.#mcl;
    const tag = Buffer.from(domain, 'latin1');
    if (message.length + tag.length > MESSAGE_BYTES) throw new RangeError(`a message of ${message.length} bytes`);
    const buffer = bytes(this.#buffer, MESSAGE_BYTES);
    buffer.set(message);
    buffer.set(tag, message.length);
    call(
      'mclBnG2_hashAndMapToWithDst',
      this.#seconds,
      this.#buffer,
      message.length,
      this.#buffer + message.length,
      tag.length,
    );
    return this.#second(this.#seconds);
  }

  /** Whether the product of the pairings, at most eight of points of prime order, is 1. */
  isProductOne(pairs: readonly (readonly [G1Point, G2Point])[]): boolean {
    const { call, bytes } = this.#mcl;
    const finite = pairs.filter(([first, second]) => !this.isInfinite(first) && !this.isInfinite(second));
    if (finite.length === 0) return true;
    if (finite.length > MOST_PAIRS) throw new RangeError(`${finite.length} pairs`);
    for (const [i, [first, second]] of finite.entries()) {
      bytes(this.#points + i * G1_BYTES, G1_BYTES).set(first.content);
      bytes(this.#seconds + i * G2_BYTES, G2_BYTES).set(second.content);
    }
    call('mclBn_millerLoopVec', this.#product, this.#points, this.#seconds, finite.length);
    call('mclBn_finalExp', this.#product, this.#product);
    return call('mclBnGT_isOne', this.#product) === 1;
  }

  #place({ group, content }: G1Point | G2Point): number {
    const at = group === 'G1' ? this.#points : this.#seconds;
    this.#mcl.bytes(at, SIZES[group]).set(content);
    return at;
  }

  #first(at: number): G1Point {
    return { group: 'G1', content: this.#mcl.bytes(at, G1_BYTES).slice() };
  }

  #second(at: number): G2Point {
    return { group: 'G2', content: this.#mcl.bytes(at, G2_BYTES).slice() };
  }

  #writeField(at: number, value: bigint): void {
    this.#mcl.bytes(this.#buffer, FP_BYTES).set(bigEndian(value, FP_BYTES));
    this.#mcl.call('mclBnFp_setBigEndianMod', at, this.#buffer, FP_BYTES);
  }

  #readField(at: number): bigint {
    // Zeros above the number are not written.
    const buffer = this.#mcl.bytes(this.#buffer, FP_BYTES).fill(0);
    this.#mcl.call('mclBnFp_getLittleEndian', this.#buffer, FP_BYTES, at);
    return BigInt(`0x${Buffer.from(buffer).reverse().toString('hex')}`);
  }
}
