import { describe, expect, it } from 'vitest';
import { MAX_TINYCENTS, product, scaled, sum } from './tinycents.ts';

describe('tinycents', () => {
  it('are exact beyond 2^53', () => {
    expect(sum(9_007_199_254_740_993n, 1n)).toBe(9_007_199_254_740_994n);
    expect(product(9_007_199_254_740_993n, 3n)).toBe(27_021_597_764_222_979n);
  });

  it('are rounded down when scaled', () => {
    expect(scaled(3n, 12_500n)).toBe(37n);
    expect(scaled(999n, 1000n)).toBe(999n);
  });

  it('end at the bound of int64', () => {
    expect(MAX_TINYCENTS).toBe(9_223_372_036_854_775_807n);
    expect(sum(MAX_TINYCENTS, 1n)).toBe(MAX_TINYCENTS);
    expect(product(MAX_TINYCENTS, 2n)).toBe(MAX_TINYCENTS);
    expect(scaled(MAX_TINYCENTS, 1001n)).toBe(MAX_TINYCENTS);
  });
});
