const U32 = 4_294_967_296;

/**
 * A small fast pseudo-random generator (sfc32) whose whole state is four 32-bit words, so that a saved simulation goes
 * on exactly where it stopped. Not for secrets.
 */
export class Random {
  readonly #state: Uint32Array;

  /** Works on `state` (4 words) in place: whoever keeps the array keeps the generator. */
  constructor(state: Uint32Array) {
    this.#state = state;
  }

  /** Uniform in [0, 2^32). */
  next(): number {
    const s = this.#state;
    const a = s[0] as number;
    const b = s[1] as number;
    const c = s[2] as number;
    const counter = s[3] as number;
    const result = (a + b + counter) >>> 0;
    s[3] = counter + 1;
    s[0] = b ^ (b >>> 9);
    s[1] = c + (c << 3);
    s[2] = ((c << 21) | (c >>> 11)) + result;
    return result;
  }

  /** Uniform integer in [0, bound), bound up to 2^32. */
  below(bound: number): number {
    return Math.floor((this.next() / U32) * bound);
  }

  /** Uniform integer in [low, high]. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** Uniform in [0n, bound), for 64-bit bounds. */
  bigBelow(bound: bigint): bigint {
    const random = (BigInt(this.next()) << 32n) | BigInt(this.next());
    return (random * bound) >> 64n;
  }

  chance(probability: number): boolean {
    return this.next() < probability * U32;
  }

  /** An element, undefined only when there is none. */
  pick<T>(values: readonly T[]): T | undefined {
    return values.length === 0 ? undefined : values[this.below(values.length)];
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i++) bytes[i] = this.next() >>> 24;
    return bytes;
  }
}
