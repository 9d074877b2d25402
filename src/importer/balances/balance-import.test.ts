import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { electorateOf } from '../../sources/testing/stream-folder.fixture.ts';
import { parseAddressBook } from '../../streams/address-book.ts';
import { ONE_THIRD, weighNodes } from '../../streams/consensus.ts';
import { balanceFileName, csvV1, csvV2, protobuf } from '../../streams/testing/balance-file.fixture.ts';
import { makeNodes } from '../../streams/testing/network.fixture.ts';
import { hasRealStreams, readReal, realStreams } from '../../streams/testing/real-streams.fixture.ts';
import { defaultImporterSettings } from '../pipeline/testing/import-run.fixture.ts';
import { wantsBalanceFiles } from './balance-import.ts';
import { type BalanceFolder, importBalances, makeBalanceFolder } from './testing/balance-folder.fixture.ts';

const nodes = makeNodes(4);
const electorate = electorateOf(nodes);
const T1 = 1_567_188_900_000_000_000n;
const T2 = T1 + 900_000_000_001n;
const T3 = T2 + 900_000_000_000n;

const accounts = (first: bigint) => [
  { num: 2n, balance: first },
  { num: 98n, balance: 0n, tokens: [[1001n, 7n] as const, [1002n, 8n] as const, [1001n, 9n] as const] },
];

let target: TestDatabase;
let folder: BalanceFolder;
beforeAll(async () => {
  target = await createTestDatabase();
});
afterAll(() => target.drop());
beforeEach(async () => {
  await forget();
  folder = makeBalanceFolder();
});
afterEach(() => folder.remove());

const forget = async (): Promise<void> => {
  for (const table of ['account_balance_file', 'account_balance', 'token_balance']) {
    await target.database.query(`delete from ${table}`);
  }
};
const rows = (sql: string) => target.database.query(sql);

describe('importing balance files', () => {
  it('writes every balance, in order of time, and goes on where it ended', async () => {
    folder.publish(nodes, T2, 'pb', protobuf(T2, accounts(50n)));
    folder.publish(nodes, T1, 'csv', csvV1(T1, accounts(40n)));
    expect(await importBalances(target, folder.path, electorate)).toEqual({
      imported: [balanceFileName(T1, 'csv'), balanceFileName(T2, 'pb.gz')],
      skipped: {},
      initialized: undefined,
    });
    expect(await rows('select * from account_balance order by consensus_timestamp, account_id')).toEqual([
      { consensus_timestamp: String(T1), account_id: '2', balance: '40' },
      { consensus_timestamp: String(T1), account_id: '98', balance: '0' },
      { consensus_timestamp: String(T2), account_id: '2', balance: '50' },
      { consensus_timestamp: String(T2), account_id: '98', balance: '0' },
    ]);
    expect(await rows('select * from token_balance order by token_id')).toEqual([
      { consensus_timestamp: String(T2), account_id: '98', token_id: '1001', balance: '7' },
      { consensus_timestamp: String(T2), account_id: '98', token_id: '1002', balance: '8' },
    ]);
    expect(
      await rows(
        `select consensus_timestamp, count, length(file_hash) as hash, name, bytes, time_offset, synthetic,
           load_end >= load_start and load_start > 1700000000 as loaded
         from account_balance_file order by 1`,
      ),
    ).toEqual(
      [balanceFileName(T1, 'csv'), balanceFileName(T2, 'pb.gz')].map((name, i) => ({
        consensus_timestamp: String([T1, T2][i]),
        count: '2',
        hash: 96,
        name,
        bytes: null,
        time_offset: 0,
        synthetic: false,
        loaded: true,
      })),
    );

    folder.publish(nodes, T3, 'csv', csvV2(T3, accounts(60n)));
    expect((await importBalances(target, folder.path, electorate)).imported).toEqual([balanceFileName(T3, 'csv')]);
    expect((await importBalances(target, folder.path, electorate)).imported).toEqual([]);
  });

  it('takes the protobuf file where there are both, and the text file where that one is not proven', async () => {
    folder.publish(nodes, T1, 'csv', csvV2(T1, accounts(1n)));
    folder.publish(nodes, T1, 'pb', protobuf(T1, accounts(1n)));
    folder.publish(nodes, T2, 'csv', csvV2(T2, accounts(1n)));
    folder.publish(nodes.slice(0, 1), T2, 'pb', protobuf(T2, accounts(1n)));
    const { imported, skipped } = await importBalances(target, folder.path, electorate);
    expect(imported).toEqual([balanceFileName(T1, 'pb.gz'), balanceFileName(T2, 'csv')]);
    expect(skipped).toEqual({});
  });

  it('passes over what too few nodes signed, and what nobody signed unless that is trusted', async () => {
    folder.publish(nodes.slice(0, 1), T1, 'csv', csvV1(T1, accounts(1n)));
    folder.write(`balance0.0.3/${balanceFileName(T2, 'csv')}`, csvV1(T2, accounts(2n)));
    folder.publish(nodes.slice(1, 3), T3, 'csv', csvV1(T3, accounts(3n)));
    const [base1, base2] = [T1, T2].map((nanos) => balanceFileName(nanos, 'csv').replace('_Balances.csv', ''));
    expect(await importBalances(target, folder.path, electorate)).toMatchObject({
      imported: [balanceFileName(T3, 'csv')],
      skipped: { [base1 as string]: 'STREAM_NO_CONSENSUS', [base2 as string]: 'STREAM_UNSIGNED' },
    });
    await forget();
    const trusting = await importBalances(target, folder.path, electorate, { trustUnsigned: true });
    expect(trusting.imported).toEqual([balanceFileName(T2, 'csv'), balanceFileName(T3, 'csv')]);
  });

  it('takes another copy for a damaged one, and leaves nothing of it behind', async () => {
    folder.publish(nodes, T1, 'csv', csvV1(T1, accounts(40n)));
    const copy = (account: string) =>
      join(folder.path, 'accountBalances', `balance${account}`, balanceFileName(T1, 'csv'));
    writeFileSync(copy('0.0.3'), csvV1(T1, accounts(41n)));
    writeFileSync(copy('0.0.4'), csvV1(T1, accounts(40n)).subarray(0, -3));
    rmSync(copy('0.0.5'));
    expect((await importBalances(target, folder.path, electorate)).imported).toHaveLength(1);
    expect(await rows('select balance from account_balance where account_id = 2')).toEqual([{ balance: '40' }]);
  });

  it('refuses a file that lists an account twice or lies in the far future', async () => {
    folder.publish(nodes, T1, 'csv', csvV1(T1, [...accounts(1n), ...accounts(1n)]));
    const future = 4_000_000_000_000_000_000n;
    folder.publish(nodes, future, 'csv', csvV1(future, accounts(1n)));
    const { imported, skipped } = await importBalances(target, folder.path, electorate);
    expect(imported).toEqual([]);
    expect(Object.values(skipped)).toEqual(['STREAM_MALFORMED', 'STREAM_MALFORMED']);
    expect(await rows('select from account_balance')).toEqual([]);
  });

  it('finds node folders of all layouts', async () => {
    const content = csvV1(T1, accounts(1n));
    folder.publish(nodes, T1, 'csv', content);
    // Record files would take long to list.
    folder.write(`record0.0.3/0/1/balance/${balanceFileName(T1 + 2n, 'csv')}`, content);
    for (const path of ['mainnet/0/1/balance', '0/2/balance']) {
      folder.write(`${path}/${balanceFileName(T1 + 1n, 'csv')}`, csvV1(T1 + 1n, accounts(1n)));
    }
    const { imported } = await importBalances(target, folder.path, electorate, { trustUnsigned: true });
    expect(imported).toEqual([balanceFileName(T1, 'csv'), balanceFileName(T1 + 1n, 'csv')]);
    await expect(importBalances(target, join(folder.path, 'none'), electorate)).rejects.toMatchObject({
      code: 'SOURCE_UNREADABLE',
    });
  });

  it('writes in batches without losing any', async () => {
    const many = Array.from({ length: 5_003 }, (_, i) => ({ num: BigInt(i + 1), balance: BigInt(i) }));
    folder.publish(nodes, T1, 'pb', protobuf(T1, many));
    await importBalances(target, folder.path, electorate, { batchSize: 100 });
    expect(await rows('select count(*), sum(balance) from account_balance')).toEqual([
      { count: '5003', sum: String((5_002n * 5_003n) / 2n) },
    ]);
  });

  it('notes the time offset of mainnet files', async () => {
    const early = 1_568_415_600_193_620_000n;
    folder.publish(nodes, early, 'csv', csvV1(early, accounts(1n)));
    await importBalances(target, folder.path, electorate, { network: 'mainnet' });
    expect(await rows('select time_offset from account_balance_file')).toEqual([{ time_offset: -1 }]);
  });
});

