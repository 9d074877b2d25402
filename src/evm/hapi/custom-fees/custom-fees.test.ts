import { describe, expect, it } from 'vitest';
import type { FixedFee, FractionalFee, RoyaltyFee, TokenRecord } from '../../state/records.ts';
import { entityRecord, nftRecord, relationRecord, tokenRecord } from '../../state/testing/memory-reader.fixture.ts';
import { operationContext, statusOf } from '../testing/operation.fixture.ts';
import { ofHbar, ofTokens, serial, serials, units } from '../testing/transfers.fixture.ts';
import { transfer } from '../transfers/transfer.ts';

const TREASURY = 1001n;
const ALICE = 1002n;
const BOB = 1003n;
const COLLECTOR = 1004n;
const SECOND_COLLECTOR = 1005n;
const STRANGER = 1006n;
const CAROL = 1007n;
const UNITS = 2001n;
const NFT = 2002n;
const FEE_UNITS = 2003n;
const DEEPER_UNITS = 2004n;
const DEEPEST_UNITS = 2005n;

const fixed = (amount: bigint, denominatingTokenId?: bigint, changes: Partial<FixedFee> = {}): FixedFee => ({
  amount,
  denominatingTokenId,
  collectorId: COLLECTOR,
  allCollectorsAreExempt: false,
  ...changes,
});

const fractional = (numerator: bigint, denominator: bigint, changes: Partial<FractionalFee> = {}): FractionalFee => ({
  numerator,
  denominator,
  minimum: 0n,
  maximum: 0n,
  netOfTransfers: false,
  collectorId: COLLECTOR,
  allCollectorsAreExempt: false,
  ...changes,
});

const royalty = (numerator: bigint, denominator: bigint, changes: Partial<RoyaltyFee> = {}): RoyaltyFee => ({
  numerator,
  denominator,
  fallback: undefined,
  collectorId: COLLECTOR,
  allCollectorsAreExempt: false,
  ...changes,
});

type Fees = Partial<TokenRecord['customFees']>;

const fees = (changes: Fees = {}) => ({ customFees: { fixed: [], fractional: [], royalty: [], ...changes } });

const HOLDERS = [TREASURY, ALICE, BOB, CAROL, COLLECTOR, SECOND_COLLECTOR];

interface FeesByToken {
  readonly units?: Fees;
  readonly nft?: Fees;
  readonly feeUnits?: Fees;
  readonly deeperUnits?: Fees;
}

const ledger = (byToken: FeesByToken) => {
  const token = (id: bigint, name: keyof FeesByToken, changes: Partial<TokenRecord> = {}) =>
    tokenRecord(id, { treasuryId: TREASURY, ...changes, ...fees(byToken[name]) });
  return operationContext({
    entities: [...HOLDERS, STRANGER].map((id) => entityRecord(id, { balance: 1_000n })),
    tokens: [
      token(UNITS, 'units'),
      token(NFT, 'nft', { type: 'NON_FUNGIBLE_UNIQUE' }),
      token(FEE_UNITS, 'feeUnits'),
      token(DEEPER_UNITS, 'deeperUnits'),
      tokenRecord(DEEPEST_UNITS),
    ],
    relations: [UNITS, NFT, FEE_UNITS, DEEPER_UNITS, DEEPEST_UNITS].flatMap((tokenId) =>
      HOLDERS.map((id) => relationRecord(id, tokenId, { balance: 1_000n })),
    ),
    nfts: [1n, 2n, 3n].map((number) => nftRecord(NFT, number, ALICE)),
  });
};

type Context = ReturnType<typeof ledger>;

/** Changes against 1,000 of each account, in the order treasury, Alice, Bob, Carol, collector, second collector. */
const changes = async ({ world }: Context, tokenId?: bigint): Promise<readonly bigint[]> => {
  const balances = [];
  for (const id of HOLDERS) {
    const holder = tokenId === undefined ? await world.entity(id) : await world.tokenRelation(id, tokenId);
    balances.push((holder?.balance ?? 0n) - 1_000n);
  }
  return balances;
};

const sent = units(UNITS, [ALICE, -100n], [BOB, 100n]);

