import { describe, expect, it } from 'vitest';
import { address0x } from '../../testing/system-call.fixture.ts';
import {
  ALICE,
  answer,
  at,
  BOB,
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
  TAXED,
  tokenLedger,
  UNITS,
  UNKNOWN,
} from '../testing/token-ledger.fixture.ts';
import { ercTransferFunctions } from './erc-transfers.ts';
import { transferFunctions } from './transfers.ts';

const CRYPTO_TRANSFER = 'cryptoTransfer((address,(address,int64)[],(address,address,int64)[])[])';
const CRYPTO_TRANSFER_V2 =
  'cryptoTransfer(((address,int64,bool)[]),(address,(address,int64,bool)[],(address,address,int64,bool)[])[])';

const ledger = () => tokenLedger([...transferFunctions, ...ercTransferFunctions]);

/** Gas of one adjustment each for two accounts, and of a serial; with custom fees twice that. */
const TWO_ADJUSTMENTS = 15_284n;
const TWO_WITH_FEES = 29_368n;
const ASSOCIATION = 705_424n;

const done = (gasUsed: bigint) => ({ outcome: 'success', value: 22n, gasUsed });

describe('selectors', () => {
  it('are those of the token service', () => {
    expect(selectorsOf([...transferFunctions, ...ercTransferFunctions])).toEqual([
      '189a554c direct',
      '0e71804f direct',
      '82bba493 direct',
      'eca36917 direct',
      '2c4ba191 direct',
      '5cfc9011 direct',
      '15dacbea direct',
      '9b23d3d9 direct',
      'a9059cbb redirect',
      '23b872dd redirect',
    ]);
  });
});

