import { describe, expect, it } from 'vitest';
import { address0x, outputText } from '../../testing/system-call.fixture.ts';
import {
  ALICE,
  answer,
  at,
  BOB_ADDRESS,
  BOB_ALIAS,
  CAROL,
  eventsOf,
  NEW_ALIAS,
  NFT,
  SLOTS,
  STRANGER,
  SYSTEM,
  selectorsOf,
  TREASURY,
  tokenLedger,
  UNITS,
  UNKNOWN,
} from '../testing/token-ledger.fixture.ts';
import { airdropFunctions } from './airdrops.ts';

const AIRDROP = 'airdropTokens((address,(address,int64,bool)[],(address,address,int64,bool)[])[])';
const CLAIM = 'claimAirdrops((address,address,address,int64)[])';
const CANCEL = 'cancelAirdrops((address,address,address,int64)[])';
const REJECT = 'rejectTokens(address,address[],(address,int64)[])';

const AIRDROP_GAS = 1_409_649n;
const CHEAP = 15_284n;
const ALL_GAS = 10_000_000n;

const done = (gasUsed: bigint) => ({ outcome: 'success', value: 22n, gasUsed });

const ledger = () => tokenLedger(airdropFunctions);

const to = (...receivers: readonly (readonly [address: string, amount: bigint])[]) => {
  const sum = receivers.reduce((total, [, amount]) => total + amount, 0n);
  return [
    [at(UNITS), [[at(ALICE), -sum, false], ...receivers.map(([address, amount]) => [address, amount, false])], []],
  ];
};

describe('airdrops', () => {
  it('have the selectors of the token service', () => {
    expect(selectorsOf(airdropFunctions)).toEqual([
      '2f348119 direct',
      '05961641 direct',
      '012ebcaf direct',
      'ebd595e0 direct',
      'a83bc5b2 redirect',
      '63ada5d7 redirect',
      'cef5b705 redirect',
      'ad4917cf redirect',
      '76c6b391 redirect',
      'a869c78a redirect',
    ]);
  });

  it('transfer, associate, create and wait at one price', async () => {
    const { call, world, balanceOf, statuses } = ledger();
    const receivers = to([address0x(BOB_ALIAS), 1n], [at(SLOTS), 2n], [at(STRANGER), 3n], [address0x(NEW_ALIAS), 4n]);
    const result = await call(AIRDROP, [[...receivers, [at(NFT), [], [[at(ALICE), at(CAROL), 3n, false]]]]]);
    expect(answer(result)).toEqual(done(AIRDROP_GAS));
    expect(await balanceOf(ALICE, UNITS)).toBe(43n);
    expect(
      await world.pendingAirdrop({ senderId: ALICE, receiverId: STRANGER, tokenId: UNITS, serialNumber: 0n }),
    ).toMatchObject({ amount: 10n });
    expect(eventsOf(result)).toEqual([
      `2001 ddf252ad 3e9 ${NEW_ALIAS} data 4`,
      '2001 ddf252ad 3e9 3ec data 2',
      `2001 ddf252ad 3e9 ${BOB_ALIAS} data 1`,
      '2002 ddf252ad 3e9 3eb 3',
    ]);
    expect(statuses()).toEqual([22, 22]);
  });

  it('answer the status of a refusal', async () => {
    const { call } = ledger();
    expect(answer(await call(AIRDROP, [to([at(CAROL), 51n])]))).toEqual({
      outcome: 'success',
      value: 178n,
      gasUsed: AIRDROP_GAS,
    });
  });

  it.each([
    ['a system account', to([at(SYSTEM), 1n]), 'INVALID_RECEIVING_NODE_ACCOUNT'],
    [
      'more than ten',
      to(...Array.from({ length: 10 }, (_, i) => [at(3000n + BigInt(i)), 1n] as const)),
      'TOKEN_REFERENCE_LIST_SIZE_LIMIT_EXCEEDED',
    ],
  ])('revert by name and take all gas for %s', async (_, tokens, status) => {
    const result = await ledger().call(AIRDROP, [tokens]);
    expect(result).toMatchObject({ outcome: 'revert', gasUsed: ALL_GAS });
    expect(outputText(result)).toBe(status);
  });
});