describe('fixed fees', () => {
  it('in hbar are paid by whoever gives', async () => {
    const context = ledger({ units: { fixed: [fixed(30n)] } });
    const { assessedFees } = await transfer(context, ofTokens(units(UNITS, [ALICE, -60n], [CAROL, -40n], [BOB, 100n])));
    expect(await changes(context)).toEqual([0n, -30n, 0n, -30n, 60n, 0n]);
    expect(await changes(context, UNITS)).toEqual([0n, -60n, 100n, -40n, 0n, 0n]);
    expect(assessedFees).toEqual([
      { denomination: undefined, amount: 30n, collectorId: COLLECTOR, payerIds: [ALICE] },
      { denomination: undefined, amount: 30n, collectorId: COLLECTOR, payerIds: [CAROL] },
    ]);
  });

  it('in another token cause its fees, too', async () => {
    const context = ledger({
      units: { fixed: [fixed(10n, FEE_UNITS)] },
      feeUnits: { fixed: [fixed(3n, undefined, { collectorId: SECOND_COLLECTOR })] },
    });
    const { tokens } = await transfer(context, ofTokens(sent));
    expect(await changes(context, FEE_UNITS)).toEqual([0n, -10n, 0n, 0n, 10n, 0n]);
    expect(await changes(context)).toEqual([0n, -3n, 0n, 0n, 0n, 3n]);
    expect(tokens).toEqual([sent, units(FEE_UNITS, [ALICE, -10n], [COLLECTOR, 10n])]);
  });

  it('in the token itself cause none', async () => {
    const context = ledger({ units: { fixed: [fixed(10n, UNITS), fixed(7n, UNITS)] } });
    const { tokens } = await transfer(context, ofTokens(sent));
    expect(await changes(context, UNITS)).toEqual([0n, -117n, 100n, 0n, 17n, 0n]);
    expect(tokens).toEqual([units(UNITS, [ALICE, -117n], [BOB, 100n], [COLLECTOR, 17n])]);
  });

  it('of serials are paid once for each', async () => {
    const context = ledger({ nft: { fixed: [fixed(4n)] } });
    await transfer(context, ofTokens(serials(NFT, serial(ALICE, BOB, 1n), serial(ALICE, BOB, 2n))));
    expect(await changes(context)).toEqual([0n, -8n, 0n, 0n, 8n, 0n]);
  });

  it.each([
    ['the treasury', TREASURY, [fixed(30n)]],
    ['the collector', COLLECTOR, [fixed(30n)]],
    [
      'another collector where all are',
      SECOND_COLLECTOR,
      [
        fixed(30n, undefined, { allCollectorsAreExempt: true }),
        fixed(1n, undefined, { collectorId: SECOND_COLLECTOR }),
      ],
    ],
  ])('spare %s', async (_, sender, list) => {
    const context = ledger({ units: { fixed: list } });
    await transfer(context, ofTokens(units(UNITS, [sender, -100n], [BOB, 100n])));
    expect(await changes(context)).toEqual([0n, 0n, 0n, 0n, 0n, 0n]);
  });

  it('are paid by another collector where not all are exempt', async () => {
    const context = ledger({
      units: { fixed: [fixed(30n), fixed(1n, undefined, { collectorId: SECOND_COLLECTOR })] },
    });
    await transfer(context, ofTokens(units(UNITS, [SECOND_COLLECTOR, -100n], [BOB, 100n])));
    expect(await changes(context)).toEqual([0n, 0n, 0n, 0n, 30n, -30n]);
  });
});

