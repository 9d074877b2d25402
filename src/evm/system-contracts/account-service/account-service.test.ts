import { describe, expect, it } from 'vitest';
import { entityRecord, type MemoryState, tokenRecord } from '../../state/testing/memory-reader.fixture.ts';
import type { SystemCall } from '../system-contract.ts';
import {
  address0x,
  callFacade,
  inputOf,
  longZero,
  outputHex,
  outputText,
  recordedRun,
  systemCall,
} from '../testing/system-call.fixture.ts';
import { createAccountService } from './account-service.ts';

const SENDER = 1001n;
const ALIASED = 1003n;
const TOKEN = 2001n;
const alias = 'aa'.repeat(20);
const WRAPPER = 'e4cbd3a7';

const service = createAccountService();
const at = (num: bigint) => address0x(longZero(num));
const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const answer = (...values: readonly bigint[]) => `0x${values.map(word).join('')}`;

const newRun = (state: Partial<MemoryState> = {}) =>
  recordedRun({
    entities: [
      entityRecord(SENDER),
      entityRecord(ALIASED, { evmAddress: alias }),
      entityRecord(TOKEN, { type: 'TOKEN' }),
      entityRecord(1006n, { type: 'CONTRACT' }),
    ],
    tokens: [tokenRecord(TOKEN)],
    hbarAllowances: [[ALIASED, SENDER, 50n]],
    ...state,
  });

const direct = (signature: string, args: readonly unknown[], changes: Partial<SystemCall> = {}, run = newRun()) =>
  service.call(systemCall(inputOf(signature, ...args), { recipient: longZero(0x16an), ...changes }), run);

const atAccount = (
  target: string,
  signature: string,
  args: readonly unknown[],
  changes: Partial<SystemCall> = {},
  run = newRun(),
) => callFacade(service, run, WRAPPER, target, inputOf(signature, ...args), changes);

describe('aliases', () => {
  it('from number to alias', async () => {
    const result = await direct('getEvmAddressAlias(address)', [at(ALIASED)]);
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 2_607n });
    expect(outputHex(result)).toBe(`${answer(22n)}${alias.padStart(64, '0')}`);
    for (const address of [at(SENDER), at(4000n), address0x(alias)]) {
      expect(outputHex(await direct('getEvmAddressAlias(address)', [address]))).toBe(answer(15n, 0n));
    }
  });

  it('from alias to number', async () => {
    const known = await direct('getHederaAccountNumAlias(address)', [address0x(alias)]);
    expect(outputHex(known)).toBe(answer(22n, ALIASED));
    for (const address of [at(ALIASED), at(SENDER), address0x('cc'.repeat(20))]) {
      expect(outputHex(await direct('getHederaAccountNumAlias(address)', [address]))).toBe(answer(29n, 0n));
    }
  });

  it('valid in either form, also in static frames', async () => {
    const valid = async (address: string) =>
      outputHex(await direct('isValidAlias(address)', [address], { isStatic: true }));
    expect(await valid(address0x(alias))).toBe(answer(1n));
    expect(await valid(at(ALIASED))).toBe(answer(1n));
    expect(await valid(at(1006n))).toBe(answer(1n));
    expect(await valid(at(TOKEN))).toBe(answer(0n));
    expect(await valid(at(4000n))).toBe(answer(0n));
    expect(await valid(address0x('cc'.repeat(20)))).toBe(answer(0n));
  });
});

