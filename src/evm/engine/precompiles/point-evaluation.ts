/**
 * Whether the polynomial of a commitment has a value at a point (EIP-4844): with the commitment C, the point z, the value
 * y, the proof P and the secret s of the trusted setup, e(C - y, -1) e(P, s - z) = 1. Written as
 * e(C - y + zP, -1) e(P, s) = 1, both points of the second group are known beforehand. Points of the first group are read
 * and added up by mcl, the pairings are our own (bls12-381-pairing.ts).
 */
import { hash } from 'node:crypto';
import { hexToBytes } from '../words.ts';
import { createProductCheck, type FirstPoint, type SecondPoint } from './bls12-381-pairing.ts';
import { bytesToInteger } from './integers.ts';
import { BLS12_381, FP_BYTES, FP2_BYTES, FR_BYTES, G1_BYTES, G2_BYTES, openMcl } from '../../../curves/mcl.ts';
import type { Precompile } from './precompile.ts';

const PRICE = 50_000;
const INPUT_BYTES = 192;
const SCALAR_BYTES = 32;
const POINT_BYTES = 48;
const VERSION = 1;
const COMPRESSED_BIT = 0x80;
const INFINITY_BIT = 0x40;

const FIELD_ELEMENTS_PER_BLOB = '1000'.padStart(64, '0');
const MODULUS = '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001';
const modulus = Buffer.from(MODULUS, 'hex');

const GENERATOR_1 = '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb';
/** The second group's generator, and its product with the secret of Ethereum's ceremony. */
const GENERATOR_2 =
  '93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e' +
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8';
const SECRET =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72' +
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2';

const isVersionedHashOf = (versionedHash: Uint8Array, commitment: Uint8Array): boolean => {
  const expected = hash('sha256', commitment, 'buffer');
  expected[0] = VERSION;
  return Buffer.compare(expected, versionedHash) === 0;
};

const isScalar = (bytes: Uint8Array): boolean => Buffer.compare(bytes, modulus) < 0;

export const openPointEvaluation = async (): Promise<Precompile> => {
  const { call, allocate, bytes } = await openMcl(BLS12_381);
  call('mclBn_setETHserialization', 1);
  call('mclBn_verifyOrderG1', 1);
  const buffer = allocate(2 * POINT_BYTES);

  const field = allocate(FP_BYTES);
  /** An element of the field, without the form that mcl keeps it in. */
  const readField = (place: number): bigint => {
    // Zeros above the number are not written.
    bytes(field, FP_BYTES).fill(0);
    call('mclBnFp_getLittleEndian', field, FP_BYTES, place);
    return bytesToInteger(bytes(field, FP_BYTES).slice().reverse());
  };
  const secondPoint = (point: string, isNegative: boolean): SecondPoint => {
    const encoded = hexToBytes(point);
    bytes(buffer, encoded.length).set(encoded);
    const place = allocate(G2_BYTES);
    if (call('mclBnG2_deserialize', place, buffer, encoded.length) === 0)
      throw new Error('The trusted setup is broken');
    if (isNegative) call('mclBnG2_neg', place, place);
    const coordinate = (at: number) => [readField(at), readField(at + FP_BYTES)] as const;
    return { x: coordinate(place), y: coordinate(place + FP2_BYTES) };
  };
  const isProductOne = createProductCheck([secondPoint(GENERATOR_2, true), secondPoint(SECRET, false)]);

  const commitment = allocate(G1_BYTES);
  const proof = allocate(G1_BYTES);
  /** The generator and the proof, and what they are multiplied by. */
  const points = allocate(2 * G1_BYTES);
  const scalars = allocate(2 * FR_BYTES);
  const sum = allocate(G1_BYTES);

  const readPoint = (place: number, encoded: Uint8Array): boolean => {
    // Mcl does not look at what follows the mark of infinity.
    const first = encoded[0] as number;
    if ((first & INFINITY_BIT) !== 0) {
      call('mclBnG1_clear', place);
      return first === (COMPRESSED_BIT | INFINITY_BIT) && encoded.subarray(1).every((byte) => byte === 0);
    }
    bytes(buffer, POINT_BYTES).set(encoded);
    return call('mclBnG1_deserialize', place, buffer, POINT_BYTES) === POINT_BYTES;
  };
  const readScalar = (place: number, encoded: Uint8Array): void => {
    bytes(buffer, SCALAR_BYTES).set(encoded);
    call('mclBnFr_setBigEndianMod', place, buffer, SCALAR_BYTES);
  };

  const firstPoint = (place: number): FirstPoint => ({ x: readField(place), y: readField(place + FP_BYTES) });

  if (!readPoint(points, hexToBytes(GENERATOR_1))) throw new Error('The generator is no point');
  call('mclBnG1_neg', points, points);
  const minusGenerator = bytes(points, G1_BYTES).slice();

  const isOpening = (z: Uint8Array, y: Uint8Array): boolean => {
    bytes(points, G1_BYTES).set(minusGenerator);
    bytes(points + G1_BYTES, G1_BYTES).set(bytes(proof, G1_BYTES));
    readScalar(scalars, y);
    readScalar(scalars + FR_BYTES, z);
    call('mclBnG1_mulVec', sum, points, scalars, 2);
    call('mclBnG1_add', sum, sum, commitment);
    const areZero = [sum, proof].map((point) => call('mclBnG1_isZero', point) === 1);
    if (areZero.includes(true)) return !areZero.includes(false);
    call('mclBnG1_normalize', sum, sum);
    return isProductOne([firstPoint(sum), firstPoint(proof)]);
  };

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
      const encodedCommitment = input.subarray(96, 144);
      if (!isVersionedHashOf(versionedHash, encodedCommitment)) return undefined;
      if (!isScalar(z) || !isScalar(y)) return undefined;
      if (!readPoint(commitment, encodedCommitment) || !readPoint(proof, input.subarray(144))) return undefined;
      return isOpening(z, y) ? output.slice() : undefined;
    },
  };
};