describe('fractional fees', () => {
  it.each([
    ['a tenth, rounded down', fractional(1n, 10n), 105n, 10n],
    ['at least the minimum', fractional(1n, 10n, { minimum: 15n }), 105n, 15n],
    ['at most the maximum', fractional(1n, 2n, { maximum: 20n }), 105n, 20n],
    ['nothing when it rounds down to that', fractional(1n, 200n), 105n, 0n],
  ])('take %s out of what is received', async (_, fee, amount, expected) => {
    const context = ledger({ units: { fractional: [fee] } });
    await transfer(context, ofTokens(units(UNITS, [ALICE, -amount], [BOB, amount])));
    expect(await changes(context, UNITS)).toEqual([0n, -amount, amount - expected, 0n, expected, 0n]);
  });

  it('come on top net of transfers', async () => {
    const context = ledger({ units: { fractional: [fractional(1n, 10n, { netOfTransfers: true })] } });
    await transfer(context, ofTokens(sent));
    expect(await changes(context, UNITS)).toEqual([0n, -110n, 100n, 0n, 10n, 0n]);
  });

  it('are taken from receivers in proportion, what rounding leaves from the first', async () => {
    const context = ledger({ units: { fractional: [fractional(1n, 10n)] } });
    // A tenth of 99 is 9: of 33 and 66 that is 3 and 6.
    await transfer(context, ofTokens(units(UNITS, [ALICE, -99n], [BOB, 33n], [CAROL, 66n])));
    expect(await changes(context, UNITS)).toEqual([0n, -99n, 30n, 60n, 9n, 0n]);
    const uneven = ledger({ units: { fractional: [fractional(1n, 10n)] } });
    // A tenth of 100 is 10: of 35 and 65 that is 3.5 and 6.5, rounded down 3 and 6, and one more from the first.
    await transfer(uneven, ofTokens(units(UNITS, [ALICE, -100n], [BOB, 35n], [CAROL, 65n])));
    expect(await changes(uneven, UNITS)).toEqual([0n, -100n, 31n, 59n, 10n, 0n]);
  });

  it('are shared by several givers', async () => {
    const context = ledger({ units: { fractional: [fractional(1n, 10n)] } });
    // A tenth of 100 is 10, of which 6 for Alice's 60 and 4 for Carol's 40.
    const { assessedFees } = await transfer(context, ofTokens(units(UNITS, [ALICE, -60n], [CAROL, -40n], [BOB, 100n])));
    expect(assessedFees.map(({ amount }) => amount)).toEqual([6n, 4n]);
    expect(await changes(context, UNITS)).toEqual([0n, -60n, 90n, -40n, 10n, 0n]);
  });

  it.each([
    ['given by the treasury', TREASURY, BOB],
    ['given by the collector', COLLECTOR, BOB],
    ['received by the treasury', ALICE, TREASURY],
    ['received by the collector', ALICE, COLLECTOR],
  ])('spare what is %s', async (_, sender, receiver) => {
    const context = ledger({ units: { fractional: [fractional(1n, 10n)] } });
    const { assessedFees } = await transfer(context, ofTokens(units(UNITS, [sender, -100n], [receiver, 100n])));
    expect(assessedFees).toEqual([]);
  });

  it('whose minimum is more than what is received are refused', async () => {
    const context = ledger({ units: { fractional: [fractional(1n, 10n, { minimum: 101n })] } });
    expect(await statusOf(context, () => transfer(context, ofTokens(sent)))).toBe(
      'INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE',
    );
  });

  it('beyond 63 bits are refused', async () => {
    const context = ledger({ units: { fractional: [fractional((1n << 63n) - 1n, 1n)] } });
    expect(await statusOf(context, () => transfer(context, ofTokens(sent)))).toBe('CUSTOM_FEE_OUTSIDE_NUMERIC_RANGE');
  });
});

describe('royalties', () => {
  const sale = (price: bigint) => ({
    ...ofTokens(serials(NFT, serial(ALICE, BOB, 1n), serial(ALICE, BOB, 2n))),
    ...{ hbar: ofHbar([BOB, -price], [ALICE, price]).hbar },
  });

  it('are taken from the price, once for several serials', async () => {
    const context = ledger({ nft: { royalty: [royalty(1n, 10n)] } });
    const { assessedFees } = await transfer(context, sale(99n));
    expect(await changes(context)).toEqual([0n, 90n, -99n, 0n, 9n, 0n]);
    expect(assessedFees).toEqual([{ denomination: undefined, amount: 9n, collectorId: COLLECTOR, payerIds: [ALICE] }]);
  });

  it('are taken from every value that is received', async () => {
    const context = ledger({
      nft: { royalty: [royalty(1n, 10n), royalty(1n, 4n, { collectorId: SECOND_COLLECTOR })] },
    });
    await transfer(context, {
      hbar: ofHbar([BOB, -100n], [ALICE, 100n]).hbar,
      tokens: [units(UNITS, [BOB, -40n], [ALICE, 40n]), serials(NFT, serial(ALICE, BOB, 1n))],
    });
    expect(await changes(context)).toEqual([0n, 65n, -100n, 0n, 10n, 25n]);
    expect(await changes(context, UNITS)).toEqual([0n, 26n, -40n, 0n, 4n, 10n]);
  });

  it('have the receiver pay the fallback where there is no price, once for several serials', async () => {
    const fallback = { amount: 25n, denominatingTokenId: FEE_UNITS };
    const context = ledger({ nft: { royalty: [royalty(1n, 10n, { fallback })] } });
    await transfer(context, ofTokens(serials(NFT, serial(ALICE, BOB, 1n), serial(ALICE, BOB, 2n))));
    expect(await changes(context, FEE_UNITS)).toEqual([0n, 0n, -25n, 0n, 25n, 0n]);
  });

  it.each([
    ['there is no price and no fallback', royalty(1n, 10n), 0n, BOB],
    ['the sender is the collector', royalty(1n, 10n, { collectorId: ALICE }), 50n, BOB],
    [
      'the receiver of the fallback is the collector',
      royalty(1n, 10n, { collectorId: BOB, fallback: { amount: 5n, denominatingTokenId: undefined } }),
      0n,
      BOB,
    ],
  ])('are none where %s', async (_, fee, price, receiver) => {
    const context = ledger({ nft: { royalty: [fee] } });
    const { hbar } = ofHbar([receiver, -price], [ALICE, price]);
    const { assessedFees } = await transfer(context, {
      hbar: price === 0n ? [] : hbar,
      ...{ tokens: [serials(NFT, serial(ALICE, receiver, 1n))] },
    });
    expect(assessedFees).toEqual([]);
  });

  it('refuse accounts that the transfer creates as payers', async () => {
    const fallback = { amount: 25n, denominatingTokenId: undefined };
    const context = ledger({ nft: { royalty: [royalty(1n, 10n, { fallback })] } });
    const created = 'cd'.repeat(20);
    const request = {
      hbar: ofHbar([BOB, -50n], [created, 50n]).hbar,
      tokens: [serials(NFT, serial(ALICE, created, 1n))],
    };
    expect(await statusOf(context, () => transfer(context, request))).toBe(
      'INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE',
    );
  });
});

