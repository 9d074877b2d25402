import { describe, expect, it } from 'vitest';
import { entityRecord, nftRecord, relationRecord, tokenRecord } from '../state/testing/memory-reader.fixture.ts';
import { approveForAll, approveHbar, approveSerial, approveUnits, revokeSerial } from './allowances.ts';
import { operationContext, statusOf } from './testing/operation.fixture.ts';
import { spendAllowance } from './transfers/approvals.ts';

const OWNER = 1001n;
const SPENDER = 1002n;
const OPERATOR = 1003n;
const STRANGER = 1004n;
const UNKNOWN = 9999n;
const FUNGIBLE = 2001n;
const NFT = 2002n;
const FINITE = 2003n;
const DELETED = 2004n;
const PAUSED = 2005n;

const ledger = () =>
  operationContext({
    entities: [OWNER, SPENDER, OPERATOR, STRANGER].map((id) => entityRecord(id)),
    tokens: [
      tokenRecord(FUNGIBLE, { treasuryId: OWNER }),
      tokenRecord(NFT, { treasuryId: OWNER, type: 'NON_FUNGIBLE_UNIQUE', paused: true }),
      tokenRecord(FINITE, { treasuryId: OWNER, supplyType: 'FINITE', maxSupply: 100n }),
      tokenRecord(DELETED, { treasuryId: OWNER, deleted: true }),
      tokenRecord(PAUSED, { treasuryId: OWNER, paused: true }),
    ],
    relations: [FUNGIBLE, NFT, FINITE, PAUSED].flatMap((id) => [
      relationRecord(OWNER, id, { balance: 2n }),
      relationRecord(OPERATOR, id),
    ]),
    nfts: [nftRecord(NFT, 1n, OWNER), nftRecord(NFT, 2n, OPERATOR, { spenderId: SPENDER })],
    approvals: [[OWNER, OPERATOR, NFT]],
  });

describe('approval of units', () => {
  const request = { tokenId: FUNGIBLE, ownerId: OWNER, spenderId: SPENDER, amount: 7n };

  it.each([
    ['an amount', request],
    ['the owner itself', { ...request, spenderId: OWNER }],
    ['all of a finite supply', { ...request, tokenId: FINITE, amount: 100n }],
    ['a paused token', { ...request, tokenId: PAUSED }],
    ['nothing to nobody', { ...request, spenderId: UNKNOWN, amount: 0n }],
  ])('takes %s', async (_, approval) => {
    const context = ledger();
    await approveUnits(context, approval);
    const { ownerId, spenderId, tokenId, amount } = approval;
    expect(await context.world.tokenAllowance(ownerId, spenderId, tokenId)).toBe(amount);
  });

  it.each([
    ['a negative amount', { amount: -1n, tokenId: UNKNOWN }, 'NEGATIVE_ALLOWANCE_AMOUNT'],
    ['an unknown token', { tokenId: UNKNOWN }, 'INVALID_TOKEN_ID'],
    ['a deleted token', { tokenId: DELETED }, 'TOKEN_WAS_DELETED'],
    ['a non-fungible token', { tokenId: NFT, spenderId: UNKNOWN }, 'NFT_IN_FUNGIBLE_TOKEN_ALLOWANCES'],
    ['an unknown owner', { ownerId: UNKNOWN }, 'INVALID_ALLOWANCE_OWNER_ID'],
    ['an unknown spender', { spenderId: UNKNOWN }, 'INVALID_ALLOWANCE_SPENDER_ID'],
    ['more than the supply', { tokenId: FINITE, amount: 101n }, 'AMOUNT_EXCEEDS_TOKEN_MAX_SUPPLY'],
    ['an owner without relation', { ownerId: STRANGER }, 'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT'],
  ] as const)('refuses %s', async (_, changes, status) => {
    const context = ledger();
    expect(await statusOf(context, () => approveUnits(context, { ...request, ...changes }))).toBe(status);
  });
});

