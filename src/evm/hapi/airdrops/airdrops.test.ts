import { describe, expect, it } from 'vitest';
import { Key } from '../../../protobuf/generated/services/basic_types.ts';
import type { TokenRecord } from '../../state/records.ts';
import { entityRecord, nftRecord, relationRecord, tokenRecord } from '../../state/testing/memory-reader.fixture.ts';
import { operationContext, statusOf } from '../testing/operation.fixture.ts';
import { serial, serials, units } from '../testing/transfers.fixture.ts';
import type { Party, TokenTransfers } from '../transfers/transfers.ts';
import { airdrop } from './airdrop.ts';
import { cancelAirdrops } from './cancel-airdrops.ts';
import { claimAirdrops } from './claim-airdrops.ts';
import { rejectTokens } from './reject-tokens.ts';

const TREASURY = 1001n;
const ALICE = 1002n;
const HOLDER = 1003n;
const STRANGER = 1004n;
const SLOTS = 1005n;
const SYSTEM = 900n;
const DELEGATED = 1006n;
const UNKNOWN = 9999n;
const UNITS = 2001n;
const NFT = 2002n;
const SOLD = 2003n;
const DELETED = 2004n;
const TAXED = 2005n;

const unsignable = Key.encode({ key: { $case: 'rsa3072', rsa3072: new Uint8Array([1]) } }).finish();

const fallback = { amount: 5n, denominatingTokenId: undefined };
const royalty = { numerator: 1n, denominator: 2n, fallback, collectorId: TREASURY, allCollectorsAreExempt: false };
const noFees = { fixed: [], fractional: [], royalty: [] };
const fractional = {
  numerator: 1n,
  denominator: 10n,
  minimum: 0n,
  maximum: 0n,
  netOfTransfers: false,
  collectorId: HOLDER,
  allCollectorsAreExempt: false,
};
const fixed = { amount: 30n, denominatingTokenId: undefined, collectorId: HOLDER, allCollectorsAreExempt: false };

const pendingUnits = { senderId: ALICE, receiverId: STRANGER, tokenId: UNITS, serialNumber: 0n };
const pendingSerial = { senderId: ALICE, receiverId: STRANGER, tokenId: NFT, serialNumber: 2n };

const ledger = (token: Partial<TokenRecord> = {}) =>
  operationContext(
    {
      entities: [
        ...[TREASURY, ALICE, HOLDER, STRANGER, SYSTEM].map((id) => entityRecord(id, { balance: 100n })),
        entityRecord(SLOTS, { maxAutomaticAssociations: -1, receiverSigRequired: true }),
        entityRecord(DELEGATED, { key: unsignable }),
      ],
      tokens: [
        tokenRecord(UNITS, { treasuryId: TREASURY, ...token }),
        tokenRecord(NFT, { treasuryId: TREASURY, type: 'NON_FUNGIBLE_UNIQUE' }),
        tokenRecord(SOLD, {
          treasuryId: TREASURY,
          type: 'NON_FUNGIBLE_UNIQUE',
          customFees: { ...noFees, royalty: [royalty] },
        }),
        tokenRecord(DELETED, { deleted: true }),
        tokenRecord(TAXED, {
          treasuryId: TREASURY,
          customFees: { ...noFees, fixed: [fixed], fractional: [fractional] },
        }),
      ],
      relations: [
        relationRecord(ALICE, UNITS, { balance: 50n }),
        relationRecord(ALICE, NFT, { balance: 3n }),
        relationRecord(ALICE, SOLD, { balance: 1n }),
        relationRecord(ALICE, TAXED, { balance: 200n }),
        relationRecord(HOLDER, UNITS),
        relationRecord(HOLDER, NFT),
        relationRecord(HOLDER, SOLD),
        relationRecord(HOLDER, TAXED),
        relationRecord(TREASURY, UNITS, { balance: 10n }),
        relationRecord(TREASURY, NFT, { balance: 1n }),
        relationRecord(TREASURY, SOLD),
      ],
      nfts: [
        nftRecord(NFT, 1n, ALICE),
        nftRecord(NFT, 2n, ALICE),
        nftRecord(NFT, 3n, ALICE),
        nftRecord(NFT, 4n, TREASURY),
        nftRecord(SOLD, 1n, ALICE),
      ],
      airdrops: [
        { ...pendingUnits, amount: 7n },
        { ...pendingSerial, amount: 0n },
        { ...pendingSerial, tokenId: SOLD, serialNumber: 1n, amount: 0n },
      ],
    },
    ALICE,
  );

