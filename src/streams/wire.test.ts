import { describe, expect, it } from 'vitest';
import { timestampNanos, WireReader } from './wire.ts';

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

describe('WireReader', () => {
  it('splits a message into raw slices', () => {
    // field 1 varint 300, field 2 bytes "abc", field 3 fixed32, field 4 fixed64
    const fields = new WireReader(bytes('08ac02' + '1203616263' + '1d01020304' + '210102030405060708'), 'f');
    const seen: unknown[] = [];
    while (fields.next()) seen.push([fields.field, fields.wireType, fields.start, fields.end]);
    expect(seen).toEqual([
      [1, 0, 1, 3],
      [2, 2, 5, 8],
      [3, 5, 9, 13],
      [4, 1, 14, 22],
    ]);
  });

  it('reads varints as int32 and int64 in two complement', () => {
    const minusOne = new WireReader(bytes('08ffffffffffffffffff01'), 'f');
    minusOne.next();
    expect(minusOne.int64()).toBe(-1n);
    expect(minusOne.int32()).toBe(-1);
    expect(minusOne.smallVarint()).toBeUndefined();
    const large = new WireReader(bytes('0880808080808002'), 'f');
    large.next();
    expect(large.smallVarint()).toBe(2 ** 43);
    expect(large.int64()).toBe(2n ** 43n);
  });

  it('looks at its own part of the bytes and reports offsets in the whole', () => {
    const fields = new WireReader(bytes('ffff' + '1205616263' + 'ffff'), 'some.rcd', 2, 7);
    expect(() => fields.next()).toThrowError(
      expect.objectContaining({
        code: 'STREAM_TRUNCATED',
        details: expect.objectContaining({ file: 'some.rcd', offset: 2 }),
      }),
    );
  });

  it.each([
    ['a group', '0b0c', 'STREAM_MALFORMED'],
    ['field number 0', '0001', 'STREAM_MALFORMED'],
    ['a varint of 11 bytes', `08${'ff'.repeat(11)}`, 'STREAM_MALFORMED'],
    ['a varint cut off', '08ff', 'STREAM_TRUNCATED'],
    ['a length of 2^31', '128080808008', 'STREAM_MALFORMED'],
    ['a length beyond the end', '12ff7f00', 'STREAM_TRUNCATED'],
    ['a fixed64 cut off', '0901020304', 'STREAM_TRUNCATED'],
    ['a tag cut off', 'ff', 'STREAM_TRUNCATED'],
  ])('refuses %s', (_what, hex, code) => {
    const fields = new WireReader(bytes(hex), 'f');
    const readAll = (): void => {
      while (fields.next());
    };
    expect(readAll).toThrowError(expect.objectContaining({ code }));
  });

  it.each([
    ['0a0608d285d8cc04', 1_234_567_890_000_000_000n],
    ['0a0808d285d8cc041007', 1_234_567_890_000_000_007n],
    ['0a00', 0n],
    ['0a0a08ffffffffffffffff7f', 9_223_372_036_854_775_807n],
    ['0a0b0880808080808080808001', -9_223_372_036_854_775_808n],
    ['0a0b08ffffffffffffffffff01', -1_000_000_000n],
    ['0a0708ca83a8d4d22d', 9_223_372_036_854_775_807n],
  ])('reads the timestamp %s', (hex, nanos) => {
    const fields = new WireReader(bytes(hex), 'f');
    fields.next();
    expect(timestampNanos(fields)).toBe(nanos);
  });
});
