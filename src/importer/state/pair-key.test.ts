import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { pairKey } from './staged-table.ts';

const LIMIT = 1n << 26n;
const id = fc.oneof(
  fc.bigInt({ min: 0n, max: 3n }),
  fc.bigInt({ min: LIMIT - 2n, max: LIMIT + 2n }),
  fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
);

it('gives two pairs of ids the same key only if they are the same', () => {
  fc.assert(
    fc.property(id, id, id, id, (a, b, c, d) => {
      expect(pairKey(a, b) === pairKey(c, d)).toBe(a === c && b === d);
    }),
    { numRuns: 2_000 },
  );
  expect(pairKey(LIMIT - 1n, LIMIT - 1n)).toBe(2 ** 52 - 1);
  expect(pairKey(1n, LIMIT)).toBe(`1 ${LIMIT}`);
});
