/**
 * Powers modulo numbers of up to 512 bits, where JavaScript's own big integers spend most of their time on allocation.
 * An even modulus is taken apart into an odd one and a power of two (C. K. Koc, "Montgomery reduction with even modulus").
 */
import { Assembler, branchIf, type Code, i32, i64, type Local, type Locals, loop, when } from './assembler.ts';
import { bitLength } from './integers.ts';
import {
  LIMB_BITS,
  limbsAt,
  limbsFor,
  lowProduct,
  montgomeryProduct,
  negativeInverse,
  readLimbs,
  writeLimbs,
} from './limbs.ts';

/** Most bits of a modulus. */
export const MOST_BITS = 512;
/** Most bytes of an exponent at a time. */
export const EXPONENT_BYTES = 1_024;

const WORD_BITS = 64;
/** Bits of larger moduli for which there are programs. Montgomery's product wants two bits more. */
const SIZES = [128, 256, MOST_BITS].map((bits) => ({ bits, limbs: limbsFor(bits + 2) }));

const WINDOW_BITS = 4;
const WINDOW = 2 ** WINDOW_BITS;
/** Room for a number, as a power of two. */
const NUMBER_SHIFT = 7;
const NUMBER_BYTES = 2 ** NUMBER_SHIFT;
const MODULUS = 0;
const INVERSE = MODULUS + NUMBER_BYTES;
const RESULT = INVERSE + NUMBER_BYTES;
/** Powers of the base from 0 to 15. */
const POWERS = RESULT + NUMBER_BYTES;
const EXPONENT = POWERS + NUMBER_BYTES * WINDOW;

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

const inMemory = (product: (result: Code, a: Code, b: Code) => Code): Multiplication => {
  const result = i32.const(RESULT);
  return {
    begin: [],
    end: [],
    square: product(result, result, result),
    byPower: (address) => product(result, result, address),
  };
};

/** For each kind and size of modulus: `multiply`, `table` and `raise`. */
const assemblePrograms = () => {
  const assembler = new Assembler();
  const multiplyWord = assembler.define('multiplyOdd64', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    const { begin, product } = oddWord(locals);
    const value = locals.i64();
    return [begin, product(value, wordAt(a), wordAt(b)), i64.store(result, value.get)];
  });
  const multiplyLowWord = assembler.define('multiplyLow64', 3, (locals) => {
    const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
    return i64.store(result, i64.mul(wordAt(a), wordAt(b)));
  });
  assembler.define('tableOdd64', 0, () => tableCode(multiplyWord));
  assembler.define('tableLow64', 0, () => tableCode(multiplyLowWord));
  assembler.define('raiseOdd64', 1, (locals) => raiseCode(locals, oddWord(locals)));
  assembler.define('raiseLow64', 1, (locals) => raiseCode(locals, lowWord(locals)));
  for (const { bits, limbs } of SIZES) {
    const odd = assembler.define(`multiplyOdd${bits}`, 3, (locals) => {
      const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
      const [inverse] = limbsAt(INVERSE, 1) as [Code];
      return montgomeryProduct(locals, limbs, result, [a, b], limbsAt(MODULUS, limbs), inverse);
    });
    const low = assembler.define(`multiplyLow${bits}`, 3, (locals) => {
      const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
      return lowProduct(locals, limbs, result, [a, b]);
    });
    assembler.define(`tableOdd${bits}`, 0, () => tableCode(odd));
    assembler.define(`tableLow${bits}`, 0, () => tableCode(low));
    assembler.define(`raiseOdd${bits}`, 1, (locals) => raiseCode(locals, inMemory(odd)));
    assembler.define(`raiseLow${bits}`, 1, (locals) => raiseCode(locals, inMemory(low)));
  }
  return assembler.instantiate(EXPONENT + EXPONENT_BYTES);
};

/** Residues of one kind and size: how they are written, read and multiplied. */
interface Residues {
  /** Of its functions. */
  readonly name: string;
  /** Sets up the program. */
  load(): void;
  write(address: number, value: bigint): void;
  /** The number that stands as result. */
  result(): bigint;
}

/** A power whose exponent comes in pieces. Others may be raised meanwhile. */
export interface Power {
  /** @param bytes one to EXPONENT_BYTES of them, most significant first */
  raise(bytes: Uint8Array): void;
  value(): bigint;
}

