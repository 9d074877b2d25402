import { describe, expect, it } from 'vitest';
import type { EntityRecord, TokenRecord } from '../state/records.ts';
import { entityRecord, relationRecord, tokenRecord } from '../state/testing/memory-reader.fixture.ts';
import { associate, associateAutomatically } from './associate.ts';
import { dissociate } from './dissociate.ts';
import { operationContext, statusOf } from './testing/operation.fixture.ts';

const TREASURY = 1001n;
const HOLDER = 1002n;
const FUNGIBLE = 2001n;
const OTHER = 2002n;
const NFT = 2003n;
const DELETED = 2004n;
const PAUSED = 2005n;
const UNKNOWN = 9999n;
const key = new Uint8Array([1]);

const ledger = (token: Partial<TokenRecord> = {}, holder: Partial<EntityRecord> = {}) =>
  operationContext({
    entities: [entityRecord(TREASURY), entityRecord(HOLDER, holder), entityRecord(FUNGIBLE, { type: 'TOKEN' })],
    tokens: [
      tokenRecord(FUNGIBLE, { treasuryId: TREASURY, ...token }),
      tokenRecord(OTHER, { treasuryId: TREASURY }),
      tokenRecord(NFT, { treasuryId: TREASURY, type: 'NON_FUNGIBLE_UNIQUE' }),
      tokenRecord(DELETED, { treasuryId: TREASURY, deleted: true }),
      tokenRecord(PAUSED, { treasuryId: TREASURY, paused: true }),
    ],
    relations: [
      relationRecord(TREASURY, OTHER),
      relationRecord(HOLDER, OTHER, { balance: 3n }),
      relationRecord(HOLDER, NFT, { balance: 1n }),
      relationRecord(HOLDER, DELETED, { balance: 5n, automaticAssociation: true }),
      relationRecord(HOLDER, PAUSED),
    ],
    counts: [[HOLDER, { associations: 4, positiveBalances: 3 }]],
  });

const of = (accountId: bigint, ...tokenIds: bigint[]) => ({ accountId, tokenIds });

describe('associate', () => {
  it('adds a relation and counts it', async () => {
    const context = ledger();
    await associate(context, of(HOLDER, FUNGIBLE));
    expect(await context.world.tokenRelation(HOLDER, FUNGIBLE)).toEqual(relationRecord(HOLDER, FUNGIBLE));
    expect(await context.world.accountCounts(HOLDER)).toEqual({ associations: 5, positiveBalances: 3 });
  });

  it('starts frozen and without KYC where the token wants it', async () => {
    const context = ledger({ freezeDefault: true, keys: { kyc: key, freeze: key } });
    await associate(context, of(HOLDER, FUNGIBLE));
    expect(await context.world.tokenRelation(HOLDER, FUNGIBLE)).toMatchObject({ frozen: true, kycGranted: false });
  });

  it.each([
    ['an unknown account', of(UNKNOWN, FUNGIBLE), 'INVALID_ACCOUNT_ID'],
    ['a token as account', of(FUNGIBLE, OTHER), 'INVALID_ACCOUNT_ID'],
    ['a repeated token', of(HOLDER, FUNGIBLE, FUNGIBLE), 'TOKEN_ID_REPEATED_IN_TOKEN_LIST'],
    ['an unknown token', of(HOLDER, UNKNOWN), 'INVALID_TOKEN_ID'],
    ['a deleted token', of(HOLDER, FUNGIBLE, DELETED), 'TOKEN_WAS_DELETED'],
    ['a paused token', of(TREASURY, PAUSED), 'TOKEN_IS_PAUSED'],
    ['a relation that is there', of(HOLDER, FUNGIBLE, OTHER), 'TOKEN_ALREADY_ASSOCIATED_TO_ACCOUNT'],
  ] as const)('refuses %s', async (_, request, status) => {
    const context = ledger();
    expect(await statusOf(context, () => associate(context, request))).toBe(status);
    expect(await context.world.tokenRelation(HOLDER, FUNGIBLE)).toBeUndefined();
  });
});

