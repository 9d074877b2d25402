import { checkPrime, createPrivateKey, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { bytesFromSeed } from './seed.ts';

const isPrime = promisify(checkPrime) as (candidate: bigint, options: { checks: number }) => Promise<boolean>;

const PRIME_BITS = 1536;
const PUBLIC_EXPONENT = 65_537n;
const SIEVE_LIMIT = 12_000;
const WINDOW = 8_192;
/** Rounds of Miller-Rabin; for random numbers of this size far fewer already leave no doubt. */
const CHECKS = 8;

const smallPrimes = (): number[] => {
  const composite = new Uint8Array(SIEVE_LIMIT);
  const primes: number[] = [];
  for (let n = 3; n < SIEVE_LIMIT; n += 2) {
    if (composite[n] === 1) continue;
    primes.push(n);
    for (let multiple = n * n; multiple < SIEVE_LIMIT; multiple += 2 * n) composite[multiple] = 1;
  }
  return primes;
};

/** The first prime p >= the seed's 1536-bit number (its two top bits set) for which the exponent is invertible. */
const primeFromSeed = async (seed: string, label: string): Promise<bigint> => {
  const bytes = bytesFromSeed(seed, label, PRIME_BITS / 8);
  bytes[0] = (bytes[0] as number) | 0xc0;
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) | 1;
  const primes = smallPrimes();
  for (let base = BigInt(`0x${bytes.toString('hex')}`); ; base += BigInt(2 * WINDOW)) {
    // composite[i] is about base + 2i
    const composite = new Uint8Array(WINDOW);
    for (const prime of primes) {
      const remainder = Number(base % BigInt(prime));
      let offset = remainder === 0 ? 0 : prime - remainder;
      if (offset % 2 === 1) offset += prime;
      for (let i = offset / 2; i < WINDOW; i += prime) composite[i] = 1;
    }
    for (let i = 0; i < WINDOW; i++) {
      if (composite[i] === 1) continue;
      const candidate = base + BigInt(2 * i);
      if (candidate % PUBLIC_EXPONENT !== 1n && (await isPrime(candidate, { checks: CHECKS }))) return candidate;
    }
  }
};

const inverse = (value: bigint, modulus: bigint): bigint => {
  let [r0, r1, t0, t1] = [modulus, value % modulus, 0n, 1n];
  while (r1 !== 0n) {
    const quotient = r0 / r1;
    [r0, r1] = [r1, r0 - quotient * r1];
    [t0, t1] = [t1, t0 - quotient * t1];
  }
  return t0 < 0n ? t0 + modulus : t0;
};

const base64Url = (value: bigint): string => {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
};

/**
 * The RSA-3072 private key that follows from a seed and a label: the same on every machine. Meant for simulated nodes
 * only; takes a few tenths of a second.
 */
export const rsaKeyFromSeed = async (seed: string, label: string): Promise<KeyObject> => {
  const [p, q] = await Promise.all([primeFromSeed(seed, `${label}/p`), primeFromSeed(seed, `${label}/q`)]);
  const d = inverse(PUBLIC_EXPONENT, (p - 1n) * (q - 1n));
  const numbers = { n: p * q, e: PUBLIC_EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const jwk = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, base64Url(value)]));
  return createPrivateKey({ key: { kty: 'RSA', ...jwk }, format: 'jwk' });
};
