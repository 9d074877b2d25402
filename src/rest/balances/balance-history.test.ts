import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writtenBy } from '../../api/resource/testing/cells.fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { accountRoutes } from '../accounts/accounts.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { balanceFromTransfers, type PastBalance } from './balance-history.ts';
import { tokenBalance } from './token-balances.ts';

/** 2023-06-10T00:00:00Z */
const start = 1_686_355_200_000_000_000n;
const [account, fungible, nonFungible] = [1001, 7001, 7002];

let test: TestDatabase;
const at = (offset: number) => start + BigInt(offset);
const past = (offset: number, most = 10) =>
  balanceFromTransfers(BigInt(account), at(offset), most, { db: test.database });

const hbars = (offset: number, amount: number, errata: string | null = null) => ({
  consensus_timestamp: at(offset),
  entity_id: account,
  amount,
  payer_account_id: 2,
  errata,
});
const tokens = (offset: number, amount: number) => ({
  consensus_timestamp: at(offset),
  token_id: fungible,
  account_id: account,
  amount,
  payer_account_id: 2,
});
const serial = (serialNumber: number, owner: number, range: string) => ({
  token_id: nonFungible,
  serial_number: serialNumber,
  account_id: owner,
  timestamp_range: range,
  deleted: false,
});
const relation = (token: number, balance: number, associated: boolean, range: string) => ({
  account_id: account,
  token_id: token,
  associated,
  balance,
  timestamp_range: range,
});

/** With token balances as `token amount`, separated by commas. */
const legible = (past: PastBalance | undefined) =>
  past && {
    ...past,
    tokens: JSON.parse(writtenBy(tokenBalance.put, past.tokens))
      .map(
        ({ token_id, balance }: { token_id: string; balance: number }) => `${token_id.replace('0.0.', '')} ${balance}`,
      )
      .join(','),
  };

/** The account comes at 100 with 50, has 70 from 200, 65 from 400; its tokens move between. */
beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  await insertRows(database, 'record_file', [
    {
      name: 'first',
      load_start: 0,
      load_end: 0,
      hash: 'aa',
      prev_hash: '00',
      consensus_start: at(0),
      consensus_end: at(999),
      count: 1,
      digest_algorithm: 0,
      version: 6,
      file_hash: 'cc',
      index: 12,
    },
  ]);
  await insertRows(database, 'entity', [
    {
      id: account,
      num: account,
      realm: 0,
      shard: 0,
      type: 'ACCOUNT',
      balance: 65,
      balance_timestamp: at(400),
      created_timestamp: at(100),
      timestamp_range: `[${at(100)},)`,
    },
  ]);
  await insertRows(database, 'crypto_transfer', [
    hbars(100, 50),
    hbars(200, 25),
    hbars(200, -5),
    hbars(300, 1000, 'DELETE'),
    hbars(400, -5),
  ]);
  await insertRows(database, 'token_transfer', [tokens(150, 30), tokens(350, -10)]);
  await insertRows(database, 'nft', [serial(1, account, `[${at(250)},)`), serial(2, 2, `[${at(260)},)`)]);
  await insertRows(database, 'nft_history', [serial(2, account, `[${at(120)},${at(260)})`)]);
  await insertRows(database, 'token_account', [
    relation(fungible, 20, true, `[${at(110)},)`),
    relation(nonFungible, 1, true, `[${at(115)},)`),
  ]);
  await insertRows(database, 'account_balance', [{ account_id: 2, consensus_timestamp: at(50), balance: 1 }]);
});
afterAll(() => test.drop());

describe('the balance of an account that came after the snapshot', () => {
  it.each([
    [100, '50', 100, ''],
    [110, '50', 100, '7001 0'],
    [119, '50', 100, '7001 0,7002 0'],
    [149, '50', 120, '7001 0,7002 1'],
    [150, '50', 150, '7001 30,7002 1'],
    [200, '70', 200, '7001 30,7002 1'],
    [255, '70', 250, '7001 30,7002 2'],
    [260, '70', 260, '7001 30,7002 1'],
    [399, '70', 350, '7001 20,7002 1'],
    [900, '65', 400, '7001 20,7002 1'],
  ])('at %i is what its transfers give', async (offset, balance, reached, held) => {
    expect(legible(await past(offset))).toEqual({ balance, timestamp: at(reached).toString(), tokens: held });
  });

  it('shows as many tokens as asked for', async () => {
    expect(legible(await past(900, 1))?.tokens).toBe('7001 20');
  });

  it('is what an account shows at that time', async () => {
    const get = restRequests(accountRoutes, test.database, { now: at(1000) });
    const balanceAt = async (offset: number) =>
      (await get(`/api/v1/accounts/${account}?timestamp=${formatTimestamp(at(offset))}`)).json.balance;
    expect(await balanceAt(210)).toEqual({
      balance: 70,
      timestamp: formatTimestamp(at(200)),
      tokens: [
        { token_id: '0.0.7001', balance: 30 },
        { token_id: '0.0.7002', balance: 1 },
      ],
    });
    const { json } = await get(`/api/v1/accounts/${account}?timestamp=gt:${formatTimestamp(at(60))}`);
    expect(json.balance).toMatchObject({ balance: 65, timestamp: formatTimestamp(at(400)) });
  });
});

describe('nothing is said', () => {
  const undo: string[] = [];
  const change = async (text: string, back: string) => {
    undo.push(back);
    await test.database.query(text);
  };
  afterEach(async () => {
    for (const text of undo.splice(0)) await test.database.query(text);
  });

  it('when the transfers are not all there', async () => {
    await change('update entity set balance = 66', 'update entity set balance = 65');
    expect(await past(900)).toBeUndefined();
    const get = restRequests(accountRoutes, test.database, { now: at(1000) });
    const { json } = await get(`/api/v1/accounts/${account}?timestamp=${formatTimestamp(at(210))}`);
    expect(json.balance).toEqual({ balance: 0, timestamp: formatTimestamp(at(50)), tokens: [] });
  });

  it('when tokens do not add up', async () => {
    await change(
      `update token_account set balance = 2 where token_id = ${nonFungible}`,
      `update token_account set balance = 1 where token_id = ${nonFungible}`,
    );
    expect(await past(900)).toBeUndefined();
  });

  it('when the blocks begin later than the account, but for the first block of all', async () => {
    await change(
      `update record_file set consensus_start = ${at(101)}`,
      `update record_file set consensus_start = ${at(0)}`,
    );
    expect(await past(900)).toBeUndefined();
    await change('update record_file set index = 0', 'update record_file set index = 12');
    expect((await past(900))?.balance).toBe('65');
  });

  it('of a time before the account', async () => {
    expect(await past(99)).toBeUndefined();
  });

  it('of an account with very many transfers', async () => {
    await change(
      `insert into crypto_transfer (consensus_timestamp, entity_id, amount, payer_account_id)
        select ${at(500)} + n, ${account}, 0, 2 from generate_series(1, 10000) n`,
      `delete from crypto_transfer where consensus_timestamp > ${at(500)}`,
    );
    expect(await past(900)).toBeUndefined();
  });
});