const balanceOf = async ({ world }: ReturnType<typeof ledger>, accountId: bigint, tokenId: bigint) =>
  (await world.tokenRelation(accountId, tokenId))?.balance;

describe('airdrop', () => {
  it('transfers to holders and to whoever has slots, and keeps the rest pending', async () => {
    const context = ledger();
    const effects = await airdrop(context, [
      units(UNITS, [ALICE, -30n], [HOLDER, 5n], [SLOTS, 10n], [STRANGER, 15n]),
      serials(NFT, serial(ALICE, HOLDER, 1n), serial(ALICE, STRANGER, 3n)),
    ]);
    expect(effects).toEqual({
      tokens: [units(UNITS, [ALICE, -15n], [HOLDER, 5n], [SLOTS, 10n]), serials(NFT, serial(ALICE, HOLDER, 1n))],
      assessedFees: [],
      automaticAssociations: 1,
      createdIds: [],
    });
    expect(await balanceOf(context, ALICE, UNITS)).toBe(35n);
    expect(await context.world.pendingAirdrop(pendingUnits)).toEqual({ ...pendingUnits, amount: 22n });
    expect(await context.world.pendingAirdrop({ ...pendingSerial, serialNumber: 3n })).toMatchObject({ amount: 0n });
    expect((await context.world.nft(NFT, 3n))?.ownerId).toBe(ALICE);
  });

  it('creates accounts for addresses', async () => {
    const context = ledger();
    const { createdIds } = await airdrop(context, [units(UNITS, [ALICE, -3n], ['ef'.repeat(20), 3n])]);
    expect(await balanceOf(context, createdIds[0] ?? 0n, UNITS)).toBe(3n);
  });

  it('has custom fees paid at once, also for what is pending', async () => {
    const context = ledger();
    const { tokens } = await airdrop(context, [units(TAXED, [ALICE, -100n], [STRANGER, 100n])]);
    expect((await context.world.entity(ALICE))?.balance).toBe(70n);
    expect((await context.world.entity(HOLDER))?.balance).toBe(130n);
    expect(await balanceOf(context, ALICE, TAXED)).toBe(190n);
    expect(await balanceOf(context, HOLDER, TAXED)).toBe(10n);
    expect(await context.world.pendingAirdrop({ ...pendingUnits, tokenId: TAXED })).toMatchObject({ amount: 90n });
    expect(tokens).toEqual([units(TAXED, [ALICE, -10n], [HOLDER, 10n])]);
  });

  const many = Array.from({ length: 10 }, (_, i): readonly [bigint, bigint] => [HOLDER + BigInt(100 * i), 0n]);

  const refusals: readonly (readonly [string, readonly TokenTransfers<Party>[], string])[] = [
    ['nothing', [], 'EMPTY_TOKEN_TRANSFER_BODY'],
    [
      'two senders of units',
      [units(UNITS, [ALICE, -1n], [TREASURY, -1n], [HOLDER, 2n])],
      'AIRDROP_CONTAINS_MULTIPLE_SENDERS_FOR_A_TOKEN',
    ],
    [
      'two senders of serials',
      [serials(NFT, serial(ALICE, HOLDER, 1n), serial(TREASURY, HOLDER, 4n))],
      'AIRDROP_CONTAINS_MULTIPLE_SENDERS_FOR_A_TOKEN',
    ],
    ['no sender', [units(UNITS, [HOLDER, 0n])], 'INVALID_TRANSACTION_BODY'],
    ['an approval', [units(UNITS, [ALICE, -1n, true], [HOLDER, 1n])], 'NOT_SUPPORTED'],
    ['what is not balanced', [units(UNITS, [ALICE, -1n], [HOLDER, 2n])], 'TRANSFERS_NOT_ZERO_SUM_FOR_TOKEN'],
    ['an unknown token', [units(UNKNOWN, [ALICE, -1n], [HOLDER, 1n])], 'INVALID_TOKEN_ID'],
    ['an unknown receiver', [units(UNITS, [ALICE, -1n], [UNKNOWN, 1n])], 'INVALID_ACCOUNT_ID'],
    ['a deleted token', [units(DELETED, [ALICE, -1n], [HOLDER, 1n])], 'TOKEN_WAS_DELETED'],
    ['a sender without relation', [units(UNITS, [STRANGER, -1n], [HOLDER, 1n])], 'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT'],
    ['more than there is', [units(UNITS, [ALICE, -51n], [HOLDER, 51n])], 'INSUFFICIENT_TOKEN_BALANCE'],
    ['a fallback fee', [serials(SOLD, serial(ALICE, HOLDER, 1n))], 'TOKEN_AIRDROP_WITH_FALLBACK_ROYALTY'],
    ['an unknown serial', [serials(NFT, serial(ALICE, HOLDER, 9n))], 'INVALID_NFT_ID'],
    ['a serial of someone else', [serials(NFT, serial(ALICE, HOLDER, 4n))], 'SENDER_DOES_NOT_OWN_NFT_SERIAL_NO'],
    ['a system account', [units(UNITS, [ALICE, -1n], [SYSTEM, 1n])], 'INVALID_RECEIVING_NODE_ACCOUNT'],
    ['a receiver who cannot claim', [units(UNITS, [ALICE, -1n], [DELEGATED, 1n])], 'NOT_SUPPORTED'],
    ['a serial that is pending', [serials(NFT, serial(ALICE, STRANGER, 2n))], 'PENDING_NFT_AIRDROP_ALREADY_EXISTS'],
  ];

  it.each(refusals)('refuses %s', async (_, tokens, status) => {
    const context = ledger();
    expect(await statusOf(context, () => airdrop(context, tokens))).toBe(status);
    expect(await balanceOf(context, ALICE, UNITS)).toBe(50n);
  });

  it('refuses more than ten adjustments', async () => {
    const context = operationContext({
      entities: [ALICE, ...many.map(([id]) => id)].map((id) => entityRecord(id)),
      tokens: [tokenRecord(UNITS)],
      relations: [relationRecord(ALICE, UNITS, { balance: 1n })],
    });
    const [[first, ...rest]] = [many];
    const list = units(UNITS, [ALICE, -1n], [first?.[0] ?? 0n, 1n], ...rest);
    expect(await statusOf(context, () => airdrop(context, [list]))).toBe('TOKEN_TRANSFER_LIST_SIZE_LIMIT_EXCEEDED');
  });

  it('spares the treasury the fallback fee', async () => {
    const context = ledger();
    await airdrop(context, [serials(SOLD, serial(ALICE, TREASURY, 1n))]);
    expect((await context.world.nft(SOLD, 1n))?.ownerId).toBe(TREASURY);
  });
});