describe('hbar allowances', () => {
  it('are shown directly and at the account', async () => {
    const classic = await direct('hbarAllowance(address,address)', [address0x(alias), at(SENDER)]);
    expect(classic).toMatchObject({ outcome: 'success', gasUsed: 2_607n });
    expect(outputHex(classic)).toBe(answer(22n, 50n));
    expect(outputHex(await atAccount(alias, 'hbarAllowance(address)', [at(SENDER)]))).toBe(answer(22n, 50n));
    expect(outputHex(await direct('hbarAllowance(address,address)', [address0x(alias), at(4000n)]))).toBe(
      answer(22n, 0n),
    );
    // The second one is known by its alias.
    for (const id of [4000n, ALIASED]) {
      const unknown = await direct('hbarAllowance(address,address)', [at(id), at(SENDER)]);
      expect([unknown.outcome, outputText(unknown)]).toEqual(['revert', 'INVALID_ALLOWANCE_OWNER_ID']);
    }
  });

  it('are given directly', async () => {
    const run = newRun();
    const result = await direct('hbarApprove(address,address,int256)', [at(SENDER), address0x(alias), 70n], {}, run);
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 705_424n });
    expect(outputHex(result)).toBe(answer(22n));
    expect(await run.world.hbarAllowance(SENDER, ALIASED)).toBe(70n);
    expect(run.records).toEqual([{ status: 22 }]);
  });

  it('are given at the account by its owner', async () => {
    const run = newRun();
    const result = await atAccount(alias, 'hbarApprove(address,int256)', [at(SENDER), 71n], { sender: alias }, run);
    expect(outputHex(result)).toBe(answer(22n));
    expect(await run.world.hbarAllowance(ALIASED, SENDER)).toBe(71n);
  });

  it('are refused with the number of the status', async () => {
    const run = newRun();
    const approve = (owner: bigint, spender: bigint, amount: bigint) =>
      direct('hbarApprove(address,address,int256)', [at(owner), at(spender), amount], {}, run);
    const refused = await approve(SENDER, SENDER, 1n);
    expect(refused).toMatchObject({ outcome: 'revert', gasUsed: 705_424n });
    expect(outputHex(refused)).toBe(answer(288n));
    expect(outputHex(await approve(SENDER, 4000n, 1n))).toBe(answer(301n));
    expect(outputHex(await approve(SENDER, ALIASED, 1n))).toBe(answer(301n));
    expect(outputHex(await approve(SENDER, ALIASED, -1n))).toBe(answer(290n));
    expect(run.records).toEqual([{ status: 288 }, { status: 301 }, { status: 301 }, { status: 290 }]);
    expect(await approve(SENDER, ALIASED, 1n << 63n)).toEqual({ outcome: 'halt', reason: 'INVALID_OPERATION' });
  });

  it('are not given in static frames, nor by contracts that delegate', async () => {
    const args = [at(SENDER), address0x(alias), 70n];
    expect(await direct('hbarApprove(address,address,int256)', args, { isStatic: true })).toEqual({
      outcome: 'halt',
      reason: 'ILLEGAL_STATE_CHANGE',
    });
    const contract = longZero(1006n);
    const delegated = await atAccount(contract, 'hbarApprove(address,int256)', [address0x(alias), 70n]);
    expect(delegated).toEqual({ outcome: 'halt', reason: 'PRECOMPILE_ERROR' });
  });
});

describe('automatic associations', () => {
  const signature = 'setUnlimitedAutomaticAssociations(bool)';

  it('are unlimited and none at the wish of the account', async () => {
    const run = newRun();
    const result = await atAccount(alias, signature, [true], { sender: alias }, run);
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 4_298n });
    expect(outputHex(result)).toBe(answer(22n));
    expect((await run.world.entity(ALIASED))?.maxAutomaticAssociations).toBe(-1);
    await atAccount(alias, signature, [false], { sender: alias }, run);
    expect((await run.world.entity(ALIASED))?.maxAutomaticAssociations).toBe(0);
  });

  it('are not taken away when used in the same run', async () => {
    const run = newRun({
      entities: [entityRecord(SENDER, { maxAutomaticAssociations: 2, usedAutomaticAssociations: 1 })],
    });
    const result = await atAccount(longZero(SENDER), signature, [false], {}, run);
    expect(outputHex(result)).toBe(answer(263n));
    expect((await run.world.entity(SENDER))?.maxAutomaticAssociations).toBe(2);
  });

  it('are unknown on the direct route', async () => {
    expect(await direct(signature, [true])).toEqual({ outcome: 'success', output: new Uint8Array(0), gasUsed: 0n });
  });
});
