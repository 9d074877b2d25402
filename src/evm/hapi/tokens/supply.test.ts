import { describe, expect, it } from 'vitest';
import type { TokenRecord, TokenRelationRecord } from '../../state/records.ts';
import { entityRecord, nftRecord, relationRecord, tokenRecord } from '../../state/testing/memory-reader.fixture.ts';
import { MAX_TOKEN_AMOUNT } from '../limits.ts';
import { operationContext, statusOf } from '../testing/operation.fixture.ts';
import { burn } from './burn.ts';
import { mint } from './mint.ts';
import { wipe } from './wipe.ts';

const TREASURY = 1001n;
const HOLDER = 1002n;
const FUNGIBLE = 2001n;
const NFT = 2002n;
const key = new Uint8Array([1]);

interface Changes {
  readonly fungible?: Partial<TokenRecord>;
  readonly nft?: Partial<TokenRecord>;
  readonly treasury?: Partial<TokenRelationRecord>;
  readonly holder?: Partial<TokenRelationRecord>;
}

const ledger = ({ fungible, nft, treasury, holder }: Changes = {}) =>
  operationContext({
    entities: [entityRecord(TREASURY), entityRecord(HOLDER)],
    tokens: [
      tokenRecord(FUNGIBLE, {
        treasuryId: TREASURY,
        totalSupply: 100n,
        keys: { supply: key, wipe: key },
        ...fungible,
      }),
      tokenRecord(NFT, {
        type: 'NON_FUNGIBLE_UNIQUE',
        treasuryId: TREASURY,
        totalSupply: 3n,
        keys: { supply: key, wipe: key },
        ...nft,
      }),
    ],
    relations: [
      relationRecord(TREASURY, FUNGIBLE, { balance: 60n, ...treasury }),
      relationRecord(TREASURY, NFT, { balance: 2n }),
      relationRecord(HOLDER, FUNGIBLE, { balance: 40n, ...holder }),
      relationRecord(HOLDER, NFT, { balance: 1n }),
    ],
    nfts: [nftRecord(NFT, 1n, TREASURY), nftRecord(NFT, 2n, TREASURY), nftRecord(NFT, 3n, HOLDER)],
    counts: [
      [TREASURY, { associations: 2, positiveBalances: 2 }],
      [HOLDER, { associations: 2, positiveBalances: 2 }],
    ],
  });

const units = (amount: bigint, tokenId = FUNGIBLE) => ({ tokenId, amount, metadata: [], serialNumbers: [] });
const serials = (...serialNumbers: bigint[]) => ({ tokenId: NFT, amount: 0n, serialNumbers });

describe('mint', () => {
  it('adds units to the treasury', async () => {
    const context = ledger();
    expect(await mint(context, units(5n))).toEqual({ newTotalSupply: 105n, serialNumbers: [] });
    expect((await context.world.tokenRelation(TREASURY, FUNGIBLE))?.balance).toBe(65n);
    expect((await context.world.token(FUNGIBLE))?.totalSupply).toBe(105n);
  });

  it('adds serials after the last one', async () => {
    const context = ledger();
    const metadata = [new Uint8Array([7]), new Uint8Array([8])];
    expect(await mint(context, { tokenId: NFT, amount: 0n, metadata })).toEqual({
      newTotalSupply: 5n,
      serialNumbers: [4n, 5n],
    });
    expect(await context.world.nft(NFT, 5n)).toEqual({
      tokenId: NFT,
      serialNumber: 5n,
      ownerId: TREASURY,
      spenderId: undefined,
      delegatingSpenderId: undefined,
      createdTimestamp: 1_700_000_000_000_000_000n,
      metadata: new Uint8Array([8]),
    });
    expect((await context.world.tokenRelation(TREASURY, NFT))?.balance).toBe(4n);
    expect((await mint(context, { tokenId: NFT, amount: 0n, metadata: [new Uint8Array([9])] })).serialNumbers).toEqual([
      6n,
    ]);
  });

  it.each([
    ['INVALID_TRANSACTION_BODY', {}, { tokenId: NFT, amount: 1n, metadata: [key] }],
    ['INVALID_TOKEN_MINT_AMOUNT', {}, units(-1n)],
    ['BATCH_SIZE_LIMIT_EXCEEDED', {}, { tokenId: NFT, amount: 0n, metadata: Array.from({ length: 11 }, () => key) }],
    ['METADATA_TOO_LONG', {}, { tokenId: NFT, amount: 0n, metadata: [new Uint8Array(101)] }],
    ['INVALID_TOKEN_ID', {}, units(1n, 9n)],
    ['TOKEN_WAS_DELETED', { fungible: { deleted: true } }, units(1n)],
    ['TOKEN_IS_PAUSED', { fungible: { paused: true } }, units(1n)],
    ['TOKEN_HAS_NO_SUPPLY_KEY', { fungible: { keys: {} } }, units(1n)],
    ['ACCOUNT_FROZEN_FOR_TOKEN', { treasury: { frozen: true } }, units(1n)],
    ['ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN', { treasury: { kycGranted: false } }, units(1n)],
    ['INVALID_TOKEN_MINT_METADATA', {}, units(0n, NFT)],
    ['INVALID_TOKEN_MINT_AMOUNT', {}, units(MAX_TOKEN_AMOUNT)],
    ['TOKEN_MAX_SUPPLY_REACHED', { fungible: { supplyType: 'FINITE', maxSupply: 104n } }, units(5n)],
  ] as const)('is refused: %s', async (status, changes, request) => {
    const context = ledger(changes as Changes);
    expect(await statusOf(context, () => mint(context, request))).toBe(status);
    expect((await context.world.tokenRelation(TREASURY, FUNGIBLE))?.balance).toBe(60n);
  });
});

