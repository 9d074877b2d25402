/**
 * WebAssembly written down as expressions: enough of the format (2.0) for arithmetic on a memory. Functions
 * take and give 32-bit numbers; what they do is a tree of instructions, operands first.
 */

/** Bytes of instructions, nested as it is convenient. */
export type Code = number | readonly Code[];

export interface Local {
  readonly get: Code;
  set(value: Code): Code;
}

const I32 = 0x7f;
const I64 = 0x7e;
const V128 = 0x7b;
const PAGE_BYTES = 65_536;

const unsigned = (value: number): number[] => {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) | 0x80);
  }
};

const signed = (value: bigint): number[] => {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn);
    if (rest >= -64n && rest < 64n) return [...bytes, low];
    bytes.push(low | 0x80);
  }
};

const binary =
  (opcode: number) =>
  (a: Code, b: Code): Code => [a, b, opcode];

const WORD_ALIGNMENT = 2;
const LONG_ALIGNMENT = 3;

export const i32 = {
  const: (value: number): Code => [0x41, signed(BigInt(value))],
  /** An 8-bit number in memory. */
  loadByte: (address: Code, offset = 0): Code => [address, 0x2d, 0, unsigned(offset)],
  eqz: (a: Code): Code => [a, 0x45],
  ne: binary(0x47),
  add: binary(0x6a),
  sub: binary(0x6b),
  and: binary(0x71),
  shl: binary(0x74),
  shr: binary(0x76),
} as const;

export const i64 = {
  /** Modulo 2^64. */
  const: (value: bigint): Code => [0x42, signed(BigInt.asIntN(64, value))],
  load: (address: Code, offset = 0): Code => [address, 0x29, LONG_ALIGNMENT, unsigned(offset)],
  /** A 32-bit number in memory. */
  loadWord: (address: Code, offset = 0): Code => [address, 0x35, WORD_ALIGNMENT, unsigned(offset)],
  /** The same with its sign. */
  loadSignedWord: (address: Code, offset = 0): Code => [address, 0x34, WORD_ALIGNMENT, unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [address, value, 0x37, LONG_ALIGNMENT, unsigned(offset)],
  /** The lowest 32 bits. */
  storeWord: (address: Code, value: Code, offset = 0): Code => [address, value, 0x3e, WORD_ALIGNMENT, unsigned(offset)],
  ltU: binary(0x54),
  add: binary(0x7c),
  sub: binary(0x7d),
  mul: binary(0x7e),
  and: binary(0x83),
  or: binary(0x84),
  xor: binary(0x85),
  shl: binary(0x86),
  /** Signed. */
  shrSigned: binary(0x87),
  shr: binary(0x88),
  rotr: binary(0x8a),
  /** A 32-bit number with its sign. */
  extended: (a: Code): Code => [a, 0xac],
} as const;

const vector =
  (opcode: number) =>
  (...operands: readonly Code[]): Code => [...operands, 0xfd, unsigned(opcode)];
const littleEndian = (value: bigint, byteCount: number): number[] =>
  Array.from({ length: byteCount }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));

