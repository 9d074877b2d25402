import { describe, expect, it } from 'vitest';
import { entityRecord, type MemoryState, tokenRecord } from '../state/testing/memory-reader.fixture.ts';
import { longZeroHex } from '../state/world.ts';
import {
  addressWord,
  assemble,
  contractRecord,
  ledgerOf,
  outputWord,
  type RunOptions,
  returning,
  run,
} from './testing/engine.fixture.ts';

const ALIAS = 'ab'.repeat(20);
const EMPTY_HASH = 0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470n;
const STOP_HASH = 0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98an;

const ACCOUNT_ID = 2_010n;
const ALIASED_ID = 2_011n;
const TOKEN_ID = 2_012n;
const SCHEDULE_ID = 2_013n;
const OTHER_ID = 2_014n;

const ledger = (code: Uint8Array, changes: MemoryState = {}) =>
  ledgerOf(code, {
    entities: [
      entityRecord(ACCOUNT_ID, { balance: 33n }),
      entityRecord(ALIASED_ID, { balance: 44n, evmAddress: ALIAS }),
      entityRecord(TOKEN_ID, { type: 'TOKEN' }),
      entityRecord(SCHEDULE_ID, { type: 'SCHEDULE' }),
      contractRecord(OTHER_ID),
      entityRecord(98n, { balance: 1_000n }),
      entityRecord(750n, { balance: 1_000n }),
      entityRecord(751n, { balance: 9n }),
      entityRecord(800n, { balance: 8n }),
      ...(changes.entities ?? []),
    ],
    tokens: [tokenRecord(TOKEN_ID)],
    codes: [[OTHER_ID, assemble('STOP')], ...(changes.codes ?? [])],
  });

const read = async (text: string, options?: RunOptions): Promise<bigint> =>
  outputWord(await run(ledger(returning(text)), options));