describe('burn', () => {
  it('takes units from the treasury', async () => {
    const context = ledger();
    expect(await burn(context, units(60n))).toBe(40n);
    expect((await context.world.tokenRelation(TREASURY, FUNGIBLE))?.balance).toBe(0n);
    expect(await context.world.accountCounts(TREASURY)).toEqual({ associations: 2, positiveBalances: 1 });
  });

  it('takes serials, each once', async () => {
    const context = ledger();
    expect(await burn(context, serials(2n, 2n))).toBe(2n);
    expect(await context.world.nft(NFT, 2n)).toBeUndefined();
    expect((await context.world.tokenRelation(TREASURY, NFT))?.balance).toBe(1n);
  });

  it.each([
    ['INVALID_TOKEN_BURN_AMOUNT', {}, units(-1n)],
    ['INVALID_NFT_ID', {}, serials(0n)],
    ['INVALID_TRANSACTION_BODY', {}, { tokenId: NFT, amount: 1n, serialNumbers: [1n] }],
    ['BATCH_SIZE_LIMIT_EXCEEDED', {}, serials(...Array.from({ length: 11 }, () => 1n))],
    ['TOKEN_HAS_NO_SUPPLY_KEY', { fungible: { keys: {} } }, units(1n)],
    ['INVALID_TOKEN_BURN_AMOUNT', {}, units(101n)],
    ['INSUFFICIENT_TOKEN_BALANCE', {}, units(61n)],
    ['INVALID_TOKEN_BURN_METADATA', {}, serials()],
    ['INVALID_NFT_ID', {}, serials(9n)],
    ['TREASURY_MUST_OWN_BURNED_NFT', {}, serials(3n)],
  ] as const)('is refused: %s', async (status, changes, request) => {
    const context = ledger(changes as Changes);
    expect(await statusOf(context, () => burn(context, request))).toBe(status);
  });
});

describe('wipe', () => {
  const of = (request: Omit<Parameters<typeof wipe>[1], 'accountId'>, accountId = HOLDER) => ({
    ...request,
    accountId,
  });

  it('takes units and serials from a holder', async () => {
    const context = ledger();
    await wipe(context, of(units(40n)));
    await wipe(context, of(serials(3n)));
    expect((await context.world.tokenRelation(HOLDER, FUNGIBLE))?.balance).toBe(0n);
    expect((await context.world.token(FUNGIBLE))?.totalSupply).toBe(60n);
    expect(await context.world.nft(NFT, 3n)).toBeUndefined();
    expect((await context.world.token(NFT))?.totalSupply).toBe(2n);
    expect(await context.world.accountCounts(HOLDER)).toEqual({ associations: 2, positiveBalances: 0 });
  });

  it.each([
    ['INVALID_WIPING_AMOUNT', {}, of(units(-1n))],
    ['INVALID_ACCOUNT_ID', {}, of(units(1n), 9_009n)],
    ['TOKEN_HAS_NO_WIPE_KEY', { fungible: { keys: {} } }, of(units(1n))],
    ['ACCOUNT_FROZEN_FOR_TOKEN', { holder: { frozen: true } }, of(units(1n))],
    ['ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN', { holder: { kycGranted: false } }, of(units(1n))],
    ['CANNOT_WIPE_TOKEN_TREASURY_ACCOUNT', {}, of(units(1n), TREASURY)],
    ['INVALID_WIPING_AMOUNT', {}, of(units(41n))],
    ['INVALID_WIPING_AMOUNT', {}, of(serials())],
    ['INVALID_NFT_ID', {}, of(serials(9n))],
    ['ACCOUNT_DOES_NOT_OWN_WIPED_NFT', {}, of(serials(1n))],
  ] as const)('is refused: %s', async (status, changes, request) => {
    const context = ledger(changes as Changes);
    expect(await statusOf(context, () => wipe(context, request))).toBe(status);
  });
});
