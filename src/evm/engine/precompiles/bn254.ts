/**
 * Points of alt_bn128, alias bn254, as the precompiled contracts of [EIP-196](https://eips.ethereum.org/EIPS/eip-196)
 * and [EIP-197](https://eips.ethereum.org/EIPS/eip-197) write them.
 */
import { BN254, FP_BYTES, FP2_BYTES, type Mcl, openMcl } from '../../../curves/mcl.ts';

const WORD = 32;
/** Bytes of a point in input and output. */
export const G1_INPUT = 2 * WORD;
export const G2_INPUT = 4 * WORD;

const FIELD = Buffer.from('30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47', 'hex');

export interface Bn254 {
  readonly mcl: Mcl;
  /** Reads a point; false if it is none: coordinates beyond the field, or not on the curve. */
  readG1(point: number, input: Uint8Array): boolean;
  /** The same; false also outside of the subgroup. */
  readG2(point: number, input: Uint8Array): boolean;
  readScalar(scalar: number, input: Uint8Array): void;
  /** Coordinates of a point, which is normalised. */
  writeG1(point: number): Uint8Array;
}

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

export const openBn254 = async (): Promise<Bn254> => {
  const mcl = await openMcl(BN254);
  const { call } = mcl;
  call('mclBn_verifyOrderG2', 1);
  const word = mcl.allocate(WORD);

  const readField = (element: number, input: Uint8Array): boolean => {
    if (Buffer.compare(input, FIELD) >= 0) return false;
    mcl.bytes(word, WORD).set(input);
    return call('mclBnFp_setBigEndianMod', element, word, WORD) === 0;
  };
  /** Coordinates of an extension field come with the imaginary part first. */
  const readField2 = (element: number, input: Uint8Array): boolean =>
    readField(element + FP_BYTES, input.subarray(0, WORD)) && readField(element, input.subarray(WORD, 2 * WORD));
  const writeField = (element: number): Uint8Array => {
    // Zeros above the number are not written.
    mcl.bytes(word, WORD).fill(0);
    call('mclBnFp_getLittleEndian', word, WORD, element);
    return mcl.bytes(word, WORD).slice().reverse();
  };

  return {
    mcl,
    readG1: (point, input) => {
      call('mclBnG1_clear', point);
      if (isZero(input)) return true;
      if (!readField(point, input.subarray(0, WORD))) return false;
      if (!readField(point + FP_BYTES, input.subarray(WORD, G1_INPUT))) return false;
      call('mclBnFp_setInt32', point + 2 * FP_BYTES, 1);
      return call('mclBnG1_isValid', point) === 1;
    },
    readG2: (point, input) => {
      call('mclBnG2_clear', point);
      if (isZero(input)) return true;
      if (!readField2(point, input.subarray(0, 2 * WORD))) return false;
      if (!readField2(point + FP2_BYTES, input.subarray(2 * WORD, G2_INPUT))) return false;
      call('mclBnFp_setInt32', point + 2 * FP2_BYTES, 1);
      return call('mclBnG2_isValid', point) === 1;
    },
    readScalar: (scalar, input) => {
      mcl.bytes(word, WORD).set(input);
      call('mclBnFr_setBigEndianMod', scalar, word, WORD);
    },
    writeG1: (point) => {
      const output = new Uint8Array(G1_INPUT);
      if (call('mclBnG1_isZero', point) === 1) return output;
      call('mclBnG1_normalize', point, point);
      output.set(writeField(point), 0);
      output.set(writeField(point + FP_BYTES), WORD);
      return output;
    },
  };
};
