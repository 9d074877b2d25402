/** Random programs of several contracts that call and create each other, for comparing interpreters. */
import fc from 'fast-check';

export interface RandomProgram {
  /** Runtime codes; the first one is called. */
  readonly codes: readonly Uint8Array[];
  /** Slots 0 to 3 of each contract before the run. */
  readonly slots: readonly (readonly bigint[])[];
  readonly input: Uint8Array;
  readonly value: bigint;
  readonly gas: bigint;
}

const CONTRACT_COUNT = 3;

/** Addresses of the contracts, then of an account without code, then of nothing. */
export const programAddresses: readonly string[] = ['c0', 'c1', 'c2', 'e0', 'ff'].map((byte) => byte.repeat(20));

/** Bytes that depend on where they stand, for jumps. */
type Snippet = (offset: number) => readonly number[];

const fixed =
  (...bytes: readonly number[]): Snippet =>
  () =>
    bytes;

const pushNumber = (value: number): number[] => {
  if (value < 256) return [0x60, value];
  return value < 65_536
    ? [0x61, value >> 8, value & 255]
    : [0x63, value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];
};

const hex = (text: string): number[] => [...Buffer.from(text, 'hex')];

const word = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 40 }).map((n) => pushNumber(n)) },
  { weight: 1, arbitrary: fc.constant([0x5f]) },
  { weight: 1, arbitrary: fc.constant([0x7f, ...new Array<number>(32).fill(255)]) },
  { weight: 1, arbitrary: fc.constant([0x7f, 128, ...new Array<number>(31).fill(0)]) },
  {
    weight: 2,
    arbitrary: fc.uint8Array({ minLength: 1, maxLength: 32 }).map((bytes) => [0x5f + bytes.length, ...bytes]),
  },
);

/** Mostly small ranges of memory, sometimes unpayable ones. */
const range = fc.oneof(
  { weight: 250, arbitrary: fc.integer({ min: 0, max: 200 }) },
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 6_000 }) },
  { weight: 1, arbitrary: fc.constant(0xffffffff) },
);

const operations = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b,
  0x1c, 0x1d,
];
const environment = [
  0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a, 0x58, 0x59,
  0x5a,
];
const unary = [0x15, 0x19, 0x35, 0x40, 0x49];
const accountReads = [0x31, 0x3b, 0x3f];
/** Makes an address of any word that is none of the lowest numbers, for which the ledger has rules and prices of its own. */
const userAddress = [0x61, 0xff, 0xff, 0x17];
/**
 * Any instruction but calls, reads of accounts and self-destruction, since with arbitrary addresses the ledger has rules of its own; and
 * but pushes, behind which what follows would be read as other instructions.
 */
const wildOp = fc
  .integer({ min: 0, max: 255 })
  .filter((op) => (op < 0x60 || op > 0x7f) && ![0x31, 0x3b, 0x3c, 0x3f, 0xf1, 0xf2, 0xf4, 0xfa, 0xff].includes(op));

const arithmetic = fc.tuple(word, word, fc.constantFrom(...operations)).map(([a, b, op]) => fixed(...a, ...b, op));
const ternary = fc
  .tuple(word, word, word, fc.constantFrom(0x08, 0x09))
  .map(([a, b, c, op]) => fixed(...a, ...b, ...c, op));
const oneOperand = fc.tuple(word, fc.constantFrom(...unary)).map(([a, op]) => fixed(...a, op));
const anyAccount = fc.tuple(word, fc.constantFrom(...accountReads)).map(([a, op]) => fixed(...a, ...userAddress, op));
const knownAccount = fc
  .tuple(fc.constantFrom(...programAddresses), fc.constantFrom(...accountReads))
  .map(([address, op]) => fixed(0x73, ...hex(address), op));
