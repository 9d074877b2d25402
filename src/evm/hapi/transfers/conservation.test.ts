import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntityRecord, TokenRecord } from '../../state/records.ts';
import { entityRecord, nftRecord, relationRecord, tokenRecord } from '../../state/testing/memory-reader.fixture.ts';
import { operationContext, statusOf } from '../testing/operation.fixture.ts';
import { ofHbar, serial, serials, units } from '../testing/transfers.fixture.ts';
import { transfer } from './transfer.ts';

const ACCOUNTS = [1001n, 1002n, 1003n, 1004n, 1005n];
const SLOTS = 1006n;
const EVERYONE = [...ACCOUNTS, SLOTS];
const UNITS = [2001n, 2002n];
const NFT = 2003n;
const TOKENS = [...UNITS, NFT];
const SERIALS = [1n, 2n, 3n];

const account = fc.constantFrom(...EVERYONE);
const amount = fc.bigInt({ min: 1n, max: 60n });
const collected = { collectorId: fc.constantFrom(...ACCOUNTS), allCollectorsAreExempt: fc.boolean() };
const fixedFee = fc.record({ ...collected, amount, denominatingTokenId: fc.constantFrom(undefined, ...UNITS) });
const fractionalFee = fc.record({
  ...collected,
  numerator: fc.bigInt({ min: 1n, max: 3n }),
  denominator: fc.bigInt({ min: 2n, max: 9n }),
  minimum: fc.bigInt({ min: 0n, max: 5n }),
  maximum: fc.bigInt({ min: 0n, max: 20n }),
  netOfTransfers: fc.boolean(),
});
const royaltyFee = fc.record({
  ...collected,
  numerator: fc.bigInt({ min: 1n, max: 3n }),
  denominator: fc.bigInt({ min: 3n, max: 9n }),
  fallback: fc.option(fc.record({ amount, denominatingTokenId: fc.constantFrom(undefined, ...UNITS) }), {
    nil: undefined,
  }),
});
const few = <T>(fee: fc.Arbitrary<T>) => fc.array(fee, { maxLength: 2 });
const unitsFees = fc.record({ fixed: few(fixedFee), fractional: few(fractionalFee), royalty: fc.constant([]) });
const nftFees = fc.record({ fixed: few(fixedFee), fractional: fc.constant([]), royalty: few(royaltyFee) });

/** Who gives an amount, and who gets it in two parts. */
const move = fc
  .tuple(fc.shuffledSubarray(EVERYONE, { minLength: 3, maxLength: 3 }), amount, fc.bigInt({ min: 0n, max: 60n }))
  .map(([[a = 0n, b = 0n, c = 0n], whole, part]) => {
    const first = part % (whole + 1n);
    return [
      [a, -whole],
      [b, first],
      [c, whole - first],
    ] as const;
  });

const request = fc.record({
  hbar: fc.option(move),
  units: fc.subarray(UNITS).chain((ids) => fc.tuple(fc.constant(ids), fc.tuple(...ids.map(() => move)))),
  serials: fc.subarray(SERIALS),
  seller: account,
  buyer: account,
});

const ledger = (fees: readonly TokenRecord['customFees'][]) =>
  operationContext({
    entities: [
      ...ACCOUNTS.map((id) => entityRecord(id, { balance: 200n })),
      entityRecord(SLOTS, { balance: 200n, maxAutomaticAssociations: -1 }),
    ],
    tokens: TOKENS.map((id, i) =>
      tokenRecord(id, {
        treasuryId: 1001n,
        type: id === NFT ? 'NON_FUNGIBLE_UNIQUE' : 'FUNGIBLE_COMMON',
        ...(fees[i] === undefined ? {} : { customFees: fees[i] }),
      }),
    ),
    relations: TOKENS.flatMap((tokenId) =>
      ACCOUNTS.map((id) => relationRecord(id, tokenId, { balance: tokenId === NFT ? (id === 1002n ? 3n : 0n) : 100n })),
    ),
    nfts: SERIALS.map((number) => nftRecord(NFT, number, 1002n)),
  });

const snapshot = async ({ world }: ReturnType<typeof ledger>) => {
  const hbar: bigint[] = [];
  const accounts: (EntityRecord | undefined)[] = [];
  for (const id of EVERYONE) {
    const entity = await world.entity(id);
    accounts.push(entity);
    hbar.push(entity?.balance ?? 0n);
  }
  const byToken: bigint[][] = [];
  for (const tokenId of TOKENS) {
    const balances: bigint[] = [];
    for (const id of EVERYONE) balances.push((await world.tokenRelation(id, tokenId))?.balance ?? 0n);
    byToken.push(balances);
  }
  const owners: (bigint | undefined)[] = [];
  for (const number of SERIALS) owners.push((await world.nft(NFT, number))?.ownerId);
  return { hbar, accounts, byToken, owners };
};

const total = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, each) => sum + each, 0n);

describe('transfers with custom fees', () => {
  it('keep every sum when accepted, and everything when refused', async () => {
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.tuple(unitsFees, unitsFees, nftFees), request, async (fees, asked) => {
        const context = ledger(fees);
        const before = await snapshot(context);
        const [ids, moves] = asked.units;
        const sold = asked.serials.map((number) => serial(asked.seller, asked.buyer, number));
        const transfers = {
          hbar: asked.hbar === null ? [] : ofHbar(...asked.hbar).hbar,
          tokens: [
            ...ids.map((id, i) => units(id, ...(moves[i] ?? []))),
            ...(sold.length > 0 ? [serials(NFT, ...sold)] : []),
          ],
        };
        const status = await statusOf(context, () => transfer(context, transfers));
        outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
        const after = await snapshot(context);
        if (status !== 'SUCCESS') {
          expect(after).toEqual(before);
          return;
        }
        expect(total(after.hbar)).toBe(total(before.hbar));
        expect(after.byToken.map(total)).toEqual(before.byToken.map(total));
        for (const balance of [...after.hbar, ...after.byToken.flat()]) expect(balance).toBeGreaterThanOrEqual(0n);
        expect(after.byToken[2]).toEqual(
          EVERYONE.map((id) => BigInt(after.owners.filter((owner) => owner === id).length)),
        );
      }),
      { numRuns: 600, seed: 18 },
    );
    // The property would say little if hardly anything were accepted.
    expect(outcomes.get('SUCCESS')).toBeGreaterThan(60);
    expect(outcomes.size).toBeGreaterThan(4);
  });
});
