import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { electorateOf } from '../../sources/testing/stream-folder.fixture.ts';
import { balanceFileName, csvV2 } from '../../streams/testing/balance-file.fixture.ts';
import { makeNodes } from '../../streams/testing/network.fixture.ts';
import { type BalanceFolder, importBalances, makeBalanceFolder } from './testing/balance-folder.fixture.ts';

const nodes = makeNodes(4);
const electorate = electorateOf(nodes);
/** A balance file; blocks lie around it. */
const T = 1_600_000_000_000_000_000n;
const SECOND = 1_000_000_000n;

const tables = [
  'account_balance_file',
  'account_balance',
  'token_balance',
  'record_file',
  'entity',
  'token_account',
  'crypto_transfer',
  'token_transfer',
  'transaction',
  'kagami.initial_balances',
];

let target: TestDatabase;
let folder: BalanceFolder;
beforeAll(async () => {
  target = await createTestDatabase();
});
afterAll(() => target.drop());
beforeEach(async () => {
  for (const table of tables) await target.database.query(`delete from ${table}`);
  folder = makeBalanceFolder();
});
afterEach(() => folder.remove());

const insertBlock = (start: bigint, end: bigint) =>
  target.database.query(
    `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, file_hash, index)
     values ('block', 0, 0, 'hash', '', $2, $1, 1, 0, 6, '', $3)`,
    [end, start, end / SECOND],
  );

const transfer = (entity: bigint, amount: bigint, at: bigint, errata: string | null = null) =>
  target.database.query(
    'insert into crypto_transfer (entity_id, amount, consensus_timestamp, payer_account_id, errata) values ($1, $2, $3, 2, $4)',
    [entity, amount, at, errata],
  );

/** Accounts 3 and 4 are known from transactions; 3 moved in the imported history, before and after the file. */
const importHistory = async () => {
  await insertBlock(T - 10n * SECOND, T);
  await insertBlock(T + SECOND, T + 20n * SECOND);
  await target.database.query(
    `insert into entity (id, num, realm, shard, type, memo, balance, balance_timestamp, created_timestamp, timestamp_range)
     values (3, 3, 0, 0, 'ACCOUNT', 'mine', 5, $1, 7, '[7,)'), (4, 4, 0, 0, 'CONTRACT', '', 0, null, 8, '[8,)')`,
    [T + 2n * SECOND],
  );
  await transfer(3n, 1_000n, T);
  await transfer(3n, 20n, T + SECOND);
  await transfer(3n, -5n, T + 2n * SECOND);
  await transfer(3n, 999n, T + 2n * SECOND, 'DELETE');
  await transfer(9n, 5n, T + 3n * SECOND);
  await target.database.query(
    `insert into token_account (account_id, token_id, associated, balance, created_timestamp, timestamp_range)
     values (3, 1001, true, 1, 9, '[9,)')`,
  );
  await target.database.query(
    `insert into token_transfer (token_id, account_id, consensus_timestamp, amount, payer_account_id)
     values (1001, 3, $1, 4, 2), (1001, 9, $1, -4, 2), (1001, 3, $2, 100, 2)`,
    [T + SECOND, T],
  );
  await target.database.query(
    `insert into transaction (consensus_timestamp, type, result, payer_account_id, valid_start_ns, node_account_id, nonce, nft_transfer)
     values ($1, 14, 22, 2, 1, 3, 0, $2)`,
    [
      T + 2n * SECOND,
      JSON.stringify([
        { is_approval: false, sender_account_id: 3, receiver_account_id: 9, serial_number: 1, token_id: 1002 },
        { is_approval: false, sender_account_id: null, receiver_account_id: 9, serial_number: 2, token_id: 1002 },
      ]),
    ],
  );
};

const publishBalances = (at = T) =>
  folder.publish(
    nodes,
    at,
    'csv',
    csvV2(at, [
      {
        num: 3n,
        balance: 400n,
        tokens: [
          [1001n, 50n],
          [1002n, 3n],
        ],
      },
      { num: 4n, balance: 60n },
      { num: 7n, balance: 70n },
    ]),
  );

const entities = () =>
  target.database.query(
    'select id, shard, realm, num, type, memo, deleted, balance, balance_timestamp, created_timestamp, timestamp_range::text from entity order by id',
  );

/** The end of the last block, up to which all moves are in the balances. */
const LAST = String(T + 20n * SECOND);

