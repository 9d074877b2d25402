import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  epochDayOf,
  formatTimestamp,
  MAX_NANOS,
  nanosOf,
  nanosToStreamName,
  parseTimestamp,
  startOfMonth,
  streamNameToNanos,
} from './timestamp.ts';

const timestamps = fc.bigInt({ min: 0n, max: 9_999_999_999_999_999_999n });

describe('consensus timestamp', () => {
  it('counts nanoseconds and saturates at the ends of int64', () => {
    expect(nanosOf({ seconds: 1_568_411_631n, nanos: 396_440_000 })).toBe(1_568_411_631_396_440_000n);
    expect(nanosOf({ seconds: 31_556_889_864_403_199n, nanos: 999_999_999 })).toBe(MAX_NANOS);
    expect(nanosOf({ seconds: -31_557_014_167_219_200n, nanos: 0 })).toBe(-MAX_NANOS - 1n);
  });

  it.each([
    [0n, '0.000000000'],
    [1n, '0.000000001'],
    [999_999_999n, '0.999999999'],
    [1_000_000_000n, '1.000000000'],
    [1_234_567_890_000_000_001n, '1234567890.000000001'],
    [MAX_NANOS, '9223372036.854775807'],
    [-1n, '-0.000000001'],
  ])('writes %s as %s', (nanos, text) => {
    expect(formatTimestamp(nanos)).toBe(text);
    expect(formatTimestamp(nanos.toString())).toBe(text);
  });

  it.each([
    ['0', 0n],
    ['1234567890', 1_234_567_890_000_000_000n],
    ['1234567890.1', 1_234_567_890_100_000_000n],
    ['1234567890.000000001', 1_234_567_890_000_000_001n],
  ])('reads %s', (text, nanos) => {
    expect(parseTimestamp(text)).toBe(nanos);
  });

  it.each(['', '.1', '1.', '-1', '12345678901', '1.0000000000', '1e3', '0x1', ' 1'])('does not read %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('round-trips through text', () => {
    fc.assert(
      fc.property(timestamps, (nanos) => {
        expect(parseTimestamp(formatTimestamp(nanos))).toBe(nanos);
      }),
    );
  });

  it('round-trips through stream file names', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_NANOS }), (nanos) => {
        expect(streamNameToNanos(`${nanosToStreamName(nanos)}.rcd.gz`)).toBe(nanos);
      }),
    );
  });

  it('reads stream file names with short or no fractions and refuses impossible times', () => {
    expect(streamNameToNanos('2019-09-13T21_53_51.396440Z.rcd')).toBe(1_568_411_631_396_440_000n);
    expect(streamNameToNanos('2021-03-08T20_15_00Z_Balances.pb.gz')).toBe(1_615_234_500_000_000_000n);
    expect(streamNameToNanos('2019-13-13T21_53_51.396440Z.rcd')).toBeUndefined();
    expect(streamNameToNanos('sidecar')).toBeUndefined();
  });

  it('counts UTC days since the epoch, downwards before it', () => {
    expect(epochDayOf(86_399_999_999_999n)).toBe(0n);
    expect(epochDayOf(86_400_000_000_000n)).toBe(1n);
    expect(epochDayOf(-1n)).toBe(-1n);
    expect(epochDayOf(-86_400_000_000_000n)).toBe(-1n);
  });
});

describe('startOfMonth', () => {
  const at = (iso: string): bigint => BigInt(Date.parse(iso)) * 1_000_000n;

  it('counts months in UTC, across years', () => {
    expect(startOfMonth(at('2023-06-20T12:00:00Z'), 0)).toBe(at('2023-06-01T00:00:00Z'));
    expect(startOfMonth(at('2023-06-20T12:00:00Z'), 1)).toBe(at('2023-05-01T00:00:00Z'));
    expect(startOfMonth(at('2023-01-01T00:00:00Z'), 1)).toBe(at('2022-12-01T00:00:00Z'));
    expect(startOfMonth(at('2023-06-01T00:00:00Z') - 1n, 0)).toBe(at('2023-05-01T00:00:00Z'));
  });

  it('goes back before the epoch', () => {
    expect(startOfMonth(2345n, 0)).toBe(0n);
    expect(startOfMonth(2345n, 1)).toBe(at('1969-12-01T00:00:00Z'));
  });
});
