import { describe, expect, it } from 'vitest';
import type { CustomFees, TokenRecord } from '../../state/records.ts';
import { entityRecord, nftRecord, relationRecord, tokenRecord } from '../../state/testing/memory-reader.fixture.ts';
import { operationContext, statusOf } from '../testing/operation.fixture.ts';
import { createToken, type TokenCreation } from './create-token.ts';
import { deleteToken } from './delete-token.ts';
import { updateFeeSchedule } from './fee-schedule.ts';
import { freeze, unfreeze } from './freeze.ts';
import { setKyc } from './kyc.ts';
import { updateNftMetadata } from './nft-metadata.ts';
import { setPaused } from './pause.ts';
import { type TokenUpdate, updateToken } from './update-token.ts';

const TREASURY = 1001n;
const HOLDER = 1002n;
const STRANGER = 1003n;
const FUNGIBLE = 2001n;
const NFT = 2002n;
const key = new Uint8Array([1]);
const otherKey = new Uint8Array([2]);
const allKeys = {
  admin: key,
  kyc: key,
  freeze: key,
  wipe: key,
  supply: key,
  feeSchedule: key,
  pause: key,
  metadata: key,
};
const noFees: CustomFees = { fixed: [], fractional: [], royalty: [] };
const noExpiry = { second: 0n, autoRenewAccountId: undefined, autoRenewPeriod: 0n };

const ledger = (changes: Partial<TokenRecord> = {}) =>
  operationContext({
    entities: [
      entityRecord(TREASURY),
      entityRecord(HOLDER),
      entityRecord(STRANGER),
      entityRecord(FUNGIBLE, { type: 'TOKEN' }),
    ],
    tokens: [
      tokenRecord(FUNGIBLE, { treasuryId: TREASURY, totalSupply: 100n, keys: allKeys, ...changes }),
      tokenRecord(NFT, {
        type: 'NON_FUNGIBLE_UNIQUE',
        treasuryId: TREASURY,
        totalSupply: 2n,
        keys: allKeys,
        ...changes,
      }),
    ],
    relations: [
      relationRecord(TREASURY, FUNGIBLE, { balance: 60n }),
      relationRecord(HOLDER, FUNGIBLE, { balance: 40n }),
      relationRecord(TREASURY, NFT, { balance: 1n }),
      relationRecord(HOLDER, NFT, { balance: 1n }),
    ],
    nfts: [nftRecord(NFT, 1n, TREASURY), nftRecord(NFT, 2n, HOLDER)],
  });

const relation = { tokenId: FUNGIBLE, accountId: HOLDER };

describe('freezing and KYC', () => {
  it('freezes, unfreezes, and unfreezes what is not frozen', async () => {
    const context = ledger();
    await freeze(context, relation);
    expect((await context.world.tokenRelation(HOLDER, FUNGIBLE))?.frozen).toBe(true);
    expect(await statusOf(context, () => freeze(context, relation))).toBe('ACCOUNT_FROZEN_FOR_TOKEN');
    await unfreeze(context, relation);
    await unfreeze(context, relation);
    expect((await context.world.tokenRelation(HOLDER, FUNGIBLE))?.frozen).toBe(false);
  });

  it('grants and revokes KYC', async () => {
    const context = ledger();
    await setKyc(context, { ...relation, granted: false });
    expect((await context.world.tokenRelation(HOLDER, FUNGIBLE))?.kycGranted).toBe(false);
    await setKyc(context, { ...relation, granted: true });
    expect((await context.world.tokenRelation(HOLDER, FUNGIBLE))?.kycGranted).toBe(true);
  });

  it('asks for keys, accounts and relations', async () => {
    const keyless = ledger({ keys: {} });
    expect(await statusOf(keyless, () => freeze(keyless, relation))).toBe('TOKEN_HAS_NO_FREEZE_KEY');
    expect(await statusOf(keyless, () => unfreeze(keyless, relation))).toBe('TOKEN_HAS_NO_FREEZE_KEY');
    expect(await statusOf(keyless, () => setKyc(keyless, { ...relation, granted: true }))).toBe('TOKEN_HAS_NO_KYC_KEY');
    const context = ledger();
    const nobody = { tokenId: FUNGIBLE, accountId: 9_009n };
    const stranger = { tokenId: FUNGIBLE, accountId: STRANGER };
    expect(await statusOf(context, () => freeze(context, nobody))).toBe('INVALID_ACCOUNT_ID');
    expect(await statusOf(context, () => setKyc(context, { ...nobody, granted: true }))).toBe('INVALID_ACCOUNT_ID');
    expect(await statusOf(context, () => freeze(context, stranger))).toBe('TOKEN_NOT_ASSOCIATED_TO_ACCOUNT');
    await freeze(context, relation);
    expect(await statusOf(context, () => setKyc(context, { ...relation, granted: true }))).toBe(
      'ACCOUNT_FROZEN_FOR_TOKEN',
    );
  });
});

