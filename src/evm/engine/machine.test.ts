import { describe, expect, it } from 'vitest';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { entityRecord, type MemoryState, tokenRecord } from '../state/testing/memory-reader.fixture.ts';
import { longZeroHex } from '../state/world.ts';
import type { SystemResult } from '../system-contracts/system-contract.ts';
import {
  addressWord,
  assemble,
  CONTRACT_ID,
  contractRecord,
  ledgerOf,
  outputWord,
  returning,
  run,
  SENDER_ID,
  scriptedContract,
} from './testing/engine.fixture.ts';

const TOKEN_ID = 2_012n;
const MIDDLE_ID = 2_015n;
const ACCOUNT_ID = 2_016n;
const SYSTEM = 0x167n;

const ledger = (code: Uint8Array, codes: MemoryState['codes'] = []) =>
  ledgerOf(code, {
    entities: [contractRecord(MIDDLE_ID), entityRecord(TOKEN_ID, { type: 'TOKEN' }), entityRecord(ACCOUNT_ID)],
    tokens: [tokenRecord(TOKEN_ID)],
    codes,
  });

const success = (output: readonly number[] = [], gasUsed = 100n): SystemResult => ({
  outcome: 'success',
  output: Uint8Array.from(output),
  gasUsed,
});

const call = (id: bigint, op = 'CALL', value = 0n, gas = 500_000): string =>
  `32 0 4 28 ${op === 'CALL' || op === 'CALLCODE' ? value : ''} ${addressWord(id)} ${gas} ${op}`;

/** Stores a selector at the end of the first word. */
const selector = (hex: string): string => `0x${hex} 0 MSTORE`;

describe('a system contract', () => {
  it('is given the frame and its gas, and gives its output', async () => {
    const contract = scriptedContract(SYSTEM, () => success([...new Array<number>(31).fill(0), 9], 2_607n));
    const outcome = await run(
      ledger(assemble(`${selector('01020304')} ${call(SYSTEM)} POP 0 MLOAD 0 MSTORE 32 0 RETURN`)),
      {
        systemContracts: [contract],
      },
    );
    expect(contract.calls).toEqual([
      {
        input: Uint8Array.of(1, 2, 3, 4),
        sender: longZeroHex(CONTRACT_ID),
        recipient: longZeroHex(SYSTEM),
        value: 0n,
        gas: 500_000n,
        isStatic: false,
        isDelegate: false,
      },
    ]);
    expect(outputWord(outcome)).toBe(9n);
    // 2 PUSH and MSTORE with a word 12; 7 PUSH 21; cold call 2,600; POP 2; then 6 × 3.
    expect(outcome.gasUsed).toBe(21_000n + 12n + 21n + 2_600n + 2_607n + 2n + 18n);
  });

  it.each([
    [
      'STATICCALL',
      { isStatic: true, isDelegate: false, recipient: longZeroHex(SYSTEM), sender: longZeroHex(CONTRACT_ID) },
    ],
    [
      'DELEGATECALL',
      { isStatic: false, isDelegate: true, recipient: longZeroHex(CONTRACT_ID), sender: longZeroHex(SENDER_ID) },
    ],
    [
      'CALLCODE',
      { isStatic: false, isDelegate: true, recipient: longZeroHex(CONTRACT_ID), sender: longZeroHex(CONTRACT_ID) },
    ],
  ])('sees a %s', async (op, expected) => {
    const contract = scriptedContract(SYSTEM, () => success());
    await run(ledger(assemble(call(SYSTEM, op))), { systemContracts: [contract] });
    expect(contract.calls).toMatchObject([expected]);
  });

  it('is called by the facade of a token in the name of whoever called the token', async () => {
    const contract = scriptedContract(SYSTEM, () => success([7]));
    const data = Uint8Array.of(0xaa, 0xbb, 0xcc, 0xdd);
    const outcome = await run(ledger(assemble('STOP')), {
      transaction: { to: longZeroHex(TOKEN_ID), data },
      systemContracts: [contract],
    });
    expect(outcome).toMatchObject({ status: 'SUCCESS', output: Uint8Array.of(7), address: longZeroHex(TOKEN_ID) });
    expect(contract.calls).toMatchObject([
      { sender: longZeroHex(SENDER_ID), recipient: longZeroHex(TOKEN_ID), isDelegate: true },
    ]);
    expect(Buffer.from(contract.calls[0]?.input ?? []).toString('hex')).toBe(
      `618dc65e${longZeroHex(TOKEN_ID)}aabbccdd`,
    );
  });

  it('is called by the facade of an account for a few functions only', async () => {
    const contract = scriptedContract(0x16an, () => success([7]));
    const ask = (data: string) =>
      run(ledger(assemble('STOP')), {
        transaction: { to: longZeroHex(ACCOUNT_ID), data: Uint8Array.from(Buffer.from(data, 'hex')) },
        systemContracts: [contract],
      });
    expect((await ask('f5677e9901')).output).toEqual(Uint8Array.of(7));
    expect((await ask('f5677e9801')).output).toEqual(new Uint8Array());
    expect(contract.calls).toHaveLength(1);
  });

  it.each([
    ['INVALID_CONTRACT_ID', '01020304', 0],
    ['SUCCESS', 'ea83f293', 1],
  ])('takes value for new tokens only: %s', async (status, hex, calls) => {
    const contract = scriptedContract(SYSTEM, () => success());
    const outcome = await run(ledger(assemble(`${selector(hex)} ${call(SYSTEM, 'CALL', 5n)}`)), {
      systemContracts: [contract],
    });
    expect(outcome.status).toBe(status);
    expect(contract.calls).toHaveLength(calls);
  });

  it.each([
    ['PRECOMPILE_ERROR', 'SUCCESS'],
    ['INVALID_CONTRACT_ID', 'INVALID_CONTRACT_ID'],
  ] as const)('that halts with %s burns what it was given', async (reason, status) => {
    const contract = scriptedContract(SYSTEM, () => ({ outcome: 'halt', reason }));
    const outcome = await run(ledger(assemble(call(SYSTEM))), { systemContracts: [contract] });
    expect(outcome.status).toBe(status);
    expect(outcome.gasUsed).toBe(
      status === 'SUCCESS' ? 21_000n + 7n * 3n - 3n + 3n + 2_600n + 500_000n + 3n : 1_000_000n,
    );
  });

  it('that wants more gas than there is halts, and what it did is undone', async () => {
    const contract = scriptedContract(SYSTEM, (_, { world }) => {
      world.putEntity(entityRecord(7_777n));
      return success([], 500_001n);
    });
    const world = ledger(returning(call(SYSTEM)));
    const outcome = await run(world, { systemContracts: [contract] });
    expect(outputWord(outcome)).toBe(0n);
    expect(await world.entity(7_777n)).toBeUndefined();
  });

  it('emits logs when it succeeds', async () => {
    const log = { address: longZeroHex(TOKEN_ID), topics: [new Uint8Array(32)], data: Uint8Array.of(1) };
    const contract = scriptedContract(SYSTEM, () => ({ ...success(), logs: [log] }));
    expect((await run(ledger(assemble(call(SYSTEM))), { systemContracts: [contract] })).logs).toEqual([log]);
    const reverted = await run(ledger(assemble(`${call(SYSTEM)} 0 0 REVERT`)), { systemContracts: [contract] });
    expect(reverted.logs).toEqual([]);
  });
});

