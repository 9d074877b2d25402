import { describe, expect, it } from 'vitest';
import { entityRecord, type MemoryState } from '../state/testing/memory-reader.fixture.ts';
import { longZeroHex } from '../state/world.ts';
import {
  assemble,
  BLOCK_HASH,
  CONTRACT_ID,
  initCodeOf,
  ledgerOf,
  outputWord,
  returning,
  run,
  SENDER_ID,
} from './testing/engine.fixture.ts';
import { bytesToHex } from './words.ts';

const ALIAS = 'ab'.repeat(20);
const INFLATED = 100_000_000_000_000_000n;

const ledger = (code: Uint8Array, changes: MemoryState = {}) => ledgerOf(code, { ...changes, sender: { balance: 5n } });

describe('before the first instruction', () => {
  const world = ledger(returning('1'));

  it.each([
    ['CONTRACT_BYTECODE_EMPTY', { to: undefined }],
    ['CONTRACT_BYTECODE_EMPTY', { to: '0'.repeat(40) }],
    ['TRANSACTION_OVERSIZE', { data: new Uint8Array(131_073), gas: 15_000_000n }],
    ['PAYER_ACCOUNT_NOT_FOUND', { from: ALIAS }],
    ['PAYER_ACCOUNT_NOT_FOUND', { from: longZeroHex(9_999n) }],
    ['PAYER_ACCOUNT_NOT_FOUND', { from: '0'.repeat(40), value: 1n }],
    ['INSUFFICIENT_GAS', { gas: 21_015n, data: Uint8Array.of(1) }],
    ['INSUFFICIENT_PAYER_BALANCE', { value: INFLATED + 1n }],
  ] as const)('stops with %s', async (status, transaction) => {
    expect(await run(world, { transaction })).toEqual({
      status,
      output: new Uint8Array(),
      executed: false,
      gasUsed: 0n,
      refund: 0n,
      childStatuses: [],
      logs: [],
      createdId: undefined,
      address: undefined,
    });
  });

  it('looks at real balances when asked to', async () => {
    const rich = ledger(returning('1'), { entities: [entityRecord(2_005n, { balance: 7_100_005n })] });
    const validated = (value: bigint, gas = 100_000n) =>
      run(rich, {
        transaction: { from: longZeroHex(2_005n), value, gas },
        environment: { payment: { gas, gasPrice: 71n }, minimumAccountBalance: INFLATED },
      });
    expect(await validated(5n)).toMatchObject({ status: 'SUCCESS', payerBalance: 7_100_005n });
    expect((await validated(6n)).status).toBe('INSUFFICIENT_PAYER_BALANCE');
    expect((await validated(0n, 100_001n)).status).toBe('INSUFFICIENT_PAYER_BALANCE');
  });

  it('names the first of several faults', async () => {
    const creation = (from: string, gas: bigint) => run(world, { transaction: { from, to: undefined, gas } });
    expect((await creation(longZeroHex(9_999n), 21_000n)).status).toBe('PAYER_ACCOUNT_NOT_FOUND');
    expect((await creation(longZeroHex(SENDER_ID), 52_999n)).status).toBe('INSUFFICIENT_GAS');
    expect((await creation(longZeroHex(SENDER_ID), 53_000n)).status).toBe('CONTRACT_BYTECODE_EMPTY');
  });

  it('takes call data of the largest size', async () => {
    const outcome = await run(world, { transaction: { data: new Uint8Array(131_072), gas: 15_000_000n } });
    expect(outcome.status).toBe('SUCCESS');
  });
});

describe('the sender', () => {
  const senders = ledger(returning('CALLER ORIGIN EQ CALLER MUL'), {
    entities: [entityRecord(2_003n, { evmAddress: ALIAS }), entityRecord(2_004n, { type: 'CONTRACT', nonce: 1n })],
  });
  it.each([
    ['its number', longZeroHex(SENDER_ID), SENDER_ID],
    ['its alias when it is named by number', longZeroHex(2_003n), BigInt(`0x${ALIAS}`)],
    ['its alias', ALIAS, BigInt(`0x${ALIAS}`)],
    ['the treasury without a sender', undefined, 2n],
    ['the treasury for the zero address', '0'.repeat(40), 2n],
    ['a contract itself', longZeroHex(2_004n), 2_004n],
  ])('is %s', async (_, from, expected) => {
    expect(outputWord(await run(senders, { transaction: { from } }))).toBe(expected);
  });
});

