import { describe, expect, it } from 'vitest';
import { accessListHexJson } from './access-list.ts';

const address = '67d8d32e9bf1a9968a5ff53b87d777aa8ebbee69';
const slot = `${'00'.repeat(31)}0a`;

describe('an access list in hex', () => {
  it('is the RLP of its addresses, each with its slots', () => {
    // f8 38: a list of 56 bytes, f7: an entry of 55, 94: an address of 20, e1: a list of 33, a0: a slot of 32.
    const expected = `"0xf838f794${address}e1a0${slot}"`;
    expect(accessListHexJson(JSON.stringify([{ address: `0x${address}`, storage_keys: [`0x${slot}`] }]))).toBe(
      expected,
    );
    expect(accessListHexJson(JSON.stringify([{ address, storage_keys: [slot] }]))).toBe(expected);
    // d6: an entry of 22 bytes, c0: no slots.
    expect(accessListHexJson(JSON.stringify([{ address, storage_keys: [] }]))).toBe(`"0xd7d694${address}c0"`);
  });

  it.each(['', '[]', 'null', '{}'])('is 0x for %s', (text) => {
    expect(accessListHexJson(text)).toBe('"0x"');
  });
});
