import { describe, expect, it } from 'vitest';
import { canonicalPrices, dispatchGas, extraFees, gasOfTinycents, priced, throughTinybars, viewGas } from './gas.ts';
import { recordedRun, systemCall } from './testing/system-call.fixture.ts';

const PRICE = 852_000n;
const run = recordedRun();
const call = { ...systemCall(new Uint8Array(4)), target: undefined };

describe('gas of system contracts', () => {
  it.each([
    [1_000_000n, 2_607n],
    [2_200_000n, 4_298n],
    [10_000_000n, 15_284n],
    [20_000_000n, 29_368n],
    [50_000_000n, 71_622n],
    [100_000_000n, 142_044n],
    [200_000_000n, 282_889n],
    [500_000_000n, 705_424n],
    [1_000_000_000n, 1_409_649n],
  ])('costs for %d tinycents %d gas', (tinycents, gas) => {
    expect(gasOfTinycents(tinycents, PRICE)).toBe(gas);
  });

  it('keeps views at 2607 whatever the gas price', async () => {
    expect(await viewGas([], call, { ...run, gasPriceMilliTinycents: 1n })).toBe(2_607n);
  });

  it('follows the gas price of the fee schedule elsewhere', async () => {
    const gas = await priced(canonicalPrices.freeze)([], call, { ...run, gasPriceMilliTinycents: 1_704_000n });
    expect(gas).toBe(8_241n);
  });

  it('charges the computed fee where it exceeds the canonical price', () => {
    const two = canonicalPrices.associate + extraFees.association;
    expect(dispatchGas(canonicalPrices.associate, two, run)).toBe(1_409_649n);
    expect(dispatchGas(canonicalPrices.associate, 1n, run)).toBe(705_424n);
  });

  it('rounds computed fees down to whole tinybars', () => {
    expect(throughTinybars(100n, { hbarEquiv: 1n, centEquiv: 12n })).toBe(96n);
    expect(throughTinybars(100n, { hbarEquiv: 30_000n, centEquiv: 150_000n })).toBe(100n);
  });
});
