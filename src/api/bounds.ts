/** Repeated comparison filters on one 64-bit column, merged. */
import { MAX_INT64, MIN_INT64 } from '../ledger/int64.ts';
import type { Operator } from './query.ts';

export interface Comparison {
  readonly operator: Operator;
  readonly value: bigint;
}

export interface Bounds {
  /** Inclusive; the largest of all lower bounds, null without any. */
  readonly lower: bigint | null;
  /** Inclusive; the smallest of all upper bounds, null without any. */
  readonly upper: bigint | null;
  /** Distinct values of `eq`, in order. */
  readonly equal: readonly bigint[];
  /** Distinct values of `ne`, in order. */
  readonly unequal: readonly bigint[];
  readonly lowerCount: number;
  readonly upperCount: number;
}

export const boundsOf = (comparisons: Iterable<Comparison>): Bounds => {
  let lower: bigint | null = null;
  let upper: bigint | null = null;
  let lowerCount = 0;
  let upperCount = 0;
  const equal = new Set<bigint>();
  const unequal = new Set<bigint>();
  for (const { operator, value } of comparisons) {
    switch (operator) {
      case 'eq':
        equal.add(value);
        break;
      case 'ne':
        unequal.add(value);
        break;
      case 'gt':
      case 'gte': {
        const bound = operator === 'gt' ? value + 1n : value;
        if (lower === null || bound > lower) lower = bound;
        lowerCount++;
        break;
      }
      case 'lt':
      case 'lte': {
        const bound = operator === 'lt' ? value - 1n : value;
        if (upper === null || bound < upper) upper = bound;
        upperCount++;
        break;
      }
    }
  }
  return { lower, upper, equal: [...equal], unequal: [...unequal], lowerCount, upperCount };
};

/** Values of an int8 column from `lower` to `upper` (both inclusive, null: open) except `excluded`. */
export interface Interval {
  readonly lower: bigint | null;
  readonly upper: bigint | null;
  readonly excluded: readonly bigint[];
}

export const everything: Interval = { lower: null, upper: null, excluded: [] };

/**
 * The values that satisfy every filter at once, as an interval within int8; undefined when there are none. An equality
 * is the interval from the value to itself.
 */
export const conjunction = (bounds: Bounds): Interval | undefined => {
  let { lower, upper } = bounds;
  if (bounds.equal.length > 1) return undefined;
  const [equal] = bounds.equal;
  if (equal !== undefined) {
    if ((lower !== null && equal < lower) || (upper !== null && equal > upper)) return undefined;
    lower = equal;
    upper = equal;
  }
  if (lower !== null && upper !== null && lower > upper) return undefined;
  if ((lower !== null && lower > MAX_INT64) || (upper !== null && upper < MIN_INT64)) return undefined;
  if (equal !== undefined && bounds.unequal.includes(equal)) return undefined;
  return {
    lower: lower !== null && lower < MIN_INT64 ? null : lower,
    upper: upper !== null && upper > MAX_INT64 ? null : upper,
    excluded: bounds.unequal.filter(
      (value) =>
        value >= MIN_INT64 &&
        value <= MAX_INT64 &&
        (lower === null || value >= lower) &&
        (upper === null || value <= upper),
    ),
  };
};

/** The bounds that hold an interval, as `conjunction` gives it. */
export const boundsWithin = ({ lower, upper, excluded }: Interval): Bounds => ({
  lower,
  upper,
  equal: [],
  unequal: excluded,
  lowerCount: lower === null ? 0 : 1,
  upperCount: upper === null ? 0 : 1,
});

/** Whether every value lies within the bounds. */
export const isUnbounded = ({ lower, upper, equal, unequal }: Bounds): boolean =>
  lower === null && upper === null && equal.length + unequal.length === 0;

/**
 * The values of `eq` that also satisfy the bounds and inequalities, for parameters whose repeated equalities mean "one
 * of". Undefined when there is no equality.
 */
export const alternatives = (bounds: Bounds): readonly bigint[] | undefined =>
  bounds.equal.length === 0
    ? undefined
    : bounds.equal.filter(
        (value) =>
          (bounds.lower === null || value >= bounds.lower) &&
          (bounds.upper === null || value <= bounds.upper) &&
          !bounds.unequal.includes(value),
      );