/** 128 bits at once (fixed-width SIMD). */
export const v128 = {
  load: (address: Code, offset = 0): Code => [address, 0xfd, 0x00, WORD_ALIGNMENT, unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [
    ...[address, value],
    ...[0xfd, 0x0b, WORD_ALIGNMENT, unsigned(offset)],
  ],
  and: vector(0x4e),
  xor: vector(0x51),
  /** Bits of the first where the mask has them, else of the second. */
  select: (a: Code, b: Code, mask: Code): Code => [a, b, mask, 0xfd, 0x52],
} as const;

/** Four 32-bit numbers at once, with their signs. */
export const i32x4 = {
  const: (...values: readonly [number, number, number, number]): Code => [
    ...[0xfd, 0x0c],
    ...values.flatMap((value) => littleEndian(BigInt.asUintN(32, BigInt(value)), 4)),
  ],
  add: vector(0xae),
  sub: vector(0xb1),
  mul: vector(0xb5),
  shrSigned: vector(0xac),
  /** The numbers at four places among the eight of both operands. */
  shuffle: (a: Code, b: Code, ...places: readonly [number, number, number, number]): Code => [
    ...[a, b, 0xfd, 0x0d],
    ...places.flatMap((place) => [0, 1, 2, 3].map((byte) => 4 * place + byte)),
  ],
} as const;

/** Two 64-bit numbers at once. */
export const i64x2 = {
  const: (value: bigint): Code => {
    const bytes = littleEndian(BigInt.asUintN(64, value), 8);
    return [0xfd, 0x0c, ...bytes, ...bytes];
  },
  add: vector(0xce),
  sub: vector(0xd1),
  shrSigned: vector(0xcc),
  shr: vector(0xcd),
  /** The first two of four 32-bit numbers, and the other two. */
  extendLow: vector(0xc7),
  extendHigh: vector(0xc8),
  /** Products of the first two of four 32-bit numbers, and of the other two. */
  productLow: vector(0xdc),
  productHigh: vector(0xdd),
} as const;

const NO_RESULT = 0x40;

/** Repeats while the body branches to 0. */
export const loop = (body: Code): Code => [0x03, NO_RESULT, body, 0x0b];
/** What a branch leaves. */
export const block = (body: Code): Code => [0x02, NO_RESULT, body, 0x0b];
export const when = (condition: Code, body: Code): Code => [condition, 0x04, NO_RESULT, body, 0x0b];
/** Goes to the beginning of the loop, or the end of the block, that many levels further out. */
export const branchIf = (condition: Code, levels: number): Code => [condition, 0x0d, unsigned(levels)];

/** The locals of one function, parameters first. */
export class Locals {
  readonly types: number[] = [];
  readonly #parameters: number;

  constructor(parameters: number) {
    this.#parameters = parameters;
  }

  parameter(index: number): Local {
    return localAt(index);
  }

  /** Their values. */
  parameters(count: number): readonly Code[] {
    return Array.from({ length: count }, (_, index) => this.parameter(index).get);
  }

  i32(): Local {
    return this.#add(I32);
  }

  i64(): Local {
    return this.#add(I64);
  }

  i64s(count: number): readonly Local[] {
    return Array.from({ length: count }, () => this.i64());
  }

  v128(): Local {
    return this.#add(V128);
  }

  v128s(count: number): readonly Local[] {
    return Array.from({ length: count }, () => this.v128());
  }

  #add(type: number): Local {
    this.types.push(type);
    return localAt(this.#parameters + this.types.length - 1);
  }
}

const localAt = (index: number): Local => ({
  get: [0x20, unsigned(index)],
  set: (value) => [value, 0x21, unsigned(index)],
});

const flatten = (code: Code, into: number[]): number[] => {
  if (typeof code === 'number') into.push(code);
  else for (const part of code) flatten(part, into);
  return into;
};

// Programs have a hundred thousand bytes, so that they are put together as bytes, not as lists of numbers.
const bytesOf = (code: Code): Uint8Array => new Uint8Array(flatten(code, []));
const sized = (bytes: Uint8Array): Uint8Array => Buffer.concat([bytesOf(unsigned(bytes.length)), bytes]);
const listOf = (entries: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([bytesOf(unsigned(entries.length)), ...entries]);
const section = (id: number, entries: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([bytesOf(id), sized(listOf(entries))]);
const nameOf = (text: string): Uint8Array => sized(Buffer.from(text));

type Call = (...args: number[]) => void;

interface Engine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
  ) => { readonly exports: Record<string, Call> & { readonly memory: { readonly buffer: ArrayBuffer } } };
}
const engine = (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly;

export interface Program {
  /** Little-endian, at the addresses that the functions were made for. Never grows. */
  readonly memory: DataView;
  readonly bytes: Uint8Array;
  readonly functions: Readonly<Record<string, Call>>;
}

export class Assembler {
  readonly #types: Uint8Array[] = [];
  readonly #functions: { readonly name: string; readonly code: Uint8Array }[] = [];

  /**
   * A function of 32-bit numbers, known by its name outside.
   * @returns its call, for functions after it
   */
  define(name: string, parameters: number, body: (locals: Locals) => Code): (...args: Code[]) => Code {
    const locals = new Locals(parameters);
    const code = bytesOf([body(locals), 0x0b]);
    const index = this.#functions.length;
    this.#types.push(bytesOf([0x60, unsigned(parameters), new Array<number>(parameters).fill(I32), 0]));
    const declared = bytesOf([unsigned(locals.types.length), locals.types.map((type) => [1, type])]);
    this.#functions.push({ name, code: sized(Buffer.concat([declared, code])) });
    return (...args) => [...args, 0x10, unsigned(index)];
  }

  /** @param memoryBytes least size of the memory */
  instantiate(memoryBytes: number): Program {
    const exported = this.#functions.map(({ name }, index) =>
      Buffer.concat([nameOf(name), bytesOf([0, unsigned(index)])]),
    );
    const pages = bytesOf([0, unsigned(Math.ceil(memoryBytes / PAGE_BYTES))]);
    const bytes = Buffer.concat([
      bytesOf([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
      section(1, this.#types),
      section(
        3,
        this.#types.map((_, index) => bytesOf(unsigned(index))),
      ),
      section(5, [pages]),
      section(7, [...exported, Buffer.concat([nameOf('memory'), bytesOf([2, 0])])]),
      section(
        10,
        this.#functions.map(({ code }) => code),
      ),
    ]);
    const { exports } = new engine.Instance(new engine.Module(bytes));
    const { buffer } = exports.memory;
    return {
      memory: new DataView(buffer),
      bytes: new Uint8Array(buffer),
      functions: exports,
    };
  }
}

/** Does the same again and again, at least once. */
export const repeated = (assembler: Assembler, name: string, once: (result: Code, a: Code) => Code) =>
  assembler.define(name, 3, (locals) => {
    const [result, a, times] = locals.parameters(3) as [Code, Code, Code];
    const left = locals.i32();
    const countDown = left.set(i32.sub(left.get, i32.const(1)));
    return [
      once(result, a),
      ...[left.set(times), countDown],
      when(left.get, loop([once(result, result), countDown, branchIf(left.get, 0)])),
    ];
  });
