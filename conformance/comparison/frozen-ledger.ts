/** The ledger that versions are compared on: simulated once, imported once, kept in a folder and never written again. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings } from '../../src/config/load.ts';
import { openDatabase } from '../../src/database/connection.ts';
import { startEmbeddedPostgres } from '../../src/database/embedded/launcher.ts';
import { embeddedAddresses, prepareDatabase } from '../../src/database/prepare.ts';
import { startImporterThread } from '../../src/importer/pipeline/importer-thread.ts';
import { simulateLedger } from '../../src/simulator/simulate-ledger.ts';

const TEMPLATE = 'ledger';
const COPY_PREFIX = 'served_';

/** Forty minutes, so that there are balance snapshots (every fifteen), and blocks of a dozen transactions. */
const simulated = { seed: 'compare', transactions: 15_000, tps: 6, mix: 'everything' } as const;

/** Nothing runs beside the comparison that could change plans or the order of rows; the data can be made again. */
const still = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'off' };

export interface FrozenLedger {
  /** Told apart by who made it: answers recorded on one ledger say nothing about another. */
  readonly id: string;
  /** Milliseconds since the epoch, shortly after the last transaction. */
  readonly now: number;
  /** The database itself, for reading values. */
  readonly connectionString: string;
  /** Gives `work` a copy of the database, with rows in the same places, which a version may migrate. */
  withCopy<T>(work: (connectionString: string) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Identity {
  readonly id: string;
  readonly now: number;
}

const importLedger = async (connectionString: string, folder: string, addressBookFile: string): Promise<void> => {
  const { importer, common } = loadSettings({ cwd: folder, env: {}, readFile: () => undefined }).settings.hiero.mirror;
  const thread = startImporterThread(
    {
      connectionString,
      source: { kind: 'folder', path: folder },
      settings: importer,
      network: common,
      initialAddressBook: readFileSync(addressBookFile),
      follow: false,
      trustUnsigned: false,
      bulk: false,
      holder: 'comparison',
    },
    () => undefined,
  );
  const fault = await thread.ended;
  if (fault !== undefined) throw new Error(`${fault.code}: ${fault.message}`);
};

const build = async (
  server: Awaited<ReturnType<typeof startEmbeddedPostgres>>,
  folder: string,
  file: string,
): Promise<void> => {
  console.error(`Building a ledger of ${simulated.transactions} transactions in ${folder} ...`);
  const streams = join(folder, 'streams');
  rmSync(streams, { recursive: true, force: true });
  const { addressBookFile } = await simulateLedger({ out: streams, ...simulated });
  const maintenance = openDatabase({ connectionString: server.connectionString('postgres'), max: 1 });
  await maintenance.query(`drop database if exists ${TEMPLATE}`);
  await maintenance.close();
  const addresses = await embeddedAddresses(server, TEMPLATE);
  await prepareDatabase(addresses);
  await importLedger(addresses.writer, streams, addressBookFile);
  rmSync(streams, { recursive: true, force: true });
  const database = openDatabase({ connectionString: addresses.owner, max: 1 });
  await database.query('vacuum (analyze)');
  const [last] = await database.query<{ end: string }>('select max(consensus_end) as end from record_file');
  await database.close();
  const identity: Identity = { id: randomUUID(), now: Number(BigInt(last?.end ?? 0n) / 1_000_000n) + 5_000 };
  writeFileSync(file, JSON.stringify(identity));
};

/** Opens the ledger in the folder, which takes about a minute to build the first time. */
export const openFrozenLedger = async (folder: string): Promise<FrozenLedger> => {
  mkdirSync(folder, { recursive: true });
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings: still, sync: false });
  try {
    const file = join(folder, 'ledger.json');
    if (!existsSync(file)) await build(server, folder, file);
    const identity = JSON.parse(readFileSync(file, 'utf8')) as Identity;
    const administer = async <T>(work: (query: (sql: string) => Promise<{ name: string }[]>) => Promise<T>) => {
      const database = openDatabase({ connectionString: server.connectionString('postgres'), max: 1 });
      return work((sql) => database.query(sql)).finally(() => database.close());
    };
    await administer(async (query) => {
      // Copies of a run that was killed.
      const left = await query(`select datname as name from pg_database where starts_with(datname, '${COPY_PREFIX}')`);
      for (const { name } of left) await query(`drop database ${name} with (force)`);
    });
    return {
      ...identity,
      connectionString: server.connectionString(TEMPLATE),
      withCopy: async (work) => {
        const name = `${COPY_PREFIX}${Date.now()}`;
        await administer((query) => query(`create database ${name} template ${TEMPLATE}`));
        try {
          return await work(server.connectionString(name));
        } finally {
          await administer((query) => query(`drop database ${name} with (force)`));
        }
      },
      close: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
};