describe('children', () => {
  const failing = scriptedContract(SYSTEM, ({ input }, { children }) => {
    children.add({ status: [ResponseCodeEnum.SUCCESS, ResponseCodeEnum.INVALID_TOKEN_ID][input[3] ?? 0] ?? 0 });
    return success();
  });

  it('leave each failed status once', async () => {
    const code = assemble(`${selector('00000001')} ${call(SYSTEM)} ${call(SYSTEM)} 0 0 REVERT`);
    const outcome = await run(ledger(code), { systemContracts: [failing] });
    expect(outcome).toMatchObject({ status: 'CONTRACT_REVERT_EXECUTED', childStatuses: ['INVALID_TOKEN_ID'] });
  });

  it('that succeeded and were undone have not failed', async () => {
    const outcome = await run(ledger(assemble(`${call(SYSTEM)} 0 0 REVERT`)), { systemContracts: [failing] });
    expect(outcome).toMatchObject({ status: 'CONTRACT_REVERT_EXECUTED', childStatuses: [] });
  });

  it('are fifty at most, whoever reverts in between', async () => {
    const reverter = assemble(`${call(SYSTEM)} 0 0 REVERT`);
    const repeat = (count: number) =>
      assemble(`${count} JUMPDEST ${call(MIDDLE_ID, 'CALL', 0n, 30_000)} POP 1 SWAP1 SUB DUP1 2 JUMPI`);
    const codes = [[MIDDLE_ID, reverter]] as const;
    expect((await run(ledger(repeat(50), codes), { systemContracts: [failing] })).status).toBe('SUCCESS');
    const outcome = await run(ledger(repeat(51), codes), { systemContracts: [failing] });
    expect(outcome).toMatchObject({ status: 'MAX_CHILD_RECORDS_EXCEEDED', gasUsed: 1_000_000n });
  });
});

describe('calls', () => {
  it('of themselves end where gas or depth does', async () => {
    const code = assemble('0 SLOAD 1 ADD 0 SSTORE 0 0 0 0 0 ADDRESS GAS CALL');
    const world = ledger(code);
    const outcome = await run(world, { transaction: { gas: 15_000_000n } });
    expect(outcome.status).toBe('SUCCESS');
    const depth = BigInt(`0x${await world.slot(CONTRACT_ID, '0'.repeat(64))}`);
    expect(depth).toBeGreaterThan(100n);
    expect(depth).toBeLessThanOrEqual(1_025n);
  });

  it('keep their stacks apart', async () => {
    const inner = returning('1 2 3 4 5 ADD ADD ADD ADD');
    const code = returning(`6 7 8 ${call(MIDDLE_ID)} POP ADD ADD 0 MLOAD ADD`);
    expect(outputWord(await run(ledger(code, [[MIDDLE_ID, inner]])))).toBe(36n);
  });

  it.each(['0 0 SSTORE', '0 0 LOG0', '0 0 TSTORE', '0 0 0 CREATE', `0 0 0 0 1 ${addressWord(ACCOUNT_ID)} 0 CALL`])(
    'change nothing when they are static: %s',
    async (text) => {
      const code = returning(call(MIDDLE_ID, 'STATICCALL'));
      expect(outputWord(await run(ledger(code, [[MIDDLE_ID, assemble(text)]])))).toBe(0n);
      const allowed = returning(call(MIDDLE_ID, 'CALL'));
      expect(outputWord(await run(ledger(allowed, [[MIDDLE_ID, assemble(text)]])))).toBe(1n);
    },
  );

  it('forget transient storage when they are undone, and keep it in the run otherwise', async () => {
    const store = `9 1 TSTORE ${call(MIDDLE_ID, 'DELEGATECALL')} POP 1 TLOAD`;
    const kept = await run(ledger(returning(store), [[MIDDLE_ID, assemble('8 1 TSTORE')]]));
    expect(outputWord(kept)).toBe(8n);
    const undone = await run(ledger(returning(store), [[MIDDLE_ID, assemble('8 1 TSTORE 0 0 REVERT')]]));
    expect(outputWord(undone)).toBe(9n);
  });
});
