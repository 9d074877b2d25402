import { describe, expect, it } from 'vitest';
import { entityRecord, nftRecord, relationRecord, tokenRecord } from '../../state/testing/memory-reader.fixture.ts';
import { operationContext, statusOf } from '../testing/operation.fixture.ts';
import { ofHbar, ofTokens, serial, serials, units } from '../testing/transfers.fixture.ts';
import { transfer } from './transfer.ts';
import type { Party, Transfers } from './transfers.ts';

const ALICE = 1001n;
const BOB = 1002n;
const CAROL = 1003n;
const FROZEN = 1004n;
const STRANGER = 1005n;
const SLOTS = 1006n;
const FULL = 1007n;
const UNGRANTED = 1008n;
const SPENDER = 1009n;
const UNKNOWN = 9999n;
const UNITS = 2001n;
const NFT = 2002n;
const DELETED = 2003n;
const PAUSED = 2004n;
const OTHER = 2005n;
const KYC = 2006n;
const DEFAULT_FROZEN = 2007n;
const FEE_COLLECTION = 802n;
const NEW_ADDRESS = 'ab'.repeat(20);
const key = new Uint8Array([1]);

const ledger = (callerId = ALICE) => {
  const accounts = [ALICE, BOB, CAROL, FROZEN, STRANGER, UNGRANTED, SPENDER, FEE_COLLECTION];
  return operationContext(
    {
      entities: [
        ...accounts.map((id) => entityRecord(id, { balance: 100n })),
        entityRecord(SLOTS, { maxAutomaticAssociations: -1 }),
        entityRecord(FULL, { maxAutomaticAssociations: 1, usedAutomaticAssociations: 1 }),
      ],
      tokens: [
        tokenRecord(UNITS, { treasuryId: ALICE }),
        tokenRecord(NFT, { treasuryId: ALICE, type: 'NON_FUNGIBLE_UNIQUE' }),
        tokenRecord(DELETED, { deleted: true }),
        tokenRecord(PAUSED, { paused: true }),
        tokenRecord(OTHER, { treasuryId: ALICE }),
        tokenRecord(KYC, { treasuryId: ALICE, keys: { kyc: key } }),
        tokenRecord(DEFAULT_FROZEN, { treasuryId: ALICE, freezeDefault: true }),
      ],
      relations: [
        ...[UNITS, NFT, OTHER, KYC, DEFAULT_FROZEN].map((id) => relationRecord(ALICE, id, { balance: 50n })),
        relationRecord(BOB, UNITS, { balance: 10n }),
        relationRecord(BOB, NFT, { balance: 1n }),
        relationRecord(CAROL, UNITS),
        relationRecord(CAROL, NFT),
        relationRecord(FROZEN, UNITS, { frozen: true }),
        relationRecord(FROZEN, NFT, { frozen: true }),
        relationRecord(UNGRANTED, UNITS, { kycGranted: false }),
        relationRecord(UNGRANTED, NFT, { kycGranted: false }),
        relationRecord(FEE_COLLECTION, UNITS),
      ],
      nfts: [nftRecord(NFT, 1n, ALICE, { spenderId: SPENDER }), nftRecord(NFT, 2n, BOB), nftRecord(NFT, 3n, ALICE)],
      hbarAllowances: [[ALICE, SPENDER, 20n]],
      tokenAllowances: [
        [ALICE, SPENDER, UNITS, 20n],
        [ALICE, ALICE, UNITS, 5n],
      ],
      approvals: [[BOB, SPENDER, NFT]],
    },
    callerId,
  );
};

type Context = ReturnType<typeof ledger>;

const balanceOf = async ({ world }: Context, accountId: bigint, tokenId: bigint) =>
  (await world.tokenRelation(accountId, tokenId))?.balance;

