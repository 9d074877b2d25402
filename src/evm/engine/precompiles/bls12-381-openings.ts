/**
 * What point evaluations ([EIP-4844](https://eips.ethereum.org/EIPS/eip-4844)) do in BLS12-381's first group: reads a
 * commitment C and a proof P, and finds C - yG + zP. Both points are read side by side (bls12-381-points.ts), and
 * multiples are taken by parts: with the curve's parameter x, and the endomorphism φ(X, Y) = (βX, Y), which is a
 * multiplication by -x² in the group of order r and nowhere else on the curve, a = a0 + a1|x| + a2x² + a3|x|³ takes 64
 * doublings of a0 P - a2 φ(P) in one lane and of the same of |x|P in the other. That is also how points outside of the
 * group are told (Scott, "A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves").
 */
import { type Field, modulo, type Pair } from './bls12-381-field.ts';
import { CURVE_PARAMETER, FP2, PRIME } from './bls12-381-limbs.ts';
import { POINTS } from './bls12-381-points.ts';

/** (x / z, y / z); infinite where z is 0. */
export interface Projective {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
}

interface Opening {
  readonly proof: Projective;
  /** C - yG + zP. */
  readonly sum: Projective;
}

export interface Openings {
  /**
   * Both points as 48 bytes, compressed; numbers below the group's order.
   * @returns undefined where one of them is no point of the group
   */
  open(
    points: { readonly commitment: Uint8Array; readonly proof: Uint8Array },
    z: bigint,
    y: bigint,
  ): Opening | undefined;
}

const POINT_BYTES = 48;
const COMPRESSED = 0x80;
const INFINITE = 0x40;
const LARGER = 0x20;
const FLAGS = COMPRESSED | INFINITE | LARGER;

const GENERATOR: Pair = [
  0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bbn,
  0x08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1n,
];

const PAIRS_IN_POINTS = POINTS / FP2;
/** Bits of a part of a number, of a digit of what is multiplied by the proof, and by the generator. */
const PART_BITS = 64;
const DIGIT_BITS = 4;
const FIXED_DIGIT_BITS = 8;
const DIGITS = 1 << DIGIT_BITS;
const FIXED_DIGITS = 1 << FIXED_DIGIT_BITS;

/** Bits of the exponent of a square root that are taken at once. */
const ROOT_BITS = 5;
const ROOT_POWERS = 1 << (ROOT_BITS - 1);

/** Pairs of the field's memory. */
export const PAIRS_FOR_OPENINGS = PAIRS_IN_POINTS * 2 * (DIGITS + FIXED_DIGITS + 8) + ROOT_POWERS + 16;

interface Encoded {
  /** Undefined for infinity. */
  readonly x: bigint | undefined;
  /** Whether y is larger than -y. */
  readonly isLarger: boolean;
}

const decode = (bytes: Uint8Array): Encoded | undefined => {
  const first = bytes[0] as number;
  if (bytes.length !== POINT_BYTES || (first & COMPRESSED) === 0) return undefined;
  const digits = Buffer.from(bytes);
  digits[0] = first & ~FLAGS;
  const x = BigInt(`0x${digits.toString('hex')}`);
  if ((first & INFINITE) !== 0) {
    return first === (COMPRESSED | INFINITE) && x === 0n ? { x: undefined, isLarger: false } : undefined;
  }
  return x < PRIME ? { x, isLarger: (first & LARGER) !== 0 } : undefined;
};

/** Squarings, then a multiplication by an odd power, by its place among them; the first step has no squarings. */
type Step = readonly [squarings: number, power: number | undefined];

const stepsOf = (exponent: bigint): readonly Step[] => {
  const bits = exponent.toString(2);
  const steps: Step[] = [];
  let squarings = 0;
  for (let from = 0; from < bits.length; ) {
    if (bits[from] === '0') {
      squarings++;
      from++;
      continue;
    }
    const window = bits.slice(from, from + ROOT_BITS).replace(/0+$/, '');
    steps.push([squarings + window.length, Number.parseInt(window, 2) >> 1]);
    from += window.length;
    squarings = 0;
  }
  return squarings === 0 ? steps : [...steps, [squarings, undefined]];
};

const rootSteps = stepsOf((PRIME + 1n) / 4n);
const parameterBits = [...CURVE_PARAMETER.toString(2)].slice(1);

const powerOf = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = modulo(result * result);
    if (bit === '1') result = modulo(result * base);
  }
  return result;
};