describe('approval of a serial', () => {
  const request = { tokenId: NFT, ownerId: OWNER, spenderId: SPENDER, serialNumber: 1n };

  it('makes a spender', async () => {
    const context = ledger();
    await approveSerial(context, request);
    expect(await context.world.nft(NFT, 1n)).toMatchObject({ spenderId: SPENDER, delegatingSpenderId: undefined });
  });

  it('by whom is approved for all', async () => {
    const context = ledger();
    await approveSerial(context, { ...request, delegatingSpenderId: OPERATOR });
    expect(await context.world.nft(NFT, 1n)).toMatchObject({ spenderId: SPENDER, delegatingSpenderId: OPERATOR });
  });

  it.each([
    ['an unknown token', { tokenId: UNKNOWN }, 'INVALID_TOKEN_ID'],
    ['a fungible token', { tokenId: FUNGIBLE, spenderId: UNKNOWN }, 'FUNGIBLE_TOKEN_IN_NFT_ALLOWANCES'],
    ['an unknown spender', { spenderId: UNKNOWN }, 'INVALID_ALLOWANCE_SPENDER_ID'],
    ['the owner itself', { spenderId: OWNER }, 'SPENDER_ACCOUNT_SAME_AS_OWNER'],
    ['an owner without relation', { ownerId: STRANGER }, 'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT'],
    ['a stranger', { delegatingSpenderId: STRANGER }, 'DELEGATING_SPENDER_DOES_NOT_HAVE_APPROVE_FOR_ALL'],
    ['serial 0', { serialNumber: 0n }, 'INVALID_TOKEN_NFT_SERIAL_NUMBER'],
    ['an unknown serial', { serialNumber: 3n }, 'INVALID_TOKEN_NFT_SERIAL_NUMBER'],
    ['a serial of someone else', { serialNumber: 2n }, 'SENDER_DOES_NOT_OWN_NFT_SERIAL_NO'],
  ] as const)('refuses %s', async (_, changes, status) => {
    const context = ledger();
    expect(await statusOf(context, () => approveSerial(context, { ...request, ...changes }))).toBe(status);
  });

  it('is revoked', async () => {
    const context = ledger();
    await revokeSerial(context, { tokenId: NFT, ownerId: OPERATOR, serialNumber: 2n });
    expect((await context.world.nft(NFT, 2n))?.spenderId).toBeUndefined();
  });

  it.each([
    [{ tokenId: FUNGIBLE }, 'FUNGIBLE_TOKEN_IN_NFT_ALLOWANCES'],
    [{ ownerId: STRANGER }, 'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT'],
    [{ serialNumber: 3n }, 'INVALID_TOKEN_NFT_SERIAL_NUMBER'],
    [{ ownerId: OWNER }, 'SENDER_DOES_NOT_OWN_NFT_SERIAL_NO'],
  ] as const)('is not revoked with %o', async (changes, status) => {
    const context = ledger();
    const revocation = { tokenId: NFT, ownerId: OPERATOR, serialNumber: 2n, ...changes };
    expect(await statusOf(context, () => revokeSerial(context, revocation))).toBe(status);
  });
});

describe('approval for all', () => {
  const request = { tokenId: NFT, ownerId: OWNER, spenderId: SPENDER, approved: true };

  it('comes and goes', async () => {
    const context = ledger();
    await approveForAll(context, request);
    expect(await context.world.approvedForAll(OWNER, SPENDER, NFT)).toBe(true);
    await approveForAll(context, { ...request, approved: false });
    expect(await context.world.approvedForAll(OWNER, SPENDER, NFT)).toBe(false);
  });

  it.each([
    [{ tokenId: UNKNOWN }, 'INVALID_TOKEN_ID'],
    [{ tokenId: FUNGIBLE }, 'FUNGIBLE_TOKEN_IN_NFT_ALLOWANCES'],
    [{ spenderId: UNKNOWN }, 'INVALID_ALLOWANCE_SPENDER_ID'],
    [{ spenderId: OWNER }, 'SPENDER_ACCOUNT_SAME_AS_OWNER'],
    [{ ownerId: STRANGER }, 'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT'],
  ] as const)('is refused with %o', async (changes, status) => {
    const context = ledger();
    expect(await statusOf(context, () => approveForAll(context, { ...request, ...changes }))).toBe(status);
  });
});