const environmentWord = fc.constantFrom(...environment).map((op) => fixed(op));
const shuffle = fc.integer({ min: 0x80, max: 0x9f }).map((op) => fixed(op));
const memoryAccess = fc.oneof(
  fc.tuple(word, range, fc.constantFrom(0x52, 0x53)).map(([a, offset, op]) => fixed(...a, ...pushNumber(offset), op)),
  range.map((offset) => fixed(...pushNumber(offset), 0x51)),
  fc.tuple(range, range).map(([length, offset]) => fixed(...pushNumber(length), ...pushNumber(offset), 0x20)),
  fc
    .tuple(range, range, range, fc.constantFrom(0x37, 0x39, 0x3e, 0x5e))
    .map(([length, from, to, op]) => fixed(...pushNumber(length), ...pushNumber(from), ...pushNumber(to), op)),
  fc
    .tuple(range, range, range, fc.constantFrom(...programAddresses))
    .map(([length, from, to, address]) =>
      fixed(...pushNumber(length), ...pushNumber(from), ...pushNumber(to), 0x73, ...hex(address), 0x3c),
    ),
);
const slot = fc.integer({ min: 0, max: 3 });
const storageAccess = fc.oneof(
  fc.tuple(slot, fc.constantFrom(0x54, 0x5c)).map(([key, op]) => fixed(0x60, key, op)),
  fc.tuple(word, slot, fc.constantFrom(0x55, 0x55, 0x5d)).map(([a, key, op]) => fixed(...a, 0x60, key, op)),
  fc.tuple(slot, fc.constantFrom(0, 1, 2)).map(([key, value]) => fixed(0x60, value, 0x60, key, 0x55)),
);
const log = fc
  .tuple(fc.array(word, { minLength: 0, maxLength: 4 }), range, range)
  .map(([topics, offset, length]) =>
    fixed(...topics.flat(), ...pushNumber(length), ...pushNumber(offset), 0xa0 + topics.length),
  );

const callGas = fc.constantFrom(0, 100, 2_500, 30_000, 100_000, 10_000_000);
const call = fc
  .tuple(
    fc.constantFrom(0xf1, 0xf2, 0xf4, 0xfa),
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...programAddresses.slice(0, 4)) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map((n) => n.toString(16).padStart(40, '0')) },
    ),
    callGas,
    fc.constantFrom(0, 0, 0, 1, 5_000),
    fc.tuple(range, range, range, range),
    fc.boolean(),
  )
  .map(([op, address, gas, value, [inOffset, inLength, outOffset, outLength], drops]) => {
    // Precompiles get no value: the ledger refuses it.
    const sent = address.startsWith('0'.repeat(39)) ? 0 : value;
    return fixed(
      ...[outLength, outOffset, inLength, inOffset].flatMap(pushNumber),
      ...(op === 0xf1 || op === 0xf2 ? pushNumber(sent) : []),
      0x73,
      ...hex(address),
      ...pushNumber(gas),
      op,
      ...(drops ? [0x50] : []),
    );
  });

const initCodes: readonly string[] = [
  '',
  '00',
  'fe',
  '60056000526001601ff3',
  '602060006000396020600060003e60206000f3',
  '60ef60005360016000f3',
  '6001600055600260015560006000fd',
  '600160005560005460010160015560206000f3',
  '6160006000f3',
  '6133336000f3',
  `73${'e0'.repeat(20)}ff`,
  '3360005260206000fd',
  '30315860005260406000a06004601cf3',
  '5b600056',
];
const create = fc
  .tuple(
    fc.constantFrom(...initCodes),
    fc.constantFrom(0, 0, 1, 7_000),
    fc.option(slot, { nil: undefined }),
    fc.boolean(),
  )
  .map(([text, value, salt, drops]) => {
    const code = hex(text);
    return fixed(
      ...(code.length === 0 ? [] : [0x5f + code.length, ...code, 0x60, 0, 0x52]),
      ...(salt === undefined ? [] : [0x60, salt]),
      ...pushNumber(code.length),
      ...pushNumber(32 - code.length),
      ...pushNumber(value),
      salt === undefined ? 0xf0 : 0xf5,
      ...(drops ? [0x50] : []),
    );
  });

