import { describe, expect, it } from 'vitest';
import { readTransactionId } from './transaction-id.ts';

const malformed =
  'Invalid Transaction id. Please use "shard.realm.num-sss-nnn" format where sss are seconds and nnn are nanoseconds';

describe('a transaction id', () => {
  it('has a payer and a valid start', () => {
    expect(readTransactionId('0.0.10-1234567890-000000123')).toEqual({ payer: 10n, validStart: 1234567890000000123n });
    expect(readTransactionId('0.0.10-5-7')).toEqual({ payer: 10n, validStart: 5000000007n });
    expect(readTransactionId('1.2.3-0-0')).toEqual({ payer: (1n << 54n) | (2n << 38n) | 3n, validStart: 0n });
  });

  it('may start where no transaction is', () => {
    expect(readTransactionId('0.0.10-9223372036854775807-0').validStart).toBe(9223372036854775807000000000n);
  });

  it.each([
    ['', malformed],
    ['10-5-7', malformed],
    ['0.10-5-7', malformed],
    ['0.0.10-5.7', malformed],
    ['0.0.10@5.7', malformed],
    ['0.0.10-9223372036854775808-0', malformed],
    ['0.0.10-5-0123456789', malformed],
    ['0.0.0-1-1', malformed],
    ['0.0.274877906944-5-7', 'Invalid entity ID "0.0.274877906944"'],
  ])('refuses %j', (text, message) => {
    expect(() => readTransactionId(text)).toThrow(message);
  });
});
