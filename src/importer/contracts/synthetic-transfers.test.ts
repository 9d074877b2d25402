import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccountAmount } from '../../protobuf/generated/services/basic_types.ts';
import { amounts } from '../testing/items.fixture.ts';
import { matchTransfers } from './synthetic-transfers.ts';

type Entry = readonly [bigint, bigint];

const entriesOf = (entries: readonly Entry[]): AccountAmount[] => amounts(...entries) as AccountAmount[];
const matchesOf = (entries: readonly AccountAmount[]): (readonly bigint[])[] => {
  const matches: (readonly bigint[])[] = [];
  matchTransfers(entries, (...match) => matches.push(match));
  return matches;
};
const match = (...entries: readonly Entry[]): (readonly bigint[])[] => matchesOf(entriesOf(entries));

describe('matching the parties of a fungible transfer', () => {
  it('takes two entries as they are, in either order', () => {
    expect(match([1n, -5n], [2n, 5n])).toEqual([[1n, 2n, 5n]]);
    expect(match([2n, 5n], [1n, -5n])).toEqual([[1n, 2n, 5n]]);
    expect(match([2n, 7n], [1n, -5n])).toEqual([[1n, 2n, 5n]]);
    expect(match([2n, 7n], [1n, 0n])).toEqual([[1n, 2n, 0n]]);
  });

  it('finds nothing in fewer, or where all are on one side', () => {
    expect(match()).toEqual([]);
    expect(match([1n, -5n])).toEqual([]);
    expect(match([1n, -5n], [2n, -5n])).toEqual([]);
    expect(match([1n, 5n], [2n, 5n])).toEqual([]);
    expect(match([1n, 5n], [2n, 5n], [3n, 5n])).toEqual([]);
  });

  it('serves the largest amounts first, among equals the lowest id', () => {
    expect(match([1n, -4n], [2n, -6n], [3n, 10n])).toEqual([
      [2n, 3n, 6n],
      [1n, 3n, 4n],
    ]);
    expect(match([9n, -5n], [8n, -5n], [7n, 5n], [6n, 3n], [5n, 2n])).toEqual([
      [8n, 7n, 5n],
      [9n, 6n, 3n],
      [9n, 5n, 2n],
    ]);
  });

  it('orders ids by shard, realm and num', () => {
    const accountID = (shardNum: bigint, realmNum: bigint, accountNum: bigint) => ({
      shardNum,
      realmNum,
      account: { $case: 'accountNum' as const, accountNum },
    });
    const senders = [accountID(600n, 0n, 1n), accountID(1n, 2n, 1n), accountID(1n, 1n, 9n), accountID(0n, 0n, 3n)];
    const entries = senders.map((id) => ({ accountID: id, amount: -1n, isApproval: false }));
    const matches = matchesOf([...entries, ...entriesOf([[5n, 4n]])] as AccountAmount[]);
    expect(matches.map(([sender]) => BigInt.asUintN(64, sender as bigint) >> 38n)).toEqual([
      0n,
      (1n << 16n) | 1n,
      (1n << 16n) | 2n,
      600n << 16n,
    ]);
  });

  it('leaves out who gave nothing once the receivers have theirs', () => {
    expect(match([1n, 0n], [2n, -5n], [3n, 5n])).toEqual([[2n, 3n, 5n]]);
    expect(match([1n, 0n], [2n, -5n], [3n, 6n])).toEqual([
      [2n, 3n, 5n],
      [1n, 3n, 0n],
    ]);
  });

  it('copes with the largest amounts', () => {
    const most = (1n << 63n) - 1n;
    expect(match([1n, -most - 1n], [2n, most], [3n, 1n])).toEqual([
      [1n, 2n, most],
      [1n, 3n, 1n],
    ]);
  });

  /** Lists whose amounts add up to zero, each account once. */
  const balanced = fc
    .uniqueArray(fc.bigInt({ min: 1n, max: 1000n }), { minLength: 2, maxLength: 12 })
    .chain((ids) =>
      fc.tuple(
        fc.constant(ids),
        fc.array(fc.bigInt({ min: -20n, max: 20n }), { minLength: ids.length - 1, maxLength: ids.length - 1 }),
      ),
    )
    .map(([ids, free]): Entry[] => {
      const all = [...free, -free.reduce((sum, amount) => sum + amount, 0n)];
      return ids.map((id, i) => [id, all[i] as bigint]);
    });

  it('gives every receiver and takes from every sender exactly what the list says, in few matches', () => {
    fc.assert(
      fc.property(balanced, (entries) => {
        const change = new Map<bigint, bigint>();
        const add = (id: bigint, amount: bigint) => change.set(id, (change.get(id) ?? 0n) + amount);
        const matches = match(...entries);
        for (const [sender, receiver, amount] of matches as (readonly [bigint, bigint, bigint])[]) {
          expect(amount).toBeGreaterThan(0n);
          add(sender, -amount);
          add(receiver, amount);
        }
        const moved = entries.filter(([, amount]) => amount !== 0n);
        expect(change).toEqual(new Map([...change.keys()].map((id) => [id, new Map(moved).get(id)])));
        expect(change.size).toBe(moved.length);
        expect(matches.length).toBeLessThanOrEqual(Math.max(0, moved.length - 1));
      }),
    );
  });

  it('does not depend on the order of the entries', () => {
    const shuffled = balanced.chain((entries) =>
      fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
    );
    fc.assert(
      fc.property(shuffled, ([entries, other]) => {
        expect(match(...other)).toEqual(match(...entries));
      }),
    );
  });
});
