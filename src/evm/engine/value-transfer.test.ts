import { describe, expect, it } from 'vitest';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { entityRecord, type MemoryState, tokenRecord } from '../state/testing/memory-reader.fixture.ts';
import { longZeroHex } from '../state/world.ts';
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
  worldOf,
} from './testing/engine.fixture.ts';

const ALIAS = 'ab'.repeat(20);
const TOKEN_ID = 2_012n;
const RECEIVER_ID = 2_013n;
const GUARDED_ID = 2_014n;
const MIDDLE_ID = 2_015n;
const KEY_CONTRACT_ID = 2_016n;

const contractKey = (num: bigint): Uint8Array =>
  Key.encode({
    key: {
      $case: 'contractID',
      contractID: { shardNum: 0n, realmNum: 0n, contract: { $case: 'contractNum', contractNum: num } },
    },
  }).finish();

const ledger = (code: Uint8Array, changes: MemoryState = {}) =>
  ledgerOf(code, {
    sender: { balance: 5n },
    entities: [
      entityRecord(RECEIVER_ID, { balance: 1n }),
      entityRecord(TOKEN_ID, { type: 'TOKEN' }),
      entityRecord(GUARDED_ID, { balance: 1n, receiverSigRequired: true, key: contractKey(KEY_CONTRACT_ID) }),
      contractRecord(MIDDLE_ID, { balance: 70n }),
      contractRecord(KEY_CONTRACT_ID, { balance: 70n }),
    ],
    tokens: [tokenRecord(TOKEN_ID)],
    ...changes,
  });

/** Calls with 0.1 Mgas and leaves the result. */
const call = (address: string, value: bigint, gas = 900_000): string => `0 0 0 0 ${value} ${address} ${gas} CALL`;

const sendTo = (to: string, value: bigint, version: '0.30' | '0.67' = '0.67') => {
  const world = ledger(assemble('STOP'));
  return { world, outcome: run(world, { transaction: { to, value }, environment: { version } }) };
};

describe('value sent by the transaction', () => {
  it('moves, and takes no more from an account than it has', async () => {
    const { world, outcome } = sendTo(longZeroHex(RECEIVER_ID), 100n);
    expect(await outcome).toMatchObject({ status: 'SUCCESS', gasUsed: 21_000n });
    expect((await world.entity(SENDER_ID))?.balance).toBe(0n);
    expect((await world.entity(RECEIVER_ID))?.balance).toBe(101n);
  });

  it('makes a hollow account of an unknown alias, for gas', async () => {
    const { world, outcome } = sendTo(ALIAS, 100n);
    expect(await outcome).toMatchObject({ status: 'SUCCESS', gasUsed: 21_000n + 586_854n });
    expect(await world.entityAt(ALIAS)).toMatchObject({ type: 'ACCOUNT', balance: 100n, key: undefined, nonce: 0n });
  });

  it.each([
    ['INVALID_ALIAS_KEY', longZeroHex(9_999n), '0.67'],
    ['INVALID_CONTRACT_ID', longZeroHex(750n), '0.67'],
    ['INVALID_CONTRACT_ID', longZeroHex(4n), '0.67'],
    ['LOCAL_CALL_MODIFICATION_EXCEPTION', longZeroHex(TOKEN_ID), '0.67'],
    ['INVALID_SIGNATURE', longZeroHex(GUARDED_ID), '0.67'],
    ['INVALID_CONTRACT_ID', ALIAS, '0.30'],
  ] as const)('ends with %s for %s', async (status, to, version) => {
    const { world, outcome } = sendTo(to, 100n, version);
    expect((await outcome).status).toBe(status);
    expect((await world.entity(SENDER_ID))?.balance).toBe(5n);
  });

  it('does not buy an account with too little gas', async () => {
    const outcome = await run(ledger(assemble('STOP')), { transaction: { to: ALIAS, value: 1n, gas: 607_853n } });
    expect(outcome).toMatchObject({ status: 'INSUFFICIENT_GAS', gasUsed: 607_853n });
  });
});