describe('classic transfers', () => {
  it('move units of anyone, and emit events', async () => {
    const { call, balanceOf, statuses } = ledger();
    const result = await call('transferToken(address,address,address,int64)', [
      at(UNITS),
      address0x(BOB_ALIAS),
      at(CAROL),
      10n,
    ]);
    expect(answer(result)).toEqual(done(TWO_ADJUSTMENTS));
    expect(await balanceOf(CAROL, UNITS)).toBe(10n);
    expect(eventsOf(result)).toEqual([`2001 ddf252ad ${BOB_ALIAS} ${CAROL.toString(16)} data a`]);
    expect(statuses()).toEqual([22]);
  });

  it('take lists of accounts and amounts', async () => {
    const { call, balanceOf } = ledger();
    const result = await call('transferTokens(address,address[],int64[])', [
      at(UNITS),
      [at(ALICE), BOB_ADDRESS, at(CAROL)],
      [-12n, 7n, 5n],
    ]);
    // Three adjustments at half a tenth of a cent.
    expect(answer(result)).toEqual(done(22_326n));
    expect(await balanceOf(CAROL, UNITS)).toBe(5n);
    expect(eventsOf(result)).toEqual([`2001 ddf252ad 3e9 ${BOB_ALIAS} data 7`, '2001 ddf252ad 3e9 3eb data 5']);
  });

  it('move serials', async () => {
    const { call, world } = ledger();
    const one = await call('transferNFT(address,address,address,int64)', [at(NFT), at(ALICE), at(CAROL), 1n]);
    expect(answer(one)).toEqual(done(TWO_ADJUSTMENTS));
    expect(eventsOf(one)).toEqual(['2002 ddf252ad 3e9 3eb 1']);
    const two = await call('transferNFTs(address,address[],address[],int64[])', [
      at(NFT),
      [BOB_ADDRESS, at(ALICE)],
      [at(CAROL), BOB_ADDRESS],
      [2n, 3n],
    ]);
    expect(answer(two)).toEqual(done(29_368n));
    expect((await world.nft(NFT, 2n))?.ownerId).toBe(CAROL);
    expect((await world.nft(NFT, 3n))?.ownerId).toBe(BOB);
  });

  it('move what an allowance covers', async () => {
    const { call, world, balanceOf } = ledger();
    const units = await call('transferFrom(address,address,address,uint256)', [at(UNITS), BOB_ADDRESS, at(CAROL), 8n]);
    expect(answer(units)).toEqual(done(TWO_ADJUSTMENTS));
    expect(await balanceOf(CAROL, UNITS)).toBe(8n);
    expect(await world.tokenAllowance(BOB, ALICE, UNITS)).toBe(0n);
    const serial = await call('transferFromNFT(address,address,address,uint256)', [
      at(NFT),
      BOB_ADDRESS,
      at(CAROL),
      2n,
    ]);
    expect(answer(serial)).toEqual(done(TWO_ADJUSTMENTS));
    const more = await call('transferFrom(address,address,address,uint256)', [at(UNITS), BOB_ADDRESS, at(CAROL), 1n]);
    expect(answer(more)).toMatchObject({ outcome: 'success', value: 292n });
  });

  it('move several tokens, one of them named twice', async () => {
    const { call, balanceOf, world } = ledger();
    const result = await call(CRYPTO_TRANSFER, [
      [
        [
          at(UNITS),
          [
            [at(ALICE), -5n],
            [at(CAROL), 5n],
          ],
          [],
        ],
        [at(NFT), [], [[at(ALICE), at(CAROL), 1n]]],
        [
          at(UNITS),
          [
            [at(ALICE), -2n],
            [at(CAROL), 2n],
          ],
          [],
        ],
      ],
    ]);
    // Two adjustments and a serial; a second type of token is within that.
    expect(answer(result)).toEqual(done(29_368n));
    expect(await balanceOf(CAROL, UNITS)).toBe(7n);
    expect((await world.nft(NFT, 1n))?.ownerId).toBe(CAROL);
  });

  it('move tinybars, of one account in several entries', async () => {
    const { call, world } = ledger();
    const hbar = [
      [at(ALICE), -7n, false],
      [at(CAROL), 3n, false],
      [at(CAROL), 4n, false],
    ];
    expect(answer(await call(CRYPTO_TRANSFER_V2, [[hbar], []]))).toEqual(done(2_607n));
    expect((await world.entity(CAROL))?.balance).toBe(7n);
  });

  it('cost twice as much where there are custom fees, which show in events', async () => {
    const { call } = ledger();
    const result = await call('transferToken(address,address,address,int64)', [at(TAXED), at(ALICE), BOB_ADDRESS, 10n]);
    expect(answer(result)).toEqual(done(TWO_WITH_FEES));
    expect(eventsOf(result)).toEqual([`2003 ddf252ad 3e9 ${BOB_ALIAS} data a`, '2003 ddf252ad 3e9 3eb data 3']);
  });

  it('charge for automatic associations', async () => {
    const { call } = ledger();
    const result = await call('transferToken(address,address,address,int64)', [at(UNITS), at(ALICE), at(SLOTS), 1n]);
    expect(answer(result)).toEqual(done(TWO_ADJUSTMENTS + ASSOCIATION));
  });

  it('create accounts, and charge for it', async () => {
    const { call, world, balanceOf, statuses } = ledger();
    const result = await call('transferToken(address,address,address,int64)', [
      at(UNITS),
      at(ALICE),
      address0x(NEW_ALIAS),
      1n,
    ]);
    expect(answer(result)).toEqual(done(722_607n + ASSOCIATION));
    const id = (await world.idAt(NEW_ALIAS)) ?? 0n;
    expect(await balanceOf(id, UNITS)).toBe(1n);
    expect(eventsOf(result)).toEqual([`2001 ddf252ad 3e9 ${NEW_ALIAS} data 1`]);
    expect(statuses()).toEqual([22, 22]);
  });

  it('answer the status of a refusal, and change nothing', async () => {
    const { call, balanceOf, statuses } = ledger();
    const result = await call('transferToken(address,address,address,int64)', [at(UNITS), at(ALICE), at(STRANGER), 1n]);
    expect(answer(result)).toEqual({ outcome: 'success', value: 184n, gasUsed: TWO_ADJUSTMENTS });
    expect(eventsOf(result)).toEqual([]);
    expect(await balanceOf(ALICE, UNITS)).toBe(50n);
    expect(statuses()).toEqual([184]);
  });

  it.each([
    ['transferToken(address,address,address,int64)', [at(UNKNOWN), at(ALICE), BOB_ADDRESS, 1n], 167n],
    ['transferToken(address,address,address,int64)', [at(UNITS), at(ALICE), at(UNKNOWN), 1n], 282n],
    ['transferToken(address,address,address,int64)', [at(UNITS), at(UNKNOWN), BOB_ADDRESS, 1n], 15n],
    ['transferToken(address,address,address,int64)', [at(UNITS), at(ALICE), BOB_ADDRESS, 51n], 178n],
    ['transferNFT(address,address,address,int64)', [at(NFT), at(ALICE), BOB_ADDRESS, 9n], 226n],
    ['transferFromNFT(address,address,address,uint256)', [at(NFT), at(CAROL), BOB_ADDRESS, 1n], 292n],
    // Bob's number, where contracts know him by his alias.
    ['transferToken(address,address,address,int64)', [at(UNITS), at(ALICE), at(BOB), 1n], 282n],
    ['transferToken(address,address,address,int64)', [at(UNITS), at(BOB), at(ALICE), 1n], 15n],
  ])('%s with %o ends with %i', async (signature, args, status) => {
    expect(answer(await ledger().call(signature, args))).toMatchObject({ outcome: 'success', value: status });
  });

  it('revert when a system account would be credited', async () => {
    const { call, statuses } = ledger();
    const result = await call('transferToken(address,address,address,int64)', [at(UNITS), at(ALICE), at(SYSTEM), 1n]);
    expect(answer(result)).toEqual({ outcome: 'revert', value: 35n, gasUsed: TWO_ADJUSTMENTS });
    expect(statuses()).toEqual([35]);
    const serial = await call('transferNFT(address,address,address,int64)', [at(NFT), at(ALICE), at(SYSTEM), 1n]);
    expect(answer(serial)).toMatchObject({ outcome: 'revert', value: 35n });
  });

  it.each([
    ['transferTokens(address,address[],int64[])', [at(UNITS), [at(ALICE)], [-1n, 1n]]],
    ['transferNFTs(address,address[],address[],int64[])', [at(NFT), [at(ALICE)], [], [1n]]],
    ['transferToken(address,address,address,int64)', [at(UNITS), at(ALICE), BOB_ADDRESS, -1n]],
    ['transferFrom(address,address,address,uint256)', [at(UNITS), BOB_ADDRESS, at(CAROL), 1n << 63n]],
    ['transferFromNFT(address,address,address,uint256)', [at(NFT), BOB_ADDRESS, at(CAROL), 1n << 63n]],
  ])('halt on arguments that HAPI cannot have: %s %o', async (signature, args) => {
    expect(answer(await ledger().call(signature, args))).toEqual({ outcome: 'halt', reason: 'INVALID_OPERATION' });
  });
});