describe('claim', () => {
  it('associates the receiver and gives it what was pending', async () => {
    const context = ledger();
    const { tokens, automaticAssociations } = await claimAirdrops(context, [pendingUnits, pendingSerial]);
    expect(tokens).toEqual([units(UNITS, [ALICE, -7n], [STRANGER, 7n]), serials(NFT, serial(ALICE, STRANGER, 2n))]);
    expect(automaticAssociations).toBe(0);
    expect(await context.world.tokenRelation(STRANGER, UNITS)).toMatchObject({
      balance: 7n,
      automaticAssociation: false,
    });
    expect((await context.world.nft(NFT, 2n))?.ownerId).toBe(STRANGER);
    expect(await context.world.pendingAirdrop(pendingUnits)).toBeUndefined();
    expect(await context.world.pendingAirdrop(pendingSerial)).toBeUndefined();
  });

  it.each([
    ['nothing', [], 'EMPTY_PENDING_AIRDROP_ID_LIST'],
    [
      'more than ten',
      Array.from({ length: 11 }, (_, i) => ({ ...pendingSerial, serialNumber: BigInt(i + 1) })),
      'PENDING_AIRDROP_ID_LIST_TOO_LONG',
    ],
    ['one twice', [pendingUnits, pendingUnits], 'PENDING_AIRDROP_ID_REPEATED'],
    ['an unknown receiver', [{ ...pendingUnits, receiverId: UNKNOWN }], 'INVALID_ACCOUNT_ID'],
    ['an unknown sender', [{ ...pendingUnits, senderId: UNKNOWN }], 'INVALID_PENDING_AIRDROP_ID'],
    ['what is not pending', [{ ...pendingUnits, senderId: HOLDER }], 'INVALID_PENDING_AIRDROP_ID'],
    ['a fallback fee', [{ ...pendingSerial, tokenId: SOLD, serialNumber: 1n }], 'TOKEN_AIRDROP_WITH_FALLBACK_ROYALTY'],
  ])('refuses %s', async (_, keys, status) => {
    const context = ledger();
    expect(await statusOf(context, () => claimAirdrops(context, keys))).toBe(status);
  });

  it('refuses a paused token, and what the sender no longer has', async () => {
    const paused = ledger({ paused: true });
    expect(await statusOf(paused, () => claimAirdrops(paused, [pendingUnits]))).toBe('TOKEN_IS_PAUSED');
    const spent = ledger();
    await airdrop(spent, [units(UNITS, [ALICE, -45n], [HOLDER, 45n])]);
    expect(await statusOf(spent, () => claimAirdrops(spent, [pendingUnits]))).toBe('INSUFFICIENT_TOKEN_BALANCE');
    expect(await spent.world.pendingAirdrop(pendingUnits)).toBeDefined();
  });
});