describe('transfer', () => {
  it('moves tinybars, units and serials', async () => {
    const context = ledger();
    const { hbar } = ofHbar([ALICE, -30n], [BOB, 10n], [CAROL, 20n]);
    const { tokens } = ofTokens(
      units(UNITS, [ALICE, -7n], [BOB, -3n], [CAROL, 10n]),
      serials(NFT, serial(ALICE, CAROL, 1n), serial(BOB, CAROL, 2n)),
    );
    const effects = await transfer(context, { hbar, tokens });
    expect(effects).toEqual({ tokens, assessedFees: [], automaticAssociations: 0, createdIds: [] });
    const { world } = context;
    expect((await world.entity(ALICE))?.balance).toBe(70n);
    expect((await world.entity(CAROL))?.balance).toBe(120n);
    expect(await balanceOf(context, ALICE, UNITS)).toBe(43n);
    expect(await balanceOf(context, CAROL, UNITS)).toBe(10n);
    expect(await balanceOf(context, ALICE, NFT)).toBe(49n);
    expect(await balanceOf(context, CAROL, NFT)).toBe(2n);
    expect(await world.nft(NFT, 1n)).toMatchObject({ ownerId: CAROL, spenderId: undefined });
    expect((await world.accountCounts(CAROL)).positiveBalances).toBe(2);
  });

  it('associates receivers who have free slots', async () => {
    const context = ledger();
    const request = ofTokens(units(UNITS, [ALICE, -7n], [SLOTS, 7n]), serials(NFT, serial(ALICE, SLOTS, 3n)));
    expect((await transfer(context, request)).automaticAssociations).toBe(2);
    expect(await context.world.tokenRelation(SLOTS, UNITS)).toMatchObject({ balance: 7n, automaticAssociation: true });
  });

  it('creates an account for an address, once', async () => {
    const context = ledger();
    const { hbar } = ofHbar([ALICE, -5n], [NEW_ADDRESS, 5n]);
    const { tokens } = ofTokens(
      units(UNITS, [ALICE, -7n], [NEW_ADDRESS, 7n]),
      serials(NFT, serial(ALICE, NEW_ADDRESS, 3n)),
    );
    const { createdIds, automaticAssociations } = await transfer(context, { hbar, tokens });
    const [id = 0n] = createdIds;
    expect(createdIds).toHaveLength(1);
    expect(automaticAssociations).toBe(2);
    expect(await context.world.idAt(NEW_ADDRESS)).toBe(id);
    expect(await context.world.entity(id)).toMatchObject({ balance: 5n, key: undefined, maxAutomaticAssociations: -1 });
    expect(await balanceOf(context, id, UNITS)).toBe(7n);
  });

  it('lets a spender move what it is allowed to', async () => {
    const context = ledger(SPENDER);
    await transfer(context, {
      hbar: ofHbar([ALICE, -8n, true], [BOB, 8n]).hbar,
      tokens: ofTokens(
        units(UNITS, [ALICE, -20n, true], [BOB, 20n]),
        serials(NFT, serial(ALICE, CAROL, 1n, true), serial(BOB, CAROL, 2n, true)),
      ).tokens,
    });
    expect(await context.world.hbarAllowance(ALICE, SPENDER)).toBe(12n);
    expect(await context.world.tokenAllowance(ALICE, SPENDER, UNITS)).toBe(0n);
  });

  it('takes accounts to own the minimum balance, contracts not', async () => {
    const context = { ...ledger(), minimumAccountBalance: 1_000n };
    await transfer(context, ofHbar([ALICE, -1_000n], [BOB, 1_000n]));
    expect((await context.world.entity(ALICE))?.balance).toBe(0n);
    expect(await statusOf(context, () => transfer(context, ofHbar([CAROL, -1_001n], [BOB, 1_001n])))).toBe(
      'INSUFFICIENT_ACCOUNT_BALANCE',
    );
  });

  const eleven = Array.from({ length: 11 }, (_, i): readonly [bigint, bigint] => [3000n + BigInt(i), 0n]);
  const nftSerials = (count: number) => Array.from({ length: count }, (_, i) => serial(ALICE, CAROL, BigInt(i + 1)));

  const refusals: readonly (readonly [string, Transfers<Party>, string, bigint?])[] = [
    ['hbar that is not balanced', ofHbar([ALICE, -1n], [BOB, 2n]), 'INVALID_ACCOUNT_AMOUNTS'],
    ['a repeated account', ofHbar([ALICE, -1n], [ALICE, 1n]), 'ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS'],
    ['units that are not balanced', ofTokens(units(UNITS, [ALICE, -1n])), 'TRANSFERS_NOT_ZERO_SUM_FOR_TOKEN'],
    [
      'an account repeated for a token',
      ofTokens(units(UNITS, [ALICE, -1n], [ALICE, 1n])),
      'ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS',
    ],
    ['an empty list', ofTokens(units(UNITS)), 'EMPTY_TOKEN_TRANSFER_ACCOUNT_AMOUNTS'],
    [
      'a repeated token',
      ofTokens(units(UNITS, [ALICE, -1n], [BOB, 1n]), units(UNITS, [ALICE, -1n], [BOB, 1n])),
      'TOKEN_ID_REPEATED_IN_TOKEN_LIST',
    ],
    ['serial 0', ofTokens(serials(NFT, serial(ALICE, BOB, 0n))), 'INVALID_TOKEN_NFT_SERIAL_NUMBER'],
    [
      'a repeated serial',
      ofTokens(serials(NFT, serial(ALICE, BOB, 1n), serial(BOB, CAROL, 1n))),
      'INVALID_ACCOUNT_AMOUNTS',
    ],
    [
      'a serial sent to its sender',
      ofTokens(serials(NFT, serial(ALICE, ALICE, 1n))),
      'ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS',
    ],
    ['an unknown token', ofTokens(units(UNKNOWN, [ALICE, -1n], [BOB, 1n])), 'INVALID_TOKEN_ID'],
    ['an unknown receiver', ofTokens(units(UNITS, [ALICE, -1n], [UNKNOWN, 1n])), 'INVALID_ACCOUNT_ID'],
    ['an unknown sender', ofHbar([NEW_ADDRESS, -1n], [BOB, 1n]), 'INVALID_ACCOUNT_ID'],
    ['an unknown sender of a serial', ofTokens(serials(NFT, serial(NEW_ADDRESS, BOB, 1n))), 'INVALID_ACCOUNT_ID'],
    [
      'a long-zero address without account',
      ofHbar([ALICE, -1n], ['0'.repeat(36).concat('ffff'), 1n]),
      'INVALID_ALIAS_KEY',
    ],
    [
      'hbar to the fee collection account',
      ofHbar([ALICE, -1n], [FEE_COLLECTION, 1n]),
      'TRANSFER_TO_FEE_COLLECTION_ACCOUNT_NOT_ALLOWED',
    ],
    [
      'units to the fee collection account',
      ofTokens(units(UNITS, [ALICE, -1n], [FEE_COLLECTION, 1n])),
      'TRANSFER_TO_FEE_COLLECTION_ACCOUNT_NOT_ALLOWED',
    ],
    ['11 serials', ofTokens(serials(NFT, ...nftSerials(11))), 'BATCH_SIZE_LIMIT_EXCEEDED'],
    ['a deleted token', ofTokens(units(DELETED, [ALICE, -1n], [BOB, 1n])), 'TOKEN_WAS_DELETED'],
    ['a paused token', ofTokens(units(PAUSED, [ALICE, -1n], [BOB, 1n])), 'TOKEN_IS_PAUSED'],
    [
      'units of a non-fungible token',
      ofTokens(units(NFT, [ALICE, -1n], [BOB, 1n])),
      'ACCOUNT_AMOUNT_TRANSFERS_ONLY_ALLOWED_FOR_FUNGIBLE_COMMON',
    ],
    [
      'a receiver without relation',
      ofTokens(units(UNITS, [ALICE, -1n], [STRANGER, 1n])),
      'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT',
    ],
    [
      'a receiver without free slot',
      ofTokens(units(UNITS, [ALICE, -1n], [FULL, 1n])),
      'NO_REMAINING_AUTOMATIC_ASSOCIATIONS',
    ],
    [
      'a slot for a token with KYC',
      ofTokens(units(KYC, [ALICE, -1n], [SLOTS, 1n])),
      'ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN',
    ],
    [
      'a slot for a token frozen by default',
      ofTokens(units(DEFAULT_FROZEN, [ALICE, -1n], [SLOTS, 1n])),
      'ACCOUNT_FROZEN_FOR_TOKEN',
    ],
    ['a frozen account', ofTokens(units(UNITS, [ALICE, -1n], [FROZEN, 1n])), 'ACCOUNT_FROZEN_FOR_TOKEN'],
    ['a frozen receiver of a serial', ofTokens(serials(NFT, serial(ALICE, FROZEN, 1n))), 'ACCOUNT_FROZEN_FOR_TOKEN'],
    [
      'an account without KYC',
      ofTokens(units(UNITS, [ALICE, -1n], [UNGRANTED, 1n])),
      'ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN',
    ],
    [
      'a serial to an account without KYC',
      ofTokens(serials(NFT, serial(ALICE, UNGRANTED, 1n))),
      'ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN',
    ],
    ['more units than there are', ofTokens(units(UNITS, [BOB, -11n], [CAROL, 11n])), 'INSUFFICIENT_TOKEN_BALANCE'],
    ['more tinybars than there are', ofHbar([ALICE, -101n], [BOB, 101n]), 'INSUFFICIENT_ACCOUNT_BALANCE'],
    [
      'a serial of an account without relation',
      ofTokens(serials(NFT, serial(STRANGER, BOB, 1n))),
      'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT',
    ],
    ['an unknown serial', ofTokens(serials(NFT, serial(ALICE, BOB, 9n))), 'INVALID_NFT_ID'],
    ['a serial of someone else', ofTokens(serials(NFT, serial(ALICE, CAROL, 2n))), 'SENDER_DOES_NOT_OWN_NFT_SERIAL_NO'],
    ['hbar without allowance', ofHbar([BOB, -1n, true], [ALICE, 1n]), 'SPENDER_DOES_NOT_HAVE_ALLOWANCE', SPENDER],
    ['hbar beyond the allowance', ofHbar([ALICE, -21n, true], [BOB, 21n]), 'AMOUNT_EXCEEDS_ALLOWANCE', SPENDER],
    [
      'units without allowance',
      ofTokens(units(UNITS, [BOB, -1n, true], [ALICE, 1n])),
      'SPENDER_DOES_NOT_HAVE_ALLOWANCE',
      SPENDER,
    ],
    [
      'units beyond the allowance',
      ofTokens(units(UNITS, [ALICE, -21n, true], [BOB, 21n])),
      'AMOUNT_EXCEEDS_ALLOWANCE',
      SPENDER,
    ],
    [
      'units of an owner without relation and allowance',
      ofTokens(units(UNITS, [STRANGER, -1n, true], [BOB, 1n])),
      'SPENDER_DOES_NOT_HAVE_ALLOWANCE',
      SPENDER,
    ],
    [
      'a serial without approval',
      ofTokens(serials(NFT, serial(ALICE, CAROL, 3n, true))),
      'SPENDER_DOES_NOT_HAVE_ALLOWANCE',
      SPENDER,
    ],
  ];

  const named = refusals.map(([name, request, status, callerId]) => ({ name, request, status, callerId }));

  it.each(named)('refuses $name', async ({ request, status, callerId }) => {
    const context = ledger(callerId);
    expect(await statusOf(context, () => transfer(context, request))).toBe(status);
    expect((await context.world.entity(ALICE))?.balance).toBe(100n);
    expect(await balanceOf(context, ALICE, UNITS)).toBe(50n);
  });

  it('refuses more than ten adjustments', async () => {
    const context = operationContext({
      entities: eleven.map(([id]) => entityRecord(id)),
      tokens: [tokenRecord(UNITS)],
    });
    expect(await statusOf(context, () => transfer(context, ofHbar(...eleven)))).toBe(
      'TRANSFER_LIST_SIZE_LIMIT_EXCEEDED',
    );
    expect(await statusOf(context, () => transfer(context, ofTokens(units(UNITS, ...eleven))))).toBe(
      'TOKEN_TRANSFER_LIST_SIZE_LIMIT_EXCEEDED',
    );
  });
});
