import { describe, expect, it } from 'vitest';
import { formatTimestamp, parseTimestamp } from '../ledger/timestamp.ts';
import { parseRawQuery } from './http/raw-query.ts';
import { limitOf, nextLink, type Order, orderOf, type PagePosition, timestampPosition } from './page.ts';
import { groupQuery } from './query.ts';

const digits = (text: string): bigint | undefined => (/^\d+$/.test(text) ? BigInt(text) : undefined);
const idNum = (text: string): bigint | undefined => digits(text.replace(/^.*\./, ''));

const link = (url: string, order: Order, ...positions: PagePosition[]): string | null => {
  const [path = '', query = ''] = url.split('?');
  return nextLink({ path, linkPrefix: '' }, groupQuery(parseRawQuery(query)), order, positions);
};

const block = (value: string): PagePosition => ({ key: 'block.number', value, numberOf: digits });
const spender = (value: string, inclusive = true): PagePosition => ({
  key: 'spender.id',
  value,
  inclusive,
  numberOf: idNum,
});
const token = (value: string): PagePosition => ({ key: 'token.id', value, numberOf: idNum });

describe('nextLink', () => {
  it('appends the position to a query without that parameter', () => {
    expect(link('/blocks?limit=2', 'desc', block('18'))).toBe('/blocks?limit=2&block.number=lt:18');
    expect(link('/blocks', 'asc', block('18'))).toBe('/blocks?block.number=gt:18');
  });

  it('moves a bound that is replaced to the end', () => {
    expect(link('/blocks?block.number=gt:16&order=asc&limit=1', 'asc', block('17'))).toBe(
      '/blocks?order=asc&limit=1&block.number=gt:17',
    );
  });

  it('keeps the opposite bound, and the place of the parameter', () => {
    expect(link('/t?timestamp=gte:1.5&order=desc&limit=1', 'desc', timestampPosition('3.000000000'))).toBe(
      '/t?timestamp=gte:1.5&timestamp=lt:3.000000000&order=desc&limit=1',
    );
    expect(link('/n?serialnumber=gt:1&account.id=1&limit=2', 'desc', { ...block('3'), key: 'serialnumber' })).toBe(
      '/n?serialnumber=gt:1&serialnumber=lt:3&account.id=1&limit=2',
    );
    expect(link('/b?block.number=gt:1&block.number=lt:9&x=1', 'asc', block('5'))).toBe(
      '/b?block.number=lt:9&block.number=gt:5&x=1',
    );
  });

  it('replaces every bound in its direction', () => {
    expect(link('/b?block.number=lt:9&block.number=lte:7&x=1', 'desc', block('5'))).toBe('/b?block.number=lt:5&x=1');
  });

  it('leaves an equality alone', () => {
    expect(link('/c?spender.id=5001&limit=1&order=asc', 'asc', spender('0.0.5001'))).toBe(
      '/c?spender.id=5001&limit=1&order=asc',
    );
    expect(link('/c?spender.id=eq:5001', 'asc', spender('0.0.5001'))).toBe('/c?spender.id=eq:5001');
  });

  it('passes inequalities', () => {
    expect(link('/b?block.number=ne:5', 'asc', block('6'))).toBe('/b?block.number=ne:5&block.number=gt:6');
  });

  it('advances composite positions', () => {
    expect(
      link(
        '/a?spender.id=gte:2001&spender.id=lte:3101&token.id=gt:10003&limit=3',
        'asc',
        spender('0.0.3101'),
        token('0.0.10005'),
      ),
    ).toBe('/a?spender.id=lte:3101&spender.id=gte:0.0.3101&limit=3&token.id=gt:0.0.10005');
  });

  it('is null when the deciding position leaves nothing', () => {
    expect(link('/b?block.number=gt:17&limit=2', 'desc', block('18'))).toBeNull();
    expect(link('/b?block.number=gt:16&limit=2', 'desc', block('18'))).not.toBeNull();
    expect(link('/t?timestamp=gte:1.0&timestamp=lte:3.0', 'asc', timestampPosition('3.000000000'))).toBeNull();
    expect(link('/a?spender.id=lt:3101&token.id=gt:5', 'desc', spender('0.0.3000'), token('0.0.6'))).not.toBeNull();
  });

  it('writes keys in lower case, drops a trailing slash, and escapes what would break the link', () => {
    expect(link('/Api/Blocks/?LIMIT=2&oRder=ASC', 'asc', block('1'))).toBe(
      '/Api/Blocks?limit=2&order=asc&block.number=gt:1',
    );
    expect(link('/t?name=%E2%84%8F%26%22%20x', 'asc', block('1'))).toBe(
      '/t?name=%E2%84%8F%26%22%20x&block.number=gt:1',
    );
  });

  it('puts the host in front when asked to', () => {
    const query = groupQuery([]);
    expect(nextLink({ path: '/b', linkPrefix: 'http://h:1' }, query, 'asc', [block('1')])).toBe(
      'http://h:1/b?block.number=gt:1',
    );
  });
});

