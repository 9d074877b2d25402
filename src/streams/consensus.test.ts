import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddressBook } from './address-book.ts';
import { ONE_THIRD, parseRatio, requiredWeight, tally, type VerifiedSignature, weighNodes } from './consensus.ts';
import { addressBookBytes, makeNodes } from './testing/network.fixture.ts';

const book = parseAddressBook(addressBookBytes(makeNodes(4)));
const vote = (nodeId: bigint, fill = 1, metadata: number | null = 2): VerifiedSignature => ({
  nodeId,
  fileHash: Buffer.alloc(48, fill),
  metadataHash: metadata === null ? null : Buffer.alloc(48, metadata),
});
const equal = weighNodes(book, undefined);

describe('ratio', () => {
  it.each([
    ['1/3', { numerator: 1n, denominator: 3n }],
    ['0.5', { numerator: 5n, denominator: 10n }],
    [0.25, { numerator: 25n, denominator: 100n }],
    [1e-7, { numerator: 1n, denominator: 10_000_000n }],
    [0, { numerator: 0n, denominator: 1n }],
    ['1', { numerator: 1n, denominator: 1n }],
  ])('reads %s', (text, ratio) => {
    expect(parseRatio(text)).toEqual(ratio);
  });

  it.each(['1.5', '4/3', '1/0', '-0.1', 'a third', '', Number.NaN])('refuses %s', (text) => {
    expect(() => parseRatio(text)).toThrowError(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it('requires the least weight that is not below ratio * total', () => {
    expect([1n, 2n, 3n, 4n, 31n].map((total) => requiredWeight(ONE_THIRD, total))).toEqual([1n, 1n, 1n, 2n, 11n]);
    expect(requiredWeight(ONE_THIRD, 5_000_000_000_000_000_001n)).toBe(1_666_666_666_666_666_667n);
    expect(requiredWeight(parseRatio(0), 10n)).toBe(0n);
    fc.assert(
      fc.property(
        fc.bigInt(0n, 1n << 63n),
        fc.bigInt(0n, 99n),
        fc.bigInt(100n, 1000n),
        (total, numerator, denominator) => {
          const required = requiredWeight({ numerator, denominator }, total);
          expect(required * denominator >= numerator * total).toBe(true);
          expect((required - 1n) * denominator < numerator * total).toBe(true);
        },
      ),
    );
  });
});

describe('weights', () => {
  const stakes = new Map([
    [0n, 10n],
    [1n, 20n],
    [2n, 0n],
    [9n, 70n],
  ]);

  it('counts votes without stakes, or when no node has any', () => {
    expect(equal).toEqual({ total: 4n, byNode: new Map([0n, 1n, 2n, 3n].map((id) => [id, 1n])) });
    expect(weighNodes(book, new Map([[0n, 0n]]))).toEqual(equal);
    expect(weighNodes(book, new Map([[9n, 5n]]))).toEqual(equal);
    expect(weighNodes(book, stakes, 'EQUAL')).toEqual(equal);
  });

  it('counts stake of the address book only, or towards the total all of it', () => {
    const byNode = new Map([
      [0n, 10n],
      [1n, 20n],
      [2n, 0n],
      [3n, 0n],
    ]);
    expect(weighNodes(book, stakes)).toEqual({ total: 30n, byNode });
    expect(weighNodes(book, stakes, 'STAKE')).toEqual({ total: 100n, byNode });
  });
});

describe('tally', () => {
  it('agrees from a third on', () => {
    expect(tally([vote(0n)], equal, ONE_THIRD)).toMatchObject({
      agreed: undefined,
      required: 2n,
      total: 4n,
      final: false,
    });
    expect(tally([vote(0n), vote(1n)], equal, ONE_THIRD)).toMatchObject({
      agreed: { nodeIds: [0n, 1n], weight: 2n },
      final: false,
    });
    expect(tally([vote(0n), vote(1n), vote(2n)], equal, ONE_THIRD).final).toBe(true);
  });

  it('takes the heavier of two hashes, and neither of two equal ones', () => {
    const votes = [vote(0n, 8), vote(1n, 8), vote(2n, 9)];
    expect(tally(votes, equal, parseRatio('1/4')).agreed?.nodeIds).toEqual([0n, 1n]);
    expect(tally([...votes, vote(3n, 9)], equal, ONE_THIRD)).toMatchObject({ agreed: undefined, final: false });
  });

  it('keeps file hashes with different metadata hashes apart', () => {
    expect(tally([vote(0n, 1, 2), vote(1n, 1, 3)], equal, ONE_THIRD).agreed).toBeUndefined();
    expect(tally([vote(0n, 1, 2), vote(1n, 1, null)], equal, ONE_THIRD).agreed).toBeUndefined();
  });

  it('counts a node once and unknown nodes for nothing', () => {
    expect(tally([vote(0n), vote(0n), vote(77n)], equal, ONE_THIRD)).toMatchObject({
      agreed: undefined,
      groups: [{ weight: 1n, nodeIds: [0n, 77n] }],
    });
  });

  it('weighs by stake', () => {
    const weights = weighNodes(
      book,
      new Map([
        [3n, 1000n],
        [0n, 1n],
        [1n, 1n],
        [2n, 1n],
      ]),
    );
    expect(tally([vote(0n), vote(1n), vote(2n)], weights, ONE_THIRD).agreed).toBeUndefined();
    expect(tally([vote(3n)], weights, ONE_THIRD)).toMatchObject({ agreed: { weight: 1000n }, final: true });
  });

  it('lets any one valid signature do at ratio 0, and none at total 0', () => {
    expect(tally([vote(0n)], equal, parseRatio(0)).agreed?.nodeIds).toEqual([0n]);
    expect(tally([], equal, parseRatio(0)).agreed).toBeUndefined();
    expect(tally([vote(0n)], { total: 0n, byNode: new Map() }, ONE_THIRD).agreed).toBeUndefined();
  });
});
