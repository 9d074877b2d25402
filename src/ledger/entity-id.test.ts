import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKagamiError } from '../errors/kagami-error.ts';
import { decodeEntityId, encodeEntityId, formatEntityId, MAX_ENTITY_NUM, parseEntityId } from './entity-id.ts';

const shards = fc.bigInt({ min: 0n, max: 1023n });
const realms = fc.bigInt({ min: 0n, max: 65_535n });
const nums = fc.bigInt({ min: 0n, max: MAX_ENTITY_NUM });

describe('entity id', () => {
  it('packs shard, realm and num into their bits', () => {
    expect(encodeEntityId(0n, 0n, 98n)).toBe(98n);
    expect(encodeEntityId(0n, 1n, 0n)).toBe(274_877_906_944n);
    expect(encodeEntityId(1n, 2n, 3n)).toBe(18_014_948_265_295_875n);
    expect(encodeEntityId(1023n, 65_535n, MAX_ENTITY_NUM)).toBe(-1n);
    expect(encodeEntityId(512n, 0n, 0n)).toBe(-(1n << 63n));
  });

  it.each([
    [1024n, 0n, 0n],
    [0n, 65_536n, 0n],
    [0n, 0n, MAX_ENTITY_NUM + 1n],
    [-1n, 0n, 0n],
    [0n, -1n, 0n],
    [0n, 0n, -1n],
  ])('refuses %s.%s.%s', (shard, realm, num) => {
    try {
      encodeEntityId(shard, realm, num);
      expect.unreachable();
    } catch (error) {
      expect(isKagamiError(error, 'INVALID_ENTITY_ID')).toBe(true);
    }
  });

  it('round-trips through its encoding and its text', () => {
    fc.assert(
      fc.property(shards, realms, nums, (shard, realm, num) => {
        const id = encodeEntityId(shard, realm, num);
        expect(decodeEntityId(id)).toEqual({ shard, realm, num });
        expect(formatEntityId(id)).toBe(`${shard}.${realm}.${num}`);
        expect(formatEntityId(id.toString())).toBe(`${shard}.${realm}.${num}`);
        expect(parseEntityId(`${shard}.${realm}.${num}`)).toBe(id);
      }),
    );
  });

  it('is unique for every shard, realm and num', () => {
    fc.assert(
      fc.property(fc.tuple(shards, realms, nums), fc.tuple(shards, realms, nums), (a, b) => {
        const same = a.every((part, i) => part === b[i]);
        expect(encodeEntityId(...a) === encodeEntityId(...b)).toBe(same);
      }),
    );
  });

  it('completes short forms from the defaults', () => {
    expect(parseEntityId('7', { shard: 1n, realm: 2n })).toBe(encodeEntityId(1n, 2n, 7n));
    expect(parseEntityId('5.7', { shard: 1n, realm: 2n })).toBe(encodeEntityId(1n, 5n, 7n));
    expect(parseEntityId('0.5.7', { shard: 1n, realm: 2n })).toBe(encodeEntityId(0n, 5n, 7n));
  });

  it.each(['', '.', '0.0.', '0.0.0.1', '-1', '0.0.-1', '1a', '0.0.274877906944', '1024.0.1', '0.65536.1', ' 1'])(
    'does not read %j',
    (text) => {
      expect(parseEntityId(text)).toBeUndefined();
    },
  );
});
