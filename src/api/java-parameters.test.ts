import { describe, expect, it } from 'vitest';
import { encodeEntityId } from '../ledger/entity-id.ts';
import { parseRawQuery } from './http/raw-query.ts';
import {
  countFaults,
  javaFlag,
  javaIdComparisons,
  javaLimit,
  javaNumberComparisons,
  javaOrder,
  limitFaults,
  refuseFaults,
} from './java-parameters.ts';
import { HttpProblem } from './problem.ts';

const home = { shard: 1n, realm: 2n };
const q = parseRawQuery;

const detailsOf = (read: () => unknown): (string | undefined)[] => {
  try {
    read();
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    expect(error.status).toBe(400);
    for (const { message } of error.messages) expect(message).toBe('Bad Request');
    return error.messages.map(({ detail }) => detail);
  }
  throw new Error('accepted');
};

describe('single values', () => {
  it('have fallbacks, also where they are blank', () => {
    expect([javaLimit(q('')), javaLimit(q('limit='))]).toEqual([25, 25]);
    expect([javaOrder(q('x=1')), javaOrder(q('order='), 'desc')]).toEqual(['asc', 'desc']);
    expect([javaFlag(q(''), 'owner', true), javaFlag(q('owner='), 'owner', false)]).toEqual([true, false]);
  });

  it('are read in any letter case, of several the first', () => {
    expect(javaLimit(q('LIMIT=7&limit=8'))).toBe(7);
    expect(javaOrder(q('Order=DESC'))).toBe('desc');
    expect(javaFlag(q('OWNER=False'), 'owner', true)).toBe(false);
    expect(javaFlag(q('owner=yes'), 'owner', false)).toBe(true);
  });

  it.each(['a', '1.5', '2147483648', '-2147483649', '99999999999', 'gt:1'])('limit=%s has not the form', (text) => {
    expect(detailsOf(() => javaLimit(q(`limit=${text}`)))).toEqual(["Failed to convert 'limit'"]);
  });

  it('refuses other orders and flags', () => {
    expect(detailsOf(() => javaOrder(q('order=ascending')))).toEqual(["Failed to convert 'order'"]);
    expect(detailsOf(() => javaFlag(q('owner=2'), 'owner', true))).toEqual(["Failed to convert 'owner'"]);
  });
});

describe('faults', () => {
  it('names the bounds of a limit', () => {
    expect([1, 100].map(limitFaults)).toEqual([[], []]);
    expect([0, -1].map(limitFaults)).toEqual([['limit must be greater than 0'], ['limit must be greater than 0']]);
    expect(limitFaults(101)).toEqual(['limit must be less than or equal to 100']);
  });

  it('counts repeats in any letter case', () => {
    expect(countFaults(q('a=1&A=2'), 'a')).toEqual([]);
    expect(countFaults(q('a=1&A=2&a=3'), 'a')).toEqual(['a size must be between 0 and 2']);
    expect(countFaults(q('a=1&a=2'), 'a', 1)).toEqual(['a size must be between 0 and 1']);
  });

  it('refuses all at once', () => {
    expect(detailsOf(() => refuseFaults(['one', 'two']))).toEqual(['one', 'two']);
    expect(refuseFaults([])).toBeUndefined();
  });
});

describe('comparisons', () => {
  it('reads ids against the home realm', () => {
    expect(javaIdComparisons(q('id=5&ID=GTE:7.5&id=ne:0.0.5&id='), 'id', home)).toEqual([
      { operator: 'eq', value: encodeEntityId(1n, 2n, 5n) },
      { operator: 'gte', value: encodeEntityId(1n, 7n, 5n) },
      { operator: 'ne', value: 5n },
    ]);
  });

  it.each([
    'abc',
    '0.0.',
    '0.65536.1',
    '0.0.-1',
    '9223372036854775807',
    'gt:',
    ':5',
    'gt:lt:5',
    '1.2.3.4',
    `0x${'0'.repeat(40)}`,
  ])('does not read the id %s', (text) => {
    expect(detailsOf(() => javaIdComparisons(q(`id=${text}`), 'id', home))).toEqual(["Failed to convert 'id'"]);
  });

  it('reads numbers up to 2^63 - 1', () => {
    expect(javaNumberComparisons(q('n=lt:9223372036854775807&n=0'), 'n')).toEqual([
      { operator: 'lt', value: 9_223_372_036_854_775_807n },
      { operator: 'eq', value: 0n },
    ]);
    expect(detailsOf(() => javaNumberComparisons(q('n=9223372036854775808'), 'n'))).toEqual(["Failed to convert 'n'"]);
  });
});
