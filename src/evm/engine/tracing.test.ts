import { describe, expect, it } from 'vitest';
import type { TraceStep } from './run.ts';
import { addressWord, assemble, contractRecord, ledgerOf, run, scriptedContract } from './testing/engine.fixture.ts';

const INNER_ID = 2_010n;

const trace = async (code: Uint8Array, inner = assemble('STOP'), gas = 100_000n) => {
  const steps: TraceStep[] = [];
  const ledger = () => ledgerOf(code, { entities: [contractRecord(INNER_ID)], codes: [[INNER_ID, inner]] });
  const tracer = {
    stack: true,
    memory: true,
    storage: true,
    step: async (step: TraceStep) => void steps.push({ ...step, memory: step.memory.slice() }),
  };
  const system = scriptedContract(0x167n, () => ({ outcome: 'revert', output: Uint8Array.of(0xab), gasUsed: 77n }));
  const transaction = { gas };
  const outcome = await run(ledger(), { transaction, environment: { tracer }, systemContracts: [system] });
  const untraced = await run(ledger(), { transaction, systemContracts: [system] });
  expect(outcome).toEqual(untraced);
  return { steps, outcome };
};

const line = ({ pc, op, gas, gasCost, depth }: TraceStep) => `${depth} ${pc} ${op} ${gas} ${gasCost}`;
const call = (id: bigint): string => `0 0 0 0 0 ${addressWord(id)} 5000 CALL`;
const word = (value: number): string => value.toString(16).padStart(64, '0');

describe('a trace', () => {
  it('shows each instruction when it is done', async () => {
    const { steps } = await trace(assemble('7 0 MSTORE KECCAK256'));
    expect(steps.map(line)).toEqual([
      '0 2 PUSH1 78997 3',
      '0 4 PUSH1 78994 3',
      '0 5 MSTORE 78988 6',
      '0 5 KECCAK256 78988 0',
    ]);
    expect(steps.map(({ stack }) => stack)).toEqual([[7n], [7n, 0n], [], []]);
    expect(steps.map(({ memory }) => memory.length)).toEqual([0, 0, 32, 32]);
    expect(steps[2]?.memory[31]).toBe(7);
  });

  it('shows the data of a revert', async () => {
    const { steps } = await trace(assemble('1 31 REVERT'));
    expect(steps.map(({ op, pc, reason }) => [op, pc, reason])).toEqual([
      ['PUSH1', 2, undefined],
      ['PUSH1', 4, undefined],
      ['REVERT', 4, '0x00'],
    ]);
  });

  it('shows a call where it begins, with its operands', async () => {
    const { steps } = await trace(assemble(`${call(INNER_ID)} STOP`), assemble('GAS'));
    expect(steps.slice(6).map(line)).toEqual([
      `0 34 PUSH2 ${79_000 - 21} 3`,
      `0 34 CALL ${79_000 - 21 - 2_600 - 5_000} 2600`,
      '1 1 GAS 4998 2',
      '1 1 STOP 4998 0',
      `0 35 STOP ${79_000 - 21 - 2_600 - 2} 0`,
    ]);
    expect(steps[7]?.stack).toEqual([0n, 0n, 0n, 0n, 0n, INNER_ID, 5_000n]);
    expect(steps.at(-1)?.stack).toEqual([1n]);
  });

  it('shows precompiles and system contracts without a name', async () => {
    const { steps } = await trace(assemble(`${call(4n)} ${call(0x167n)}`));
    const native = steps.filter(({ op }) => op === '');
    expect(native.map(({ depth, gas, gasCost, reason }) => [depth, gas, gasCost, reason])).toEqual([
      [1, 4_985n, 15n, undefined],
      [1, 4_923n, 77n, '0xab'],
    ]);
    expect(native.every(({ stack, memory, storage }) => stack.length + memory.length + storage.size === 0)).toBe(true);
  });

  it('shows slots written so far, of all contracts, without those that were undone', async () => {
    const { steps } = await trace(
      assemble(`1 SLOAD POP 5 3 SSTORE 6 2 SSTORE ${call(INNER_ID)} 8 2 SSTORE`),
      assemble('9 1 SSTORE 0 0 REVERT'),
    );
    expect([...(steps.find(({ op }) => op === 'POP')?.storage ?? [])]).toEqual([]);
    expect([...(steps.at(-1)?.storage ?? [])]).toEqual([
      [word(2), word(8)],
      [word(3), word(5)],
    ]);
  });

  it('names creations and random values as the network does', async () => {
    const { steps } = await trace(assemble('PRNGSEED 0 0 0 CREATE 1 0 0 0 CREATE2 INVALID'), undefined, 200_000n);
    expect(steps.map(({ op }) => op)).toEqual([
      'PRNGSEED',
      'PUSH1',
      'PUSH1',
      'PUSH1',
      'ħCREATE',
      'PUSH1',
      'PUSH1',
      'PUSH1',
      'PUSH1',
      'ħCREATE2',
      'INVALID',
    ]);
  });
});
