import { describe, expect, it } from 'vitest';
import { publicKeyFilters } from './public-key-filters.ts';

describe('publicKeyFilters', () => {
  it('takes the DER frame off and keeps other operators apart', () => {
    const digits = 'BFC9D4A344389324119EED485EB3A875B1E5A54BD189D2FD5AD88CE1D3473DEE';
    const filter = (operator: 'eq' | 'ne', value: string) => ({ key: 'account.publickey', operator, value });
    expect(
      publicKeyFilters([
        filter('eq', `0x${digits}`),
        filter('eq', `302a300506032b6570032100${digits}`),
        filter('ne', digits),
      ]),
    ).toEqual({ equal: [digits.toLowerCase()], others: [{ operator: 'ne', value: digits.toLowerCase() }] });
  });
});
