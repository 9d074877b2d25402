/**
 * Recovery of public keys on secp256k1 (SEC 1, section 4.1.6): for a signature (r, s) of the number z by a key whose
 * signing point R has x = r, the key is s/r R - z/r G. Both multiples are taken apart by the curve's endomorphism
 * (Gallant, Lambert, Vanstone 2001) into four of half the length, which share their doublings.
 */
import { bytesToInteger, integerToBytes } from './integers.ts';
import { createInverse } from './inverse.ts';
import { createSecp256k1Field, DIFFERENCE_Y, ELEMENT, FREE, POINT } from './secp256k1-field.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const GENERATOR_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;
const GENERATOR_Y = 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n;
const B = 7n;

/** Multiplies x of a point; the point is multiplied by a cube root of 1 modulo the order. */
const BETA = 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een;
/** Two short vectors (a, b) with a + b·lambda = 0 modulo the order; b of the first is negative, a and b swap. */
const A1 = 0x3086d221a7d46bcde86c90e49284eb15n;
const MINUS_B1 = 0xe4437ed6010e88286f547fa90abfe4c3n;
const A2 = 0x114ca50f7a8e2f3f657c1108d9d44cfd8n;

const HALF_BITS = 129;
const DIGITS_WORDS = 6;

/** Bits of a digit: odd multiples up to half of its range stand in a table. */
const GENERATOR_WIDTH = 10;
const POINT_WIDTH = 5;
const GENERATOR_ENTRIES = 2 ** (GENERATOR_WIDTH - 2);
const POINT_ENTRIES = 2 ** (POINT_WIDTH - 2);

/** x, x multiplied by beta, y; of the point's multiples also z, its square and its cube. */
const AFFINE_ENTRY = 3 * ELEMENT;
const ENTRY = 6 * ELEMENT;

const X_BETA = ELEMENT;
const Y = 2 * ELEMENT;
const Z = 3 * ELEMENT;

const GENERATOR_TABLE = FREE;
const POINT_TABLE = GENERATOR_TABLE + GENERATOR_ENTRIES * AFFINE_ENTRY;
const FIRST = POINT_TABLE + POINT_ENTRIES * ENTRY;
const SECOND = FIRST + POINT;
const COPIED = SECOND + POINT;
const TWICE = COPIED + POINT;
const ELEMENTS = TWICE + ENTRY;
const [ONE, CUBE_ROOT, CURVE_B, X, SIGNED_Y, POWER, INVERTED] = Array.from(
  { length: 7 },
  (_, index) => ELEMENTS + index * ELEMENT,
) as [number, number, number, number, number, number, number];
const ROOTS = ELEMENTS + 7 * ELEMENT;
const END = ROOTS + 12 * ELEMENT;

const modulo = (value: bigint): bigint => {
  const rest = value % ORDER;
  return rest < 0n ? rest + ORDER : rest;
};

const rounded = (product: bigint): bigint => (2n * product + ORDER) / (2n * ORDER);

/** Two numbers of some 128 bits, positive or negative, which with the endomorphism make up the scalar. */
const halves = (scalar: bigint): readonly [bigint, bigint] => {
  const first = rounded(A1 * scalar);
  const second = rounded(MINUS_B1 * scalar);
  return [scalar - first * A1 - second * A2, first * MINUS_B1 - second * A1];
};

/** Digits by bit, most of them 0, the others odd and of `width` bits with their sign (non-adjacent form). */
const digitsOf = (scalar: bigint, width: number): Int16Array => {
  const sign = scalar < 0n ? -1 : 1;
  const value = scalar < 0n ? -scalar : scalar;
  const words = new Uint32Array(DIGITS_WORDS);
  const low = BigInt.asUintN(64, value);
  const high = value >> 64n;
  words[0] = Number(BigInt.asUintN(32, low));
  words[1] = Number(low >> 32n);
  words[2] = Number(BigInt.asUintN(32, high));
  words[3] = Number(high >> 32n);
  const digits = new Int16Array(HALF_BITS + 1);
  const mask = 2 ** width - 1;
  let carry = 0;
  for (let at = 0; at <= HALF_BITS; ) {
    const index = at >>> 5;
    const offset = at & 31;
    let bits = (words[index] as number) >>> offset;
    if (offset + width > 32) bits |= (words[index + 1] as number) << (32 - offset);
    if ((bits & 1) === carry) {
      at += 1;
      continue;
    }
    const digit = (bits & mask) + carry;
    carry = digit >> (width - 1);
    digits[at] = sign * (digit - (carry << width));
    at += width;
  }
  return digits;
};