describe('limits', () => {
  const chain: FeesByToken = {
    units: { fixed: [fixed(1n, FEE_UNITS, { collectorId: SECOND_COLLECTOR })] },
    feeUnits: { fixed: [fixed(1n, DEEPER_UNITS)] },
    deeperUnits: { fixed: [fixed(1n, DEEPEST_UNITS, { collectorId: SECOND_COLLECTOR })] },
  };

  it('allow fees on fees on fees', async () => {
    const context = ledger({ ...chain, deeperUnits: {} });
    await transfer(context, ofTokens(sent));
    expect(await changes(context, DEEPER_UNITS)).toEqual([0n, -1n, 0n, 0n, 1n, 0n]);
  });

  it('allow no level more', async () => {
    const context = ledger(chain);
    expect(await statusOf(context, () => transfer(context, ofTokens(sent)))).toBe(
      'CUSTOM_FEE_CHARGING_EXCEEDED_MAX_RECURSION_DEPTH',
    );
  });

  it('allow 20 balance changes, fees included', async () => {
    const collectors = Array.from({ length: 10 }, (_, i) => 3_000n + BigInt(i));
    const receivers = Array.from({ length: 9 }, (_, i) => 4_000n + BigInt(i));
    const context = (count: number) =>
      operationContext({
        entities: [ALICE, TREASURY, ...collectors, ...receivers].map((id) => entityRecord(id, { balance: 100n })),
        tokens: [
          tokenRecord(UNITS, {
            treasuryId: TREASURY,
            ...fees({ fixed: collectors.slice(0, count).map((collectorId) => fixed(1n, undefined, { collectorId })) }),
          }),
        ],
        relations: [ALICE, ...receivers].map((id) => relationRecord(id, UNITS, { balance: 100n })),
      });
    const request = ofTokens(units(UNITS, [ALICE, -9n], ...receivers.map((id) => [id, 1n] as const)));
    // 10 balances of units, and of hbar Alice's and 9 collectors'.
    const within = context(9);
    expect(await statusOf(within, () => transfer(within, request))).toBe('SUCCESS');
    const beyond = context(10);
    expect(await statusOf(beyond, () => transfer(beyond, request))).toBe(
      'CUSTOM_FEE_CHARGING_EXCEEDED_MAX_ACCOUNT_AMOUNTS',
    );
  });

  it.each([
    ['hbar', fixed(1_001n), 'INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE'],
    ['units of another token', fixed(1_001n, FEE_UNITS), 'INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE'],
    ['units of the token', fixed(901n, UNITS), 'INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE'],
    [
      'units to a collector without relation',
      fixed(1n, FEE_UNITS, { collectorId: STRANGER }),
      'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT',
    ],
  ] as const)('refuse fees in %s that cannot be paid', async (_, fee, status) => {
    const context = ledger({ units: { fixed: [fee] } });
    expect(await statusOf(context, () => transfer(context, ofTokens(sent)))).toBe(status);
  });

  it('refuse payers without relation to the fee token', async () => {
    const context = ledger({ units: { fixed: [fixed(1n, FEE_UNITS)] } });
    context.world.removeTokenRelation(ALICE, FEE_UNITS);
    expect(await statusOf(context, () => transfer(context, ofTokens(sent)))).toBe('TOKEN_NOT_ASSOCIATED_TO_ACCOUNT');
  });

  it.each([
    [
      'units of a non-fungible token',
      ofTokens(units(NFT, [ALICE, -1n], [BOB, 1n])),
      'ACCOUNT_AMOUNT_TRANSFERS_ONLY_ALLOWED_FOR_FUNGIBLE_COMMON',
    ],
    [
      'serials of a fungible token',
      ofTokens(serials(UNITS, serial(ALICE, BOB, 1n))),
      'NFT_TRANSFERS_ONLY_ALLOWED_FOR_NON_FUNGIBLE_UNIQUE',
    ],
  ] as const)('refuse %s', async (_, request, status) => {
    const context = ledger({ nft: { fixed: [fixed(1n)] }, units: { fixed: [fixed(1n)] } });
    expect(await statusOf(context, () => transfer(context, request))).toBe(status);
  });
});
