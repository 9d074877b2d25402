import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchGasLimit } from './estimate.ts';

const settings = { threshold: 0.1, mostRounds: 20 };

/** A call that succeeds from a limit of `need` on, and notes the limits it was given. */
const callNeeding = (need: bigint) => {
  const limits: bigint[] = [];
  const run = async (gas: bigint) => {
    limits.push(gas);
    return gas >= need
      ? ({ status: 'SUCCESS', gasUsed: need } as const)
      : ({ status: 'INSUFFICIENT_GAS', gasUsed: gas } as const);
  };
  return { limits, run };
};

describe('the search for a gas limit', () => {
  it('halves until two limits are close to each other', async () => {
    const { limits, run } = callNeeding(130n);
    expect(await searchGasLimit(100n, 1_000n, run, settings)).toEqual({ gas: 135n, rounds: 7 });
    expect(limits).toEqual([550n, 325n, 212n, 156n, 128n, 142n, 135n]);
  });

  it('ends a little above what a simple call uses', async () => {
    const { run } = callNeeding(21_000n);
    expect(await searchGasLimit(21_000n, 15_000_000n, run, settings)).toEqual({ gas: 22_828n, rounds: 13 });
  });

  it('is spared a call that used its whole limit', async () => {
    const { limits, run } = callNeeding(5n);
    expect(await searchGasLimit(30_000n, 30_000n, run, settings)).toEqual({ gas: 30_000n, rounds: 0 });
    expect(await searchGasLimit(29_999n, 30_000n, run, settings)).toEqual({ gas: 30_000n, rounds: 0 });
    expect(limits).toEqual([]);
  });

  it('makes so many rounds at most, and none without', async () => {
    expect(await searchGasLimit(100n, 1_000n, callNeeding(130n).run, { ...settings, mostRounds: 3 })).toEqual({
      gas: 212n,
      rounds: 3,
    });
    expect(await searchGasLimit(100n, 1_000n, callNeeding(130n).run, { ...settings, mostRounds: 0 })).toEqual({
      gas: 1_000n,
      rounds: 0,
    });
  });

  it('takes a run without gas for a failed one', async () => {
    const run = async () => ({ status: 'SUCCESS', gasUsed: 0n }) as const;
    expect(await searchGasLimit(100n, 1_000n, run, settings)).toEqual({ gas: 1_000n, rounds: 10 });
  });

  it('keeps what it knows when a run ends with an error', async () => {
    const { run } = callNeeding(130n);
    const failing = (gas: bigint) => (gas < 200n ? Promise.reject(new Error('lost')) : run(gas));
    expect(await searchGasLimit(100n, 1_000n, failing, settings)).toEqual({ gas: 212n, rounds: 4 });
  });

  it('gives a limit that suffices', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(21_000n, 15_000_000n),
        fc.bigInt(0n, 200_000n),
        fc.bigInt(0n, 15_000_000n),
        async (used, more, room) => {
          const need = used + more;
          const limit = need + room;
          const { gas } = await searchGasLimit(used, limit, callNeeding(need).run, settings);
          expect(gas >= need && gas <= limit).toBe(true);
        },
      ),
    );
  });
});
