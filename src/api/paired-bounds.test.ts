import { describe, expect, it } from 'vitest';
import { parseRawQuery } from './http/raw-query.ts';
import type { Order } from './page.ts';
import { type PairedBounds, pairedBounds, pairedConditions, pairedNextLink } from './paired-bounds.ts';
import { HttpProblem } from './problem.ts';
import { groupQuery, type Operator } from './query.ts';
import { statementBuilder } from './sql.ts';

const keys = { primary: 'token.id', secondary: 'serialnumber' };

const grouped = (query: string) => groupQuery(parseRawQuery(query));

const read = (query: string): PairedBounds =>
  pairedBounds(
    [...grouped(query)].flatMap(([key, values]) =>
      values.map((text = '') => {
        const [value = '', operator = 'eq'] = text.split(':').reverse();
        return { key, operator: operator as Operator, value: BigInt(value) };
      }),
    ),
    keys,
  );

const refusal = (query: string): string => {
  try {
    read(query);
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 400) return error.message;
    throw error;
  }
  throw new Error('accepted');
};

describe('pairedBounds', () => {
  it('takes an equality or one bound on each side for both', () => {
    expect(read('token.id=gte:5&token.id=lte:9&serialnumber=gt:1&serialnumber=lt:7&limit=3')).toEqual({
      primary: { lower: { operator: 'gte', value: 5n }, upper: { operator: 'lte', value: 9n } },
      secondary: { lower: { operator: 'gt', value: 1n }, upper: { operator: 'lt', value: 7n } },
    });
    expect(read('token.id=5&serialnumber=lt:7')).toEqual({
      primary: { equal: 5n },
      secondary: { upper: { operator: 'lt', value: 7n } },
    });
    expect(read('token.id=gt:5&serialnumber=7')).toMatchObject({ secondary: { equal: 7n } });
    expect(read('')).toEqual({ primary: {}, secondary: {} });
  });

  it.each([
    ['token.id=1&token.id=1', 'Only one equal (eq) operator is allowed for token.id'],
    ['serialnumber=gt:1&serialnumber=gte:2', 'Only one gt/gte operator is allowed for serialnumber'],
    [
      'serialnumber=lte:1&token.id=gt:1&token.id=gt:2&serialnumber=lt:2',
      'Only one lt/lte operator is allowed for serialnumber',
    ],
    ['token.id=ne:1', 'Not equal (ne) operator is not supported for token.id'],
    ['token.id=1&token.id=gt:0', "Can't support both range and equal for token.id"],
    ['serialnumber=1&serialnumber=lt:3', "Can't support both range and equal for serialnumber"],
    ['serialnumber=1', 'serialnumber without a token.id parameter filter'],
    ['serialnumber=gt:1', 'serialnumber without a token.id parameter filter'],
    ['token.id=gt:1&serialnumber=gt:1', 'token.id must have gte or eq operator'],
    ['token.id=lte:1&serialnumber=gte:1', 'token.id must have gte or eq operator'],
    ['token.id=lt:1&serialnumber=lte:1', 'token.id must have lte or eq operator'],
    ['token.id=gte:1&serialnumber=lt:1', 'token.id must have lte or eq operator'],
  ])('refuses %s', (query, message) => {
    expect(refusal(query)).toBe(message);
  });
});

describe('pairedConditions', () => {
  const conditions = (query: string) => {
    const builder = statementBuilder();
    const texts = pairedConditions(builder, { primary: 't', secondary: 's' }, read(query));
    return { texts, values: builder.values };
  };

  it.each([
    ['', [], []],
    ['token.id=5', ['t = $1::bigint'], [5n]],
    [
      'token.id=5&serialnumber=gt:1&serialnumber=lte:3',
      ['t = $1::bigint', 's > $2::bigint', 's <= $3::bigint'],
      [5n, 1n, 3n],
    ],
    ['token.id=gt:5&token.id=lt:9', ['t > $1::bigint', 't < $2::bigint'], [5n, 9n]],
    ['token.id=gt:5&serialnumber=3', ['t > $1::bigint', 's = $2::bigint'], [5n, 3n]],
    ['token.id=gte:5&serialnumber=gt:1', ['(t, s) > ($1::bigint, $2::bigint)'], [5n, 1n]],
    [
      'token.id=gte:5&token.id=lt:9&serialnumber=gte:1',
      ['(t, s) >= ($1::bigint, $2::bigint)', 't < $3::bigint'],
      [5n, 1n, 9n],
    ],
    [
      'token.id=gt:5&token.id=lte:9&serialnumber=lte:1',
      ['t > $1::bigint', '(t, s) <= ($2::bigint, $3::bigint)'],
      [5n, 9n, 1n],
    ],
  ])('%s', (query, texts, values) => {
    expect(conditions(query)).toEqual({ texts, values });
  });

  it('ignores a bound of the second column where the first one starts after it', () => {
    const builder = statementBuilder();
    const lower = { operator: 'gt', value: 5n } as const;
    expect(
      pairedConditions(builder, { primary: 't', secondary: 's' }, { primary: { lower }, secondary: { lower } }),
    ).toEqual(['t > $1::bigint']);
  });
});

describe('pairedNextLink', () => {
  const link = (query: string, order: Order = 'asc'): string | null => {
    const numberOf = (text: string): bigint | undefined => (/^\d+$/.test(text) ? BigInt(text) : undefined);
    return pairedNextLink({ path: '/n', linkPrefix: '' }, grouped(query), order, read(query), {
      primary: { key: keys.primary, value: '7', numberOf },
      secondary: { key: keys.secondary, value: '3', numberOf },
    });
  };

  it.each([
    ['', '/n?token.id=gte:7&serialnumber=gt:3'],
    ['token.id=gte:5&x=1', '/n?x=1&token.id=gte:7&serialnumber=gt:3'],
    ['token.id=7&x=1', '/n?token.id=7&x=1&serialnumber=gt:3'],
    ['token.id=gte:5&serialnumber=3', '/n?serialnumber=3&token.id=gt:7'],
    ['token.id=gte:5&token.id=lte:7&serialnumber=3', null],
    ['token.id=7&serialnumber=3', null],
    [
      'token.id=gte:5&token.id=lte:9&serialnumber=lt:9',
      '/n?token.id=lte:9&token.id=gte:7&serialnumber=lt:9&serialnumber=gt:3',
    ],
  ])('upwards after %s', (query, expected) => {
    expect(link(query)).toBe(expected);
  });

  it('downwards', () => {
    expect(link('token.id=gte:5&serialnumber=gt:1', 'desc')).toBe(
      '/n?token.id=gte:5&token.id=lte:7&serialnumber=gt:1&serialnumber=lt:3',
    );
    expect(link('token.id=7&serialnumber=gt:2', 'desc')).toBeNull();
  });
});