describe('the price of value for an account', () => {
  const priceFor = async (receiver: Parameters<typeof entityRecord>[1], number = RECEIVER_ID) => {
    const world = ledgerOf(assemble(call(addressWord(number), 1n)), { entities: [entityRecord(number, receiver)] });
    const outcome = await run(world);
    expect(outcome.status).toBe('SUCCESS');
    return outcome.gasUsed - 21_000n - 7n * 3n - 2_600n - 9_000n + 2_300n;
  };

  it.each([
    ['has nothing', {}, 25_000n],
    ['has a balance', { balance: 1n }, 0n],
    ['has sent a transaction', { nonce: 1n }, 0n],
    ['delegates its code', { delegationAddress: longZeroHex(KEY_CONTRACT_ID) }, 2_600n],
  ] as const)('that %s', async (_, receiver, price) => {
    expect(await priceFor(receiver)).toBe(price);
  });

  it('looks at the real balance of an account that collects fees', async () => {
    expect(await priceFor({}, 801n)).toBe(25_000n);
    expect(await priceFor({ balance: 5n }, 801n)).toBe(0n);
  });

  it('that feeds on a contract which destroys itself', async () => {
    const gasFor = async (balance: bigint) => {
      const world = ledgerOf(assemble(`${addressWord(RECEIVER_ID)} SELFDESTRUCT`), {
        entities: [entityRecord(RECEIVER_ID, { balance })],
      });
      return (await run(world)).gasUsed - 21_000n - 3n;
    };
    expect(await gasFor(1n)).toBe(7_600n);
    expect(await gasFor(0n)).toBe(32_600n);
  });
});

describe('value sent by a contract', () => {
  it.each([
    ['an account', addressWord(RECEIVER_ID), 70n, 1n],
    ['more than it has', addressWord(RECEIVER_ID), 71n, 0n],
    ['a missing number', addressWord(9_999n), 1n, 0n],
    ['a token', addressWord(TOKEN_ID), 1n, 0n],
    ['an unknown alias', `0x${ALIAS}`, 1n, 1n],
  ])('%s', async (_, address, value, expected) => {
    const outcome = await run(ledger(returning(call(address, value))));
    expect(outcome.status).toBe('SUCCESS');
    expect(outputWord(outcome)).toBe(expected);
  });

  it('lets the child use a stipend and gives back what is left', async () => {
    // Seven operands, a warm-up, the transfer; the stipend comes back unused.
    const outcome = await run(ledger(assemble(call(addressWord(RECEIVER_ID), 1n, 0))));
    expect(outcome.gasUsed).toBe(21_000n + 7n * 3n + 2_600n + 9_000n - 2_300n);
  });

  it('costs more for an account that has nothing', async () => {
    const world = worldOf({
      entities: [
        entityRecord(SENDER_ID),
        entityRecord(CONTRACT_ID, { type: 'CONTRACT', nonce: 1n, balance: 70n }),
        entityRecord(RECEIVER_ID),
      ],
      codes: [[CONTRACT_ID, assemble(call(addressWord(RECEIVER_ID), 1n, 0))]],
    });
    const outcome = await run(world, { environment: { minimumAccountBalance: 0n } });
    expect(outcome.gasUsed).toBe(21_000n + 7n * 3n + 2_600n + 9_000n + 25_000n - 2_300n);
  });

  it.each([4n, 0x16dn])('to system account %i takes all callers down', async (num) => {
    const world = ledger(returning(call(addressWord(MIDDLE_ID), 0n)), {
      codes: [[MIDDLE_ID, returning(call(addressWord(num), 1n))]],
    });
    const outcome = await run(world);
    expect(outcome).toMatchObject({ status: 'INVALID_CONTRACT_ID', output: new Uint8Array(), gasUsed: 1_000_000n });
  });

  it('to a receiver whose signature is missing takes one caller down', async () => {
    const direct = await run(ledger(returning(call(addressWord(GUARDED_ID), 1n))));
    expect(direct.status).toBe('INVALID_SIGNATURE');
    const nested = await run(
      ledger(returning(call(addressWord(MIDDLE_ID), 0n, 400_000)), {
        codes: [[MIDDLE_ID, returning(call(addressWord(GUARDED_ID), 1n))]],
      }),
    );
    expect(nested.status).toBe('SUCCESS');
    expect(outputWord(nested)).toBe(0n);
  });

  it('reaches such a receiver from the contract that is its key', async () => {
    const world = ledger(assemble('STOP'), {
      codes: [[KEY_CONTRACT_ID, returning(call(addressWord(GUARDED_ID), 1n))]],
    });
    const outcome = await run(world, { transaction: { to: longZeroHex(KEY_CONTRACT_ID) } });
    expect(outputWord(outcome)).toBe(1n);
  });

  // The second one is the contract of hooks, where none is running.
  it.each([600n, 0x16dn])('without value burns the gas given to system account %i', async (num) => {
    const outcome = await run(ledger(returning(call(addressWord(num), 0n, 50_000))));
    expect(outputWord(outcome)).toBe(1n);
    // Seven operands, a warm-up, what was forwarded, and 18 to return the result.
    expect(outcome.gasUsed).toBe(21_000n + 7n * 3n + 2_600n + 50_000n + 3n * 4n + 3n);
  });
});
