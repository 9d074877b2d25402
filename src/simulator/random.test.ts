import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordsFromSeed } from './keys/seed.ts';
import { Random } from './random.ts';

describe('Random', () => {
  it('follows from its seed and goes on from saved words', () => {
    const words = wordsFromSeed('kagami', 'activity');
    const first = new Random(words);
    const start = Array.from({ length: 5 }, () => first.next());
    const saved = words.slice();
    const rest = Array.from({ length: 5 }, () => first.next());
    const again = new Random(wordsFromSeed('kagami', 'activity'));
    expect(Array.from({ length: 10 }, () => again.next())).toEqual([...start, ...rest]);
    const resumed = new Random(saved);
    expect(Array.from({ length: 5 }, () => resumed.next())).toEqual(rest);
    expect(new Random(wordsFromSeed('other', 'activity')).next()).not.toBe(start[0]);
  });

  it('stays below its bounds', () => {
    const random = new Random(wordsFromSeed('bounds', ''));
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1n << 63n }), fc.integer({ min: 1, max: 0xffff_ffff }), (big, small) => {
        const value = random.bigBelow(big);
        expect(value >= 0n && value < big).toBe(true);
        const number = random.below(small);
        expect(number >= 0 && number < small && Number.isInteger(number)).toBe(true);
      }),
    );
  });

  it('spreads evenly', () => {
    const random = new Random(wordsFromSeed('even', ''));
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 40_000; i++) {
      const value = random.below(4);
      counts[value] = (counts[value] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
    expect(random.pick([])).toBeUndefined();
  });
});