describe('automatic association', () => {
  const slots = (maxAutomaticAssociations: number, usedAutomaticAssociations = 0) => ({
    maxAutomaticAssociations,
    usedAutomaticAssociations,
  });

  it.each([
    ['a free slot', slots(2, 1)],
    ['unlimited slots', slots(-1, 7)],
  ])('takes %s', async (_, holder) => {
    const context = ledger({}, holder);
    await associateAutomatically(context, HOLDER, tokenRecord(FUNGIBLE));
    expect(await context.world.tokenRelation(HOLDER, FUNGIBLE)).toMatchObject({ automaticAssociation: true });
    expect((await context.world.entity(HOLDER))?.usedAutomaticAssociations).toBe(holder.usedAutomaticAssociations + 1);
  });

  it.each([
    ['without slots', slots(0), {}, 'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT'],
    ['with full slots', slots(2, 2), {}, 'NO_REMAINING_AUTOMATIC_ASSOCIATIONS'],
    ['of a token with KYC', slots(-1), { keys: { kyc: key } }, 'ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN'],
    ['of a token frozen by default', slots(-1), { freezeDefault: true }, 'ACCOUNT_FROZEN_FOR_TOKEN'],
  ] as const)('is refused %s', async (_, holder, token, status) => {
    const context = ledger({}, holder);
    const associated = () => associateAutomatically(context, HOLDER, tokenRecord(FUNGIBLE, token));
    expect(await statusOf(context, associated)).toBe(status);
  });
});

describe('dissociate', () => {
  it('ends a relation', async () => {
    const context = ledger({}, { usedAutomaticAssociations: 1 });
    await associate(context, of(HOLDER, FUNGIBLE));
    await dissociate(context, of(HOLDER, FUNGIBLE));
    expect(await context.world.tokenRelation(HOLDER, FUNGIBLE)).toBeUndefined();
    expect(await context.world.accountCounts(HOLDER)).toEqual({ associations: 4, positiveBalances: 3 });
    expect((await context.world.entity(HOLDER))?.usedAutomaticAssociations).toBe(1);
  });

  it('lets go what an account holds of a deleted token, and frees the slot', async () => {
    const context = ledger({}, { usedAutomaticAssociations: 1 });
    await dissociate(context, of(HOLDER, DELETED));
    expect(await context.world.tokenRelation(HOLDER, DELETED)).toBeUndefined();
    expect(await context.world.accountCounts(HOLDER)).toEqual({ associations: 3, positiveBalances: 2 });
    expect((await context.world.entity(HOLDER))?.usedAutomaticAssociations).toBe(0);
  });

  it.each([
    ['an unknown account', of(UNKNOWN, OTHER), 'INVALID_ACCOUNT_ID'],
    ['a repeated token', of(HOLDER, DELETED, DELETED), 'TOKEN_ID_REPEATED_IN_TOKEN_LIST'],
    ['a missing relation', of(HOLDER, FUNGIBLE), 'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT'],
    ['a paused token', of(HOLDER, PAUSED), 'TOKEN_IS_PAUSED'],
    ['the treasury', of(TREASURY, OTHER), 'ACCOUNT_IS_TREASURY'],
    ['an owner of serials', of(HOLDER, DELETED, NFT), 'ACCOUNT_STILL_OWNS_NFTS'],
    ['an owner of units', of(HOLDER, OTHER), 'TRANSACTION_REQUIRES_ZERO_TOKEN_BALANCES'],
  ] as const)('refuses %s', async (_, request, status) => {
    const context = ledger();
    expect(await statusOf(context, () => dissociate(context, request))).toBe(status);
    expect(await context.world.tokenRelation(HOLDER, DELETED)).toBeDefined();
  });

  it('refuses a frozen relation', async () => {
    const context = ledger({ freezeDefault: true });
    await associate(context, of(HOLDER, FUNGIBLE));
    expect(await statusOf(context, () => dissociate(context, of(HOLDER, FUNGIBLE)))).toBe('ACCOUNT_FROZEN_FOR_TOKEN');
  });
});
