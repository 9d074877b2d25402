import { describe, expect, it } from 'vitest';
import { boundsOf, type Comparison } from './bounds.ts';
import { parseRawQuery } from './http/raw-query.ts';
import { type JavaPosition, javaNextLink, orderedConditions } from './java-ranges.ts';
import { statementBuilder } from './sql.ts';

const from = (value: bigint): Comparison => ({ operator: 'gte', value });
const to = (value: bigint): Comparison => ({ operator: 'lte', value });
const at = (value: bigint): Comparison => ({ operator: 'eq', value });

const conditionsOf = (...filters: readonly (readonly Comparison[])[]) => {
  const builder = statementBuilder();
  const columns = filters.map((comparisons, index) => ({
    column: 'abc'[index] as string,
    bounds: boundsOf(comparisons),
  }));
  return { conditions: orderedConditions(builder, columns), values: builder.values };
};

describe('orderedConditions', () => {
  it('compares as many columns at once as have a bound on that side', () => {
    expect(conditionsOf([from(1n), to(5n)], [from(7n), to(6n)], [from(3n)])).toEqual({
      conditions: ['(a, b, c) >= ($1::bigint, $2::bigint, $3::bigint)', '(a, b) <= ($4::bigint, $5::bigint)'],
      values: [1n, 7n, 3n, 5n, 6n],
    });
  });

  it('begins at the outermost column that has a bound, and filters by the bounds behind a gap alone', () => {
    expect(conditionsOf([], [from(2n)], [from(3n)])).toEqual({
      conditions: ['(b, c) >= ($1::bigint, $2::bigint)'],
      values: [2n, 3n],
    });
    expect(conditionsOf([from(1n)], [], [from(3n)])).toEqual({
      conditions: ['(a) >= ($1::bigint)', '(c) >= ($2::bigint)'],
      values: [1n, 3n],
    });
    expect(conditionsOf([], [], [])).toEqual({ conditions: [], values: [] });
  });

  it('takes columns with an equality out of the comparison, but none whose bounds happen to meet', () => {
    expect(conditionsOf([from(1n)], [at(2n)], [from(3n)])).toEqual({
      conditions: ['b = $1::bigint', '(a, c) >= ($2::bigint, $3::bigint)'],
      values: [2n, 1n, 3n],
    });
    expect(conditionsOf([from(1n), to(9n)], [from(2n), to(2n)])).toEqual({
      conditions: ['(a, b) >= ($1::bigint, $2::bigint)', '(a, b) <= ($3::bigint, $4::bigint)'],
      values: [1n, 2n, 9n, 2n],
    });
  });

  it('finds nothing when an equality contradicts another filter', () => {
    expect(conditionsOf([at(1n), at(2n)]).conditions).toBeUndefined();
    expect(conditionsOf([], [at(1n), from(2n)]).conditions).toBeUndefined();
    expect(conditionsOf([at(3n), to(2n)]).conditions).toBeUndefined();
    expect(conditionsOf([at(2n), at(2n), from(2n), to(2n)])).toEqual({ conditions: ['a = $1::bigint'], values: [2n] });
  });

  it('keeps bounds within 64 bits', () => {
    expect(conditionsOf([from(1n << 63n)]).values).toEqual([(1n << 63n) - 1n]);
  });
});

const path = '/api/v1/things';
const position = (key: string, value: string, pinned = false): JavaPosition => ({ key, value, pinned });
const linkOf = (
  query: string,
  order: 'asc' | 'desc',
  positions: readonly JavaPosition[],
  finished: readonly string[] = [],
) =>
  javaNextLink({ path, linkPrefix: '', query: parseRawQuery(query) }, order, positions, ['a', 'b', 'limit'], finished);

describe('javaNextLink', () => {
  it.each([
    ['limit=1', 'asc', [position('a', '7')], `${path}?limit=1&a=gt:7`],
    ['A=gte:2&limit=1&unknown=5', 'asc', [position('a', '7')], `${path}?limit=1&a=gt:7`],
    ['a=gt:2&a=lt:20&limit=1', 'desc', [position('a', '7')], `${path}?a=gt:2&a=lt:7&limit=1`],
    ['limit=1', 'asc', [position('a', '0.0.7'), position('b', '3')], `${path}?limit=1&a=gte:0.0.7&b=gt:3`],
    ['b=3&limit=1', 'asc', [position('a', '7'), position('b', '3', true)], `${path}?b=3&limit=1&a=gt:7`],
    ['a=7&limit=1', 'desc', [position('a', '7', true), position('b', '3')], `${path}?a=7&limit=1&b=lt:3`],
    ['limit=%201%26', 'asc', [position('a', '7')], `${path}?limit=%201%26&a=gt:7`],
  ] as const)('of %s (%s)', (query, order, positions, expected) =>
    expect(linkOf(query, order, positions)).toBe(expected),
  );

  it('leaves out bounds of what this row does not have', () => {
    expect(linkOf('b=gt:3&b=lt:9', 'asc', [position('a', '7')], ['b'])).toBe(`${path}?b=lt:9&a=gt:7`);
  });

  it('is null when the request leaves nothing to go on with', () => {
    expect(linkOf('a=7&b=3', 'asc', [position('a', '7', true), position('b', '3', true)])).toBeNull();
  });
});
