/**
 * Programs that raise to powers by windows of four bits: one for each kind and size of modulus. What stands at which
 * address is the same in all of them.
 */
import {
  Assembler,
  branchIf,
  type Code,
  i32,
  i64,
  type Local,
  type Locals,
  loop,
  type Program,
  when,
} from './assembler.ts';
import { limbsAt, limbsFor, lowProduct, montgomeryProduct } from './limbs.ts';

export const WORD_BITS = 64;
/** Bits of moduli for which there are programs; those above the first take numbers by limbs. */
const SIZES = [WORD_BITS, 128, 256, 320, 384, 512, 640] as const;
/** Most bits of a modulus. */
export const MOST_BITS = 640;
/** Most bytes of an exponent at a time. */
export const EXPONENT_BYTES = 1_024;

const WINDOW_BITS = 4;
const WINDOW = 2 ** WINDOW_BITS;
/** Room for a number, as a power of two. */
const NUMBER_SHIFT = 7;
export const NUMBER_BYTES = 2 ** NUMBER_SHIFT;
export const MODULUS = 0;
export const INVERSE = MODULUS + NUMBER_BYTES;
export const ONE = INVERSE + NUMBER_BYTES;
export const RESULT = ONE + NUMBER_BYTES;
/** Powers of the base from 0 to 15. */
export const POWERS = RESULT + NUMBER_BYTES;
export const EXPONENT = POWERS + NUMBER_BYTES * WINDOW;

const placeOfPower = (exponent: number): number => POWERS + NUMBER_BYTES * exponent;

/** How numbers of one kind are multiplied: in place, by themselves or by the power of the base at an address. */
interface Multiplication {
  /** Before the first multiplication and after the last. */
  readonly begin: Code;
  readonly end: Code;
  readonly square: Code;
  byPower(address: Code): Code;
}

/** Raises the result by some bytes of exponent. */
const raiseCode = (locals: Locals, { begin, end, square, byPower }: Multiplication): Code => {
  const byteCount = locals.parameter(0);
  const [at, stop, digit] = [locals.i32(), locals.i32(), locals.i32()];
  const powerOfDigit = i32.add(i32.const(POWERS), i32.shl(digit.get, i32.const(NUMBER_SHIFT)));
  const step = (value: Code): Code => [
    new Array<Code>(WINDOW_BITS).fill(square),
    digit.set(value),
    when(digit.get, byPower(powerOfDigit)),
  ];
  const byte = i32.loadByte(at.get);
  return [
    begin,
    at.set(i32.const(EXPONENT)),
    stop.set(i32.add(i32.const(EXPONENT), byteCount.get)),
    loop([
      step(i32.shr(byte, i32.const(WINDOW_BITS))),
      step(i32.and(byte, i32.const(WINDOW - 1))),
      at.set(i32.add(at.get, i32.const(1))),
      branchIf(i32.ne(at.get, stop.get), 0),
    ]),
    end,
  ];
};

/** Fills the table of powers from its first two. */
const tableCode = (product: (result: Code, a: Code, b: Code) => Code): Code =>
  Array.from({ length: WINDOW - 2 }, (_, index) =>
    product(i32.const(placeOfPower(index + 2)), i32.const(placeOfPower(index + 1)), i32.const(placeOfPower(1))),
  );

/** The upper half of a product of 64-bit numbers. */
const upperHalf = (locals: Locals, into: Local, a: Code, b: Code): Code => {
  const [x, y, middle] = [locals.i64(), locals.i64(), locals.i64()];
  const low = (value: Code): Code => i64.and(value, i64.const(0xffff_ffffn));
  const high = (value: Code): Code => i64.shr(value, i64.const(32n));
  return [
    x.set(a),
    y.set(b),
    middle.set(i64.add(i64.mul(high(x.get), low(y.get)), high(i64.mul(low(x.get), low(y.get))))),
    into.set(
      i64.add(
        i64.add(i64.mul(high(x.get), high(y.get)), high(middle.get)),
        high(i64.add(i64.mul(low(x.get), high(y.get)), low(middle.get))),
      ),
    ),
  ];
};

const wordAt = (address: Code): Code => i64.load(address);
const fixedWord = (address: number): Code => i64.load(i32.const(0), address);

