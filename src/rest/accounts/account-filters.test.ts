import { describe, expect, it } from 'vitest';
import { parseRawQuery } from '../../api/http/raw-query.ts';
import type { Order } from '../../api/page.ts';
import { groupQuery } from '../../api/query.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { accountPageLink, treasuryOf } from './account-filters.ts';

const home = { shard: 0n, realm: 0n };

const link = (url: string, order: Order, last: bigint): string | null => {
  const [path = '', query = ''] = url.split('?');
  return accountPageLink({ path, linkPrefix: '' }, groupQuery(parseRawQuery(query)), order, last, home);
};

describe('accountPageLink', () => {
  it('goes on after the last account', () => {
    expect(link('/a', 'asc', 19n)).toBe('/a?account.id=gt:0.0.19');
    expect(link('/a?account.id=gt:0.0.17&limit=2', 'asc', 19n)).toBe('/a?limit=2&account.id=gt:0.0.19');
    expect(link('/a?limit=2&account.id=gte:3', 'desc', 20n)).toBe('/a?limit=2&account.id=gte:3&account.id=lt:0.0.20');
    expect(link('/a?account.id=ne:5', 'asc', 6n)).toBe('/a?account.id=ne:5&account.id=gt:0.0.6');
    expect(link('/a', 'asc', encodeEntityId(1n, 2n, 3n))).toBe('/a?account.id=gt:1.2.3');
  });

  it('is null when the bounds leave nothing', () => {
    expect(link('/a?account.id=gte:20&limit=2', 'desc', 20n)).toBeNull();
    expect(link('/a?account.id=lte:20&limit=2', 'asc', 20n)).toBeNull();
  });

  it('leaves out named accounts that have been passed, and ends after the last of them', () => {
    expect(link('/a?account.id=7&account.id=0.0.9&account.id=eq:8&limit=1', 'asc', 7n)).toBe(
      '/a?account.id=0.0.9&account.id=eq:8&limit=1',
    );
    expect(link('/a?account.id=7&account.id=0.0.9&limit=1', 'desc', 9n)).toBe('/a?account.id=7&limit=1');
    expect(link('/a?account.id=7&account.id=0.0.9&limit=1', 'asc', 9n)).toBeNull();
    expect(link('/a?account.id=0x0000000000000000000000000000000000000009&limit=1', 'asc', 9n)).toBeNull();
  });
});

describe('treasuryOf', () => {
  it('lies in the home realm', () => {
    expect(treasuryOf(home)).toBe(2n);
    expect(treasuryOf({ shard: 1n, realm: 2n })).toBe(encodeEntityId(1n, 2n, 2n));
  });
});