describe('a creation with value', () => {
  const deploys = (text: string) => assemble(`${text} 0 MSTORE 32 0 RETURN`);

  it('gives it to the contract before its init code runs', async () => {
    const world = ledgerOf(assemble('STOP'), { sender: { balance: 50n } });
    const outcome = await run(world, {
      transaction: { to: undefined, value: 40n, data: deploys('CALLVALUE SELFBALANCE ADD') },
    });
    expect(outcome.status).toBe('SUCCESS');
    expect(outputWord(outcome)).toBe(80n);
    expect(await world.entity(outcome.createdId ?? 0n)).toMatchObject({ type: 'CONTRACT', balance: 40n });
    expect((await world.entity(SENDER_ID))?.balance).toBe(10n);
  });

  it('fails where the constructor takes none, and gives it back', async () => {
    const world = ledgerOf(assemble('STOP'), { sender: { balance: 50n } });
    // Reverts for any value, as constructors that are not payable do.
    const data = assemble('CALLVALUE 7 JUMPI STOP STOP STOP JUMPDEST 0 0 REVERT');
    const outcome = await run(world, { transaction: { to: undefined, value: 1n, data } });
    expect(outcome.status).toBe('CONTRACT_REVERT_EXECUTED');
    expect((await world.entity(SENDER_ID))?.balance).toBe(50n);
    expect((await run(world, { transaction: { to: undefined, data } })).status).toBe('SUCCESS');
  });

  it('lets the constructor pass it on', async () => {
    const world = ledger(assemble('STOP'), { entities: [entityRecord(2_003n, { balance: 1n })] });
    const data = assemble(`0 0 0 0 30 0x${longZeroHex(2_003n)} 50000 CALL 0 MSTORE 32 0 RETURN`);
    const outcome = await run(world, { transaction: { to: undefined, value: 40n, data } });
    expect(outputWord(outcome)).toBe(1n);
    expect((await world.entity(2_003n))?.balance).toBe(31n);
    expect((await world.entity(outcome.createdId ?? 0n))?.balance).toBe(10n);
  });

  it('has the address of its contract warm from the start', async () => {
    const { gasUsed } = await run(ledger(assemble('STOP')), {
      transaction: { to: undefined, data: assemble('ADDRESS BALANCE STOP') },
    });
    expect(gasUsed).toBe(53_000n + 3n * 16n - 16n + 4n + 2n + 100n);
  });
});

