import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import type { AccountID } from '../protobuf/generated/services/basic_types.ts';
import { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { estimateFees } from './estimate.ts';
import { readLedgerState } from './ledger-state.ts';
import { readTransferEffects } from './receivers.ts';
import { defaultSchedule } from './schedule/default-schedule.ts';
import { parseTransaction } from './submitted-transaction.ts';
import { account, type BodyParts, token, transactionBytes } from './testing/transaction.fixture.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
const knownAddress = 'aa'.repeat(20);
const newAddress = 'bb'.repeat(20);
const knownKey = `1220${'cc'.repeat(32)}`;
const newKey = `1220${'dd'.repeat(32)}`;
const named = (hex: string): AccountID => ({
  shardNum: 0n,
  realmNum: 0n,
  account: { $case: 'alias', alias: bytes(hex) },
});
const numbered = (num: number): AccountID => account(BigInt(num));

let test: TestDatabase;
let context: Parameters<typeof readTransferEffects>[0];

/** 1001 has no room; 1002 has one place, which is taken; 1003 has one left; 1004 has room without end. */
beforeAll(async () => {
  test = await createTestDatabase();
  context = { db: test.database, shard: 0n, realm: 0n };
  const { database } = test;
  await database.query(
    `insert into entity (id, num, realm, shard, type, deleted, alias, evm_address, max_automatic_token_associations,
        timestamp_range)
      values (1001, 1001, 0, 0, 'ACCOUNT', false, $1, null, 0, '[1,)'),
        (1002, 1002, 0, 0, 'ACCOUNT', false, null, $2, 1, '[1,)'),
        (1003, 1003, 0, 0, 'ACCOUNT', false, null, null, 1, '[1,)'),
        (1004, 1004, 0, 0, 'ACCOUNT', false, null, null, -1, '[1,)'),
        (1005, 1005, 0, 0, 'ACCOUNT', true, null, $3, -1, '[1,)')`,
    [bytes(knownKey), bytes(knownAddress), bytes(newAddress)],
  );
  await database.query(
    `insert into token (token_id, type, created_timestamp, decimals, initial_supply, name, symbol, treasury_account_id,
        timestamp_range, freeze_status, kyc_status)
      select id, 'FUNGIBLE_COMMON', 1, 0, 0, 'a', 'A', 2, '[1,)', 0, 0 from unnest(array[7001, 7002, 7003]) id`,
  );
  await database.query(
    `insert into token_account (account_id, token_id, associated, automatic_association, timestamp_range)
      values (1002, 7001, true, true, '[1,)'), (1003, 7001, true, false, '[1,)'), (1004, 7001, false, true, '[1,)')`,
  );
});
afterAll(() => test.drop());

const transferOf = (
  hbars: readonly AccountID[],
  tokens: Readonly<Record<number, readonly AccountID[]>> = {},
): BodyParts => ({
  data: {
    $case: 'cryptoTransfer',
    cryptoTransfer: {
      transfers: {
        accountAmounts: [
          { accountID: numbered(1001), amount: -10n },
          ...hbars.map((accountID) => ({ accountID, amount: 1n })),
        ],
      },
      tokenTransfers: Object.entries(tokens).map(([num, receivers]) => ({
        token: token(BigInt(num)),
        transfers: [
          { accountID: numbered(1001), amount: -10n },
          ...receivers.map((accountID) => ({ accountID, amount: 1n })),
        ],
      })),
    },
  },
});
const effects = (...parts: Parameters<typeof transferOf>) =>
  readTransferEffects(context, TransactionBody.fromPartial(transferOf(...parts)));

describe('a transfer', () => {
  it('creates accounts for aliases that nobody living has', async () => {
    const known = [numbered(1001), numbered(9999), named(knownKey), named(knownAddress)];
    expect(await effects(known)).toEqual({ keyedAccounts: 0, hollowAccounts: 0, associations: 0 });
    const fresh = [named(newKey), named(newAddress), named('cd'.repeat(20)), named(newAddress)];
    expect(await effects(fresh)).toEqual({ keyedAccounts: 1, hollowAccounts: 2, associations: 0 });
  });

  it('creates none for the address of a num', async () => {
    expect(await effects([named('00'.repeat(18).concat('270f'))])).toMatchObject({ hollowAccounts: 0 });
  });

  it.each([
    [1001, 7001, 0],
    [1002, 7001, 0],
    [1002, 7002, 0],
    [1003, 7001, 0],
    [1003, 7002, 1],
    [1004, 7001, 1],
    [1004, 7009, 0],
    [1005, 7001, 0],
    [9999, 7001, 0],
  ])('to %i of token %i makes %i associations', async (receiver, num, associations) => {
    expect(await effects([], { [num]: [numbered(receiver)] })).toEqual({
      keyedAccounts: 0,
      hollowAccounts: 0,
      associations,
    });
  });

  it('associates each token once with each receiver, also with those that it creates', async () => {
    const receivers = [named(newAddress), numbered(1004), numbered(1004)];
    expect(await effects([named(newAddress)], { 7001: receivers, 7002: receivers, 7009: receivers })).toEqual({
      keyedAccounts: 0,
      hollowAccounts: 1,
      associations: 4,
    });
  });

  it('brings about nothing where it takes away', async () => {
    const body = TransactionBody.fromPartial({
      data: {
        $case: 'cryptoTransfer',
        cryptoTransfer: { transfers: { accountAmounts: [{ accountID: named(newAddress), amount: -1n }] } },
      },
    });
    expect(await readTransferEffects(context, body)).toMatchObject({ hollowAccounts: 0 });
  });
});

describe('an airdrop of NFTs', () => {
  it('associates with who has room', async () => {
    const nft = (receiver: number) => ({
      senderAccountID: numbered(1001),
      receiverAccountID: numbered(receiver),
      serialNumber: 1n,
    });
    const body = TransactionBody.fromPartial({
      data: {
        $case: 'tokenAirdrop',
        tokenAirdrop: { tokenTransfers: [{ token: token(7003n), nftTransfers: [nft(1001), nft(1003), nft(1004)] }] },
      },
    });
    expect(await readTransferEffects(context, body)).toMatchObject({ associations: 2 });
  });
});

describe('the estimate in state mode', () => {
  it('holds what the transfer brings about, each at the price of its own transaction', async () => {
    const parts = transferOf([named(newKey), named(newAddress)], { 7002: [numbered(1004)] });
    const transaction = parseTransaction(transactionBytes(parts));
    const state = await readLedgerState(context, transaction.body);
    if ('missing' in state) throw new Error(state.missing);
    const withState = estimateFees(defaultSchedule, transaction, state, 0n);
    const shown = withState.service.extras.map(({ name, charged, feePerUnit }) => [name, charged, feePerUnit]);
    expect(shown).toEqual([
      ['ACCOUNTS', 2n, 1_000_000n],
      ['TOKEN_TRANSFER_BASE', 1n, 9_000_000n],
      ['CREATED_ACCOUNTS', 2n, 500_000_000n],
      ['COMPLETED_ACCOUNTS', 1n, 2_200_000n],
      ['CREATED_AUTO_ASSOCIATIONS', 1n, 500_000_000n],
    ]);
    expect(withState.total).toBe(1_000_000n + 2_000_000n + 9_000_000n + 1_502_200_000n);
    const intrinsic = estimateFees(defaultSchedule, transaction, undefined, 0n);
    expect(intrinsic.total).toBe(1_000_000n + 2_000_000n + 1_000_000n);
  });
});
