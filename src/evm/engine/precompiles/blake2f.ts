/**
 * The compression function of BLAKE2b with any number of rounds (EIP-152), in slices: a call may ask for four thousand
 * million of them.
 */
import { Assembler, block, branchIf, type Code, i32, i64, type Local, loop, type Program } from './assembler.ts';
import type { Precompile } from './precompile.ts';

const INPUT_BYTES = 213;
const STATE_WORDS = 8;
const LAST_BYTE = 212;

/** Where the program has the working vector and the message. */
const VECTOR = 0;
const MESSAGE = 128;

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

/** `rounds(count)` mixes the vector in memory that many times, beginning with the first permutation. */
const createProgram = (): Program => {
  const assembler = new Assembler();
  assembler.define('rounds', 1, (locals) => {
    const left = locals.parameter(0);
    const vector = locals.i64s(16);
    const word = (index: number): Code => i64.load(i32.const(0), MESSAGE + 8 * index);
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
      vector.map((local, index) => local.set(i64.load(i32.const(0), VECTOR + 8 * index))),
      block(
        loop([
          PERMUTATIONS.map((order) => [endIfNoneLeft, round(order), left.set(i32.sub(left.get, i32.const(1)))]),
          branchIf(i32.const(1), 0),
        ]),
      ),
      vector.map((local, index) => i64.store(i32.const(0), local.get, VECTOR + 8 * index)),
    ];
  });
  return assembler.instantiate(MESSAGE + 128);
};

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const createBlake2f = (): Precompile => {
  const { memory, bytes, functions } = createProgram();
  const rounds = functions.rounds as (count: number) => void;

  /** Sets up the working vector and the message. */
  const start = (input: Uint8Array): void => {
    const view = viewOf(input);
    bytes.set(input.subarray(4, 68), VECTOR);
    for (const [index, word] of INITIAL_VECTOR.entries()) memory.setBigUint64(VECTOR + 64 + 8 * index, word, true);
    for (const [index, offset] of [196, 204].entries()) {
      const place = VECTOR + 8 * (12 + index);
      memory.setBigUint64(place, memory.getBigUint64(place, true) ^ view.getBigUint64(offset, true), true);
    }
    const isFinal = VECTOR + 8 * 14;
    if (input[LAST_BYTE] === 1) {
      memory.setBigUint64(isFinal, BigInt.asUintN(64, ~memory.getBigUint64(isFinal, true)), true);
    }
    bytes.set(input.subarray(68, 196), MESSAGE);
  };

  const result = (input: Uint8Array): Uint8Array => {
    const output = new Uint8Array(8 * STATE_WORDS);
    for (let i = 0; i < output.length; i++) {
      output[i] = (input[4 + i] as number) ^ (bytes[VECTOR + i] as number) ^ (bytes[VECTOR + 64 + i] as number);
    }
    return output;
  };

  return {
    price: (input) => {
      const isValid = input.length === INPUT_BYTES && (input[LAST_BYTE] as number) <= 1;
      return isValid ? viewOf(input).getUint32(0) : undefined;
    },
    run: (input, clock) => {
      const count = viewOf(input).getUint32(0);
      start(input);
      if (count <= ROUNDS_PER_SLICE) {
        rounds(count);
        return result(input);
      }
      return (async () => {
        // Other runs may use the program while this one lets them.
        const kept = new Uint8Array(MESSAGE + 128);
        for (let left = count; left > 0; left -= ROUNDS_PER_SLICE) {
          rounds(Math.min(left, ROUNDS_PER_SLICE));
          kept.set(bytes.subarray(0, kept.length));
          await clock.look();
          bytes.set(kept);
        }
        return result(input);
      })();
    },
  };
};