describe('a call', () => {
  it('charges intrinsic gas and what was burned', async () => {
    // 3 PUSH, MSTORE with one word of memory, 2 PUSH: 3 + 3 + 3 + 3 + 3 + 3; call data 16 + 4.
    const outcome = await run(ledger(returning('7')), { transaction: { data: Uint8Array.of(1, 0) } });
    expect(outcome).toMatchObject({ status: 'SUCCESS', executed: true, gasUsed: 21_038n, childStatuses: [] });
    expect(outputWord(outcome)).toBe(7n);
    expect(outcome.address).toBe(longZeroHex(CONTRACT_ID));
  });

  it('reaches a contract with an alias also by its number', async () => {
    const world = ledger(returning('1'), {
      entities: [entityRecord(2_003n, { type: 'CONTRACT', evmAddress: ALIAS })],
      codes: [[2_003n, returning('ADDRESS')]],
    });
    const outcome = await run(world, { transaction: { to: longZeroHex(2_003n) } });
    expect(outputWord(outcome)).toBe(BigInt(`0x${ALIAS}`));
    expect(outcome.address).toBe(ALIAS);
  });

  it.each([longZeroHex(9_999n), ALIAS])('of nothing succeeds with empty output', async (to) => {
    expect(await run(ledger(returning('1')), { transaction: { to } })).toMatchObject({
      status: 'SUCCESS',
      output: new Uint8Array(),
      gasUsed: 21_000n,
      address: undefined,
    });
  });

  it('of nothing failed before version 0.46', async () => {
    const transaction = { to: longZeroHex(9_999n) };
    const outcome = await run(ledger(returning('1')), { transaction, environment: { version: '0.38' } });
    expect(outcome).toMatchObject({ status: 'INVALID_CONTRACT_ID', executed: false });
  });

  it.each([
    ['CONTRACT_REVERT_EXECUTED', '0x0102 0 MSTORE 2 30 REVERT', '0102'],
    [
      'MAX_CHILD_RECORDS_EXCEEDED',
      `0x${Buffer.from('MAX_CHILD_RECORDS_EXCEEDED').toString('hex')} 0 MSTORE 26 6 REVERT`,
      Buffer.from('MAX_CHILD_RECORDS_EXCEEDED').toString('hex'),
    ],
    ['CONTRACT_EXECUTION_EXCEPTION', 'INVALID', ''],
    ['CONTRACT_EXECUTION_EXCEPTION', 'ADD', ''],
    ['CONTRACT_EXECUTION_EXCEPTION', '1 JUMP', ''],
    ['CONTRACT_EXECUTION_EXCEPTION', '1 0 0 RETURNDATACOPY', ''],
    ['INSUFFICIENT_GAS', '1 0xffffffff MSTORE', ''],
  ])('ends with %s', async (status, text, output) => {
    const outcome = await run(ledger(assemble(text)), { transaction: { gas: 100_000n } });
    expect(outcome).toMatchObject({ status, executed: true });
    expect(bytesToHex(outcome.output)).toBe(output);
    if (output === '') expect(outcome.gasUsed).toBe(100_000n);
  });

  it('refunds a fifth of the gas at most', async () => {
    const world = () =>
      ledger(assemble('0 1 SSTORE 0 2 SSTORE'), {
        slots: [1n, 2n].map(
          (slot) => [CONTRACT_ID, slot.toString(16).padStart(64, '0'), '1'.padStart(64, '0')] as const,
        ),
      });
    // 21,000 + 2 × (3 + 3 + 5,000) = 31,012; two clearings would refund 9,600.
    expect((await run(world())).gasUsed).toBe(31_012n - 6_202n);
  });

  it('leaves what it wrote in the world, and nothing of what it reverted', async () => {
    const slot = '1'.padStart(64, '0');
    const kept = ledger(assemble('9 1 SSTORE'));
    await run(kept);
    expect(await kept.slot(CONTRACT_ID, slot)).toBe('9'.padStart(64, '0'));
    const undone = ledger(assemble('9 1 SSTORE 0 0 REVERT'));
    await run(undone);
    expect(await undone.slot(CONTRACT_ID, slot)).toBe('0'.repeat(64));
    expect([...undone.changedSlots()]).toEqual([]);
  });

  it('gives its logs', async () => {
    const { logs } = await run(ledger(assemble('0xbeef 0 MSTORE 5 4 2 30 LOG2')));
    expect(logs).toEqual([
      {
        address: longZeroHex(CONTRACT_ID),
        topics: [4, 5].map((topic) => Uint8Array.from([...new Array<number>(31).fill(0), topic])),
        data: Uint8Array.of(0xbe, 0xef),
      },
    ]);
  });

  it('stops when it is interrupted', async () => {
    const looping = run(ledger(assemble('JUMPDEST 0 JUMP')), {
      transaction: { gas: 1_000_000_000n },
      environment: { isInterrupted: () => true },
    });
    await expect(looping).rejects.toMatchObject({ code: 'SIMULATION_INTERRUPTED' });
  });

  it('stops at its deadline', async () => {
    const forever = ledger(assemble('JUMPDEST 0 JUMP'));
    const late = run(forever, {
      transaction: { gas: 15_000_000n },
      environment: { deadlineMs: performance.now() - 1 },
    });
    await expect(late).rejects.toMatchObject({ code: 'SIMULATION_TIMEOUT', retryable: true });
  });

  it('runs the code that its account delegates to, in its own name', async () => {
    const world = ledger(returning('1'), {
      entities: [entityRecord(2_003n, { delegationAddress: longZeroHex(CONTRACT_ID) })],
      codes: [[CONTRACT_ID, returning('ADDRESS')]],
    });
    expect(outputWord(await run(world, { transaction: { to: longZeroHex(2_003n) } }))).toBe(2_003n);
  });

  it('looks for no account at the address of a precompiled contract', async () => {
    const code = assemble('0 0 0 0 4 GAS STATICCALL');
    const world = ledger(code, { entities: [entityRecord(4n, { delegationAddress: longZeroHex(2_003n) })] });
    expect((await run(world)).gasUsed).toBe((await run(ledger(code))).gasUsed);
  });
});

