/**
 * Adds two points of alt_bn128 ([EIP-196](https://eips.ethereum.org/EIPS/eip-196)), at the price of
 * [EIP-1108](https://eips.ethereum.org/EIPS/eip-1108).
 */

import { G1_BYTES } from '../../../curves/mcl.ts';
import { paddedSlice } from '../words.ts';
import { type Bn254, G1_INPUT } from './bn254.ts';
import type { Precompile } from './precompile.ts';

export const createBn254Addition = (curve: Bn254): Precompile => {
  const { mcl, readG1, writeG1 } = curve;
  const [first, second] = [mcl.allocate(G1_BYTES), mcl.allocate(G1_BYTES)];
  return {
    price: () => 150,
    run: (input) => {
      if (!readG1(first, paddedSlice(input, 0, G1_INPUT))) return undefined;
      if (!readG1(second, paddedSlice(input, G1_INPUT, G1_INPUT))) return undefined;
      mcl.call('mclBnG1_add', first, first, second);
      return writeG1(first);
    },
  };
};