describe('pausing and deletion', () => {
  it('pauses, unpauses and deletes', async () => {
    const context = ledger();
    await setPaused(context, { tokenId: FUNGIBLE, paused: true });
    expect(await statusOf(context, () => deleteToken(context, FUNGIBLE))).toBe('TOKEN_IS_PAUSED');
    await setPaused(context, { tokenId: FUNGIBLE, paused: false });
    await deleteToken(context, FUNGIBLE);
    expect(await statusOf(context, () => setPaused(context, { tokenId: FUNGIBLE, paused: true }))).toBe(
      'TOKEN_WAS_DELETED',
    );
  });

  it('asks for keys', async () => {
    const context = ledger({ keys: {} });
    expect(await statusOf(context, () => setPaused(context, { tokenId: FUNGIBLE, paused: true }))).toBe(
      'TOKEN_HAS_NO_PAUSE_KEY',
    );
    expect(await statusOf(context, () => deleteToken(context, FUNGIBLE))).toBe('TOKEN_IS_IMMUTABLE');
  });
});

describe('creation', () => {
  const creation = (changes: Partial<TokenCreation> = {}): TokenCreation => ({
    type: 'FUNGIBLE_COMMON',
    name: 'Coin',
    symbol: 'CN',
    memo: 'memo',
    metadata: new Uint8Array(),
    decimals: 2,
    initialSupply: 500n,
    supplyType: 'FINITE',
    maxSupply: 1_000n,
    treasuryId: TREASURY,
    freezeDefault: false,
    keys: { admin: key },
    expiry: noExpiry,
    customFees: () => noFees,
    ...changes,
  });

  it('makes a token whose treasury holds the supply, and collectors of fees in it can hold it', async () => {
    const context = ledger();
    const fee = { amount: 3n, collectorId: HOLDER, allCollectorsAreExempt: false };
    const id = await createToken(
      context,
      creation({ customFees: (tokenId) => ({ ...noFees, fixed: [{ ...fee, denominatingTokenId: tokenId }] }) }),
    );
    expect(id).toBe(3002n);
    expect(await context.world.token(id)).toMatchObject({
      name: 'Coin',
      symbol: 'CN',
      totalSupply: 500n,
      maxSupply: 1_000n,
      treasuryId: TREASURY,
      expirySeconds: 1_707_776_000n,
      customFees: { fixed: [{ denominatingTokenId: id }] },
    });
    expect(await context.world.entity(id)).toMatchObject({ type: 'TOKEN', memo: 'memo', key });
    expect((await context.world.tokenRelation(TREASURY, id))?.balance).toBe(500n);
    expect((await context.world.tokenRelation(HOLDER, id))?.balance).toBe(0n);
  });

  const nft = { type: 'NON_FUNGIBLE_UNIQUE', decimals: 0, initialSupply: 0n } as const;
  const fixed = { amount: 1n, denominatingTokenId: undefined, collectorId: HOLDER, allCollectorsAreExempt: false };
  const fraction = { numerator: 1n, denominator: 2n, collectorId: HOLDER, allCollectorsAreExempt: false };
  const fractional = { ...fraction, minimum: 0n, maximum: 0n, netOfTransfers: false };
  const royalty = { ...fraction, fallback: undefined };
  const fees = (some: Partial<CustomFees>) => ({ customFees: () => ({ ...noFees, ...some }) });

  it.each([
    ['MISSING_TOKEN_SYMBOL', { symbol: '' }],
    ['MISSING_TOKEN_NAME', { name: '' }],
    ['TOKEN_SYMBOL_TOO_LONG', { symbol: 'é'.repeat(51) }],
    ['TOKEN_NAME_TOO_LONG', { name: 'n'.repeat(101) }],
    ['MEMO_TOO_LONG', { memo: 'é'.repeat(51) }],
    ['INVALID_ZERO_BYTE_IN_STRING', { symbol: 'A\0' }],
    ['INVALID_ZERO_BYTE_IN_STRING', { memo: '\0' }],
    ['INVALID_TOKEN_INITIAL_SUPPLY', { initialSupply: -1n }],
    ['INVALID_TOKEN_INITIAL_SUPPLY', { initialSupply: 1_001n }],
    ['INVALID_TOKEN_DECIMALS', { decimals: -1 }],
    ['TOKEN_HAS_NO_SUPPLY_KEY', nft],
    ['INVALID_TOKEN_INITIAL_SUPPLY', { ...nft, initialSupply: 1n }],
    ['INVALID_TOKEN_DECIMALS', { ...nft, decimals: 1 }],
    ['INVALID_TOKEN_MAX_SUPPLY', { maxSupply: 0n }],
    ['INVALID_TOKEN_MAX_SUPPLY', { supplyType: 'INFINITE' }],
    ['TOKEN_HAS_NO_FREEZE_KEY', { freezeDefault: true }],
    ['INVALID_TREASURY_ACCOUNT_FOR_TOKEN', { treasuryId: 9_009n }],
    ['INVALID_AUTORENEW_ACCOUNT', { expiry: { ...noExpiry, autoRenewAccountId: 9_009n } }],
    ['INVALID_RENEWAL_PERIOD', { expiry: { ...noExpiry, autoRenewPeriod: 2_591_999n } }],
    ['INVALID_RENEWAL_PERIOD', { expiry: { ...noExpiry, autoRenewPeriod: 8_000_002n } }],
    ['INVALID_EXPIRATION_TIME', { expiry: { ...noExpiry, second: 1_700_000_000n } }],
    ['CUSTOM_FEES_LIST_TOO_LONG', fees({ fixed: Array.from({ length: 11 }, () => fixed) })],
    ['INVALID_CUSTOM_FEE_COLLECTOR', fees({ fixed: [{ ...fixed, collectorId: 9_009n }] })],
    ['CUSTOM_FEE_MUST_BE_POSITIVE', fees({ fixed: [{ ...fixed, amount: 0n }] })],
    ['INVALID_TOKEN_ID_IN_CUSTOM_FEES', fees({ fixed: [{ ...fixed, denominatingTokenId: 9n }] })],
    ['CUSTOM_FEE_DENOMINATION_MUST_BE_FUNGIBLE_COMMON', fees({ fixed: [{ ...fixed, denominatingTokenId: NFT }] })],
    [
      'TOKEN_NOT_ASSOCIATED_TO_FEE_COLLECTOR',
      fees({ fixed: [{ ...fixed, denominatingTokenId: FUNGIBLE, collectorId: STRANGER }] }),
    ],
    ['FRACTION_DIVIDES_BY_ZERO', fees({ fractional: [{ ...fractional, denominator: 0n }] })],
    ['CUSTOM_FEE_MUST_BE_POSITIVE', fees({ fractional: [{ ...fractional, numerator: 0n }] })],
    [
      'FRACTIONAL_FEE_MAX_AMOUNT_LESS_THAN_MIN_AMOUNT',
      fees({ fractional: [{ ...fractional, minimum: 5n, maximum: 4n }] }),
    ],
    ['CUSTOM_ROYALTY_FEE_ONLY_ALLOWED_FOR_NON_FUNGIBLE_UNIQUE', fees({ royalty: [royalty] })],
    [
      'CUSTOM_FRACTIONAL_FEE_ONLY_ALLOWED_FOR_FUNGIBLE_COMMON',
      { ...nft, keys: { supply: key }, ...fees({ fractional: [fractional] }) },
    ],
    [
      'ROYALTY_FRACTION_CANNOT_EXCEED_ONE',
      { ...nft, keys: { supply: key }, ...fees({ royalty: [{ ...royalty, numerator: 3n }] }) },
    ],
    [
      'CUSTOM_FEE_MUST_BE_POSITIVE',
      {
        ...nft,
        keys: { supply: key },
        ...fees({ royalty: [{ ...royalty, fallback: { amount: 0n, denominatingTokenId: undefined } }] }),
      },
    ],
  ] as [string, Partial<TokenCreation>][])('is refused: %s', async (status, changes) => {
    const context = ledger();
    const request = { supplyType: 'FINITE', maxSupply: 1_000n, ...changes } as Partial<TokenCreation>;
    expect(await statusOf(context, () => createToken(context, creation(request)))).toBe(status);
    expect(await context.world.token(3002n)).toBeUndefined();
  });
});

