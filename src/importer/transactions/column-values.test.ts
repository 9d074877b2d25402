import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { int64, ipText, jsonText, shortText } from './column-values.ts';
import type { Source } from './handler.ts';
import { bytes } from './testing/handled.fixture.ts';

describe('column values', () => {
  it('keep unsigned integers as the signed column does', () => {
    expect(int64(2n ** 64n - 1n)).toBe(-1n);
    expect(int64(2n ** 63n)).toBe(-(2n ** 63n));
    expect(int64(2n ** 63n - 1n)).toBe(2n ** 63n - 1n);
  });

  it('write any value as JSON that reads back the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(!JSON.stringify(value).includes('\\u0000'));
        // JSON has no -0.
        expect(JSON.parse(jsonText(value as never))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('write 64-bit integers exactly and texts without NUL', () => {
    expect(jsonText({ a: [9_223_372_036_854_775_807n, true, null], 'b"': 'x\0' })).toBe(
      '{"a":[9223372036854775807,true,null],"b\\"":"x\uFFFD"}',
    );
  });

  it('write addresses', () => {
    expect(ipText(bytes('c0a80001'))).toBe('192.168.0.1');
    expect(ipText(bytes('fe800000000000000000000000000abc'))).toBe('fe80:0:0:0:0:0:0:abc');
    expect(ipText(bytes('0102'))).toBeUndefined();
  });

  it('cut texts that a column cannot take, by characters', () => {
    const problems: string[] = [];
    const source = {
      context: { problem: (_: unknown, message: string) => problems.push(message) },
    } as unknown as Source;
    expect(shortText(source, '\u{1F600}'.repeat(100))).toBe('\u{1F600}'.repeat(100));
    expect(problems).toEqual([]);
    expect(shortText(source, `${'\u{1F600}'.repeat(100)}x`)).toBe('\u{1F600}'.repeat(100));
    expect(problems).toEqual(['Text of 101 characters cut to 100']);
  });
});
