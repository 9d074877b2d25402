import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    ['250', 250],
    ['0', 0],
    [' 10S ', 10_000],
    ['PT10S', 10_000],
    ['PT0.5S', 500],
    ['PT1H30M', 5_400_000],
    ['P1DT2H', 93_600_000],
    ['P7D', 604_800_000],
    ['pt1.001s', 1_001],
  ])('reads %s as %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['', 'ten', '-1s', '1w', '10 s 5', 'P', 'PT', 'P1DT', 'P1Y', 'PT-1S', '0.5ms', '1e3', '9007199254740993d'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it('reads back what formatDuration writes', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
      }),
    );
  });

  it('reads ISO 8601 as the sum of its parts', () => {
    const part = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(part(1000), part(100), part(100), part(100), (days, hours, minutes, seconds) => {
        expect(parseDuration(`P${days}DT${hours}H${minutes}M${seconds}S`)).toBe(
          (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000,
        );
      }),
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0ms'],
    [1_500, '1500ms'],
    [90_000, '90s'],
    [3_600_000, '1h'],
    [604_800_000, '7d'],
  ])('writes %d ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});