describe('update', () => {
  const update = (changes: Partial<TokenUpdate>): TokenUpdate => ({
    tokenId: FUNGIBLE,
    name: '',
    symbol: '',
    memo: '',
    metadata: new Uint8Array(),
    treasuryId: undefined,
    keys: {},
    expiry: noExpiry,
    ...changes,
  });

  it('changes what it names and keeps the rest', async () => {
    const context = ledger({ memo: 'old', symbol: 'OLD' });
    await updateToken(
      context,
      update({ name: 'New', keys: { supply: otherKey }, expiry: { ...noExpiry, second: 4_100_000_000n } }),
    );
    expect(await context.world.token(FUNGIBLE)).toMatchObject({
      name: 'New',
      symbol: 'OLD',
      memo: 'old',
      keys: { supply: otherKey, admin: key },
      expirySeconds: 4_100_000_000n,
    });
    expect((await context.world.entity(FUNGIBLE))?.expirySeconds).toBe(4_100_000_000n);
  });

  it('hands the treasury over, units and serials', async () => {
    const context = ledger();
    await updateToken(context, update({ treasuryId: HOLDER }));
    await updateToken(context, update({ tokenId: NFT, treasuryId: HOLDER }));
    expect((await context.world.tokenRelation(TREASURY, FUNGIBLE))?.balance).toBe(0n);
    expect((await context.world.tokenRelation(HOLDER, FUNGIBLE))?.balance).toBe(100n);
    expect((await context.world.nft(NFT, 1n))?.ownerId).toBe(HOLDER);
    expect((await context.world.tokenRelation(HOLDER, NFT))?.balance).toBe(2n);
    expect((await context.world.token(NFT))?.treasuryId).toBe(HOLDER);
  });

  it.each([
    ['INVALID_TOKEN_ID', {}, { tokenId: 9n }],
    ['TOKEN_NAME_TOO_LONG', {}, { name: 'n'.repeat(101) }],
    ['MEMO_TOO_LONG', {}, { memo: 'm'.repeat(101) }],
    ['TOKEN_IS_IMMUTABLE', { keys: {} }, { name: 'New' }],
    ['TOKEN_IS_IMMUTABLE', { keys: {} }, { keys: { admin: otherKey } }],
    ['TOKEN_HAS_NO_WIPE_KEY', { keys: { admin: key } }, { keys: { wipe: otherKey } }],
    ['TOKEN_HAS_NO_FEE_SCHEDULE_KEY', { keys: { admin: key } }, { keys: { feeSchedule: otherKey } }],
    ['INVALID_TREASURY_ACCOUNT_FOR_TOKEN', {}, { treasuryId: 9_009n }],
    ['EXPIRATION_REDUCTION_NOT_ALLOWED', {}, { expiry: { ...noExpiry, second: 3_999_999_999n } }],
    ['INVALID_AUTORENEW_ACCOUNT', {}, { expiry: { ...noExpiry, autoRenewAccountId: 9_009n } }],
  ] as [string, Partial<TokenRecord>, Partial<TokenUpdate>][])('is refused: %s', async (status, token, changes) => {
    const context = ledger(token);
    expect(await statusOf(context, () => updateToken(context, update(changes)))).toBe(status);
  });
});