describe('the block', () => {
  const hash = BigInt(`0x${bytesToHex(BLOCK_HASH.subarray(0, 32))}`);
  it.each([
    ['NUMBER', 500n],
    ['TIMESTAMP', 1_700_000_000n],
    ['COINBASE', 0x62n],
    ['BASEFEE', 0n],
    ['GASLIMIT', 1_000_000n],
    ['PRNGSEED', hash],
    ['CHAINID', 296n],
    ['GASPRICE', 71n],
    ['BLOBBASEFEE', 1n],
    ['3 BLOBHASH', 0n],
    ['500 BLOCKHASH', 500n],
    ['1 BLOCKHASH', 1n],
    ['501 BLOCKHASH', 0n],
    ['499 BLOCKHASH', 0n],
  ])('%s', async (text, expected) => {
    const blockHash = async (number: bigint) =>
      number === 499n ? undefined : Uint8Array.from(Buffer.from(number.toString(16).padStart(64, '0'), 'hex'));
    expect(outputWord(await run(ledger(returning(text)), { environment: { blockHash } }))).toBe(expected);
  });
});

describe('a creation', () => {
  it('gives the contract a number behind the newest entity', async () => {
    const world = ledger(returning('1'));
    const runtime = returning('SELFBALANCE CALLVALUE ADD');
    const outcome = await run(world, { transaction: { to: undefined, data: initCodeOf(runtime) } });
    expect(outcome).toMatchObject({ status: 'SUCCESS', createdId: 3_003n, address: longZeroHex(3_003n) });
    expect(outcome.output).toEqual(runtime);
    expect(await world.code(3_003n)).toEqual(runtime);
    expect(await world.entity(3_003n)).toMatchObject({
      type: 'CONTRACT',
      nonce: 1n,
      balance: 0n,
      evmAddress: undefined,
    });
    expect((await world.entity(SENDER_ID))?.nonce).toBe(0n);
    expect(outputWord(await run(world, { transaction: { to: longZeroHex(3_003n) } }))).toBe(0n);
  });

  it('charges for its data and its code', async () => {
    const data = initCodeOf(assemble('STOP'));
    const bytesGas = data.reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 0n);
    const outcome = await run(ledger(returning('1')), { transaction: { to: undefined, data } });
    // 5 PUSH, DUP1, CODECOPY of a word, RETURN: 4 × 3 + 3 + 3 + 3 + 3; one byte of code 200.
    expect(outcome.gasUsed).toBe(21_000n + 32_000n + bytesGas + 24n + 200n);
  });

  it.each([
    ['CONTRACT_EXECUTION_EXCEPTION', '0xef 0 MSTORE8 1 0 RETURN'],
    ['CONTRACT_EXECUTION_EXCEPTION', '24577 0 RETURN'],
    ['CONTRACT_REVERT_EXECUTED', '0 0 REVERT'],
    ['INSUFFICIENT_GAS', '10000 0 RETURN'],
  ])('fails with %s and leaves nothing', async (status, text) => {
    const world = ledger(returning('1'));
    const gas = text.startsWith('10000') ? 500_000n : 15_000_000n;
    const outcome = await run(world, { transaction: { to: undefined, data: assemble(text), gas } });
    expect(outcome).toMatchObject({ status, createdId: undefined, address: undefined });
    expect(await world.entity(3_003n)).toBeUndefined();
  });

  it('may hold more init code than Ethereum allows', async () => {
    const data = new Uint8Array(100_000);
    data.set(initCodeOf(assemble('STOP')));
    const outcome = await run(ledger(returning('1')), { transaction: { to: undefined, data, gas: 15_000_000n } });
    expect(outcome.status).toBe('SUCCESS');
  });
});