describe('following links', () => {
  const rows = Array.from({ length: 23 }, (_, i) => 1_000_000_000n * BigInt(i) + 7n);
  const matches = (text: string, x: bigint): boolean => {
    const [operator, value] = text.includes(':') ? text.split(':') : ['eq', text];
    const bound = parseTimestamp(value as string) as bigint;
    switch (operator) {
      case 'gt':
        return x > bound;
      case 'gte':
        return x >= bound;
      case 'lt':
        return x < bound;
      case 'lte':
        return x <= bound;
      case 'ne':
        return x !== bound;
      default:
        return x === bound;
    }
  };

  it.each(['asc', 'desc'] as const)('visits every row once, %s', (order) => {
    const ranges = [
      '',
      'timestamp=gt:3',
      'timestamp=lte:15.000000007',
      'timestamp=gte:2&timestamp=lt:19',
      'timestamp=ne:5.000000007&timestamp=lt:17',
    ];
    for (const range of ranges) {
      for (const limit of [1, 2, 5, 23, 100]) {
        const select = (url: string): bigint[] => {
          const filters = groupQuery(parseRawQuery(url.split('?')[1] ?? '')).get('timestamp') ?? [];
          const found = rows.filter((row) => filters.every((filter) => matches(filter as string, row)));
          return order === 'asc' ? found : found.reverse();
        };
        const start = `/t?${range}`;
        const visited: bigint[] = [];
        let url: string | null = start;
        for (let pages = 0; url !== null && pages < 50; pages++) {
          const page = select(url).slice(0, limit);
          visited.push(...page);
          const last = page.at(-1);
          url =
            page.length < limit || last === undefined
              ? null
              : link(url, order, timestampPosition(formatTimestamp(last)));
        }
        expect(visited).toEqual(select(start));
      }
    }
  });
});

describe('limit and order', () => {
  const filters = (...pairs: [string, string][]) =>
    pairs.map(([key, value]) => ({ key, operator: 'eq' as const, value }));
  const limits = { default: 25, max: 100 };

  it('takes the last one, lowered to the largest', () => {
    expect(limitOf([], limits, undefined)).toBe(25);
    expect(limitOf(filters(['limit', '5'], ['limit', '7']), limits, undefined)).toBe(7);
    expect(limitOf(filters(['limit', '101']), limits, undefined)).toBe(100);
    expect(limitOf(filters(['limit', '9223372036854775807']), limits, undefined)).toBe(100);
  });

  it("lets a user's own limit take the place of the largest", () => {
    expect(limitOf(filters(['limit', '500']), limits, { username: 'a', limit: 300 })).toBe(300);
    expect(limitOf(filters(['limit', '50']), limits, { username: 'a', limit: 10 })).toBe(10);
    expect(limitOf(filters(['limit', '500']), limits, { username: 'a' })).toBe(100);
    expect(limitOf([], limits, { username: 'a', limit: 10 })).toBe(25);
  });

  it('takes the last order', () => {
    expect(orderOf([], 'desc')).toBe('desc');
    expect(orderOf(filters(['order', 'asc'], ['order', 'desc']), 'asc')).toBe('desc');
    expect(orderOf(filters(['order', 'ASC']), 'desc')).toBe('asc');
  });
});