describe('cancellation', () => {
  it('takes pending airdrops away', async () => {
    const context = ledger();
    await cancelAirdrops(context, [pendingUnits]);
    expect(await context.world.pendingAirdrop(pendingUnits)).toBeUndefined();
    expect(await context.world.pendingAirdrop(pendingSerial)).toBeDefined();
  });

  it.each([
    ['nothing', [], 'EMPTY_PENDING_AIRDROP_ID_LIST'],
    ['one twice', [pendingUnits, pendingUnits], 'PENDING_AIRDROP_ID_REPEATED'],
    ['an unknown receiver', [{ ...pendingUnits, receiverId: UNKNOWN }], 'INVALID_PENDING_AIRDROP_ID'],
    ['what is not pending', [{ ...pendingSerial, serialNumber: 3n }], 'INVALID_PENDING_AIRDROP_ID'],
  ])('refuses %s', async (_, keys, status) => {
    const context = ledger();
    expect(await statusOf(context, () => cancelAirdrops(context, keys))).toBe(status);
  });
});

describe('rejection', () => {
  it('returns all units and the named serials', async () => {
    const context = ledger();
    await rejectTokens(context, {
      ownerId: ALICE,
      rejections: [
        { tokenId: NFT, serialNumber: 1n },
        { tokenId: UNITS },
        { tokenId: NFT, serialNumber: 3n },
        { tokenId: SOLD, serialNumber: 1n },
      ],
    });
    expect(await balanceOf(context, ALICE, UNITS)).toBe(0n);
    expect(await balanceOf(context, TREASURY, UNITS)).toBe(60n);
    expect(await balanceOf(context, TREASURY, NFT)).toBe(3n);
    expect((await context.world.nft(SOLD, 1n))?.ownerId).toBe(TREASURY);
    expect((await context.world.entity(ALICE))?.balance).toBe(100n);
  });

  it.each([
    ['nothing', ALICE, [], 'EMPTY_TOKEN_REFERENCE_LIST'],
    [
      'more than ten',
      ALICE,
      Array.from({ length: 11 }, (_, i) => ({ tokenId: NFT, serialNumber: BigInt(i + 1) })),
      'TOKEN_REFERENCE_LIST_SIZE_LIMIT_EXCEEDED',
    ],
    ['a token twice', ALICE, [{ tokenId: UNITS }, { tokenId: UNITS }], 'TOKEN_REFERENCE_REPEATED'],
    ['serial 0', ALICE, [{ tokenId: NFT, serialNumber: 0n }], 'INVALID_TOKEN_NFT_SERIAL_NUMBER'],
    ['an unknown owner', UNKNOWN, [{ tokenId: UNITS }], 'INVALID_OWNER_ID'],
    ['an unknown token', ALICE, [{ tokenId: UNKNOWN }], 'INVALID_TOKEN_ID'],
    ['no relation', STRANGER, [{ tokenId: UNITS }], 'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT'],
    ['the treasury', TREASURY, [{ tokenId: UNITS }], 'ACCOUNT_IS_TREASURY'],
    ['the treasury for a serial', TREASURY, [{ tokenId: NFT, serialNumber: 4n }], 'ACCOUNT_IS_TREASURY'],
    ['no units', HOLDER, [{ tokenId: UNITS }], 'INSUFFICIENT_TOKEN_BALANCE'],
    ['an unknown serial', ALICE, [{ tokenId: NFT, serialNumber: 9n }], 'INVALID_NFT_ID'],
    ['a serial of someone else', HOLDER, [{ tokenId: NFT, serialNumber: 1n }], 'INVALID_OWNER_ID'],
  ])('is refused for %s', async (_, ownerId, rejections, status) => {
    const context = ledger();
    expect(await statusOf(context, () => rejectTokens(context, { ownerId, rejections }))).toBe(status);
  });
});