describe('initial balances', () => {
  it('are those of the first balance file and what moved since', async () => {
    await importHistory();
    publishBalances();
    const { imported, initialized } = await importBalances(target, folder.path, electorate);
    expect(imported).toHaveLength(1);
    expect(initialized).toEqual({ consensusTimestamp: T, accounts: 4, tokenAccounts: 4 });
    const common = { shard: '0', realm: '0', memo: '', created_timestamp: null, deleted: null };
    expect(await entities()).toEqual([
      {
        ...common,
        id: '3',
        num: '3',
        type: 'ACCOUNT',
        memo: 'mine',
        balance: '415',
        balance_timestamp: String(T + 2n * SECOND),
        created_timestamp: '7',
        timestamp_range: '[7,)',
      },
      {
        ...common,
        id: '4',
        num: '4',
        type: 'CONTRACT',
        balance: '60',
        balance_timestamp: LAST,
        created_timestamp: '8',
        timestamp_range: '[8,)',
      },
      {
        ...common,
        id: '7',
        num: '7',
        type: 'ACCOUNT',
        deleted: false,
        balance: '70',
        balance_timestamp: LAST,
        timestamp_range: '[0,)',
      },
      {
        ...common,
        id: '9',
        num: '9',
        type: 'ACCOUNT',
        balance: '5',
        balance_timestamp: LAST,
        timestamp_range: '[0,)',
      },
    ]);
    expect(
      await target.database.query(
        'select account_id, token_id, balance, balance_timestamp, associated, automatic_association, created_timestamp, ' +
          'timestamp_range::text from token_account order by 2, 1',
      ),
    ).toEqual([
      {
        account_id: '3',
        token_id: '1001',
        balance: '54',
        balance_timestamp: LAST,
        associated: true,
        automatic_association: null,
        created_timestamp: '9',
        timestamp_range: '[9,)',
      },
      {
        account_id: '9',
        token_id: '1001',
        balance: '-4',
        balance_timestamp: LAST,
        associated: true,
        automatic_association: null,
        created_timestamp: '0',
        timestamp_range: '[0,)',
      },
      {
        account_id: '3',
        token_id: '1002',
        balance: '2',
        balance_timestamp: LAST,
        associated: true,
        automatic_association: null,
        created_timestamp: '0',
        timestamp_range: '[0,)',
      },
      {
        account_id: '9',
        token_id: '1002',
        balance: '2',
        balance_timestamp: LAST,
        associated: true,
        automatic_association: null,
        created_timestamp: '0',
        timestamp_range: '[0,)',
      },
    ]);
  });

  it('are taken over once', async () => {
    await importHistory();
    publishBalances();
    await importBalances(target, folder.path, electorate);
    await target.database.query('update entity set balance = 1');
    publishBalances(T + 5n * SECOND);
    const { imported, initialized } = await importBalances(target, folder.path, electorate);
    expect(imported).toHaveLength(1);
    expect(initialized).toBeUndefined();
    expect(await target.database.query('select distinct balance from entity')).toEqual([{ balance: '1' }]);
  });

  it('wait for blocks up to the balance file', async () => {
    publishBalances();
    expect((await importBalances(target, folder.path, electorate)).initialized).toBeUndefined();
    await insertBlock(T - 10n * SECOND, T - SECOND);
    expect((await importBalances(target, folder.path, electorate)).initialized).toBeUndefined();
    expect(await entities()).toEqual([]);
    await insertBlock(T, T);
    const { imported, initialized } = await importBalances(target, folder.path, electorate);
    expect(imported).toEqual([]);
    expect(initialized).toMatchObject({ consensusTimestamp: T, accounts: 3 });
  });

  it('need no balance files otherwise: one, which one signature proves', async () => {
    await importHistory();
    const [first] = nodes;
    if (first === undefined) throw new Error('no nodes');
    const content = csvV2(T, [{ num: 3n, balance: 400n }]);
    folder.publish([first], T - 20n * SECOND, 'csv', csvV2(T - 20n * SECOND, [{ num: 3n, balance: 1n }]));
    folder.publish([first], T, 'csv', content);
    publishBalances(T + 5n * SECOND);
    const { imported, initialized } = await importBalances(target, folder.path, electorate, { onlyInitial: true });
    expect(imported).toEqual([balanceFileName(T, 'csv')]);
    expect(initialized).toMatchObject({ consensusTimestamp: T });
    expect((await importBalances(target, folder.path, electorate, { onlyInitial: true })).imported).toEqual([]);
  });
});
