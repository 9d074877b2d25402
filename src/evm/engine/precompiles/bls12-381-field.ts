/** A memory of elements of BLS12-381's field, and what computes with them: pairs at addresses, big integers outside. */
import { FP2, LIMB_BITS, LIMBS, MONTGOMERY_FACTOR, PRIME, STRIDE } from './bls12-381-limbs.ts';
import { createFieldProgram, type FieldFunctions } from './bls12-381-program.ts';
import { createInverse } from './inverse.ts';

/** Two elements below p; as an element of Fp2, a + bu. */
export type Pair = readonly [first: bigint, second: bigint];

export interface Field {
  readonly functions: FieldFunctions;
  /** Of an element above 0 and below p. */
  inverse(value: bigint): bigint;
  /** The address of so many pairs side by side. */
  allocate(pairs: number): number;
  write(address: number, pair: Pair): void;
  read(address: number): Pair;
  readFirst(address: number): bigint;
}

const LANE = STRIDE / 2;

export const modulo = (value: bigint): bigint => {
  const rest = value % PRIME;
  return rest < 0n ? rest + PRIME : rest;
};

/** @param pairs how many can be allocated */
export const openField = (pairs: number): Field => {
  const { functions, memory, free } = createFieldProgram(pairs * FP2);
  const inverse = createInverse(PRIME);
  const factor = MONTGOMERY_FACTOR % PRIME;
  const inverseFactor = inverse(factor);
  const mask = (1n << LIMB_BITS) - 1n;
  let next = free;
  const writeLane = (address: number, value: bigint): void => {
    let rest = (value * factor) % PRIME;
    for (let i = 0; i < LIMBS; i++) {
      memory.setInt32(address + STRIDE * i, Number(rest & mask), true);
      rest >>= LIMB_BITS;
    }
  };
  const readLane = (address: number): bigint => {
    let value = 0n;
    for (let i = LIMBS - 1; i >= 0; i--) {
      value = (value << LIMB_BITS) + BigInt(memory.getInt32(address + STRIDE * i, true));
    }
    return modulo(value * inverseFactor);
  };
  return {
    functions,
    inverse,
    allocate: (count) => {
      next += count * FP2;
      if (next > free + pairs * FP2) throw new Error('The memory of the field is used up');
      return next - count * FP2;
    },
    write: (address, [first, second]) => {
      writeLane(address, first);
      writeLane(address + LANE, second);
    },
    read: (address) => [readLane(address), readLane(address + LANE)],
    readFirst: readLane,
  };
};
