import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alternatives, boundsOf, type Comparison, conjunction } from './bounds.ts';

const MAX = (1n << 63n) - 1n;

const holds = ({ operator, value }: Comparison, x: bigint): boolean => {
  switch (operator) {
    case 'eq':
      return x === value;
    case 'ne':
      return x !== value;
    case 'gt':
      return x > value;
    case 'gte':
      return x >= value;
    case 'lt':
      return x < value;
    case 'lte':
      return x <= value;
  }
};

const comparison = (values: fc.Arbitrary<bigint>): fc.Arbitrary<Comparison> =>
  fc.record({ operator: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte'), value: values });
const small = fc.bigInt(0n, 12n);

describe('conjunction', () => {
  it('holds exactly the values that satisfy every comparison', () => {
    fc.assert(
      fc.property(fc.array(comparison(small), { maxLength: 6 }), fc.bigInt(-2n, 14n), (comparisons, x) => {
        const interval = conjunction(boundsOf(comparisons));
        const inside =
          interval !== undefined &&
          (interval.lower === null || x >= interval.lower) &&
          (interval.upper === null || x <= interval.upper) &&
          !interval.excluded.includes(x);
        expect(inside).toBe(comparisons.every((one) => holds(one, x)));
      }),
    );
  });

  it('never leaves int8', () => {
    const beyond = fc.bigInt(MAX - 3n, MAX + 3n);
    fc.assert(
      fc.property(fc.array(comparison(beyond), { maxLength: 5 }), (comparisons) => {
        const interval = conjunction(boundsOf(comparisons));
        if (interval === undefined) return;
        for (const value of [interval.lower, interval.upper, ...interval.excluded]) {
          if (value !== null) expect(value <= MAX).toBe(true);
        }
      }),
    );
  });

  it('is empty above the largest int8', () => {
    expect(conjunction(boundsOf([{ operator: 'gt', value: MAX }]))).toBeUndefined();
    expect(conjunction(boundsOf([{ operator: 'eq', value: MAX + 1n }]))).toBeUndefined();
    expect(conjunction(boundsOf([{ operator: 'lte', value: MAX + 1n }]))).toEqual({
      lower: null,
      upper: null,
      excluded: [],
    });
  });

  it('turns an equality into an interval of one', () => {
    expect(conjunction(boundsOf([{ operator: 'eq', value: 5n }]))).toEqual({ lower: 5n, upper: 5n, excluded: [] });
  });
});

describe('boundsOf', () => {
  it('counts bounds and keeps distinct values in order', () => {
    const bounds = boundsOf([
      { operator: 'eq', value: 3n },
      { operator: 'gt', value: 1n },
      { operator: 'gte', value: 4n },
      { operator: 'eq', value: 3n },
      { operator: 'lt', value: 9n },
      { operator: 'ne', value: 7n },
    ]);
    expect(bounds).toEqual({ lower: 4n, upper: 8n, equal: [3n], unequal: [7n], lowerCount: 2, upperCount: 1 });
  });
});

describe('alternatives', () => {
  it('are the equalities that the bounds leave over', () => {
    fc.assert(
      fc.property(fc.array(comparison(small), { minLength: 1, maxLength: 6 }), (comparisons) => {
        const equal = comparisons.filter(({ operator }) => operator === 'eq');
        const others = comparisons.filter(({ operator }) => operator !== 'eq');
        const expected =
          equal.length === 0
            ? undefined
            : [...new Set(equal.map(({ value }) => value))].filter((x) => others.every((one) => holds(one, x)));
        expect(alternatives(boundsOf(comparisons))).toEqual(expected);
      }),
    );
  });
});
