import { MessageChannel } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { createExecute } from '../engine/execute.ts';
import type { Execute } from '../engine/run.ts';
import { addressWord, assemble, initCodeOf, returning } from '../engine/testing/engine.fixture.ts';
import { openStateSource } from '../state/database-state-source.ts';
import { createSystemContracts, feeSelectors } from '../system-contracts/system-contracts.ts';
import {
  ALIAS,
  ALIASED,
  BEGINNING,
  CONTRACT_CALL,
  CONTRACT_CREATE,
  ETHEREUM,
  PAYER,
  RecordedLedger,
  type RecordedResult,
  SECOND,
} from '../traces/testing/recorded-ledger.fixture.ts';
import { parseTraceReference } from '../traces/trace-reference.ts';
import { takePieces } from './piece-stream.ts';
import { simulationSettingsOf } from './simulation-settings.ts';
import { web3SettingsWith } from './testing/web3-settings.fixture.ts';
import { createTrace, type Trace } from './trace.ts';
import type { TraceAnswer, TraceTask } from './trace-task.ts';

const CONTRACT = 2_001n;
const INNER = 2_002n;
const CREATED = 2_003n;
const EVM_ADDRESS = 'c0'.repeat(20);
const AT = BEGINNING + 50n * SECOND;
const ID = '0.0.1001-1700000049-0';
const HASH = 'fe'.repeat(32);

const network = { shard: 0n, realm: 0n };

let target: TestDatabase;
let ledger: RecordedLedger;
let execute: Execute;
let trace: Trace;

beforeAll(async () => {
  target = await createTestDatabase();
  ledger = new RecordedLedger(target.database);
  execute = await createExecute({ systemContracts: createSystemContracts(), feeSelectors });
}, 60_000);
beforeEach(async () => {
  await ledger.clear();
  await ledger.begin();
  const db = target.database;
  trace = createTrace({
    db,
    source: openStateSource(db, { ...network, maxFileAttempts: 3 }),
    execute,
    settings: simulationSettingsOf(web3SettingsWith().evm, network),
    clock: () => 1_800_000_000n * SECOND,
  });
});
afterAll(() => target?.drop());

interface Opcode {
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gas_cost: number;
  readonly depth: number;
  readonly stack: readonly string[];
  readonly memory: readonly string[];
  readonly storage: Readonly<Record<string, string>>;
  readonly reason: string | null;
}

interface TraceBody {
  readonly address: string;
  readonly contract_id: string | null;
  readonly failed: boolean;
  readonly gas: number;
  readonly opcodes: readonly Opcode[];
  readonly return_value: string;
}

type Flags = Partial<Pick<TraceTask, 'stack' | 'memory' | 'storage'>>;

/** What becomes of a task, and the text that was sent; undefined: none, because the sender ended without an end. */
const run = async (
  text: string,
  flags: Flags = {},
): Promise<{ readonly answer: TraceAnswer; readonly sent: string | undefined }> => {
  const reference = parseTraceReference(text);
  if (reference === undefined) throw new Error(`${text} is no reference`);
  const { port1, port2 } = new MessageChannel();
  const collect = async (): Promise<string> => {
    let sent = '';
    for await (const piece of takePieces(port1)) sent += piece;
    return sent;
  };
  const sent = collect().catch(() => undefined);
  const task = { reference, stack: false, memory: false, storage: false, ...flags, port: port2 };
  return { answer: await trace(task, performance.now() + 30_000), sent: await sent };
};

const traced = async (text = ID, flags: Flags = {}): Promise<TraceBody> => {
  const { answer, sent } = await run(text, flags);
  expect(answer).toEqual({ kind: 'traced' });
  return JSON.parse(sent ?? 'null');
};

const called = async (code: Uint8Array, changes: Partial<RecordedResult> = {}): Promise<void> => {
  await ledger.contract({ id: CONTRACT, code });
  await ledger.result({ at: AT, type: CONTRACT_CALL, contractId: CONTRACT, ...changes });
};