/** Montgomery's product modulo an odd 64-bit number; INVERSE has 1 / modulus. */
const oddWord = (locals: Locals): Multiplication & { product(into: Local, a: Code, b: Code): Code } => {
  const [value, modulus, inverse, upper, taken] = locals.i64s(5) as [Local, Local, Local, Local, Local];
  const product = (into: Local, a: Code, b: Code): Code => [
    upperHalf(locals, upper, a, b),
    upperHalf(locals, taken, i64.mul(i64.mul(a, b), inverse.get), modulus.get),
    // The lower halves are equal and leave nothing.
    into.set(i64.sub(upper.get, taken.get)),
    when(i64.ltU(upper.get, taken.get), into.set(i64.add(into.get, modulus.get))),
  ];
  return {
    begin: [value.set(fixedWord(RESULT)), modulus.set(fixedWord(MODULUS)), inverse.set(fixedWord(INVERSE))],
    end: i64.store(i32.const(0), value.get, RESULT),
    square: product(value, value.get, value.get),
    byPower: (address) => product(value, value.get, wordAt(address)),
    product,
  };
};

/** The product modulo 2^64. */
const lowWord = (locals: Locals): Multiplication => {
  const value = locals.i64();
  return {
    begin: value.set(fixedWord(RESULT)),
    end: i64.store(i32.const(0), value.get, RESULT),
    square: value.set(i64.mul(value.get, value.get)),
    byPower: (address) => value.set(i64.mul(value.get, wordAt(address))),
  };
};

/** Limbs of a number; Montgomery's product wants two bits more than the modulus has. */
const limbsOf = (bits: number): number => limbsFor(bits + 2);

export interface PowerProgram extends Omit<Program, 'functions'> {
  readonly limbs: number;
  readonly functions: {
    multiply(result: number, a: number, b: number): void;
    /** Fills the table of powers from its first two. */
    table(): void;
    /** Raises the result by so many bytes of exponent, at least one. */
    raise(byteCount: number): void;
  };
}

type Kind = 'odd' | 'low';

const wordProgram = (assembler: Assembler, kind: Kind): void => {
  const multiply = assembler.define('multiply', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    if (kind === 'low') return i64.store(result, i64.mul(wordAt(a), wordAt(b)));
    const { begin, product } = oddWord(locals);
    const value = locals.i64();
    return [begin, product(value, wordAt(a), wordAt(b)), i64.store(result, value.get)];
  });
  assembler.define('table', 0, () => tableCode(multiply));
  assembler.define('raise', 1, (locals) => raiseCode(locals, kind === 'odd' ? oddWord(locals) : lowWord(locals)));
};

const limbProgram = (assembler: Assembler, kind: Kind, limbs: number): void => {
  const product = (locals: Locals, result: Code, a: Code, b: Code | undefined): Code => {
    if (kind === 'low') return lowProduct(locals, limbs, result, a, b ?? a);
    const [inverse] = limbsAt(INVERSE, 1) as [Code];
    return montgomeryProduct(locals, limbs, result, a, b, limbsAt(MODULUS, limbs), inverse);
  };
  const multiply = assembler.define('multiply', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    return product(locals, result, a, b);
  });
  const square = assembler.define('square', 2, (locals) => {
    const [result, a] = locals.parameters(2) as [Code, Code];
    return product(locals, result, a, undefined);
  });
  assembler.define('table', 0, () => tableCode(multiply));
  const result = i32.const(RESULT);
  assembler.define('raise', 1, (locals) =>
    raiseCode(locals, {
      begin: [],
      end: [],
      square: square(result, result),
      byPower: (address) => multiply(result, result, address),
    }),
  );
};

/** Makes each program when it is first asked for. */
export const createPowerPrograms = (): ((kind: Kind, modulusBits: number) => PowerProgram) => {
  const made = new Map<string, PowerProgram>();
  return (kind, modulusBits) => {
    const bits = SIZES.find((size) => modulusBits <= size) ?? MOST_BITS;
    const name = `${kind} ${bits}`;
    const known = made.get(name);
    if (known !== undefined) return known;
    const assembler = new Assembler();
    const limbs = limbsOf(bits);
    if (bits === WORD_BITS) wordProgram(assembler, kind);
    else limbProgram(assembler, kind, limbs);
    const { memory, bytes, functions } = assembler.instantiate(EXPONENT + EXPONENT_BYTES);
    memory.setUint32(ONE, 1, true);
    const program = { memory, bytes, limbs, functions: functions as unknown as PowerProgram['functions'] };
    made.set(name, program);
    return program;
  };
};
