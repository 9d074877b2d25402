import { describe, expect, it } from 'vitest';
import { judgeMemory, type MemoryLimits, type MemorySample } from './memory-judgement.ts';

const limits: MemoryLimits = { warmUpSeconds: 300, mostMebibytes: 300, growthMebibytes: 20 };

/** An hour, every five seconds. */
const anHour = (mebibytes: (seconds: number) => number): MemorySample[] =>
  Array.from({ length: 721 }, (_, index) => ({ seconds: index * 5, mebibytes: mebibytes(index * 5) }));

/** What a collector makes of even use: 30 MiB up in a minute, and down at once. */
const sawTeeth = (seconds: number): number => ((seconds % 60) / 60) * 30;

describe('the judgement of memory', () => {
  it('is content with saw teeth around the same height', () => {
    const { peak, trend, faults } = judgeMemory(
      anHour((seconds) => 220 + sawTeeth(seconds)),
      limits,
    );
    expect(faults).toEqual([]);
    expect(peak).toBe(247.5);
    expect(Math.abs(trend)).toBeLessThan(1);
  });

  it('finds slow growth under saw teeth', () => {
    const { trend, growth, faults } = judgeMemory(
      anHour((seconds) => 200 + seconds / 120 + sawTeeth(seconds)),
      limits,
    );
    expect(trend).toBeCloseTo(30, 0);
    expect(growth).toBeCloseTo(27.5, 0);
    expect(faults).toEqual(['it grew by 28 MiB after the warm-up, more than 20']);
  });

  it('leaves the warm-up out of the growth, not out of the peak', () => {
    const warming = anHour((seconds) => (seconds < 300 ? 310 - (310 - 150) * (1 - seconds / 300) : 150));
    const { growth, median, faults } = judgeMemory(warming, limits);
    expect(growth).toBe(0);
    expect(median).toBe(150);
    expect(faults).toEqual(['307 MiB are more than 300']);
  });

  it('is not led astray by a few samples far off', () => {
    const spikes = anHour((seconds) => (seconds > 3_500 ? 290 : 200));
    expect(judgeMemory(spikes, limits)).toMatchObject({ growth: 0, faults: [] });
  });

  it('counts shrinking as no fault', () => {
    expect(
      judgeMemory(
        anHour((seconds) => 290 - seconds / 36),
        limits,
      ).faults,
    ).toEqual([]);
  });

  it('refuses a run that is too short', () => {
    expect(() => judgeMemory(anHour(() => 200).slice(0, 65), limits)).toThrow(
      '5 samples after the warm-up are too few for a judgement',
    );
  });
});