const hexWord = (value: number | bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
const hex = (value: Uint8Array): string => `0x${Buffer.from(value).toString('hex')}`;
const line = ({ depth, pc, op, gas, gas_cost }: Opcode): string => `${depth} ${pc} ${op} ${gas} ${gas_cost}`;
const names = ({ opcodes }: TraceBody): string => opcodes.map(({ op }) => op || '-').join(' ');

describe('a trace', () => {
  it('shows every instruction as things stood after it', async () => {
    await called(assemble('7 3 SSTORE 9 0 MSTORE 32 0 RETURN'));
    const all = await traced(ID, { stack: true, memory: true, storage: true });
    const { opcodes, ...summary } = all;
    expect(summary).toEqual({
      address: `0x${addressWord(CONTRACT).slice(2)}`,
      contract_id: '0.0.2001',
      failed: false,
      gas: 43_124,
      return_value: hexWord(9),
    });
    expect(opcodes.map(line)).toEqual([
      '0 2 PUSH1 78997 3',
      '0 4 PUSH1 78994 3',
      '0 5 SSTORE 56894 22100',
      '0 7 PUSH1 56891 3',
      '0 9 PUSH1 56888 3',
      '0 10 MSTORE 56882 6',
      '0 12 PUSH1 56879 3',
      '0 14 PUSH1 56876 3',
      '0 14 RETURN 56876 0',
    ]);
    expect(opcodes.map(({ stack }) => stack)).toEqual([
      [hexWord(7)],
      [hexWord(7), hexWord(3)],
      [],
      [hexWord(9)],
      [hexWord(9), hexWord(0)],
      [],
      [hexWord(32)],
      [hexWord(32), hexWord(0)],
      [],
    ]);
    expect(opcodes.map(({ memory }) => memory)).toEqual([...Array(5).fill([]), ...Array(4).fill([hexWord(9)])]);
    expect(opcodes.map(({ storage }) => storage)).toEqual([
      ...Array(2).fill({}),
      ...Array(7).fill({ [hexWord(3)]: hexWord(7) }),
    ]);
  });

  it('leaves out what was not asked for, without leaving out its members', async () => {
    await called(assemble('7 3 SSTORE 9 0 MSTORE'));
    const { opcodes } = await traced();
    for (const { stack, memory, storage, reason } of opcodes) {
      expect([stack, memory, storage, reason]).toEqual([[], [], {}, null]);
    }
    expect((await traced(ID, { storage: true })).opcodes.at(-1)).toMatchObject({
      stack: [],
      memory: [],
      storage: { [hexWord(3)]: hexWord(7) },
    });
  });

  it('shows calls of contracts, precompiles and system contracts', async () => {
    const call = (address: string, gas = 20_000): string => `0 0 4 0 0 ${address} ${gas} CALL POP`;
    // tinycentsToTinybars(uint256) of the exchange rate contract, for 24 tinycents.
    const rate = `0x${`2e3cff6a${'18'.padStart(64, '0')}`.padEnd(128, '0')}`;
    const [high, low] = [`0x${rate.slice(2, 66)}`, `0x${rate.slice(66)}`];
    await ledger.contract({ id: INNER, code: assemble('8 3 SSTORE 4 1 SSTORE') });
    await called(
      assemble(`7 3 SSTORE ${call(addressWord(4n))} ${high} 0 MSTORE ${low} 32 MSTORE
        32 64 36 0 0 ${addressWord(0x168n)} 20000 CALL POP ${call(addressWord(INNER), 60_000)} 64 MLOAD`),
      { gas: 200_000n },
    );
    const { opcodes, failed } = await traced(ID, { stack: true, storage: true });
    expect(failed).toBe(false);
    const native = opcodes.filter(({ op }) => op === '');
    expect(native.map(({ depth, gas_cost }) => [depth, gas_cost])).toEqual([
      [1, 18],
      [1, 100],
    ]);
    expect(
      native.every(({ stack, memory, storage }) => [...stack, ...memory, ...Object.keys(storage)].length === 0),
    ).toBe(true);
    expect(opcodes.filter(({ op }) => op === 'CALL').map(({ depth, stack }) => [depth, stack.at(-2)])).toEqual([
      [0, hexWord(4)],
      [0, hexWord(0x168)],
      [0, hexWord(INNER)],
    ]);
    expect(opcodes.filter(({ depth, op }) => depth === 1 && op !== '').map(({ op }) => op)).toEqual([
      'PUSH1',
      'PUSH1',
      'SSTORE',
      'PUSH1',
      'PUSH1',
      'SSTORE',
      'STOP',
    ]);
    // One map for all contracts, in which the lowest one's slot counts.
    expect(Object.entries(opcodes.at(-1)?.storage ?? {})).toEqual([
      [hexWord(1), hexWord(4)],
      [hexWord(3), hexWord(7)],
    ]);
    expect(opcodes.at(-2)?.stack).toEqual([hexWord(2)]);
  });

  it('of a failed transaction says why', async () => {
    await called(assemble('7 3 SSTORE 0xabcd 0 MSTORE 2 30 REVERT'));
    const { failed, return_value, opcodes, address, gas } = await traced(ID, { storage: true });
    expect({ failed, return_value, address, gas }).toEqual({
      failed: true,
      return_value: '0x',
      address: `0x${addressWord(CONTRACT).slice(2)}`,
      gas: 43_124,
    });
    expect(opcodes.at(-1)).toMatchObject({ op: 'REVERT', reason: '0xabcd', depth: 0, gas_cost: 0 });
    expect(opcodes.at(-2)?.reason).toBeNull();
  });

  it.each(['MAX_GAS_LIMIT_EXCEEDED', 'INVALID_CONTRACT_ID', 'INSUFFICIENT_PAYER_BALANCE', 'WRONG_NONCE'] as const)(
    'is none where the network executed nothing: %s',
    async (status) => {
      await called(returning('1'), { status, gasUsed: 0n });
      expect(await run(ID)).toEqual({ answer: { kind: 'not-executed', status }, sent: undefined });
      await ledger.clear();
      await ledger.begin();
      await called(returning('1'), { status });
      expect((await run(ID)).answer).toEqual({ kind: 'not-executed', status });
    },
  );

  it('is no success where the network recorded a failure that a run does not see', async () => {
    await called(returning('1'), { status: 'CONTRACT_REVERT_EXECUTED', gasUsed: 80_000n });
    const { failed, return_value, opcodes } = await traced();
    expect([failed, return_value]).toEqual([true, '0x']);
    expect(opcodes.at(-1)?.op).toBe('RETURN');
  });

  it.each([
    ['INVALID', 'INVALID'],
    ['ADD', 'ADD'],
    ['3 JUMP', 'PUSH1 JUMP'],
  ])('of one that halts shows all of it: %s', async (text, expected) => {
    await called(assemble(text));
    const body = await traced();
    expect([body.failed, body.gas, body.return_value]).toEqual([true, 100_000, '0x']);
    expect(names(body)).toBe(expected);
  });

  it('runs on the state before the transaction and in its block', async () => {
    await called(assemble('0 SLOAD NUMBER TIMESTAMP CALLER ORIGIN CALLVALUE'), { senderId: ALIASED, amount: 0n });
    await target.database.query(`
      insert into contract_state_change (consensus_timestamp, contract_id, payer_account_id, slot, value_read,
        value_written) values
        (${AT - 1n}, ${CONTRACT}, ${PAYER}, '', '\\x01', '\\x02'),
        (${AT}, ${CONTRACT}, ${PAYER}, '', '\\x02', '\\x03'),
        (${AT + 1n}, ${CONTRACT}, ${PAYER}, '', '\\x03', '\\x04')`);
    const { opcodes } = await traced(ID, { stack: true });
    const sender = `0x${ALIAS.padStart(64, '0')}`;
    expect(opcodes.at(-1)?.stack).toEqual([
      hexWord(2),
      hexWord(7),
      hexWord(BEGINNING / SECOND),
      sender,
      sender,
      hexWord(0),
    ]);
  });

  it('of a transaction beyond the known blocks runs in the newest', async () => {
    const at = BEGINNING + 500n * SECOND;
    await called(assemble('NUMBER'), { at });
    expect((await traced('0.0.1001-1700000499-0', { stack: true })).opcodes.at(-1)?.stack).toEqual([hexWord(7)]);
  });

  it('leaves nothing behind', async () => {
    await called(assemble('0 SLOAD 1 ADD DUP1 0 SSTORE'));
    const first = await traced(ID, { stack: true, storage: true });
    expect(first.opcodes.at(-1)?.storage).toEqual({ [hexWord(0)]: hexWord(1) });
    expect(await traced(ID, { stack: true, storage: true })).toEqual(first);
  });
});

describe('what is executed again', () => {
  const returnsData = assemble('CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 RETURN');
  const data = Uint8Array.of(1, 2, 3);
  const runtime = assemble('ORIGIN');
  const initCode = initCodeOf(runtime);

  it('is a call with its data', async () => {
    await called(returnsData, { parameters: data });
    expect((await traced()).return_value).toBe('0x010203');
  });

  it.each([ID, HASH, `0x${HASH}`])('is an Ethereum transaction with its data: %s', async (text) => {
    await ledger.contract({ id: CONTRACT, evmAddress: EVM_ADDRESS, code: returnsData });
    await ledger.result({ at: AT, type: ETHEREUM, contractId: CONTRACT, senderId: ALIASED });
    await ledger.ethereum({ at: AT, to: EVM_ADDRESS, callData: data });
    await ledger.hash(AT, HASH);
    const { address, contract_id, return_value } = await traced(text);
    expect([address, contract_id, return_value]).toEqual([`0x${EVM_ADDRESS}`, '0.0.2001', '0x010203']);
  });

  it('is an Ethereum transaction with data of a file', async () => {
    await ledger.contract({ id: CONTRACT, evmAddress: EVM_ADDRESS, code: returnsData });
    await ledger.result({ at: AT, type: ETHEREUM, contractId: CONTRACT, senderId: ALIASED });
    await ledger.ethereum({ at: AT, to: EVM_ADDRESS, callDataId: 3_001n });
    await ledger.file(3_001n, BEGINNING, 17, '010203');
    expect((await traced()).return_value).toBe('0x010203');
  });

  it.each([ID, HASH])('is a creation by HAPI: %s', async (text) => {
    await ledger.contract({ id: CREATED, createdAt: AT, code: runtime, initcode: initCode });
    await ledger.result({ at: AT, type: CONTRACT_CREATE, contractId: CREATED, parameters: data });
    await ledger.hash(AT, HASH);
    const body = await traced(text, { stack: true });
    expect(body).toMatchObject({
      address: `0x${addressWord(CREATED).slice(2)}`,
      contract_id: '0.0.2003',
      failed: false,
      return_value: hex(runtime),
    });
    expect(names(body)).toBe('PUSH2 DUP1 PUSH1 PUSH1 CODECOPY PUSH1 RETURN');
  });

  it('is a creation with value, which its constructor has', async () => {
    const paid = assemble('CALLVALUE 0 MSTORE 32 0 RETURN');
    await ledger.contract({ id: CREATED, createdAt: AT, code: runtime, initcode: paid });
    await ledger.result({ at: AT, type: CONTRACT_CREATE, contractId: CREATED, amount: 77n });
    expect(await traced()).toMatchObject({ failed: false, return_value: hexWord(77) });
  });

  it('is a creation from a file, whose constructor finds its arguments', async () => {
    const constructing = assemble('3 12 0 CODECOPY 3 0 RETURN');
    expect(constructing.length).toBe(12);
    await ledger.file(3_001n, BEGINNING, 17, Buffer.from(constructing).toString('hex'));
    await ledger.contract({ id: CREATED, createdAt: AT, fileId: 3_001n });
    await ledger.result({ at: AT, type: CONTRACT_CREATE, contractId: CREATED, parameters: data });
    expect(await traced()).toMatchObject({ failed: false, return_value: '0x010203' });
  });

  it('is a creation that failed, of no contract', async () => {
    const failedInitcode = assemble('0 0 REVERT');
    await ledger.result({ at: AT, type: CONTRACT_CREATE, contractId: 0n, failedInitcode });
    const body = await traced();
    expect(body).toMatchObject({
      address: `0x${'0'.repeat(40)}`,
      contract_id: null,
      failed: true,
      return_value: '0x',
    });
    expect(body.opcodes.at(-1)).toMatchObject({ op: 'REVERT', reason: '0x' });
  });

  it('is an Ethereum creation, at the address that it had', async () => {
    await ledger.contract({ id: CREATED, createdAt: AT, evmAddress: EVM_ADDRESS, code: runtime });
    await ledger.result({ at: AT, type: ETHEREUM, contractId: CREATED, senderId: ALIASED });
    await ledger.ethereum({ at: AT, callData: Uint8Array.of(...assemble('ADDRESS POP'), ...assemble('STOP')) });
    const { address, opcodes } = await traced(ID, { stack: true });
    expect(address).toBe(`0x${EVM_ADDRESS}`);
    expect(opcodes[0]).toMatchObject({ op: 'ADDRESS', stack: [`0x${EVM_ADDRESS.padStart(64, '0')}`] });
  });
});

describe('no trace', () => {
  it.each([
    [HASH, `Contract transaction hash not found: 0x${HASH}`],
    ['0.0.1001-1700000000-000000005', 'Transaction not found: 0.0.1001-1700000000000000005'],
  ])('is there of what is not there: %s', async (text, message) => {
    expect(await run(text)).toEqual({ answer: { kind: 'not-found', message }, sent: undefined });
  });

  it('is there of a transaction without a contract result', async () => {
    await ledger.transaction(AT, 14);
    expect(await run(ID)).toEqual({
      answer: { kind: 'not-found', message: `Contract result not found: ${AT}` },
      sent: undefined,
    });
  });

  it('is there on a ledger without blocks', async () => {
    await called(assemble('STOP'));
    await target.database.query('truncate record_file');
    expect((await run(ID)).answer).toMatchObject({ kind: 'not-found' });
  });

  it.each([
    [{ gas: 20_999n }, 'INSUFFICIENT_GAS'],
    [{ senderId: 9_999n }, 'PAYER_ACCOUNT_NOT_FOUND'],
    [{ contractId: 0n, parameters: Uint8Array.of(0) }, 'INVALID_CONTRACT_ID'],
    [{ contractId: 0n, type: CONTRACT_CREATE }, 'CONTRACT_BYTECODE_EMPTY'],
  ] as const)('is made of what never reached the EVM: %#', async (changes, status) => {
    await called(assemble('STOP'), changes);
    expect(await run(ID)).toEqual({ answer: { kind: 'not-executed', status }, sent: undefined });
  });

  it('is made past the deadline', async () => {
    await called(assemble('JUMPDEST 0 JUMP'), { gas: 15_000_000n });
    const { port1, port2 } = new MessageChannel();
    const reference = parseTraceReference(ID);
    if (reference === undefined) throw new Error('no reference');
    const flags = { stack: false, memory: false, storage: false };
    const first = takePieces(port1).next();
    const outcome = trace({ reference, ...flags, port: port2 }, performance.now() - 1);
    await expect(outcome).rejects.toMatchObject({ code: 'SIMULATION_TIMEOUT' });
    await expect(first).rejects.toThrow('The pieces ended before their end');
  });

  it.each(['before it begins', 'in the middle'])('is made for nobody: %s', async (moment) => {
    await called(assemble('JUMPDEST 0 JUMP'), { gas: 15_000_000n });
    const { port1, port2 } = new MessageChannel();
    const reference = parseTraceReference(ID);
    if (reference === undefined) throw new Error('no reference');
    const pieces = takePieces(port1);
    if (moment === 'before it begins') port1.close();
    const flags = { stack: true, memory: true, storage: true };
    const outcome = trace({ reference, ...flags, port: port2 }, performance.now() + 30_000);
    if (moment !== 'before it begins') {
      await pieces.next();
      await pieces.return(undefined);
    }
    expect(await outcome).toEqual({ kind: 'traced' });
  });
});
