/**
 * The compression function of BLAKE2b with any number of rounds ([EIP-152](https://eips.ethereum.org/EIPS/eip-152)), in
 * slices: a call may ask for four thousand million of them.
 */

import { viewOf } from '../words.ts';
import { Assembler, block, branchIf, type Code, i32, i64, type Local, loop, type Program } from './assembler.ts';
import type { Precompile } from './precompile.ts';

const INPUT_BYTES = 213;
const LAST_BYTE = 212;

/** Where the program has the working vector and the input, whose words then lie at multiples of 8. */
const VECTOR = 0;
const INPUT = 132;
const STATE = INPUT + 4;
const MESSAGE = STATE + 64;
const OFFSET = MESSAGE + 128;
const END = INPUT + 216;

/** Less than a millisecond; a multiple of the permutations, so that every slice begins with the first. */
const ROUNDS_PER_SLICE = 20_000;

/** RFC 7693, section 2.6. */
const INITIAL_VECTOR = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];

/** Order of the message's words in each round (RFC 7693, section 2.7), in hex. */
const PERMUTATIONS = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
].map((digits) => [...digits].map((digit) => Number.parseInt(digit, 16)));

/** Columns, then diagonals of the working vector. */
const MIXED = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

/**
 * `start(isFinal)` sets up the vector from the input, `rounds(count)` mixes it that many times, beginning with the first
 * permutation, and `finish()` puts the result where the state was.
 */
const createProgram = (): Program => {
  const assembler = new Assembler();
  const at = (place: number): Code => i64.load(i32.const(0), place);
  const put = (place: number, value: Code): Code => i64.store(i32.const(0), value, place);
  assembler.define('start', 1, (locals) => {
    const flips: Readonly<Record<number, Code>> = {
      4: at(OFFSET),
      5: at(OFFSET + 8),
      6: i64.extended(i32.sub(i32.const(0), locals.parameter(0).get)),
    };
    return INITIAL_VECTOR.map((word, index) => [
      put(VECTOR + 8 * index, at(STATE + 8 * index)),
      put(VECTOR + 64 + 8 * index, i64.xor(i64.const(word), flips[index] ?? i64.const(0n))),
    ]);
  });
  assembler.define('finish', 0, () =>
    INITIAL_VECTOR.map((_, index) => {
      const mixed = i64.xor(at(VECTOR + 8 * index), at(VECTOR + 64 + 8 * index));
      return put(STATE + 8 * index, i64.xor(at(STATE + 8 * index), mixed));
    }),
  );
  assembler.define('rounds', 1, (locals) => {
    const left = locals.parameter(0);
    const vector = locals.i64s(16);
    const word = (index: number): Code => at(MESSAGE + 8 * index);
    const halfMix = (a: Local, b: Local, c: Local, d: Local, message: Code, first: bigint, second: bigint): Code => [
      a.set(i64.add(i64.add(a.get, b.get), message)),
      d.set(i64.rotr(i64.xor(d.get, a.get), i64.const(first))),
      c.set(i64.add(c.get, d.get)),
      b.set(i64.rotr(i64.xor(b.get, c.get), i64.const(second))),
    ];
    const round = (order: readonly number[]): Code =>
      MIXED.map((places, index) => {
        const [a, b, c, d] = places.map((place) => vector[place]) as [Local, Local, Local, Local];
        return [
          halfMix(a, b, c, d, word(order[2 * index] ?? 0), 32n, 24n),
          halfMix(a, b, c, d, word(order[2 * index + 1] ?? 0), 16n, 63n),
        ];
      });
    const endIfNoneLeft = branchIf(i32.eqz(left.get), 1);
    return [
      vector.map((local, index) => local.set(at(VECTOR + 8 * index))),
      block(
        loop([
          PERMUTATIONS.map((order) => [endIfNoneLeft, round(order), left.set(i32.sub(left.get, i32.const(1)))]),
          branchIf(i32.const(1), 0),
        ]),
      ),
      vector.map((local, index) => put(VECTOR + 8 * index, local.get)),
    ];
  });
  return assembler.instantiate(END);
};

export const createBlake2f = (): Precompile => {
  const { bytes, functions } = createProgram();
  const call = (name: 'start' | 'rounds' | 'finish', ...args: number[]): void => functions[name]?.(...args);

  const result = (): Uint8Array => {
    call('finish');
    return bytes.slice(STATE, MESSAGE);
  };

  return {
    price: (input) => {
      const isValid = input.length === INPUT_BYTES && (input[LAST_BYTE] as number) <= 1;
      return isValid ? viewOf(input).getUint32(0) : undefined;
    },
    run: (input, clock) => {
      const count = viewOf(input).getUint32(0);
      bytes.set(input, INPUT);
      call('start', input[LAST_BYTE] as number);
      if (count <= ROUNDS_PER_SLICE) {
        call('rounds', count);
        return result();
      }
      return (async () => {
        for (let left = count; left > 0; left -= ROUNDS_PER_SLICE) {
          call('rounds', Math.min(left, ROUNDS_PER_SLICE));
          // Other runs may use the program while this one lets them.
          const kept = bytes.slice(0, END);
          await clock.look();
          bytes.set(kept);
        }
        return result();
      })();
    },
  };
};