/** Gives what raises a base to powers modulo a number above 1 of at most MOST_BITS; the exponent is 0 at first. */
export const createPowers = (): ((base: bigint, modulus: bigint) => Power) => {
  const { memory, bytes, functions } = assemblePrograms();
  const call = (name: string, ...args: number[]): void => {
    (functions[name] as (...values: number[]) => void)(...args);
  };
  const readWord = (address: number): bigint => memory.getBigUint64(address, true);
  const writeWord = (address: number, value: bigint): void => memory.setBigUint64(address, value, true);
  /** What a residue stands for: a product with 1 takes Montgomery's factor off. */
  const withoutFactor = (name: string): void => call(`multiply${name}`, RESULT, RESULT, POWERS);

  const ofOddWord = (modulus: bigint): Residues => {
    const inverse = inverseModuloPowerOfTwo(modulus, WORD_BITS);
    return {
      name: 'Odd64',
      load: () => {
        writeWord(MODULUS, modulus);
        writeWord(INVERSE, inverse);
      },
      write: (address, value) => writeWord(address, (value << 64n) % modulus),
      result: () => {
        writeWord(POWERS, 1n);
        withoutFactor('Odd64');
        return readWord(RESULT);
      },
    };
  };
  const lowWordOf = (exponent: number): Residues => ({
    name: 'Low64',
    load: () => {},
    write: (address, value) => writeWord(address, BigInt.asUintN(exponent, value)),
    result: () => BigInt.asUintN(exponent, readWord(RESULT)),
  });
  const sizeOf = (bits: number) => SIZES.find((size) => bits <= size.bits) as (typeof SIZES)[number];

  const ofOdd = (modulus: bigint): Residues => {
    const bitCount = bitLength(modulus);
    if (bitCount <= WORD_BITS) return ofOddWord(modulus);
    const { bits, limbs } = sizeOf(bitCount);
    const shift = BigInt(limbs * LIMB_BITS);
    const inverse = negativeInverse(modulus);
    return {
      name: `Odd${bits}`,
      load: () => {
        writeLimbs(memory, MODULUS, limbs, modulus);
        writeLimbs(memory, INVERSE, 1, inverse);
      },
      write: (address, value) => writeLimbs(memory, address, limbs, (value << shift) % modulus),
      result: () => {
        writeLimbs(memory, POWERS, limbs, 1n);
        withoutFactor(`Odd${bits}`);
        return readLimbs(memory, RESULT, limbs) % modulus;
      },
    };
  };
  const ofPowerOfTwo = (exponent: number): Residues => {
    if (exponent <= WORD_BITS) return lowWordOf(exponent);
    const { bits, limbs } = sizeOf(exponent);
    return {
      name: `Low${bits}`,
      load: () => {},
      write: (address, value) => writeLimbs(memory, address, limbs, BigInt.asUintN(exponent, value)),
      result: () => BigInt.asUintN(exponent, readLimbs(memory, RESULT, limbs)),
    };
  };

  const powerIn = (residues: Residues, base: bigint): Power => {
    residues.load();
    residues.write(placeOfPower(0), 1n);
    residues.write(placeOfPower(1), base);
    call(`table${residues.name}`);
    const table = bytes.slice(POWERS, EXPONENT);
    const result = bytes.slice(POWERS, POWERS + NUMBER_BYTES);
    const raise = `raise${residues.name}`;
    return {
      raise: (exponent) => {
        residues.load();
        bytes.set(table, POWERS);
        bytes.set(result, RESULT);
        bytes.set(exponent, EXPONENT);
        call(raise, exponent.length);
        result.set(bytes.subarray(RESULT, RESULT + NUMBER_BYTES));
      },
      value: () => {
        residues.load();
        bytes.set(result, RESULT);
        return residues.result();
      },
    };
  };

  return (base, modulus) => {
    const twos = bitLength(modulus & -modulus) - 1;
    const oddPart = modulus >> BigInt(twos);
    if (twos === 0) return powerIn(ofOdd(modulus), base);
    const low = powerIn(ofPowerOfTwo(twos), base);
    if (oddPart === 1n) return low;
    const odd = powerIn(ofOdd(oddPart), base % oddPart);
    const inverse = inverseModuloPowerOfTwo(oddPart, twos);
    return {
      raise: (exponent) => {
        odd.raise(exponent);
        low.raise(exponent);
      },
      value: () => {
        const first = odd.value();
        return first + oddPart * BigInt.asUintN(twos, (low.value() - first) * inverse);
      },
    };
  };
};

/** By Newton's iteration, which doubles the bits that are right. */
const inverseModuloPowerOfTwo = (odd: bigint, bits: number): bigint => {
  let inverse = odd;
  for (let right = 3; right < bits; right *= 2) inverse = BigInt.asUintN(bits, inverse * (2n - odd * inverse));
  return BigInt.asUintN(bits, inverse);
};
