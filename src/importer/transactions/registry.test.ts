import { describe, expect, it } from 'vitest';
import { transactionTypeName } from '../../ledger/transaction-type.ts';
import { transactionHandlers } from './registry.ts';
import { handle, itemOf } from './testing/handled.fixture.ts';

describe('registry of handlers', () => {
  it('has one handler for each type that a network takes', () => {
    const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
    expect([...transactionHandlers.keys()].sort((left, right) => left - right)).toEqual([
      ...range(7, 29),
      ...range(31, 60),
      74,
      75,
      77,
      ...range(78, 80),
    ]);
    for (const type of transactionHandlers.keys()) expect(transactionTypeName(type)).not.toBe('UNKNOWN');
  });

  it('has none for unknown types', () => {
    expect(transactionHandlers.get(0)).toBeUndefined();
    expect(transactionHandlers.get(65)).toBeUndefined();
    expect(transactionHandlers.get(9_999)).toBeUndefined();
  });

  it('leaves a transaction alone whose body cannot be read', () => {
    for (const type of transactionHandlers.keys()) {
      expect(handle({ ...itemOf({}), type })).toMatchObject({ entityId: 0n, all: [], problems: [], transaction: {} });
    }
  });
});
