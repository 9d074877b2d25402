/**
 * Whether pairings of points of alt_bn128 have the product 1 ([EIP-197](https://eips.ethereum.org/EIPS/eip-197)), at
 * the price of [EIP-1108](https://eips.ethereum.org/EIPS/eip-1108).
 */

import { G1_BYTES, G2_BYTES, GT_BYTES } from '../../../curves/mcl.ts';
import type { RunClock } from '../clock.ts';
import { type Bn254, G1_INPUT, G2_INPUT } from './bn254.ts';
import type { Precompile } from './precompile.ts';

const PAIR_INPUT = G1_INPUT + G2_INPUT;
const BASE_PRICE = 45_000;
const PAIR_PRICE = 34_000;
/** Pairs that share the squarings of one Miller loop, some ten milliseconds. */
const PAIRS_PER_LOOP = 8;

export const createBn254Pairing = (curve: Bn254): Precompile => {
  const { mcl, readG1, readG2 } = curve;
  const { call } = mcl;
  const lefts = mcl.allocate(PAIRS_PER_LOOP * G1_BYTES);
  const rights = mcl.allocate(PAIRS_PER_LOOP * G2_BYTES);
  const product = mcl.allocate(GT_BYTES);

  /** Undefined if a point is none, else the product of the pairs before the final exponentiation. */
  const millerLoop = (input: Uint8Array): Uint8Array | undefined => {
    let count = 0;
    for (let from = 0; from < input.length; from += PAIR_INPUT) {
      const left = lefts + G1_BYTES * count;
      const right = rights + G2_BYTES * count;
      if (!readG1(left, input.subarray(from, from + G1_INPUT))) return undefined;
      if (!readG2(right, input.subarray(from + G1_INPUT, from + PAIR_INPUT))) return undefined;
      // Pairings with infinity are 1.
      if (call('mclBnG1_isZero', left) === 0 && call('mclBnG2_isZero', right) === 0) count++;
    }
    if (count === 0) call('mclBnGT_setInt32', product, 1);
    else call('mclBn_millerLoopVec', product, lefts, rights, count);
    return mcl.bytes(product, GT_BYTES).slice();
  };

  const factor = mcl.allocate(GT_BYTES);
  const multiply = (a: Uint8Array, b: Uint8Array): Uint8Array => {
    mcl.bytes(product, GT_BYTES).set(a);
    mcl.bytes(factor, GT_BYTES).set(b);
    call('mclBnGT_mul', product, product, factor);
    return mcl.bytes(product, GT_BYTES).slice();
  };

  const answer = (value: Uint8Array): Uint8Array => {
    const output = new Uint8Array(32);
    mcl.bytes(product, GT_BYTES).set(value);
    call('mclBn_finalExp', product, product);
    output[31] = call('mclBnGT_isOne', product);
    return output;
  };

  return {
    price: ({ length }) => (length % PAIR_INPUT === 0 ? BASE_PRICE + PAIR_PRICE * (length / PAIR_INPUT) : undefined),
    run: async (input, clock: RunClock) => {
      let value: Uint8Array | undefined;
      for (let from = 0; from < input.length; from += PAIRS_PER_LOOP * PAIR_INPUT) {
        const next = millerLoop(input.subarray(from, from + PAIRS_PER_LOOP * PAIR_INPUT));
        if (next === undefined) return undefined;
        value = value === undefined ? next : multiply(value, next);
        await clock.look();
      }
      return value === undefined ? Uint8Array.from([...new Uint8Array(31), 1]) : answer(value);
    },
  };
};
