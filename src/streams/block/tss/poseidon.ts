import { Field } from '@noble/curves/abstract/modular.js';
import { grainGenConstants, poseidon } from '@noble/curves/abstract/poseidon.js';
import { BN254_SCALAR_ORDER } from './field.ts';

const WIDTH = 5;
const RATE = 4;

const field = Field(BN254_SCALAR_ORDER);
const shape = { Fp: field, t: WIDTH, roundsFull: 8, roundsPartial: 60 };

/** Made when it is first needed: the constants take a tenth of a second. */
let permutation: ((state: bigint[]) => bigint[]) | undefined;

const permute = (state: bigint[]): bigint[] => {
  permutation ??= poseidon({ ...shape, ...grainGenConstants(shape), sboxPower: 5 });
  return permutation(state);
};

/**
 * Poseidon over the scalar field of BN254 as the threshold signature scheme uses it: a sponge of rate 4 without padding
 * or length, of which the first element of the rate is taken.
 */
export const poseidonHash = (inputs: readonly bigint[]): bigint => {
  let state: bigint[] = new Array(WIDTH).fill(0n);
  for (let start = 0; start < inputs.length; start += RATE) {
    const chunk = inputs.slice(start, start + RATE);
    state = permute(state.map((value, i) => (i === 0 ? value : field.add(value, chunk[i - 1] ?? 0n))));
  }
  return state[1] as bigint;
};