/** Gives the 64 bytes of a public key, or undefined where there is none. */
export type RecoverPublicKey = (
  hash: Uint8Array,
  isOdd: boolean,
  r: Uint8Array,
  s: Uint8Array,
) => Uint8Array | undefined;

export const createRecovery = (): RecoverPublicKey => {
  const field = createSecp256k1Field(END - FREE);
  const { multiply, square, squareTimes, add, subtract, negate, doublePoint, addAffine, addPoint } = field.functions;
  const inverse = createInverse(ORDER);

  field.write(ONE, 1n);
  field.write(CUBE_ROOT, BETA);
  field.write(CURVE_B, B);

  const copy = (to: number, from: number, byteCount: number): void => {
    field.bytes.copyWithin(to, from, from + byteCount);
  };

  /** Powers of an element with ones in their exponents, by how many; where each is computed from. */
  const chain: readonly (readonly [ones: number, from: number, shift: number, by: number])[] = [
    [2, 1, 1, 1],
    [3, 2, 1, 1],
    [6, 3, 3, 3],
    [9, 6, 3, 3],
    [11, 9, 2, 2],
    [22, 11, 11, 11],
    [44, 22, 22, 22],
    [88, 44, 44, 44],
    [176, 88, 88, 88],
    [220, 176, 44, 44],
    [223, 220, 3, 3],
  ];
  const places = new Map([1, ...chain.map(([ones]) => ones)].map((ones, index) => [ones, ROOTS + index * ELEMENT]));
  const place = (ones: number): number => places.get(ones) as number;
  const shiftLeft = (result: number, element: number, bits: number): void => {
    if (bits === 1) square(result, element);
    else squareTimes(result, element, bits);
  };
  const shiftAndMultiply = (result: number, element: number, bits: number, by: number): void => {
    shiftLeft(result, element, bits);
    multiply(result, result, by);
  };
  /** The power that square roots and inverses begin with. */
  const commonPower = (result: number, element: number): void => {
    copy(place(1), element, ELEMENT);
    for (const [ones, from, bits, by] of chain) shiftAndMultiply(place(ones), place(from), bits, place(by));
    shiftAndMultiply(result, place(223), 23, place(22));
  };
  /** To (p + 1) / 4: a root, if there is one. */
  const root = (result: number, element: number): void => {
    commonPower(result, element);
    shiftAndMultiply(result, result, 6, place(2));
    shiftLeft(result, result, 2);
  };
  /** To p - 2. */
  const invert = (result: number, element: number): void => {
    commonPower(result, element);
    shiftAndMultiply(result, result, 5, place(1));
    shiftAndMultiply(result, result, 3, place(2));
    shiftAndMultiply(result, result, 2, place(1));
  };

  /** The point as what it is multiplied to, with all that additions of it need. */
  const putEntry = (entry: number, point: number): void => {
    copy(entry, point, ELEMENT);
    multiply(entry + X_BETA, entry, CUBE_ROOT);
    copy(entry + Y, point + ELEMENT, ELEMENT);
    copy(entry + Z, point + 2 * ELEMENT, ELEMENT);
    square(entry + Z + ELEMENT, entry + Z);
    multiply(entry + Z + 2 * ELEMENT, entry + Z + ELEMENT, entry + Z);
  };
  /** Calls with 1, 3, 5 ... times a point, whose z is 1. */
  const oddMultiples = (x: number, y: number, count: number, take: (index: number, point: number) => void): void => {
    let [current, next] = [FIRST, SECOND];
    copy(current, x, ELEMENT);
    copy(current + ELEMENT, y, ELEMENT);
    copy(current + 2 * ELEMENT, ONE, ELEMENT);
    doublePoint(next, current);
    putEntry(TWICE, next);
    for (let index = 0; index < count; index++) {
      take(index, current);
      addPoint(next, current, TWICE, TWICE + Y, TWICE + Z);
      [current, next] = [next, current];
    }
  };
  const toAffine = (point: number): void => {
    invert(INVERTED, point + 2 * ELEMENT);
    square(POWER, INVERTED);
    multiply(point, point, POWER);
    multiply(POWER, POWER, INVERTED);
    multiply(point + ELEMENT, point + ELEMENT, POWER);
  };

  field.write(X, GENERATOR_X);
  field.write(SIGNED_Y, GENERATOR_Y);
  oddMultiples(X, SIGNED_Y, GENERATOR_ENTRIES, (index, point) => {
    const affine = GENERATOR_TABLE + index * AFFINE_ENTRY;
    copy(COPIED, point, POINT);
    toAffine(COPIED);
    copy(affine, COPIED, ELEMENT);
    multiply(affine + X_BETA, affine, CUBE_ROOT);
    copy(affine + Y, COPIED + ELEMENT, ELEMENT);
  });

  /** Adds an entry of a table, or what the endomorphism makes of it, with a sign. */
  const addEntry = (
    sum: number,
    next: number,
    entry: number,
    x: number,
    isNegative: boolean,
    isAffine: boolean,
  ): void => {
    let y = entry + Y;
    if (isNegative) {
      negate(SIGNED_Y, y);
      y = SIGNED_Y;
    }
    if (isAffine) addAffine(next, sum, entry + x, y);
    else addPoint(next, sum, entry + x, y, entry + Z);
  };

  /** s·R + t·G; undefined for infinity, else where it stands. */
  const sumOfProducts = (ofPoint: bigint, ofGenerator: bigint): number | undefined => {
    let [sum, next] = [FIRST, SECOND];
    let isInfinity = true;
    const parts = [
      ...halves(ofPoint).map((half, index) => ({
        digits: digitsOf(half, POINT_WIDTH),
        table: POINT_TABLE,
        size: ENTRY,
        x: index * X_BETA,
        isAffine: false,
      })),
      ...halves(ofGenerator).map((half, index) => ({
        digits: digitsOf(half, GENERATOR_WIDTH),
        table: GENERATOR_TABLE,
        size: AFFINE_ENTRY,
        x: index * X_BETA,
        isAffine: true,
      })),
    ];
    for (let bit = HALF_BITS; bit >= 0; bit--) {
      if (!isInfinity) doublePoint(sum, sum);
      for (const { digits, table, size, x, isAffine } of parts) {
        const digit = digits[bit] as number;
        if (digit === 0) continue;
        const entry = table + size * ((Math.abs(digit) - 1) / 2);
        if (isInfinity) {
          copy(sum, entry + x, ELEMENT);
          if (digit < 0) negate(sum + ELEMENT, entry + Y);
          else copy(sum + ELEMENT, entry + Y, ELEMENT);
          copy(sum + 2 * ELEMENT, isAffine ? ONE : entry + Z, ELEMENT);
          isInfinity = false;
          continue;
        }
        addEntry(sum, next, entry, x, digit < 0, isAffine);
        if (!field.isZero(next + 2 * ELEMENT)) {
          [sum, next] = [next, sum];
          continue;
        }
        // The formula fails for points with the same x: equal ones, or opposite ones.
        isInfinity = !field.isZero(DIFFERENCE_Y);
        if (!isInfinity) doublePoint(sum, sum);
      }
    }
    return isInfinity ? undefined : sum;
  };

  return (hash, isOdd, rBytes, sBytes) => {
    const [r, s] = [bytesToInteger(rBytes), bytesToInteger(sBytes)];
    if (r === 0n || s === 0n || r >= ORDER || s >= ORDER) return undefined;
    field.write(X, r);
    square(POWER, X);
    multiply(POWER, POWER, X);
    add(POWER, POWER, CURVE_B);
    root(SIGNED_Y, POWER);
    square(INVERTED, SIGNED_Y);
    subtract(INVERTED, INVERTED, POWER);
    if (!field.isZero(INVERTED)) return undefined;
    if ((field.read(SIGNED_Y) & 1n) !== (isOdd ? 1n : 0n)) negate(SIGNED_Y, SIGNED_Y);
    copy(POWER, SIGNED_Y, ELEMENT);
    oddMultiples(X, POWER, POINT_ENTRIES, (index, point) => putEntry(POINT_TABLE + index * ENTRY, point));

    const quotient = inverse(r);
    const ofGenerator = modulo(-bytesToInteger(hash) * quotient);
    const sum = sumOfProducts(modulo(s * quotient), ofGenerator);
    if (sum === undefined) return undefined;
    toAffine(sum);
    const key = new Uint8Array(64);
    key.set(integerToBytes(field.read(sum), 32), 0);
    key.set(integerToBytes(field.read(sum + ELEMENT), 32), 32);
    return key;
  };
};
