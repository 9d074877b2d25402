/** Ledgers made by SQL, in a temporary database or in a folder that keeps them for the next run. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../src/database/connection.ts';
import { startEmbeddedPostgres } from '../src/database/embedded/launcher.ts';
import { embeddedAddresses, prepareDatabase } from '../src/database/prepare.ts';
import { textOption } from './figures.ts';

/** Rows that can be made again need no care; nothing else runs that would change plans between two runs. */
const settings = {
  autovacuum: 'off',
  fsync: 'off',
  full_page_writes: 'off',
  max_wal_size: '8GB',
  synchronous_commit: 'off',
};

export interface LedgerForBench {
  readonly connectionString: string;
  /** Version of PostgreSQL. */
  readonly server: string;
}

/**
 * Gives `work` the database of `--database URL`; or that of `--ledger DIR`, made when it is not there; or one in a
 * temporary folder.
 */
export const withLedger = async (
  args: readonly string[],
  fill: (owner: Database) => Promise<void>,
  work: (ledger: LedgerForBench) => Promise<void>,
): Promise<void> => {
  const given = textOption(args, 'database');
  if (given !== undefined) return work({ connectionString: given, server: 'given' });
  const kept = textOption(args, 'ledger');
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'kagami-bench-')));
  mkdirSync(folder, { recursive: true });
  const complete = join(folder, 'complete');
  if (!existsSync(complete)) rmSync(join(folder, 'postgres'), { recursive: true, force: true });
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings, sync: false });
  try {
    const addresses = await embeddedAddresses(server, 'bench');
    if (!existsSync(complete)) {
      console.error('Filling the tables ...');
      await prepareDatabase(addresses);
      const owner = openDatabase({ connectionString: addresses.owner, max: 1 });
      await fill(owner).finally(() => owner.close());
      writeFileSync(complete, '');
    }
    await work({ connectionString: addresses.owner, server: server.version });
  } finally {
    await server.stop();
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
};