describe('the choice of where balances come from', () => {
  const settings = (files: boolean, snapshots: boolean, parser = true) => ({
    downloader: { balance: { enabled: files } },
    parser: { balance: { enabled: parser }, record: { historicalBalance: { enabled: snapshots } } },
  });

  it('is snapshots unless told otherwise, and never both', () => {
    expect(wantsBalanceFiles(defaultImporterSettings)).toBe(false);
    expect(wantsBalanceFiles(settings(false, true))).toBe(false);
    expect(wantsBalanceFiles(settings(true, false))).toBe(true);
    expect(wantsBalanceFiles(settings(true, true, false))).toBe(false);
    expect(() => wantsBalanceFiles(settings(true, true))).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('historicalBalance.enabled'),
      }),
    );
  });
});

describe.skipIf(!hasRealStreams)('real balance files', () => {
  const electorateOfTestnet = () => {
    const book = parseAddressBook(readReal('addressbooks/test/testnet'));
    return { book, weights: weighNodes(book, undefined), ratio: ONE_THIRD };
  };

  it.each([
    ['v1', 2, 25_391],
    ['mixed', 2, 2_485],
  ])('of %s are imported', async (set, files, perFile) => {
    const { imported, skipped } = await importBalances(target, `${realStreams}/balances/${set}`, electorateOfTestnet());
    expect({ imported: imported.length, skipped }).toEqual({ imported: files, skipped: {} });
    expect(
      await rows('select count(*), sum(balance) from account_balance group by consensus_timestamp order by 1'),
    ).toEqual(Array.from({ length: files }, () => ({ count: String(perFile), sum: '5000000000000000000' })));
  });

  it('of mainnet are imported', async () => {
    const name = '2021-03-12T21_20_51.022139Z_Balances.pb.gz';
    folder.write(`balance0.0.3/${name}`, readReal(`balances/mainnet/${name}`));
    await importBalances(target, folder.path, electorate, {
      trustUnsigned: true,
      batchSize: 50_000,
      network: 'mainnet',
    });
    expect(
      await rows(
        'select (select count(*) from account_balance) as accounts, (select count(*) from token_balance) as tokens, count from account_balance_file',
      ),
    ).toEqual([{ accounts: '132882', tokens: '1845', count: '132882' }]);
  });
});
