import { describe, expect, it } from 'vitest';
import { entityRecord, type MemoryState } from '../state/testing/memory-reader.fixture.ts';
import { addressWord, assemble, CONTRACT_ID, ledgerOf, outputWord, returning, run } from './testing/engine.fixture.ts';
import { bytesToHex, wordToAddress } from './words.ts';

const RECEIVER_ID = 2_010n;
const TOKEN_ID = 2_011n;

const ledger = (code: Uint8Array, changes: MemoryState = {}) =>
  ledgerOf(code, {
    ...changes,
    entities: [
      entityRecord(RECEIVER_ID, { balance: 1n }),
      entityRecord(TOKEN_ID, { type: 'TOKEN' }),
      ...(changes.entities ?? []),
    ],
  });

/** Init code that deploys one STOP: MSTORE8 of nothing, then one byte of memory. */
const stopInit = `0x${bytesToHex(assemble('1 0 RETURN'))} 0 MSTORE`;
const create = (value = 0n): string => `${stopInit} 5 27 ${value} CREATE`;
const create2 = (salt: number): string => `${stopInit} ${salt} 5 27 0 CREATE2`;

describe('CREATE', () => {
  it('makes an address of creator and nonce, and a number behind the newest entity', async () => {
    const world = ledger(returning(`${create(3n)}`));
    const outcome = await run(world);
    // keccak(rlp([0x…07d2, 1]))
    const address = wordToAddress(outputWord(outcome));
    expect(address).toBe('69f34a81be6f94b82d6347e845bcae25ac974a37');
    expect(await world.entityAt(address)).toMatchObject({
      id: 3_012n,
      type: 'CONTRACT',
      evmAddress: address,
      nonce: 1n,
      balance: 3n,
    });
    expect(await world.code(3_012n)).toEqual(Uint8Array.of(0));
    expect(await world.entity(CONTRACT_ID)).toMatchObject({ nonce: 2n, balance: 67n });
  });

  it('pushes zero for value that is not there', async () => {
    const world = ledger(returning(create(71n)));
    expect(outputWord(await run(world))).toBe(0n);
    expect((await world.entity(CONTRACT_ID))?.nonce).toBe(1n);
  });

  it('gives revert data to its creator and takes back the number', async () => {
    const reverting = `0x${bytesToHex(assemble('7 0 MSTORE 32 0 REVERT'))} 0 MSTORE`;
    const world = ledger(
      assemble(
        `${reverting} 10 22 0 CREATE POP RETURNDATASIZE 0 0 RETURNDATACOPY ${stopInit.replace(' 0 MSTORE', ' 32 MSTORE')} 5 59 0 CREATE POP 32 0 RETURN`,
      ),
    );
    expect(outputWord(await run(world))).toBe(7n);
    expect(await world.entity(3_012n)).toMatchObject({ type: 'CONTRACT' });
    expect(await world.entity(3_013n)).toBeUndefined();
    expect((await world.entity(CONTRACT_ID))?.nonce).toBe(3n);
  });
});

describe('CREATE2', () => {
  const addressOf = async (): Promise<string> => wordToAddress(outputWord(await run(ledger(returning(create2(5))))));

  it('does not make a contract twice', async () => {
    const outcome = await run(ledger(returning(`${create2(5)} POP ${create2(5)}`)));
    expect(outputWord(outcome)).toBe(0n);
    const other = await run(ledger(returning(`${create2(5)} POP ${create2(6)}`)));
    expect(outputWord(other)).not.toBe(0n);
  });

  it('turns a hollow account into the contract, with its number and balance', async () => {
    const address = await addressOf();
    const world = ledger(returning(create2(5)), {
      entities: [entityRecord(2_500n, { evmAddress: address, balance: 11n, key: Uint8Array.of(0x32, 0) })],
    });
    expect(wordToAddress(outputWord(await run(world)))).toBe(address);
    expect(await world.entity(2_500n)).toMatchObject({
      type: 'CONTRACT',
      nonce: 1n,
      balance: 11n,
      evmAddress: address,
    });
  });

  it('leaves an account with a key alone', async () => {
    const world = ledger(returning(create2(5)), {
      entities: [entityRecord(2_500n, { evmAddress: await addressOf() })],
    });
    expect(outputWord(await run(world))).toBe(0n);
    expect((await world.entity(2_500n))?.type).toBe('ACCOUNT');
  });
});

describe('SELFDESTRUCT', () => {
  const destroy = (address: string) => assemble(`${address} SELFDESTRUCT`);

  it('gives the balance away and, since 0.50, leaves the contract', async () => {
    const world = ledger(destroy(addressWord(RECEIVER_ID)));
    expect(await run(world)).toMatchObject({ status: 'SUCCESS', gasUsed: 21_000n + 3n + 5_000n + 2_600n });
    expect(await world.entity(CONTRACT_ID)).toMatchObject({ balance: 0n });
    expect((await world.entity(RECEIVER_ID))?.balance).toBe(71n);
  });

  it('took the contract away before', async () => {
    const world = ledger(destroy(addressWord(RECEIVER_ID)));
    await run(world, { environment: { version: '0.46' } });
    expect(await world.entity(CONTRACT_ID)).toBeUndefined();
  });

  it('takes a contract away that the same run created', async () => {
    const init = assemble(`${addressWord(RECEIVER_ID)} SELFDESTRUCT`);
    const world = ledger(assemble('STOP'));
    const outcome = await run(world, { transaction: { to: undefined, data: init } });
    expect(outcome.status).toBe('SUCCESS');
    expect(await world.entity(outcome.createdId ?? 0n)).toBeUndefined();
  });

  it.each([
    ['OBTAINER_SAME_CONTRACT_ID', addressWord(CONTRACT_ID)],
    ['INVALID_SOLIDITY_ADDRESS', addressWord(750n)],
    ['INVALID_SOLIDITY_ADDRESS', addressWord(9_999n)],
    ['INVALID_SOLIDITY_ADDRESS', addressWord(TOKEN_ID)],
  ])('halts with %s', async (status, address) => {
    expect((await run(ledger(destroy(address)))).status).toBe(status);
  });

  it('is not for contracts that hold tokens', async () => {
    const world = ledger(destroy(addressWord(RECEIVER_ID)), {
      counts: [[CONTRACT_ID, { associations: 1, positiveBalances: 1 }]],
    });
    expect((await run(world)).status).toBe('CONTRACT_EXECUTION_EXCEPTION');
  });
});