describe('ERC transfers', () => {
  it('transfer moves units of the caller', async () => {
    const { onToken, balanceOf } = ledger();
    const result = await onToken(UNITS, 'transfer(address,uint256)', [address0x(BOB_ALIAS), 5n]);
    expect(answer(result, 'bool')).toEqual({ outcome: 'success', value: true, gasUsed: TWO_ADJUSTMENTS });
    expect(await balanceOf(BOB, UNITS)).toBe(15n);
    expect(eventsOf(result)).toEqual([`2001 ddf252ad 3e9 ${BOB_ALIAS} data 5`]);
  });

  it('transfer emits events for what was asked, not for fees', async () => {
    const { onToken, balanceOf } = ledger();
    const result = await onToken(TAXED, 'transfer(address,uint256)', [BOB_ADDRESS, 5n]);
    expect(eventsOf(result)).toEqual([`2003 ddf252ad 3e9 ${BOB_ALIAS} data 5`]);
    expect(await balanceOf(ALICE, TAXED)).toBe(42n);
  });

  it('transfer charges for slots and new accounts', async () => {
    const { onToken } = ledger();
    const slots = await onToken(UNITS, 'transfer(address,uint256)', [at(SLOTS), 5n]);
    expect(answer(slots, 'bool')).toMatchObject({ gasUsed: TWO_ADJUSTMENTS + ASSOCIATION });
    const created = await onToken(UNITS, 'transfer(address,uint256)', [address0x(NEW_ALIAS), 5n]);
    expect(answer(created, 'bool')).toMatchObject({ value: true, gasUsed: 722_607n + ASSOCIATION });
  });

  it.each([
    [UNITS, [at(STRANGER), 1n], 184n],
    [UNITS, [BOB_ADDRESS, 51n], 178n],
    [UNKNOWN, [BOB_ADDRESS, 1n], 167n],
  ])('transfer on %i with %o reverts with %i', async (token, args, status) => {
    const { onToken, balanceOf } = ledger();
    const result = await onToken(token, 'transfer(address,uint256)', args);
    expect(answer(result)).toMatchObject({ outcome: 'revert', value: status });
    expect(await balanceOf(ALICE, UNITS)).toBe(50n);
  });

  it('transfer is no function of non-fungible tokens', async () => {
    const { onToken } = ledger();
    const result = await onToken(NFT, 'transfer(address,uint256)', [BOB_ADDRESS, 1n]);
    expect(answer(result)).toEqual({ outcome: 'success', value: undefined, gasUsed: 0n });
  });

  it('transferFrom moves units by an allowance', async () => {
    const { onToken, world, balanceOf } = ledger();
    const result = await onToken(UNITS, 'transferFrom(address,address,uint256)', [BOB_ADDRESS, at(CAROL), 6n]);
    expect(answer(result, 'bool')).toEqual({ outcome: 'success', value: true, gasUsed: TWO_ADJUSTMENTS });
    expect(eventsOf(result)).toEqual([`2001 ddf252ad ${BOB_ALIAS} 3eb data 6`]);
    expect(await balanceOf(CAROL, UNITS)).toBe(6n);
    expect(await world.tokenAllowance(BOB, ALICE, UNITS)).toBe(2n);
    const beyond = await onToken(UNITS, 'transferFrom(address,address,uint256)', [BOB_ADDRESS, at(CAROL), 3n]);
    expect(answer(beyond)).toMatchObject({ outcome: 'revert', value: 293n });
    const own = await onToken(UNITS, 'transferFrom(address,address,uint256)', [at(ALICE), at(CAROL), 3n]);
    expect(answer(own)).toMatchObject({ outcome: 'revert', value: 292n });
  });

  it('transferFrom moves serials of the caller and of who approved it', async () => {
    const { onToken, world } = ledger();
    const own = await onToken(NFT, 'transferFrom(address,address,uint256)', [at(ALICE), at(CAROL), 1n]);
    expect(answer(own)).toEqual({ outcome: 'success', value: undefined, gasUsed: TWO_ADJUSTMENTS });
    expect(eventsOf(own)).toEqual(['2002 ddf252ad 3e9 3eb 1']);
    const approved = await onToken(NFT, 'transferFrom(address,address,uint256)', [BOB_ADDRESS, at(CAROL), 2n]);
    expect(answer(approved)).toMatchObject({ outcome: 'success' });
    expect((await world.nft(NFT, 2n))?.ownerId).toBe(CAROL);
    const foreign = await onToken(NFT, 'transferFrom(address,address,uint256)', [at(CAROL), BOB_ADDRESS, 2n]);
    expect(answer(foreign)).toMatchObject({ outcome: 'revert', value: 292n });
    const unknown = await onToken(NFT, 'transferFrom(address,address,uint256)', [at(ALICE), BOB_ADDRESS, 9n]);
    expect(answer(unknown)).toMatchObject({ outcome: 'revert', value: 226n });
  });

  it.each([
    ['transfer(address,uint256)', [BOB_ADDRESS, 1n << 63n]],
    ['transferFrom(address,address,uint256)', [BOB_ADDRESS, at(CAROL), 1n << 63n]],
  ])('%s halts on amounts beyond 63 bits', async (signature, args) => {
    const result = await ledger().onToken(UNITS, signature, args);
    expect(answer(result)).toEqual({ outcome: 'halt', reason: 'INVALID_OPERATION' });
  });
});
