/**
 * Whether the polynomial of a commitment has a value at a point ([EIP-4844](https://eips.ethereum.org/EIPS/eip-4844)):
 * with the commitment C, the point z, the value y, the proof P and the secret s of the trusted setup, e(C - y, -1) e(P,
 * s - z) = 1. Written as e(C - y + zP, -1) e(P, s) = 1, both points of the second group are known beforehand.
 */
import { hash } from 'node:crypto';
import { hexToBytes } from '../words.ts';
import { openField } from './bls12-381-field.ts';
import { createOpenings, PAIRS_FOR_OPENINGS } from './bls12-381-openings.ts';
import { createProductCheck, pairsForChecks, type SecondPoint } from './bls12-381-pairing.ts';
import { bytesToInteger } from './integers.ts';
import type { Precompile } from './precompile.ts';

const PRICE = 50_000;
const INPUT_BYTES = 192;
const SCALAR_BYTES = 32;
const VERSION = 1;

const FIELD_ELEMENTS_PER_BLOB = '1000'.padStart(64, '0');
const MODULUS = '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001';
const modulus = Buffer.from(MODULUS, 'hex');

/** The second group's generator, negated, and its product with the secret of Ethereum's ceremony. */
const MINUS_GENERATOR: SecondPoint = {
  x: [
    0x024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8n,
    0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7en,
  ],
  y: [
    0x0d1b3cc2c7027888be51d9ef691d77bcb679afda66c73f17f9ee3837a55024f78c71363275a75d75d86bab79f74782aan,
    0x13fa4d4a0ad8b1ce186ed5061789213d993923066dddaf1040bc3ff59f825c78df74f2d75467e25e0f55f8a00fa030edn,
  ],
};
const SECRET: SecondPoint = {
  x: [
    0x185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2n,
    0x15bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72n,
  ],
  y: [
    0x014353bdb96b626dd7d5ee8599d1fca2131569490e28de18e82451a496a9c9794ce26d105941f383ee689bfbbb832a99n,
    0x1666c54b0a32529503432fcae0181b4bef79de09fc63671fda5ed1ba9bfa07899495346f3d7ac9cd23048ef30d0a154fn,
  ],
};

const isVersionedHashOf = (versionedHash: Uint8Array, commitment: Uint8Array): boolean => {
  const expected = hash('sha256', commitment, 'buffer');
  expected[0] = VERSION;
  return Buffer.compare(expected, versionedHash) === 0;
};

const isScalar = (bytes: Uint8Array): boolean => Buffer.compare(bytes, modulus) < 0;

export const createPointEvaluation = (): Precompile => {
  const field = openField(pairsForChecks(2) + PAIRS_FOR_OPENINGS);
  const isProductOne = createProductCheck(field, [MINUS_GENERATOR, SECRET]);
  const openings = createOpenings(field);
  const output = hexToBytes(FIELD_ELEMENTS_PER_BLOB + MODULUS);
  return {
    price: () => PRICE,
    run: (input) => {
      if (input.length !== INPUT_BYTES) return undefined;
      const [versionedHash, z, y] = [0, 32, 64].map((at) => input.subarray(at, at + SCALAR_BYTES)) as [
        Uint8Array,
        Uint8Array,
        Uint8Array,
      ];
      const [commitment, proof] = [input.subarray(96, 144), input.subarray(144)];
      if (!isVersionedHashOf(versionedHash, commitment)) return undefined;
      if (!isScalar(z) || !isScalar(y)) return undefined;
      const opening = openings.open({ commitment, proof }, bytesToInteger(z), bytesToInteger(y));
      if (opening === undefined) return undefined;
      const areInfinite = [opening.sum.z === 0n, opening.proof.z === 0n];
      const isRight = areInfinite.includes(true)
        ? !areInfinite.includes(false)
        : isProductOne([opening.sum, opening.proof]);
      return isRight ? output.slice() : undefined;
    },
  };
};
