import { describe, expect, it } from 'vitest';
import { parseRawQuery } from '../../api/http/raw-query.ts';
import { nextLink } from './next-link.ts';

const path = '/api/v1/network/nodes';
const link = (query: string, lastId: string, order: 'asc' | 'desc' = 'asc', linkPrefix = ''): string | null =>
  nextLink(
    {
      method: 'GET',
      path,
      linkPrefix,
      pathParameters: {},
      query: parseRawQuery(query),
      headers: {},
      body: new Uint8Array(0),
    },
    'node.id',
    lastId,
    order,
    ['file.id', 'node.id', 'limit', 'order'],
  );

describe('nextLink', () => {
  it.each([
    ['', 'asc', `${path}?node.id=gt:7`],
    ['limit=1', 'asc', `${path}?limit=1&node.id=gt:7`],
    ['node.id=gte:2&limit=1', 'asc', `${path}?limit=1&node.id=gt:7`],
    ['node.id=gt:2&node.id=lt:20&limit=1', 'asc', `${path}?node.id=lt:20&node.id=gt:7&limit=1`],
    ['node.id=gt:2&node.id=lt:20&order=desc', 'desc', `${path}?node.id=gt:2&node.id=lt:7&order=desc`],
    ['LIMIT=1&unknown=5', 'asc', `${path}?limit=1&node.id=gt:7`],
    ['file.id=0.0.102&limit=1', 'asc', `${path}?file.id=0.0.102&limit=1&node.id=gt:7`],
    ['file.id=a%26b', 'asc', `${path}?file.id=a%26b&node.id=gt:7`],
  ] as const)('of %s (%s)', (query, order, expected) => expect(link(query, '7', order)).toBe(expected));

  it('repeats the request when it asked for certain ids', () => {
    expect(link('node.id=7&limit=1', '7')).toBe(`${path}?node.id=7&limit=1`);
  });

  it('is null when nothing can follow', () => {
    expect(link('node.id=lt:8&limit=1', '7')).toBeNull();
    expect(link('node.id=gte:7&order=desc', '7', 'desc')).toBeNull();
    expect(link('order=desc', '0', 'desc')).toBeNull();
  });

  it('begins with the host when asked to', () => {
    expect(link('', '7', 'asc', 'http://a:5551')).toBe(`http://a:5551${path}?node.id=gt:7`);
  });
});