describe('fee schedule', () => {
  const fee = { amount: 5n, denominatingTokenId: undefined, collectorId: HOLDER, allCollectorsAreExempt: false };
  const customFees = { ...noFees, fixed: [fee] };

  it('puts other fees in place', async () => {
    const context = ledger();
    await updateFeeSchedule(context, { tokenId: FUNGIBLE, customFees });
    expect((await context.world.token(FUNGIBLE))?.customFees).toEqual(customFees);
    await updateFeeSchedule(context, { tokenId: FUNGIBLE, customFees: noFees });
    expect((await context.world.token(FUNGIBLE))?.customFees).toEqual(noFees);
  });

  it('is refused without a key, without a change, and to collectors without a relation', async () => {
    const keyless = ledger({ keys: {} });
    expect(await statusOf(keyless, () => updateFeeSchedule(keyless, { tokenId: FUNGIBLE, customFees }))).toBe(
      'TOKEN_HAS_NO_FEE_SCHEDULE_KEY',
    );
    const context = ledger();
    expect(await statusOf(context, () => updateFeeSchedule(context, { tokenId: FUNGIBLE, customFees: noFees }))).toBe(
      'CUSTOM_SCHEDULE_ALREADY_HAS_NO_FEES',
    );
    const inToken = { ...noFees, fixed: [{ ...fee, denominatingTokenId: FUNGIBLE, collectorId: STRANGER }] };
    expect(await statusOf(context, () => updateFeeSchedule(context, { tokenId: FUNGIBLE, customFees: inToken }))).toBe(
      'TOKEN_NOT_ASSOCIATED_TO_FEE_COLLECTOR',
    );
  });
});