const skip = fc.tuple(fc.array(wildOp, { maxLength: 8 }), fc.option(word, { nil: undefined })).map(
  ([junk, condition]): Snippet =>
    (offset) => {
      const head = (condition?.length ?? 0) + 4;
      const target = offset + head + junk.length;
      return [
        ...(condition ?? []),
        0x61,
        target >> 8,
        target & 255,
        condition === undefined ? 0x56 : 0x57,
        ...junk,
        0x5b,
      ];
    },
);
const wildJump = fc.tuple(range, fc.constantFrom(0x56, 0x57)).map(([to, op]) => fixed(0x60, 1, ...pushNumber(to), op));
const wildByte = wildOp.map((op) => fixed(op));
const ending = fc.oneof(
  { weight: 2, arbitrary: fc.constant(fixed(0x00)) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(range, range, fc.constantFrom(0xf3, 0xf3, 0xfd))
      .map(([length, offset, op]) => fixed(...pushNumber(length), ...pushNumber(offset), op)),
  },
  { weight: 1, arbitrary: fc.constant(fixed(0x73, ...hex('e0'.repeat(20)), 0xff)) },
);

const straight = fc.oneof(
  { weight: 6, arbitrary: arithmetic },
  { weight: 1, arbitrary: ternary },
  { weight: 2, arbitrary: oneOperand },
  { weight: 1, arbitrary: anyAccount },
  { weight: 1, arbitrary: knownAccount },
  { weight: 2, arbitrary: environmentWord },
  { weight: 3, arbitrary: shuffle },
  { weight: 4, arbitrary: memoryAccess },
  { weight: 4, arbitrary: storageAccess },
  { weight: 1, arbitrary: log },
  { weight: 4, arbitrary: call },
  { weight: 2, arbitrary: create },
  { weight: 3, arbitrary: skip },
);

const join = (snippets: readonly Snippet[], offset: number): number[] => {
  const bytes: number[] = [];
  for (const snippet of snippets) bytes.push(...snippet(offset + bytes.length));
  return bytes;
};

/** Runs its body a few times: the counter stays on the stack below what the body leaves there. */
const loop = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.array(straight, { maxLength: 4 })).map(
  ([count, body]): Snippet =>
    (offset) => {
      // The counter lives in memory, where the body may also change it; gas ends what does not end.
      const head = [0x60, count, 0x61, 0x03, 0xe0, 0x52];
      const start = offset + head.length;
      const inner = join(body, start + 1);
      const tail = [0x60, 1, 0x61, 0x03, 0xe0, 0x51, 0x03, 0x80, 0x61, 0x03, 0xe0, 0x52];
      return [...head, 0x5b, ...inner, ...tail, 0x61, 0x03, 0xe0, 0x51, 0x61, start >> 8, start & 255, 0x57];
    },
);

const code = fc
  .tuple(
    fc.array(word, { minLength: 12, maxLength: 20 }),
    fc.array(
      fc.oneof(
        { weight: 120, arbitrary: straight },
        { weight: 9, arbitrary: loop },
        { weight: 1, arbitrary: wildJump },
        { weight: 1, arbitrary: wildByte },
        { weight: 1, arbitrary: ending },
      ),
      { minLength: 1, maxLength: 40 },
    ),
    fc.option(ending, { nil: undefined }),
  )
  .map(([words, body, end]) =>
    Uint8Array.from(join([...words.map((push) => fixed(...push)), ...body, ...(end === undefined ? [] : [end])], 0)),
  );

const storedWord = fc.constantFrom(0n, 0n, 1n, 2n, (1n << 255n) + 5n);

export const randomProgram: fc.Arbitrary<RandomProgram> = fc.record({
  codes: fc.array(code, { minLength: CONTRACT_COUNT, maxLength: CONTRACT_COUNT }),
  slots: fc.array(fc.array(storedWord, { minLength: 4, maxLength: 4 }), {
    minLength: CONTRACT_COUNT,
    maxLength: CONTRACT_COUNT,
  }),
  input: fc.uint8Array({ maxLength: 80 }),
  value: fc.constantFrom(0n, 0n, 3n),
  gas: fc.constantFrom(30_000n, 60_000n, 200_000n, 1_000_000n),
});
