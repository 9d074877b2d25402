import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overlyRepeatedKey, parseRawQuery, splitTarget } from './raw-query.ts';

describe('parseRawQuery', () => {
  it('keeps order, repeats and letter case', () => {
    expect(parseRawQuery('account.id=gt:5&Timestamp=1&account.id=lt:9')).toEqual([
      ['account.id', 'gt:5'],
      ['Timestamp', '1'],
      ['account.id', 'lt:9'],
    ]);
  });

  it('decodes escapes and plus signs in keys and values', () => {
    expect(parseRawQuery('name=a+b%20c&%6Eame=%E2%84%8F')).toEqual([
      ['name', 'a b c'],
      ['name', 'ℏ'],
    ]);
  });

  it('splits at the first equals sign, and takes keys without one', () => {
    expect(parseRawQuery('q=a=b&flag&x=')).toEqual([
      ['q', 'a=b'],
      ['flag', ''],
      ['x', ''],
    ]);
  });

  it('drops empty parts', () => {
    expect(parseRawQuery('&a=1&&')).toEqual([['a', '1']]);
    expect(parseRawQuery('')).toEqual([]);
  });

  it('leaves a malformed escape as it was sent', () => {
    expect(parseRawQuery('a=%zz&b=%E2%84')).toEqual([
      ['a', '%zz'],
      ['b', '%E2%84'],
    ]);
  });

  it('gives back every list of pairs that was encoded', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const pairs = fc.array(
      fc.tuple(
        text.filter((key) => key !== ''),
        text,
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(pairs, (sent) => {
        const query = sent.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('&');
        expect(parseRawQuery(query)).toEqual(sent);
      }),
    );
  });
});

describe('overlyRepeatedKey', () => {
  const query = parseRawQuery('a=1&a=2&A=3&b=4');

  it('counts keys of one letter case', () => {
    expect(overlyRepeatedKey(query, 1)).toBe('a');
    expect(overlyRepeatedKey(query, 2)).toBeUndefined();
  });
});

describe('splitTarget', () => {
  it('separates path and query, and drops a fragment', () => {
    expect(splitTarget('/a/b?c=d?e')).toEqual({ path: '/a/b', query: 'c=d?e' });
    expect(splitTarget('/a#b?c')).toEqual({ path: '/a', query: '' });
  });
});
