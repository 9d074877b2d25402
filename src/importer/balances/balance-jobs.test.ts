import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acquireWriter, type WriterLease } from '../../database/fencing.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { parseAddressBook } from '../../streams/address-book.ts';
import { balanceFileName, csvV1 } from '../../streams/testing/balance-file.fixture.ts';
import { addressBookBytes, makeNodes } from '../../streams/testing/network.fixture.ts';
import { storeInitialAddressBook } from '../pipeline/address-books.ts';
import { defaultImporterSettings } from '../pipeline/testing/import-run.fixture.ts';
import { type BalanceJobOptions, runBalanceJobs } from './balance-jobs.ts';
import type { ReconciliationReport } from './reconciliation.ts';
import { type BalanceFolder, makeBalanceFolder } from './testing/balance-folder.fixture.ts';

const T = 1_600_000_000_000_000_000n;
const SUPPLY = 5_000_000_000_000_000_000n;
const nodes = makeNodes(3);
const network = { shard: 0n, realm: 0n };

let target: TestDatabase;
let lease: WriterLease;
let folder: BalanceFolder;
beforeAll(async () => {
  target = await createTestDatabase();
  lease = await acquireWriter({ connectionString: target.connectionString });
  const book = parseAddressBook(addressBookBytes(nodes));
  await target.database.transaction((client) => storeInitialAddressBook(client, book, network));
  await target.database.query(
    `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, file_hash, index)
     values ('block', 0, 0, 'hash', '', $1, $2, 1, 0, 6, '', 7)`,
    [T, T + 1_000n],
  );
});
afterAll(async () => {
  await lease?.release();
  await target?.drop();
});
beforeEach(() => {
  folder = makeBalanceFolder();
});
afterEach(() => folder.remove());

const settingsWith = (files: boolean) => ({
  ...defaultImporterSettings,
  downloader: {
    ...defaultImporterSettings.downloader,
    balance: { ...defaultImporterSettings.downloader.balance, enabled: files, frequency: 20 },
  },
  parser: {
    ...defaultImporterSettings.parser,
    record: {
      ...defaultImporterSettings.parser.record,
      historicalBalance: { ...defaultImporterSettings.parser.record.historicalBalance, enabled: !files },
    },
  },
  reconciliation: { ...defaultImporterSettings.reconciliation, enabled: files, delay: 0, frequency: 20 },
});

const jobsWith = (
  settings: BalanceJobOptions['settings'],
  signal: AbortSignal,
  events: Partial<BalanceJobOptions['events']>,
): BalanceJobOptions => ({
  database: target.database,
  lease,
  source: { kind: 'folder', path: folder.path },
  settings,
  network,
  trustUnsigned: false,
  follow: true,
  signal,
  events: {
    failed: ({ cause }) => {
      throw cause;
    },
    ...events,
  },
});

const run = (...parameters: Parameters<typeof jobsWith>): Promise<void> => runBalanceJobs(jobsWith(...parameters));

describe('the work on balance files beside an import', () => {
  it('takes only what initial balances need unless files are wanted', async () => {
    const content = csvV1(T + 1n, [{ num: 2n, balance: SUPPLY }]);
    folder.publish(nodes, T + 1n, 'csv', content);
    folder.publish(nodes, T + 2n, 'csv', csvV1(T + 2n, [{ num: 2n, balance: SUPPLY }]));
    const stopping = new AbortController();
    const imported: string[] = [];
    await run(settingsWith(false), stopping.signal, {
      imported: ({ name }) => void imported.push(name),
      initialized: () => stopping.abort(),
    });
    expect(imported).toEqual([balanceFileName(T + 1n, 'csv')]);
    expect(
      await target.database.query('select balance from entity where id = $1', [encodeEntityId(0n, 0n, 2n)]),
    ).toEqual([{ balance: String(SUPPLY) }]);
  });

  it('imports files as they come, and says when they disagree with transfers', async () => {
    folder.publish(nodes, T + 3n, 'csv', csvV1(T + 3n, [{ num: 2n, balance: SUPPLY }]));
    const stopping = new AbortController();
    const imported: string[] = [];
    await run(settingsWith(true), stopping.signal, {
      imported: ({ name }) => {
        imported.push(name);
        if (imported.length === 2) stopping.abort();
        else
          folder.publish(
            nodes,
            T + 4n,
            'csv',
            csvV1(T + 4n, [
              { num: 2n, balance: SUPPLY - 1n },
              { num: 3n, balance: 1n },
            ]),
          );
      },
    });
    expect(imported).toEqual([balanceFileName(T + 3n, 'csv'), balanceFileName(T + 4n, 'csv')]);

    const reconciling = new AbortController();
    const disagreed: ReconciliationReport[] = [];
    await run(settingsWith(true), reconciling.signal, {
      disagreed: (report) => {
        if (disagreed.push(report) === 2) reconciling.abort();
      },
    });
    expect(disagreed).toMatchObject([
      { status: 3, last: T + 3n },
      { status: 3, last: T + 3n },
    ]);
  });

  it('ends with the files that are there where nothing is followed', async () => {
    folder.publish(nodes, T + 900n, 'csv', csvV1(T + 900n, [{ num: 2n, balance: SUPPLY }]));
    const imported: string[] = [];
    await runBalanceJobs({
      ...jobsWith(settingsWith(true), new AbortController().signal, {
        imported: ({ name }) => void imported.push(name),
      }),
      follow: false,
    });
    expect(imported).toEqual([balanceFileName(T + 900n, 'csv')]);
  });

  it('does not begin where two sources of balances are wanted', async () => {
    const { parser } = defaultImporterSettings;
    await expect(run({ ...settingsWith(true), parser }, new AbortController().signal, {})).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});