/** Four numbers of 64 bits, as digits to the base |x|. */
const partsOf = (number: bigint): readonly [bigint, bigint, bigint, bigint] => {
  const high = number / CURVE_PARAMETER;
  const higher = high / CURVE_PARAMETER;
  return [number % CURVE_PARAMETER, high % CURVE_PARAMETER, higher % CURVE_PARAMETER, higher / CURVE_PARAMETER];
};

/** Digits of so many bits, least first. */
const digitsOf = (part: bigint, bits: number): number[] => {
  const [low, high] = [Number(part & 0xffff_ffffn), Number(part >> 32n)];
  const perHalf = PART_BITS / 2 / bits;
  return [low, high].flatMap((half) =>
    Array.from({ length: perHalf }, (_, index) => (half >>> (bits * index)) & ((1 << bits) - 1)),
  );
};

export const createOpenings = (field: Field): Openings => {
  const { functions, allocate, write, read, readFirst } = field;
  const { multiplyLanes, squareLanes, addFp2, negateLanes } = functions;
  const { doublePoints, addPoints, pickPoints, exchangePoints } = functions;
  const allocatePoints = (): number => allocate(PAIRS_IN_POINTS);
  const writeBoth = (value: bigint): number => {
    const address = allocate(1);
    write(address, [value, value]);
    return address;
  };
  const writePoints = (points: number, x: Pair, y: Pair, z: Pair): void => {
    write(points, x);
    write(points + FP2, y);
    write(points + 2 * FP2, z);
  };

  const [powers, square, right, root, check] = [allocate(ROOT_POWERS), ...[0, 1, 2, 3].map(() => allocate(1))] as [
    ...[number, number, number, number, number],
  ];
  const [one, four] = [writeBoth(1n), writeBoth(4n)];

  /** To the power (p + 1) / 4: a square root of those that have one. */
  const takeRoots = (result: number, a: number): void => {
    squareLanes(square, a, 1);
    functions.copy(powers, a);
    for (let i = 1; i < ROOT_POWERS; i++) multiplyLanes(powers + FP2 * i, powers + FP2 * (i - 1), square);
    for (const [index, [squarings, power]] of rootSteps.entries()) {
      if (index === 0) functions.copy(result, powers + FP2 * (power as number));
      else {
        squareLanes(result, result, squarings);
        if (power !== undefined) multiplyLanes(result, result, powers + FP2 * power);
      }
    }
  };

  /** Whether there are points with these coordinates; puts them down. */
  const lift = (points: number, encoded: readonly [Encoded, Encoded]): boolean => {
    // Something must be reckoned with in the place of infinity.
    write(points, [encoded[0].x ?? GENERATOR[0], encoded[1].x ?? GENERATOR[0]]);
    squareLanes(right, points, 1);
    multiplyLanes(right, right, points);
    addFp2(right, right, four);
    takeRoots(root, right);
    squareLanes(check, root, 1);
    if (!areEqual(check, right)) return false;
    const y = read(root).map((value, lane) =>
      value > PRIME - value === encoded[lane]?.isLarger || value === 0n ? value : PRIME - value,
    ) as [bigint, bigint];
    write(points + FP2, y);
    functions.copy(points + 2 * FP2, one);
    return true;
  };
  const areEqual = (a: number, b: number): boolean => {
    const [left, other] = [read(a), read(b)];
    return left[0] === other[0] && left[1] === other[1];
  };

  const multiplyByParameter = (result: number, a: number): void => {
    let [from, doublings] = [a, 0];
    for (const bit of parameterBits) {
      doublings++;
      if (bit === '0') continue;
      doublePoints(result, from, doublings);
      addPoints(result, result, a);
      [from, doublings] = [result, 0];
    }
    if (doublings > 0) doublePoints(result, from, doublings);
  };

  const beta = allocate(1);
  const [images, heights] = [allocate(1), allocate(1)];
  /** Whether x² times the points, which is at `multiples`, is what the endomorphism makes of them, negated. */
  const areInGroup = (points: number, multiples: number): boolean => {
    const z = multiples + 2 * FP2;
    multiplyLanes(images, points, beta);
    multiplyLanes(images, images, z);
    multiplyLanes(heights, points + FP2, z);
    negateLanes(heights, heights);
    return areEqual(multiples, images) && areEqual(multiples + FP2, heights);
  };

  /** A table of multiples of points, least first, and of x² times those. */
  const fillTables = (multiples: number, images: number, count: number, points: number): void => {
    pickPoints(multiples, infinity, infinity);
    pickPoints(multiples + POINTS, points, points);
    for (let i = 2; i < count; i++) {
      const place = multiples + POINTS * i;
      if (i % 2 === 0) doublePoints(place, multiples + (POINTS * i) / 2, 1);
      else addPoints(place, place - POINTS, points);
    }
    for (let i = 0; i < count; i++) {
      const [from, to] = [multiples + POINTS * i, images + POINTS * i];
      multiplyLanes(to, from, beta);
      negateLanes(to + FP2, from + FP2);
      functions.copy(to + 2 * FP2, from + 2 * FP2);
    }
  };

  const [points, once, twice, bases, sum, picked] = Array.from({ length: 6 }, allocatePoints) as [
    ...[number, number, number, number, number, number],
  ];
  const [table, imageTable] = [allocate(PAIRS_IN_POINTS * DIGITS), allocate(PAIRS_IN_POINTS * DIGITS)];
  const [fixedTable, fixedImageTable] = [
    allocate(PAIRS_IN_POINTS * FIXED_DIGITS),
    allocate(PAIRS_IN_POINTS * FIXED_DIGITS),
  ];

  const infinity = allocatePoints();
  writePoints(infinity, [0n, 0n], [1n, 1n], [0n, 0n]);

  /** The second point of the pair, beside |x| times it. */
  const takeBases = (): void => {
    exchangePoints(bases, points);
    pickPoints(bases, bases, once);
  };
  const addFrom = (multiples: number, first: number, second: number): void => {
    if (first === 0 && second === 0) return;
    pickPoints(picked, multiples + POINTS * first, multiples + POINTS * second);
    addPoints(sum, sum, picked);
  };

  const prepare = (): void => {
    const [x, y] = GENERATOR;
    const minusY = PRIME - y;
    writePoints(points, [x, x], [minusY, minusY], [1n, 1n]);
    multiplyByParameter(once, points);
    multiplyByParameter(twice, once);
    const rootOfOne = powerOf(2n, (PRIME - 1n) / 3n);
    for (const candidate of [rootOfOne, modulo(rootOfOne * rootOfOne)]) {
      write(beta, [candidate, candidate]);
      if (areInGroup(points, twice)) {
        takeBases();
        fillTables(fixedTable, fixedImageTable, FIXED_DIGITS, bases);
        return;
      }
    }
    throw new Error('The generator is not in its group');
  };
  prepare();

  const firstOf = (pair: number): Projective => ({
    x: readFirst(pair),
    y: readFirst(pair + FP2),
    z: readFirst(pair + 2 * FP2),
  });

  return {
    open: ({ commitment, proof }, z, y) => {
      const encoded = [decode(commitment), decode(proof)] as const;
      const [first, second] = encoded;
      if (first === undefined || second === undefined) return undefined;
      if (!lift(points, [first, second])) return undefined;
      multiplyByParameter(once, points);
      multiplyByParameter(twice, once);
      if (!areInGroup(points, twice)) return undefined;
      for (const place of [points, once]) {
        if (first.x === undefined) pickPoints(place, infinity, place);
        if (second.x === undefined) pickPoints(place, place, infinity);
      }
      takeBases();
      fillTables(table, imageTable, DIGITS, bases);
      pickPoints(sum, infinity, infinity);
      const digits = partsOf(z).map((part) => digitsOf(part, DIGIT_BITS));
      const fixedDigits = partsOf(y).map((part) => digitsOf(part, FIXED_DIGIT_BITS));
      const digit = (of: readonly number[][], part: number, place: number): number => of[part]?.[place] as number;
      for (let place = PART_BITS / DIGIT_BITS - 1; place >= 0; place--) {
        doublePoints(sum, sum, DIGIT_BITS);
        addFrom(table, digit(digits, 0, place), digit(digits, 1, place));
        addFrom(imageTable, digit(digits, 2, place), digit(digits, 3, place));
        const fixedPlace = (place * DIGIT_BITS) / FIXED_DIGIT_BITS;
        if (!Number.isInteger(fixedPlace)) continue;
        addFrom(fixedTable, digit(fixedDigits, 0, fixedPlace), digit(fixedDigits, 1, fixedPlace));
        addFrom(fixedImageTable, digit(fixedDigits, 2, fixedPlace), digit(fixedDigits, 3, fixedPlace));
      }
      exchangePoints(picked, sum);
      addPoints(sum, sum, picked);
      addPoints(sum, sum, points);
      exchangePoints(picked, points);
      return { proof: firstOf(picked), sum: firstOf(sum) };
    },
  };
};
