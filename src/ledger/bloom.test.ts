import { describe, expect, it } from 'vitest';
import { addToBloom, BLOOM_LENGTH, uniteBloom } from './bloom.ts';

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const bloomOf = (...values: readonly string[]): Uint8Array => {
  const bloom = new Uint8Array(BLOOM_LENGTH);
  for (const value of values) addToBloom(bloom, bytes(value));
  return bloom;
};
/** Bytes that aren't zero, as `position:hex`. */
const setBytes = (bloom: Uint8Array): string =>
  [...bloom].flatMap((byte, position) => (byte === 0 ? [] : [`${position}:${byte.toString(16)}`])).join(' ');

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const ADDRESS = '95222290dd7278aa3ddd389cc1e1d165cc4bafe5';

describe('bloom', () => {
  // Bits 1443, 481 and 1060 for the topic, 45, 152 and 581 for the address, by the Yellow Paper's definition of M3:2048.
  it('sets three bits for each value', () => {
    expect(setBytes(bloomOf(TRANSFER))).toBe('75:8 123:10 195:2');
    expect(setBytes(bloomOf(ADDRESS, TRANSFER))).toBe('75:8 123:10 183:20 195:2 236:1 250:20');
  });

  it('is the same in any order and after repetition', () => {
    expect(bloomOf(TRANSFER, ADDRESS, TRANSFER)).toEqual(bloomOf(ADDRESS, TRANSFER));
  });

  it('takes nothing for no bytes', () => {
    expect(setBytes(bloomOf(''))).toBe('');
  });

  it('unites with others, of which only whole ones count', () => {
    const union = bloomOf(TRANSFER);
    uniteBloom(union, bloomOf(ADDRESS));
    uniteBloom(union, new Uint8Array(0));
    uniteBloom(union, Uint8Array.of(255));
    expect(union).toEqual(bloomOf(ADDRESS, TRANSFER));
  });
});
