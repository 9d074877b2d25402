import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HederaFunctionality } from '../protobuf/generated/services/basic_types.ts';
import { hasHighVolumeLane, highVolumeMultiplier } from './high-volume.ts';
import { defaultSchedule } from './schedule/default-schedule.ts';
import type { HighVolumeRates } from './schedule/fee-schedule.ts';

interface Case {
  readonly utilization_basis_points: number;
  readonly raw_multiplier: number;
}
interface CurveCase extends Case {
  readonly function: keyof typeof HederaFunctionality;
}
interface UnitCase extends Case {
  readonly max_multiplier: number;
  readonly points: readonly { readonly utilization_basis_points: number; readonly multiplier: number }[] | null;
}

const path = join(import.meta.dirname, '../../../shared/conformance/fees.json');
const recorded: { readonly multiplier_curve_cases: CurveCase[]; readonly multiplier_unit_cases: UnitCase[] } =
  existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { multiplier_curve_cases: [], multiplier_unit_cases: [] };

const rates = (maxMultiplier: number, ...points: readonly (readonly [number, number])[]): HighVolumeRates => ({
  maxMultiplier: BigInt(maxMultiplier),
  points: points.map(([utilization, multiplier]) => ({
    utilization: BigInt(utilization),
    multiplier: BigInt(multiplier),
  })),
});

describe('the multiplier', () => {
  it('is 1 without rates', () => expect(highVolumeMultiplier(undefined, 10_000n)).toBe(1000n));

  it.each([
    ['on a straight line without points', rates(5000), 2500n, 2000n],
    ['at an empty lane', rates(5000), 0n, 1000n],
    ['beyond a full lane', rates(5000), 20_000n, 5000n],
    ['before the first point', rates(200_000, [2, 4000], [4, 8000]), 0n, 4000n],
    ['after the last point', rates(200_000, [2, 4000], [4, 8000]), 9000n, 8000n],
    ['at a point', rates(200_000, [2, 4000], [4, 8000]), 4n, 8000n],
    ['between points, rounded toward zero', rates(200_000, [0, 1000], [3, 2000]), 1n, 1333n],
    ['between points of a falling curve', rates(200_000, [0, 2000], [3, 1000]), 1n, 1667n],
    ['of a single point', rates(4000, [10_000, 4000]), 1n, 4000n],
    ['at two points of the same utilization', rates(9000, [0, 1000], [5, 2000], [5, 6000], [10, 8000]), 5n, 2000n],
    ['after two points of the same utilization', rates(9000, [5, 2000], [5, 6000], [10, 8000]), 6n, 6400n],
    ['never above the maximum', rates(3000, [0, 4000]), 0n, 3000n],
    ['never below 1', rates(500, [0, 10], [10_000, 20]), 5000n, 1000n],
  ])('%s', (_name, given, utilization, expected) => {
    expect(highVolumeMultiplier(given, utilization)).toBe(expected);
  });

  it('lies between 1 and the maximum for any curve', () => {
    const point = fc.record({ utilization: fc.bigInt(0n, 10_000n), multiplier: fc.bigInt(0n, 300_000n) });
    fc.assert(
      fc.property(
        fc.array(point, { maxLength: 8 }),
        fc.bigInt(0n, 300_000n),
        fc.bigInt(-5n, 20_000n),
        (unsorted, maxMultiplier, utilization) => {
          const points = unsorted.sort((a, b) => Number(a.utilization - b.utilization));
          const multiplier = highVolumeMultiplier({ maxMultiplier, points }, utilization);
          expect(multiplier >= 1000n && multiplier <= (maxMultiplier > 1000n ? maxMultiplier : 1000n)).toBe(true);
        },
      ),
    );
  });

  it('does not fall where a curve rises', () => {
    const rising = defaultSchedule.services.get(HederaFunctionality.TokenMint)?.highVolumeRates;
    fc.assert(
      fc.property(fc.bigInt(0n, 10_000n), fc.bigInt(0n, 10_000n), (a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(highVolumeMultiplier(rising, less) <= highVolumeMultiplier(rising, more)).toBe(true);
      }),
    );
  });

  it.skipIf(!existsSync(path))('is the recorded one', () => {
    const { multiplier_curve_cases: curves, multiplier_unit_cases: units } = recorded;
    const computed = [
      ...curves.map((given) => {
        const price = defaultSchedule.services.get(HederaFunctionality[given.function]);
        return highVolumeMultiplier(price?.highVolumeRates, BigInt(given.utilization_basis_points));
      }),
      ...units.map(({ max_multiplier, points, utilization_basis_points: utilization }) =>
        highVolumeMultiplier(
          rates(max_multiplier, ...(points ?? []).map((p) => [p.utilization_basis_points, p.multiplier] as const)),
          BigInt(utilization),
        ),
      ),
    ];
    expect(computed.length).toBeGreaterThan(20);
    expect(computed.map(Number)).toEqual([...curves, ...units].map(({ raw_multiplier }) => raw_multiplier));
  });
});

describe('the lane', () => {
  it('is open to creations, not to transfers and updates', () => {
    expect(hasHighVolumeLane(HederaFunctionality.CryptoCreate)).toBe(true);
    expect(hasHighVolumeLane(HederaFunctionality.TokenAirdrop)).toBe(true);
    expect(hasHighVolumeLane(HederaFunctionality.CryptoTransfer)).toBe(false);
    expect(hasHighVolumeLane(HederaFunctionality.TokenUpdate)).toBe(false);
  });
});
