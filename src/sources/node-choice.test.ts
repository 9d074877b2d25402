import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddressBook } from '../streams/address-book.ts';
import { parseRatio, requiredWeight, weighNodes } from '../streams/consensus.ts';
import { addressBookBytes, makeNodes } from '../streams/testing/network.fixture.ts';
import { chooseNodes } from './node-choice.ts';
import { RestingNodes } from './resting-nodes.ts';

const book = parseAddressBook(addressBookBytes(makeNodes(5)));
const electorateOf = (stakes: readonly number[], ratio = '1/3') => ({
  book,
  weights: weighNodes(book, new Map(stakes.map((stake, i) => [BigInt(i), BigInt(stake)]))),
  ratio: parseRatio(ratio),
});

/** Numbers in [0, 1) that follow from a seed. */
const randomFrom = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

describe('the nodes that are asked', () => {
  it('are all, heaviest first', () => {
    const ids = chooseNodes(electorateOf([1, 30, 0, 30, 5]), '1', randomFrom(1)).map(({ nodeId }) => nodeId);
    expect(ids).toEqual([1n, 3n, 4n, 0n, 2n]);
  });

  it('weigh the ratio, and at least what proves a file, without a node too many', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 5, maxLength: 5 }),
        fc.constantFrom('0', '0.2', '0.5', '0.85', '0.999'),
        fc.integer({ min: 1, max: 2 ** 31 }),
        (stakes, ratio, seed) => {
          fc.pre(stakes.some((stake) => stake > 0));
          const electorate = electorateOf(stakes);
          const { byNode, total } = electorate.weights;
          const chosen = chooseNodes(electorate, ratio, randomFrom(seed));
          const weights = chosen.map(({ nodeId }) => byNode.get(nodeId) ?? 0n);
          const sum = weights.reduce((a, b) => a + b, 0n);
          const enough = [ratio, '1/3'].map((part) => requiredWeight(parseRatio(part), total));
          expect(enough.every((weight) => sum >= weight)).toBe(true);
          if (enough.includes(total)) return;
          // The one drawn last was needed, and it weighs no more than the heaviest.
          expect(enough.some((weight) => sum - (weights[0] ?? 0n) < weight)).toBe(true);
        },
      ),
    );
  });

  it('are others each time', () => {
    const random = randomFrom(7);
    const electorate = electorateOf([1, 1, 1, 1, 1]);
    const seen = new Set(
      Array.from({ length: 50 }, () =>
        chooseNodes(electorate, '0.4', random)
          .map(({ nodeId }) => nodeId)
          .join(),
      ),
    );
    // Two of five.
    expect(seen.size).toBe(10);
  });
});

describe('nodes that failed', () => {
  const setUp = () => {
    let time = 0;
    const nodes = new RestingNodes(1_000, () => time);
    nodes.setNodes(['a', 'b', 'c', 'd']);
    return { nodes, wait: (ms: number) => (time += ms) };
  };

  it('rest, each time twice as long, until they succeed', () => {
    const { nodes, wait } = setUp();
    nodes.failed('a');
    expect([nodes.rests('a'), nodes.rests('b')]).toEqual([true, false]);
    wait(1_000);
    expect(nodes.rests('a')).toBe(false);
    nodes.failed('a');
    wait(1_999);
    expect(nodes.rests('a')).toBe(true);
    // A request that was under way when the rest began.
    nodes.failed('a');
    wait(1);
    expect(nodes.rests('a')).toBe(false);
    nodes.succeeded('a');
    nodes.failed('a');
    wait(1_000);
    expect(nodes.rests('a')).toBe(false);
  });

  it('rest a minute at most', () => {
    const { nodes, wait } = setUp();
    for (let i = 0; i < 20; i++) {
      nodes.failed('a');
      wait(60_000);
    }
    nodes.failed('a');
    wait(59_999);
    expect(nodes.rests('a')).toBe(true);
    wait(1);
    expect(nodes.rests('a')).toBe(false);
  });

  it('do not rest when most of them failed', () => {
    const { nodes } = setUp();
    nodes.failed('a');
    nodes.failed('b');
    expect(nodes.rests('a')).toBe(true);
    nodes.failed('c');
    expect(['a', 'b', 'c'].map((place) => nodes.rests(place))).toEqual([false, false, false]);
    // Nodes that left the address book don't count.
    nodes.setNodes(['a', 'b', 'd', 'e']);
    expect(nodes.rests('a')).toBe(true);
  });
});
