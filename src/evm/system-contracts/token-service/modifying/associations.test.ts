import { describe, expect, it } from 'vitest';
import {
  ALICE,
  answer,
  at,
  CAROL,
  NFT,
  STRANGER,
  selectorsOf,
  tokenLedger,
  UNITS,
  UNKNOWN,
} from '../testing/token-ledger.fixture.ts';
import { associationFunctions } from './associations.ts';

const ONE = 705_424n;

const ledger = () => tokenLedger(associationFunctions);

describe('associations', () => {
  it('have the selectors of the token service', () => {
    expect(selectorsOf(associationFunctions)).toEqual([
      '49146bde direct',
      '2e63879b direct',
      '099794e8 direct',
      '78b63918 direct',
      '0a754de6 redirect',
      '5c9217e0 redirect',
    ]);
  });

  it('cost as many times as there are tokens', async () => {
    const { call, world } = ledger();
    const one = await call('associateToken(address,address)', [at(STRANGER), at(UNITS)]);
    expect(answer(one)).toEqual({ outcome: 'success', value: 22n, gasUsed: ONE });
    const two = await call('associateTokens(address,address[])', [at(STRANGER), [at(NFT), at(2003n)]]);
    expect(answer(two)).toEqual({ outcome: 'success', value: 22n, gasUsed: 1_409_649n });
    expect(await world.tokenRelation(STRANGER, NFT)).toBeDefined();
  });

  it('end at the price of one', async () => {
    const { call, world } = ledger();
    const one = await call('dissociateToken(address,address)', [at(CAROL), at(UNITS)]);
    expect(answer(one)).toEqual({ outcome: 'success', value: 22n, gasUsed: ONE });
    const two = await call('dissociateTokens(address,address[])', [at(CAROL), [at(NFT), at(2003n)]]);
    expect(answer(two)).toEqual({ outcome: 'success', value: 22n, gasUsed: ONE });
    expect(await world.tokenRelation(CAROL, NFT)).toBeUndefined();
  });

  it('are the caller’s over the facade', async () => {
    const { onToken, world } = ledger();
    const sender = at(STRANGER).slice(2);
    const begun = await onToken(UNITS, 'associate()', [], { sender });
    expect(answer(begun)).toEqual({ outcome: 'success', value: 22n, gasUsed: ONE });
    expect(await world.tokenRelation(STRANGER, UNITS)).toBeDefined();
    const again = await onToken(UNITS, 'associate()', [], { sender });
    expect(answer(again)).toMatchObject({ outcome: 'success', value: 194n });
    const ended = await onToken(UNITS, 'dissociate()', [], { sender });
    expect(answer(ended)).toEqual({ outcome: 'success', value: 22n, gasUsed: ONE });
    expect(await world.tokenRelation(STRANGER, UNITS)).toBeUndefined();
  });

  it.each([
    ['associateToken(address,address)', [at(UNKNOWN), at(UNITS)], 15n],
    ['associateToken(address,address)', [at(ALICE), at(UNKNOWN)], 167n],
    ['associateToken(address,address)', [at(ALICE), at(UNITS)], 194n],
    ['associateTokens(address,address[])', [at(STRANGER), [at(UNITS), at(UNITS)]], 197n],
    ['dissociateToken(address,address)', [at(STRANGER), at(UNITS)], 184n],
    ['dissociateToken(address,address)', [at(ALICE), at(UNITS)], 195n],
  ])('%s with %o answers %i', async (signature, args, status) => {
    expect(answer(await ledger().call(signature, args))).toMatchObject({ outcome: 'success', value: status });
  });
});