describe('claims and cancellations', () => {
  it('claim for anyone', async () => {
    const { call, balanceOf, world } = ledger();
    const result = await call(CLAIM, [
      [
        [at(ALICE), at(STRANGER), at(UNITS), 0n],
        [BOB_ADDRESS, at(ALICE), at(NFT), 2n],
      ],
    ]);
    expect(answer(result)).toEqual(done(CHEAP));
    expect(await balanceOf(STRANGER, UNITS)).toBe(7n);
    expect((await world.nft(NFT, 2n))?.ownerId).toBe(ALICE);
    expect(eventsOf(result)).toEqual(['2001 ddf252ad 3e9 3ed data 7', `2002 ddf252ad ${BOB_ALIAS} 3e9 2`]);
  });

  it('claim for the caller over the facade', async () => {
    const { onToken, balanceOf, world } = ledger();
    const units = await onToken(UNITS, 'claimAirdropFT(address)', [address0x(BOB_ALIAS)]);
    expect(answer(units)).toEqual(done(CHEAP));
    expect(await balanceOf(ALICE, UNITS)).toBe(54n);
    const serial = await onToken(NFT, 'claimAirdropNFT(address,int64)', [BOB_ADDRESS, 2n]);
    expect(answer(serial)).toEqual(done(CHEAP));
    expect((await world.nft(NFT, 2n))?.ownerId).toBe(ALICE);
    const again = await onToken(UNITS, 'claimAirdropFT(address)', [BOB_ADDRESS]);
    expect(answer(again)).toMatchObject({ outcome: 'success', value: 367n });
  });

  it('cancel for anyone and for the caller', async () => {
    const { call, onToken } = ledger();
    const keys = [[BOB_ADDRESS, at(ALICE), at(UNITS), 0n]];
    expect(answer(await call(CANCEL, [keys]))).toEqual(done(CHEAP));
    expect(answer(await call(CANCEL, [keys]))).toMatchObject({ value: 367n });
    expect(answer(await onToken(UNITS, 'cancelAirdropFT(address)', [at(STRANGER)]))).toEqual(done(CHEAP));
    expect(answer(await onToken(NFT, 'cancelAirdropNFT(address,int64)', [at(STRANGER), 1n]))).toEqual(done(CHEAP));
    expect(answer(await onToken(NFT, 'cancelAirdropNFT(address,int64)', [at(STRANGER), 1n]))).toMatchObject({
      value: 367n,
    });
  });

  it.each([
    [CLAIM, [], 361n],
    [CANCEL, [], 361n],
    [CLAIM, [[BOB_ADDRESS, at(UNKNOWN), at(UNITS), 0n]], 15n],
  ])('%s of %o answers %i', async (signature, keys, status) => {
    expect(answer(await ledger().call(signature, [keys]))).toMatchObject({ outcome: 'success', value: status });
  });

  it.each([
    [CLAIM, [[BOB_ADDRESS, at(ALICE), at(UNKNOWN), 0n]], 'INVALID_TOKEN_ID'],
    [
      CANCEL,
      Array.from({ length: 11 }, () => [BOB_ADDRESS, at(ALICE), at(UNITS), 0n]),
      'PENDING_AIRDROP_ID_LIST_TOO_LONG',
    ],
  ])('%s of %o reverts with %s', async (signature, keys, status) => {
    const result = await ledger().call(signature, [keys]);
    expect(result).toMatchObject({ outcome: 'revert', gasUsed: ALL_GAS });
    expect(outputText(result)).toBe(status);
  });
});

describe('rejections', () => {
  it('cost as much as there is to reject', async () => {
    const { call, balanceOf, world } = ledger();
    const result = await call(REJECT, [at(ALICE), [at(UNITS)], [[at(NFT), 1n]]]);
    expect(answer(result)).toEqual(done(29_368n));
    expect(await balanceOf(TREASURY, UNITS)).toBe(150n);
    expect((await world.nft(NFT, 1n))?.ownerId).toBe(TREASURY);
  });

  it('are the caller’s over the facade', async () => {
    const { onToken, balanceOf } = ledger();
    expect(answer(await onToken(UNITS, 'rejectTokenFT()', []))).toEqual(done(CHEAP));
    expect(answer(await onToken(NFT, 'rejectTokenNFTs(int64[])', [[1n, 3n]]))).toEqual(done(CHEAP));
    expect(await balanceOf(TREASURY, NFT)).toBe(2n);
    expect(answer(await onToken(UNITS, 'rejectTokenFT()', []))).toMatchObject({ outcome: 'success', value: 178n });
  });

  it.each([
    [[at(ALICE), [], []], 358n],
    [[at(UNKNOWN), [at(UNITS)], []], 354n],
    [[at(TREASURY), [at(UNITS)], []], 196n],
  ])('of %o answer %i', async (args, status) => {
    expect(answer(await ledger().call(REJECT, args))).toMatchObject({ outcome: 'success', value: status });
  });

  it('of more than ten revert by name', async () => {
    const { call, onToken } = ledger();
    const serials = Array.from({ length: 11 }, (_, i) => BigInt(i + 1));
    const direct = await call(REJECT, [at(ALICE), [], serials.map((serial) => [at(NFT), serial])]);
    const own = await onToken(NFT, 'rejectTokenNFTs(int64[])', [serials]);
    for (const result of [direct, own]) {
      expect(result).toMatchObject({ outcome: 'revert', gasUsed: ALL_GAS });
      expect(outputText(result)).toBe('TOKEN_REFERENCE_LIST_SIZE_LIMIT_EXCEEDED');
    }
  });
});
