import { describe, expect, it } from 'vitest';
import type { RecordItem } from '../record-item.ts';
import { contract, type ItemFields, itemOf } from '../transactions/testing/handled.fixture.ts';
import { contractParentOf } from './contract-parent.ts';
import { CALL, callResult } from './testing/contract-output.fixture.ts';

const TRANSFER = { $case: 'cryptoTransfer', cryptoTransfer: {} } as const;
const MINT = { $case: 'tokenMint', tokenMint: {} } as const;
const EXECUTION = { ...CALL, record: callResult({ contractID: contract(365n) }) };
const PRECOMPILE = { data: MINT, record: callResult({ contractID: contract(359n) }) };

/** A parent and its children, each after the one before. */
const family = (parent: ItemFields, ...children: readonly ItemFields[]): RecordItem[] => {
  const items = [itemOf(parent)];
  for (const child of children) {
    items.push({ ...itemOf({ ...child, parent: items[0] as RecordItem }), previous: items.at(-1) as RecordItem });
  }
  return items;
};

const parentOfLast = (items: readonly RecordItem[]): number =>
  items.indexOf(contractParentOf(items.at(-1) as RecordItem) as RecordItem);

describe('the contract transaction that an item belongs to', () => {
  it('is its parent', () => {
    expect(parentOfLast(family(CALL, PRECOMPILE, PRECOMPILE))).toBe(0);
  });

  it('is none for a parent without a result, or no parent', () => {
    expect(parentOfLast(family({ data: TRANSFER }, PRECOMPILE))).toBe(-1);
    expect(parentOfLast(family(CALL))).toBe(-1);
  });

  it('is the execution of the hook before it, past others that it set off', () => {
    expect(parentOfLast(family({ data: TRANSFER }, EXECUTION, PRECOMPILE))).toBe(1);
    expect(parentOfLast(family({ data: TRANSFER }, EXECUTION, PRECOMPILE, CALL, PRECOMPILE))).toBe(1);
    expect(parentOfLast(family({ data: TRANSFER }, EXECUTION, EXECUTION, PRECOMPILE))).toBe(2);
  });

  it('is not an execution behind an item without a result', () => {
    expect(parentOfLast(family({ data: TRANSFER }, EXECUTION, { data: MINT }, PRECOMPILE))).toBe(-1);
    expect(parentOfLast(family(CALL, EXECUTION, { data: MINT }, PRECOMPILE))).toBe(0);
  });

  it('is not an earlier execution for an execution itself, or an item without a result', () => {
    expect(parentOfLast(family({ data: TRANSFER }, EXECUTION, EXECUTION))).toBe(-1);
    expect(parentOfLast(family({ data: TRANSFER }, EXECUTION, { data: MINT }))).toBe(-1);
  });

  it('is not an ordinary call before it', () => {
    expect(parentOfLast(family({ data: TRANSFER }, CALL, PRECOMPILE))).toBe(-1);
  });
});
