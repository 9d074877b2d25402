import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { idTopic, numberBytes, numOfIdTopic } from './synthetic-values.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('values of synthetic logs', () => {
  it('are big-endian without leading zeros', () => {
    const values = [0n, 1n, 255n, 256n, 65_536n, 16_777_216n, 0xffff_ffffn, 1n << 32n, (1n << 63n) - 1n, -1n];
    expect(values.map((value) => hex(numberBytes(value)))).toEqual([
      '',
      '01',
      'ff',
      '0100',
      '010000',
      '01000000',
      'ffffffff',
      '0100000000',
      '7fffffffffffffff',
      'ffffffffffffffff',
    ]);
  });

  it('keep every unsigned 64-bit number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: (1n << 64n) - 1n }), (value) => {
        const text = value.toString(16);
        expect(hex(numberBytes(value))).toBe(text.length % 2 === 0 ? text : `0${text}`);
      }),
    );
  });

  it('give an entity by its num alone', () => {
    expect(hex(idTopic(0n))).toBe('');
    expect(hex(idTopic(1001n))).toBe('03e9');
    expect(hex(idTopic(encodeEntityId(1023n, 65_535n, 1001n)))).toBe('03e9');
    for (const num of [0n, 1n, 1001n, (1n << 38n) - 1n]) expect(numOfIdTopic(idTopic(num))).toBe(Number(num));
  });
});
