/**
 * Multiplies a point of alt_bn128 by a number ([EIP-196](https://eips.ethereum.org/EIPS/eip-196)), at the price of
 * [EIP-1108](https://eips.ethereum.org/EIPS/eip-1108).
 */

import { FR_BYTES, G1_BYTES } from '../../../curves/mcl.ts';
import { paddedSlice } from '../words.ts';
import { type Bn254, G1_INPUT } from './bn254.ts';
import type { Precompile } from './precompile.ts';

export const createBn254Multiplication = (curve: Bn254): Precompile => {
  const { mcl, readG1, readScalar, writeG1 } = curve;
  const [point, scalar] = [mcl.allocate(G1_BYTES), mcl.allocate(FR_BYTES)];
  return {
    price: () => 6_000,
    run: (input) => {
      if (!readG1(point, paddedSlice(input, 0, G1_INPUT))) return undefined;
      readScalar(scalar, paddedSlice(input, G1_INPUT, 32));
      mcl.call('mclBnG1_mul', point, point, scalar);
      return writeG1(point);
    },
  };
};
