import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { fromHex } from '../../ledger/bytes.ts';
import {
  blockIdentifier,
  blockStart,
  insertAccount,
  insertBalances,
  insertBlocks,
  insertTransaction,
  SNAPSHOT,
} from '../testing/ledger-rows.fixture.ts';
import { hbar, openRosetta, type RosettaFixture } from '../testing/rosetta.fixture.ts';

const KEY = '1220eba8cc093a83a4ca5e813e30d8c503babb35c22d57d34b6ec5ac0303a6aaba77';
const SECP_ALIAS = `3a2102${'11'.repeat(32)}`;

let target: TestDatabase;
let rosetta: RosettaFixture;

beforeAll(async () => {
  target = await createTestDatabase();
  rosetta = await openRosetta(target.database);
  const { database } = target;
  await insertBlocks(database);
  await insertBalances(database, { 2: 9_007_199_254_740_993n, 98: 33n, 1001: 1_000n });
  const key = fromHex(KEY) as Uint8Array;
  await insertAccount(database, { id: 1_001n, key });
  await insertAccount(database, { id: 1_002n, alias: key, key });
  await insertAccount(database, { id: 1_003n, alias: fromHex(SECP_ALIAS) as Uint8Array });
  await insertAccount(database, { id: 1_004n, deletedAt: blockStart(12) + 1n });
  await insertTransaction(database, { at: SNAPSHOT, hash: 1, transfers: [[1_001, -7n]] });
  await insertTransaction(database, {
    at: SNAPSHOT + 1n,
    hash: 2,
    transfers: [
      [1_001, -100n],
      [1_002, 60n],
      [1_004, 40n],
    ],
    spurious: [[1_001, -500n]],
  });
  await insertTransaction(database, {
    at: blockStart(12) + 1n,
    hash: 3,
    transfers: [
      [1_004, -40n],
      [1_001, 40n],
    ],
  });
});

afterAll(async () => {
  await rosetta?.stop();
  await target?.drop();
});

const balance = (address: string, index?: number) =>
  rosetta.ask('/account/balance', {
    account_identifier: { address },
    ...(index === undefined ? {} : { block_identifier: { index } }),
    currencies: [{ symbol: 'BTC', decimals: 1 }],
  });

describe('/account/balance', () => {
  it('is that of the end of a block, the latest without one', async () => {
    expect(await balance('0.0.1001', 11)).toEqual({
      status: 200,
      body: { block_identifier: blockIdentifier(11), balances: [hbar('900')], metadata: { public_key: `0x${KEY}` } },
    });
    expect((await balance('0.0.1001')).body).toMatchObject({
      block_identifier: blockIdentifier(13),
      balances: [hbar('940')],
    });
  });

  it('is exact, and that of a system account at genesis', async () => {
    expect((await balance('0.0.2', 11)).body).toEqual({
      block_identifier: blockIdentifier(11),
      balances: [hbar('9007199254740993')],
    });
    expect((await balance('0.0.98', 11)).body).toMatchObject({ balances: [hbar('33')] });
  });

  it('is found by an alias that is a key', async () => {
    expect((await balance(`0x${KEY}`)).body).toEqual({
      block_identifier: blockIdentifier(13),
      balances: [hbar('60')],
      metadata: { account_id: '0.0.1002', public_key: `0x${KEY}` },
    });
    expect((await balance(`0x${SECP_ALIAS}`)).body).toMatchObject({
      balances: [hbar('0')],
      metadata: { account_id: '0.0.1003' },
    });
    expect((await balance(`0x1220${'ab'.repeat(32)}`)).body).toEqual({
      block_identifier: blockIdentifier(13),
      balances: [hbar('0')],
    });
  });

  it('of an account that is deleted is what the deletion left', async () => {
    expect((await balance('0.0.1004', 11)).body).toMatchObject({ balances: [hbar('40')] });
    expect((await balance('0.0.1004', 12)).body).toMatchObject({ balances: [hbar('0')] });
  });

  it('of an account that nobody knows is nothing', async () => {
    expect((await balance('0.0.5555')).body).toEqual({ block_identifier: blockIdentifier(13), balances: [hbar('0')] });
  });

  it('is refused for addresses that are none', async () => {
    for (const address of ['0.0.x', '1.2', 'abc', '0xabc', `0x${'11'.repeat(20)}`, '0x', '0.0.99999999999999999999']) {
      expect((await balance(address)).body).toEqual({
        code: 102,
        message: 'Invalid Account provided',
        retriable: false,
      });
    }
    expect((await balance('')).body).toMatchObject({ code: 0, message: 'Account.Address is missing' });
    expect((await rosetta.ask('/account/balance')).body).toMatchObject({ code: 0, message: 'Account is nil' });
    expect((await balance('0.0.2', 10)).body).toMatchObject({ code: 101 });
  });
});

describe('/account/all-balances', () => {
  it('tells the same under both of its names', async () => {
    for (const path of ['/account/all-balances', '/account/all_balances']) {
      expect(await rosetta.ask(path, { account_identifier: { address: '0.0.98' } })).toEqual({
        status: 200,
        body: { block_identifier: blockIdentifier(13), account_balances: [{ balances: [hbar('33')] }] },
      });
      expect((await rosetta.ask(path)).body).toMatchObject({ code: 0, message: 'Account is nil' });
    }
  });
});
