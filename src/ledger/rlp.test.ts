import { decode, encode } from '@ethereumjs/rlp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKagamiError } from '../errors/kagami-error.ts';
import { fromHex } from './bytes.ts';
import { decodeRlp, type RlpItem } from './rlp.ts';

const bytes = (hex: string): Uint8Array => fromHex(hex) as Uint8Array;

/** Nested lists of byte strings, none nested too deep. */
const { item } = fc.letrec<{ item: RlpItem; list: RlpItem[]; string: Uint8Array }>((tie) => ({
  item: fc.oneof({ maxDepth: 6, depthSize: 'small' }, tie('string'), tie('list')),
  list: fc.array(tie('item'), { maxLength: 5 }),
  string: fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc.uint8Array({ minLength: 54, maxLength: 58 }),
    fc.uint8Array({ minLength: 255, maxLength: 258 }),
  ),
}));

const encoded = (value: RlpItem): Uint8Array => encode(value as Parameters<typeof encode>[0]);

describe('RLP', () => {
  it('is read as it was written', () => {
    const property = fc.property(item, (value) => {
      expect(decodeRlp(encoded(value))).toEqual(value);
    });
    fc.assert(property);
  });

  it('is taken or refused as the reference decoder does', () => {
    const outcome = (read: () => unknown): unknown => {
      try {
        return read();
      } catch {
        return 'refused';
      }
    };
    const changed = fc.tuple(item, fc.nat(), fc.nat(255), fc.boolean()).map(([value, at, byte, cut]) => {
      const raw = Uint8Array.from(encoded(value));
      raw[at % raw.length] = byte;
      return cut ? raw.subarray(0, raw.length - 1) : raw;
    });
    const raws = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 12 }), changed).filter((raw) => raw.length > 0);
    let taken = 0;
    fc.assert(
      fc.property(raws, (raw) => {
        const ours = outcome(() => decodeRlp(raw));
        if (ours !== 'refused') taken++;
        expect(ours).toEqual(outcome(() => decode(raw)));
      }),
      { numRuns: 2_000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  it.each([
    ['', 'an item is missing'],
    ['8100', 'a small byte has a length of its own'],
    ['b80161', 'a short length is written in the long form'],
    [`b90038${'61'.repeat(56)}`, 'a length begins with zeros'],
    ['c161', 'ok'],
    ['c26161', 'ok'],
    ['c16161', 'bytes follow the item'],
    ['c28261', 'a byte string is longer than what holds it'],
    ['c2c261', 'a list is longer than what holds it'],
    ['bfffffffffffffffff', 'a byte string is longer than what holds it'],
  ])('%s: %s', (hex, reason) => {
    if (reason === 'ok') expect(decodeRlp(bytes(hex))).toEqual(decode(bytes(hex)));
    else expect(() => decodeRlp(bytes(hex))).toThrow(`Malformed RLP: ${reason}`);
  });

  it('begins where it is told to, and shares the bytes', () => {
    const raw = bytes('02c26162');
    const list = decodeRlp(raw, 1) as Uint8Array[];
    expect(list).toEqual([bytes('61'), bytes('62')]);
    expect(list[0]?.buffer).toBe(raw.buffer);
  });

  it('refuses lists within lists beyond any need, however many there are', () => {
    const nested = (depth: number): RlpItem => (depth === 0 ? [] : [nested(depth - 1)]);
    expect(decodeRlp(encoded(nested(7)))).toEqual(nested(7));
    expect(() => decodeRlp(encoded(nested(8)))).toThrow('nested more than 8 deep');
    let deepest = new Uint8Array(0);
    for (const length of [40_000, 40_004, 40_008]) {
      const header = Uint8Array.of(0xf9, length >> 8, length & 255);
      deepest = new Uint8Array([...header, ...(deepest.length === 0 ? new Uint8Array(length).fill(0xc0) : deepest)]);
    }
    const tower = new Uint8Array(60_000).fill(0xc1);
    for (const raw of [tower, deepest]) {
      let fault: unknown;
      try {
        decodeRlp(raw);
      } catch (caught) {
        fault = caught;
      }
      expect(isKagamiError(fault, 'RLP_MALFORMED')).toBe(true);
    }
  });
});
