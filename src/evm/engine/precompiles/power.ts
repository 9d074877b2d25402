/**
 * Powers modulo numbers of up to 640 bits, where JavaScript's own big integers spend most of their time on allocation.
 * An even modulus is taken apart into an odd one and a power of two (C. K. Koc, "Montgomery reduction with even modulus").
 */
import { bitLength } from './integers.ts';
import { LIMB_BITS, negativeInverse, readLimbs, writeLimbs } from './limbs.ts';
import {
  createPowerPrograms,
  EXPONENT,
  INVERSE,
  MODULUS,
  NUMBER_BYTES,
  ONE,
  POWERS,
  type PowerProgram,
  RESULT,
  WORD_BITS,
} from './power-program.ts';

/** A power whose exponent comes in pieces. Others may be raised meanwhile. */
export interface Power {
  /** @param bytes one to EXPONENT_BYTES of them, most significant first */
  raise(bytes: Uint8Array): void;
  /** To be asked for once, at the end. */
  value(): bigint;
}

/** Residues of one modulus: how its program holds them. */
interface Residues {
  readonly program: PowerProgram;
  /** Gives the program its modulus. */
  load(): void;
  write(address: number, value: bigint): void;
  /** The number that stands as result. */
  result(): bigint;
}

const readWord = ({ memory }: PowerProgram, address: number): bigint => memory.getBigUint64(address, true);
const writeWord = ({ memory }: PowerProgram, address: number, value: bigint): void =>
  memory.setBigUint64(address, value, true);

/** What a residue stands for: a product with 1 takes Montgomery's factor off. */
const withoutFactor = ({ functions }: PowerProgram): void => functions.multiply(RESULT, RESULT, ONE);

const ofOddWord = (program: PowerProgram, modulus: bigint): Residues => {
  const inverse = inverseModuloPowerOfTwo(modulus, WORD_BITS);
  return {
    program,
    load: () => {
      writeWord(program, MODULUS, modulus);
      writeWord(program, INVERSE, inverse);
    },
    write: (address, value) => writeWord(program, address, (value << BigInt(WORD_BITS)) % modulus),
    result: () => {
      withoutFactor(program);
      return readWord(program, RESULT);
    },
  };
};

const ofOdd = (program: PowerProgram, modulus: bigint): Residues => {
  const { memory, limbs } = program;
  const shift = BigInt(limbs * LIMB_BITS);
  const inverse = negativeInverse(modulus);
  return {
    program,
    load: () => {
      writeLimbs(memory, MODULUS, limbs, modulus);
      writeLimbs(memory, INVERSE, 1, inverse);
    },
    write: (address, value) => writeLimbs(memory, address, limbs, (value << shift) % modulus),
    result: () => {
      withoutFactor(program);
      const value = readLimbs(memory, RESULT, limbs);
      return value === modulus ? 0n : value;
    },
  };
};

const ofPowerOfTwo = (program: PowerProgram, exponent: number): Residues => {
  const { memory, limbs } = program;
  const isWord = exponent <= WORD_BITS;
  return {
    program,
    load: () => {},
    write: (address, value) => {
      const residue = BigInt.asUintN(exponent, value);
      if (isWord) writeWord(program, address, residue);
      else writeLimbs(memory, address, limbs, residue);
    },
    result: () => BigInt.asUintN(exponent, isWord ? readWord(program, RESULT) : readLimbs(memory, RESULT, limbs)),
  };
};

/** Raises in a program whose memory belongs to whoever used it last. */
class ResiduePower implements Power {
  readonly #residues: Residues;
  readonly #owners: Map<PowerProgram, ResiduePower>;
  /** Result and table of powers while others use the program. */
  #kept: Uint8Array | undefined;

  constructor(residues: Residues, base: bigint, owners: Map<PowerProgram, ResiduePower>) {
    this.#residues = residues;
    this.#owners = owners;
    this.#own();
    const { program, write } = residues;
    write(POWERS, 1n);
    program.bytes.copyWithin(RESULT, POWERS, POWERS + NUMBER_BYTES);
    write(POWERS + NUMBER_BYTES, base);
    program.functions.table();
  }

  raise(exponent: Uint8Array): void {
    this.#own();
    const { bytes, functions } = this.#residues.program;
    bytes.set(exponent, EXPONENT);
    functions.raise(exponent.length);
  }

  value(): bigint {
    this.#own();
    this.#owners.delete(this.#residues.program);
    return this.#residues.result();
  }

  #own(): void {
    const { program, load } = this.#residues;
    const owner = this.#owners.get(program);
    if (owner === this) return;
    if (owner !== undefined) owner.#leave();
    this.#owners.set(program, this);
    load();
    if (this.#kept !== undefined) program.bytes.set(this.#kept, RESULT);
  }

  #leave(): void {
    this.#kept = this.#residues.program.bytes.slice(RESULT, EXPONENT);
  }
}

/** Gives what raises a base to powers modulo a number above 1 of at most MOST_BITS; the exponent is 0 at first. */
export const createPowers = (): ((base: bigint, modulus: bigint) => Power) => {
  const programFor = createPowerPrograms();
  const owners = new Map<PowerProgram, ResiduePower>();

  const moduloOdd = (base: bigint, modulus: bigint): Power => {
    const bits = bitLength(modulus);
    const program = programFor('odd', bits);
    const residues = bits <= WORD_BITS ? ofOddWord(program, modulus) : ofOdd(program, modulus);
    return new ResiduePower(residues, base, owners);
  };

  return (base, modulus) => {
    const twos = bitLength(modulus & -modulus) - 1;
    if (twos === 0) return moduloOdd(base, modulus);
    const oddPart = modulus >> BigInt(twos);
    const low = new ResiduePower(ofPowerOfTwo(programFor('low', twos), twos), base, owners);
    if (oddPart === 1n) return low;
    const odd = moduloOdd(base % oddPart, oddPart);
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