describe('what contracts read of an address', () => {
  it.each([
    ['a system account', addressWord(750n), [0n, 0n, 0n]],
    ['the first account behind them', addressWord(751n), [9n, 0n, 0n]],
    ['a system contract', addressWord(0x167n), [0n, 0n, 0n]],
    ['the last reserved number', addressWord(1_000n), [0n, 0n, 0n]],
    ['an account without alias', addressWord(ACCOUNT_ID), [33n, 0n, EMPTY_HASH]],
    ['an alias', `0x${ALIAS}`, [44n, 0n, EMPTY_HASH]],
    ['the number of an account with an alias', addressWord(ALIASED_ID), [0n, 0n, 0n]],
    ['a contract', addressWord(OTHER_ID), [0n, 1n, STOP_HASH]],
    ['nothing', addressWord(9_999n), [0n, 0n, 0n]],
    ['an unknown alias', `0x${'cd'.repeat(20)}`, [0n, 0n, 0n]],
    ['a fee collection account', addressWord(800n), [8n, 0n, 0n]],
  ])('%s', async (_, address, [balance, size, hash]) => {
    expect(await read(`${address} BALANCE`)).toBe(balance);
    expect(await read(`${address} EXTCODESIZE`)).toBe(size);
    expect(await read(`${address} EXTCODEHASH`)).toBe(hash);
  });

  it('is the contract itself without looking at its number', async () => {
    expect(await read('SELFBALANCE')).toBe(70n);
    expect(await read('ADDRESS BALANCE')).toBe(70n);
  });

  it('costs more the first time', async () => {
    const gasOf = async (text: string) => (await run(ledger(assemble(text)))).gasUsed - 21_000n;
    expect(await gasOf(`${addressWord(ACCOUNT_ID)} BALANCE`)).toBe(2_603n);
    expect(await gasOf(`${addressWord(ACCOUNT_ID)} DUP1 BALANCE POP BALANCE`)).toBe(3n + 3n + 2_600n + 2n + 100n);
    expect(await gasOf('ADDRESS BALANCE')).toBe(102n);
    expect(await gasOf('CALLER BALANCE')).toBe(102n);
    expect(await gasOf(`${addressWord(9n)} BALANCE`)).toBe(103n);
  });

  it.each([
    ['BALANCE', addressWord(0n), 100n],
    ['BALANCE', addressWord(0x167n), 100n],
    ['BALANCE', addressWord(750n), 100n],
    ['BALANCE', addressWord(751n), 2_600n],
    ['EXTCODESIZE', addressWord(0n), 100n],
    ['EXTCODESIZE', addressWord(1_000n), 100n],
    ['EXTCODEHASH', addressWord(0x167n), 100n],
    ['EXTCODEHASH', addressWord(1_001n), 2_600n],
  ])('costs little where it is answered without looking: %s %s', async (op, address, gas) => {
    const outcome = await run(ledger(assemble(`${address} ${op}`)));
    expect(outcome.gasUsed).toBe(21_000n + 3n + gas);
  });

  it('is as cold as before where it was answered without looking', async () => {
    // A second EXTCODESIZE is answered likewise; BALANCE of 751 is the first to look, and warms for the one after.
    const text = `${addressWord(751n)} DUP1 DUP1 DUP1 EXTCODESIZE POP EXTCODESIZE POP BALANCE POP BALANCE`;
    const { gasUsed } = await run(ledger(assemble(text)));
    expect(gasUsed).toBe(21_000n + 3n + 3n * 3n + 3n * 2n + 100n + 100n + 2_600n + 100n);
    const copying = await run(ledger(assemble(`0 0 0 ${addressWord(5n)} EXTCODECOPY`)));
    expect(copying.gasUsed).toBe(21_000n + 4n * 3n + 100n);
  });

  it('cost as any access before 0.38', async () => {
    const { gasUsed } = await run(ledger(assemble(`${addressWord(750n)} EXTCODESIZE`)), {
      environment: { version: '0.34' },
    });
    expect(gasUsed).toBe(21_000n + 3n + 2_600n);
  });

  it('copies code and zeros behind it', async () => {
    expect(await read(`0 NOT 0 MSTORE 32 0 0 ${addressWord(OTHER_ID)} EXTCODECOPY 0 MLOAD`)).toBe(0n);
    expect(await read(`0 NOT 0 MSTORE 1 0 0 ${addressWord(OTHER_ID)} EXTCODECOPY 0 MLOAD`)).toBe((1n << 248n) - 1n);
  });

  it.each([addressWord(9_999n), `0x${ALIAS.replace('ab', 'cd')}`])(
    'halts for nothing before 0.46: %s',
    async (address) => {
      for (const op of ['BALANCE', 'EXTCODESIZE', 'EXTCODEHASH']) {
        const outcome = await run(ledger(returning(`${address} ${op}`)), { environment: { version: '0.38' } });
        expect(outcome.status).toBe('INVALID_SOLIDITY_ADDRESS');
      }
    },
  );

  it('had no system accounts before 0.38', async () => {
    expect(await read(`${addressWord(750n)} BALANCE`, { environment: { version: '0.34' } })).toBe(1_000n);
    expect(await read(`${addressWord(750n)} BALANCE`, { environment: { version: '0.38' } })).toBe(0n);
  });
});

describe('facades', () => {
  const token = longZeroHex(TOKEN_ID);
  const facade = (contract: string, selector: string, address: string) =>
    `6080604052348015600f57600080fd5b506000${contract}905077${selector}${address}600052366000602037600080366018016008845a` +
    'f43d806000803e8160008114605857816000f35b816000fdfea2646970667358221220d8378feed472ba49a0005514ef7087017f707b45fb9b' +
    'f56bb81bb93ff19a238b64736f6c634300080b0033';

  it.each([
    ['a token', TOKEN_ID, facade('610167', '618dc65e', token)],
    ['a schedule', SCHEDULE_ID, facade('61016b', '5c3889ca', longZeroHex(SCHEDULE_ID))],
  ])('%s shows its code and no balance', async (_, id, expected) => {
    const length = expected.length / 2;
    const copied = await run(ledger(assemble(`${length} 0 0 ${addressWord(id)} EXTCODECOPY ${length} 0 RETURN`)));
    expect(Buffer.from(copied.output).toString('hex')).toBe(expected);
    expect(await read(`${addressWord(id)} EXTCODESIZE`)).toBe(BigInt(length));
    expect(await read(`${addressWord(id)} BALANCE`)).toBe(0n);
  });

  it('an account that delegates shows where to', async () => {
    const world = ledger(returning(`${addressWord(2_020n)} EXTCODESIZE`), {
      entities: [entityRecord(2_020n, { delegationAddress: longZeroHex(OTHER_ID) })],
    });
    expect(outputWord(await run(world))).toBe(23n);
  });
});
