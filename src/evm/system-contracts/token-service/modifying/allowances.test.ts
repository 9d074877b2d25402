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
  NFT,
  STRANGER,
  selectorsOf,
  tokenLedger,
  UNITS,
  UNKNOWN,
} from '../testing/token-ledger.fixture.ts';
import { allowanceFunctions } from './allowances.ts';

const APPROVAL = 705_424n;
const NOBODY = at(0n);

const ledger = () => tokenLedger(allowanceFunctions);

describe('approvals', () => {
  it('have the selectors of the token service', () => {
    expect(selectorsOf(allowanceFunctions)).toEqual([
      'e1f21c67 direct',
      '7336aaf0 direct',
      '367605ca direct',
      '095ea7b3 redirect',
      'a22cb465 redirect',
    ]);
  });

  it('of units answer a status and true', async () => {
    const { call, world } = ledger();
    const result = await call('approve(address,address,uint256)', [at(UNITS), address0x(BOB_ALIAS), 9n]);
    expect(answer(result, 'int32,bool')).toEqual({ outcome: 'success', value: 22, gasUsed: APPROVAL });
    expect(answer(result, 'int32,bool')).toMatchObject({ value: 22 });
    expect(result.outcome === 'success' && result.output.length).toBe(64);
    expect(await world.tokenAllowance(ALICE, BOB, UNITS)).toBe(9n);
    expect(eventsOf(result)).toEqual(['2001 8c5be1e5 3e9 3ea data 9']);
  });

  it('of units over the facade answer true, and name accounts by alias', async () => {
    const { onToken, world } = ledger();
    const result = await onToken(UNITS, 'approve(address,uint256)', [BOB_ADDRESS, 9n]);
    expect(answer(result, 'bool')).toEqual({ outcome: 'success', value: true, gasUsed: APPROVAL });
    expect(await world.tokenAllowance(ALICE, BOB, UNITS)).toBe(9n);
    expect(eventsOf(result)).toEqual([`2001 8c5be1e5 3e9 ${BOB_ALIAS} data 9`]);
  });

  it('of serials are the owner’s, or in its name', async () => {
    const { call, onToken, world } = ledger();
    const own = await call('approveNFT(address,address,uint256)', [at(NFT), at(CAROL), 1n]);
    expect(answer(own)).toEqual({ outcome: 'success', value: 22n, gasUsed: APPROVAL });
    expect(eventsOf(own)).toEqual(['2002 8c5be1e5 3e9 3eb 1']);
    const delegated = await onToken(NFT, 'approve(address,uint256)', [at(CAROL), 2n]);
    expect(answer(delegated)).toEqual({ outcome: 'success', value: undefined, gasUsed: APPROVAL });
    expect(eventsOf(delegated)).toEqual(['2002 8c5be1e5 3e9 3eb 2']);
    expect(await world.nft(NFT, 2n)).toMatchObject({ spenderId: CAROL, delegatingSpenderId: ALICE });
  });

  it('of serials end with nobody as spender', async () => {
    const { call, onToken, world } = ledger();
    await call('approveNFT(address,address,uint256)', [at(NFT), at(CAROL), 1n]);
    const result = await onToken(NFT, 'approve(address,uint256)', [NOBODY, 1n]);
    expect(answer(result)).toMatchObject({ outcome: 'success' });
    expect(eventsOf(result)).toEqual(['2002 8c5be1e5 3e9 0 1']);
    expect((await world.nft(NFT, 1n))?.spenderId).toBeUndefined();
  });

  it.each([
    ['approve(address,address,uint256)', [at(UNKNOWN), BOB_ADDRESS, 1n], 167n],
    ['approve(address,address,uint256)', [at(NFT), BOB_ADDRESS, 1n], 299n],
    ['approve(address,address,uint256)', [at(UNITS), at(BOB), 1n], 301n],
    ['approve(address,address,uint256)', [at(UNITS), at(UNKNOWN), 1n], 301n],
    ['approveNFT(address,address,uint256)', [at(UNITS), BOB_ADDRESS, 1n], 298n],
    ['approveNFT(address,address,uint256)', [at(NFT), BOB_ADDRESS, 9n], 225n],
    ['approveNFT(address,address,uint256)', [at(NFT), at(ALICE), 1n], 288n],
    ['setApprovalForAll(address,address,bool)', [at(UNITS), BOB_ADDRESS, true], 298n],
    ['setApprovalForAll(address,address,bool)', [at(NFT), at(ALICE), true], 288n],
  ])('%s with %o reverts with %i', async (signature, args, status) => {
    const result = await ledger().call(signature, args);
    expect(answer(result)).toEqual({ outcome: 'revert', value: status, gasUsed: APPROVAL });
  });

  it('over the facade revert as ERC-721 has it when the caller may not', async () => {
    const { onToken } = ledger();
    const args = [BOB_ADDRESS, 1n];
    const result = await onToken(NFT, 'approve(address,uint256)', args, { sender: at(CAROL).slice(2) });
    expect(answer(result)).toMatchObject({ outcome: 'revert', value: 237n });
    const stranger = await onToken(UNITS, 'approve(address,uint256)', args, { sender: at(STRANGER).slice(2) });
    expect(answer(stranger)).toMatchObject({ outcome: 'revert', value: 184n });
  });

  it.each(['approve(address,address,uint256)', 'approveNFT(address,address,uint256)'])(
    '%s halts beyond 63 bits',
    async (signature) => {
      const result = await ledger().call(signature, [at(UNITS), BOB_ADDRESS, 1n << 63n]);
      expect(answer(result)).toEqual({ outcome: 'halt', reason: 'INVALID_OPERATION' });
    },
  );
});

describe('approval for all', () => {
  it('is given directly and over the facade', async () => {
    const { call, onToken, world } = ledger();
    const given = await call('setApprovalForAll(address,address,bool)', [at(NFT), address0x(BOB_ALIAS), true]);
    expect(answer(given)).toEqual({ outcome: 'success', value: 22n, gasUsed: APPROVAL });
    expect(eventsOf(given)).toEqual([`2002 17307eab 3e9 ${BOB_ALIAS} data 1`]);
    expect(await world.approvedForAll(ALICE, BOB, NFT)).toBe(true);
    const taken = await onToken(NFT, 'setApprovalForAll(address,bool)', [BOB_ADDRESS, false]);
    expect(answer(taken)).toEqual({ outcome: 'success', value: 22n, gasUsed: APPROVAL });
    expect(eventsOf(taken)).toEqual([`2002 17307eab 3e9 ${BOB_ALIAS} data 0`]);
    expect(await world.approvedForAll(ALICE, BOB, NFT)).toBe(false);
  });

  it.each([
    [[at(UNKNOWN), BOB_ADDRESS, true], 167n],
    [[at(NFT), at(UNKNOWN), true], 301n],
  ])('with %o answers %i', async (args, status) => {
    const result = await ledger().call('setApprovalForAll(address,address,bool)', args);
    expect(answer(result)).toEqual({ outcome: 'success', value: status, gasUsed: APPROVAL });
    expect(eventsOf(result)).toEqual([]);
  });
});