describe('metadata of serials', () => {
  const metadata = new Uint8Array([9, 9]);

  it('is replaced, by the supply key as long as the treasury holds them', async () => {
    const context = ledger();
    await updateNftMetadata(context, { tokenId: NFT, serialNumbers: [1n, 2n], metadata });
    expect((await context.world.nft(NFT, 2n))?.metadata).toEqual(metadata);
    const supplyOnly = ledger({ keys: { supply: key } });
    await updateNftMetadata(supplyOnly, { tokenId: NFT, serialNumbers: [1n], metadata });
    expect((await supplyOnly.world.nft(NFT, 1n))?.metadata).toEqual(metadata);
    expect(
      await statusOf(supplyOnly, () => updateNftMetadata(supplyOnly, { tokenId: NFT, serialNumbers: [2n], metadata })),
    ).toBe('TOKEN_HAS_NO_METADATA_KEY');
  });

  it.each([
    ['MISSING_SERIAL_NUMBERS', allKeys, []],
    ['BATCH_SIZE_LIMIT_EXCEEDED', allKeys, Array.from({ length: 11 }, () => 1n)],
    ['INVALID_TOKEN_NFT_SERIAL_NUMBER', allKeys, [0n]],
    ['INVALID_NFT_ID', allKeys, [9n]],
    ['TOKEN_HAS_NO_METADATA_OR_SUPPLY_KEY', {}, [1n]],
  ])('is refused: %s', async (status, keys, serialNumbers) => {
    const context = ledger({ keys });
    expect(await statusOf(context, () => updateNftMetadata(context, { tokenId: NFT, serialNumbers, metadata }))).toBe(
      status,
    );
  });
});