describe('approval of tinybars', () => {
  it('sets what may be moved', async () => {
    const context = ledger();
    await approveHbar(context, { ownerId: OWNER, spenderId: SPENDER, amount: 5n });
    expect(await context.world.hbarAllowance(OWNER, SPENDER)).toBe(5n);
  });

  it.each([
    [{ amount: -1n }, 'NEGATIVE_ALLOWANCE_AMOUNT'],
    [{ ownerId: UNKNOWN }, 'INVALID_ALLOWANCE_OWNER_ID'],
    [{ spenderId: UNKNOWN }, 'INVALID_ALLOWANCE_SPENDER_ID'],
    [{ spenderId: OWNER }, 'SPENDER_ACCOUNT_SAME_AS_OWNER'],
  ] as const)('is refused with %o', async (changes, status) => {
    const context = ledger();
    const approval = { ownerId: OWNER, spenderId: SPENDER, amount: 5n, ...changes };
    expect(await statusOf(context, () => approveHbar(context, approval))).toBe(status);
  });
});

describe('the number of allowances', () => {
  /** The owner has given 98 allowances of tinybars and 2 more; the newest spender is `SPENDER`. */
  const crowded = () =>
    operationContext({
      entities: [OWNER, SPENDER, OPERATOR].map((id) => entityRecord(id)),
      tokens: [
        tokenRecord(FUNGIBLE, { treasuryId: OWNER }),
        tokenRecord(NFT, { treasuryId: OWNER, type: 'NON_FUNGIBLE_UNIQUE' }),
      ],
      relations: [relationRecord(OWNER, FUNGIBLE), relationRecord(OWNER, NFT, { balance: 1n })],
      nfts: [nftRecord(NFT, 1n, OWNER)],
      hbarAllowances: Array.from({ length: 98 }, (_, i) => [OWNER, 5_000n + BigInt(i), 1n] as const),
      tokenAllowances: [[OWNER, SPENDER, FUNGIBLE, 9n]],
      approvals: [[OWNER, SPENDER, NFT]],
    });
  const hbar = { ownerId: OWNER, spenderId: OPERATOR, amount: 1n };
  const units = { ...hbar, tokenId: FUNGIBLE };
  const all = { ownerId: OWNER, spenderId: OPERATOR, tokenId: NFT, approved: true };

  it('ends at a hundred', async () => {
    const context = crowded();
    expect(await statusOf(context, () => approveHbar(context, hbar))).toBe('MAX_ALLOWANCES_EXCEEDED');
    expect(await statusOf(context, () => approveUnits(context, units))).toBe('MAX_ALLOWANCES_EXCEEDED');
    expect(await statusOf(context, () => approveForAll(context, all))).toBe('MAX_ALLOWANCES_EXCEEDED');
    expect(await context.world.hbarAllowance(OWNER, OPERATOR)).toBe(0n);
    expect(await context.world.approvedForAll(OWNER, OPERATOR, NFT)).toBe(false);
  });

  it('does not grow with a change of one, nor with spenders of single serials', async () => {
    const context = crowded();
    await approveUnits(context, { ...units, spenderId: SPENDER, amount: 10n });
    await approveForAll(context, { ...all, spenderId: SPENDER });
    await approveSerial(context, { tokenId: NFT, ownerId: OWNER, spenderId: OPERATOR, serialNumber: 1n });
    expect(await context.world.allowanceCount(OWNER)).toBe(100);
  });

  it('shrinks with what is taken back or spent', async () => {
    const context = crowded();
    await approveUnits(context, { ...units, spenderId: SPENDER, amount: 0n });
    await approveHbar(context, { ...hbar, spenderId: SPENDER, amount: 0n });
    expect(await context.world.allowanceCount(OWNER)).toBe(99);
    await approveForAll(context, { ...all, spenderId: SPENDER, approved: false });
    await spendAllowance({ ...context, callerId: 5_000n }, undefined, OWNER, 1n);
    expect(await context.world.allowanceCount(OWNER)).toBe(97);
    await approveHbar(context, hbar);
    expect(await context.world.allowanceCount(OWNER)).toBe(98);
  });
});
