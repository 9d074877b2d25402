/**
 * Powers modulo a number ([EIP-198](https://eips.ethereum.org/EIPS/eip-198)), at the price of
 * [EIP-2565](https://eips.ethereum.org/EIPS/eip-2565).
 */
import type { RunClock } from '../clock.ts';
import { paddedSlice, readWord, viewOf } from '../words.ts';
import { bitLength, bytesToInteger, integerToBytes } from './integers.ts';
import { createPowers, type Power } from './power.ts';
import { EXPONENT_BYTES, MOST_BITS } from './power-program.ts';
import type { Precompile } from './precompile.ts';

const HEAD_BYTES = 96;
const LEAST_PRICE = 200;
const PRICE_DIVISOR = 3;
/** Longer numbers are refused, as Ethereum's clients do. */
const MOST_BYTES = 2 ** 31 - 1;
/** Bytes of exponents that have no use for a table of powers. */
const SHORT_EXPONENT = 1;
const SHORT_EXPONENT_OF_LARGE = 6;
const WINDOW_BITS = 4;
/** Squared words of work between two looks at the clock: about a millisecond. */
const WORK_PER_LOOK = 100_000;

interface Lengths {
  readonly base: number;
  readonly exponent: number;
  readonly modulus: number;
}

const lengthsOf = (input: Uint8Array): Lengths => {
  const view = viewOf(paddedSlice(input, 0, HEAD_BYTES));
  const [base, exponent, modulus] = [0, 32, 64].map((offset) => Number(readWord(view, offset))) as [
    number,
    number,
    number,
  ];
  return { base, exponent, modulus };
};

/** A number of the input, which goes on with zeros. */
const numberAt = (input: Uint8Array, offset: number, length: number): bigint => {
  const present = bytesToInteger(input.subarray(offset, offset + length));
  const missing = offset + length - Math.max(offset, Math.min(input.length, offset + length));
  return present << BigInt(8 * missing);
};

const wordsOf = (bytes: number): number => Math.ceil(bytes / 8);

const iterations = (input: Uint8Array, { base, exponent }: Lengths): number => {
  const headBytes = Math.min(exponent, 32);
  const head = input.subarray(HEAD_BYTES + base, HEAD_BYTES + base + headBytes);
  const first = head.findIndex((byte) => byte !== 0);
  const bits = first < 0 ? 0 : 8 * (headBytes - first) - (Math.clz32(head[first] as number) - 24);
  return Math.max(1, 8 * (exponent - headBytes) + Math.max(0, bits - 1));
};

const priceOf = (input: Uint8Array): number => {
  const lengths = lengthsOf(input);
  const { base, exponent, modulus } = lengths;
  const words = wordsOf(Math.max(base, modulus));
  if (words === 0) return LEAST_PRICE;
  if (Math.max(base, exponent, modulus) > MOST_BYTES) return Number.POSITIVE_INFINITY;
  return Math.max(LEAST_PRICE, Math.floor((iterations(input, lengths) * words * words) / PRICE_DIVISOR));
};

/** For moduli that JavaScript's big integers are good at. */
const bigPower = (base: bigint, modulus: bigint): Power => {
  const powers = [1n % modulus, base];
  for (let i = 2; i < 2 ** WINDOW_BITS; i++) powers.push(((powers[i - 1] as bigint) * base) % modulus);
  let result = 1n % modulus;
  const step = (digit: number): void => {
    for (let i = 0; i < WINDOW_BITS; i++) result = (result * result) % modulus;
    if (digit > 0) result = (result * (powers[digit] as bigint)) % modulus;
  };
  return {
    raise: (bytes) => {
      for (const byte of bytes) {
        step(byte >> WINDOW_BITS);
        step(byte & (2 ** WINDOW_BITS - 1));
      }
    },
    value: () => result,
  };
};

/** Bit by bit. */
const shortPower = (base: bigint, exponent: bigint, modulus: bigint): bigint => {
  let result = 1n % modulus;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus;
    if (bit === '1') result = (result * base) % modulus;
  }
  return result;
};

export const createModexp = (): Precompile => {
  const createPower = createPowers();

  const raiseInPieces = async (power: Power, exponent: Uint8Array, length: number, piece: number, clock: RunClock) => {
    for (let from = 0; from < length; from += piece) {
      power.raise(paddedSlice(exponent, from, Math.min(piece, length - from)));
      await clock.look();
    }
  };

  return {
    price: priceOf,
    run: (input, clock) => {
      const { base: baseBytes, exponent: exponentBytes, modulus: modulusBytes } = lengthsOf(input);
      if (modulusBytes === 0) return new Uint8Array();
      const exponentAt = HEAD_BYTES + baseBytes;
      const modulus = numberAt(input, exponentAt + exponentBytes, modulusBytes);
      if (modulus <= 1n) return new Uint8Array(modulusBytes);
      const base = numberAt(input, HEAD_BYTES, baseBytes) % modulus;
      const exponent = input.subarray(exponentAt, exponentAt + exponentBytes);
      const zeros = exponent.findIndex((byte) => byte !== 0);
      if (zeros < 0) return integerToBytes(1n, modulusBytes);
      const bits = bitLength(modulus);
      const significant = exponentBytes - zeros;
      if (significant <= (bits <= MOST_BITS ? SHORT_EXPONENT : SHORT_EXPONENT_OF_LARGE)) {
        const value = numberAt(input, exponentAt + zeros, significant);
        return integerToBytes(shortPower(base, value, modulus), modulusBytes);
      }
      const power = bits <= MOST_BITS ? createPower(base, modulus) : bigPower(base, modulus);
      const words = wordsOf(bits / 8);
      const piece = Math.max(1, Math.min(EXPONENT_BYTES, Math.floor(WORK_PER_LOOK / (8 * words * words))));
      const digits = exponent.subarray(zeros);
      if (significant <= piece) {
        power.raise(paddedSlice(digits, 0, significant));
        return integerToBytes(power.value(), modulusBytes);
      }
      return raiseInPieces(power, digits, significant, piece, clock).then(() =>
        integerToBytes(power.value(), modulusBytes),
      );
    },
  };
};
