import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { acquireWriter, type WriterLease } from '../../database/fencing.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { openRepairs, type RepairOptions } from './ledger-repairs.ts';
import { insertBlock, mainnetTask } from './testing/repair.fixture.ts';

/** The block of which the number is known, and one after all that there is to repair. */
const KNOWN = 1_656_461_547_557_609_267n;
const LATE = 1_700_000_000_000_000_000n;
const LATEST = { hapi_version_major: 0, hapi_version_minor: 43, hapi_version_patch: 0 };

const inOrder = [
  'missing-transactions',
  'spurious-transfers',
  'block-numbers',
  'early-staking',
  'duplicate-block',
  'token-allowance-owners',
  'nft-allowance-owners',
  'transfer-approvals',
];

let target: TestDatabase;
let lease: WriterLease;
beforeEach(async () => {
  target = await createTestDatabase();
  lease = await acquireWriter({ connectionString: target.connectionString });
});
afterEach(async () => {
  await lease.release();
  await target.drop();
});

const open = (options: Partial<RepairOptions> = {}) =>
  openRepairs({ ...mainnetTask, database: target.database, lease, ...options });

const repair = async (options: Partial<RepairOptions> = {}): Promise<void> => (await open(options)).run();

const done = async (): Promise<string[]> => {
  const rows = await target.database.query<{ name: string }>('select name from kagami.repair order by done_at, name');
  return rows.map(({ name }) => name);
};

const numbers = async (): Promise<string[]> => {
  const rows = await target.database.query<{ index: string }>('select index from record_file order by consensus_end');
  return rows.map(({ index }) => index);
};

/** Two blocks that were counted from 0. */
const countedBlocks = async (): Promise<void> => {
  await insertBlock(target.database, KNOWN, { index: 0 });
  await insertBlock(target.database, LATE, { index: 1, ...LATEST });
};

describe('repairs', () => {
  it('are done once, in order, and noted', async () => {
    await countedBlocks();
    await repair();
    expect(await done()).toEqual(inOrder);
    expect(
      await target.database.query('select checksum, changes from kagami.repair where name = $1', ['block-numbers']),
    ).toEqual([{ checksum: 1, changes: '2' }]);
    expect(await numbers()).toEqual(['34305852', '34305853']);
    await target.database.query('update record_file set index = index - 34305852');
    await repair();
    expect(await numbers()).toEqual(['0', '1']);
  });

  it('are done again for another checksum, and not at all when turned off', async () => {
    await countedBlocks();
    const off = { ...mainnetTask.settings, blockNumberMigration: { enabled: false, checksum: 1 } };
    await repair({ settings: off });
    expect(await numbers()).toEqual(['0', '1']);
    expect(await done()).toEqual(inOrder.filter((name) => name !== 'block-numbers'));
    await repair();
    await target.database.query('update record_file set index = index - 5');
    await repair({ settings: { ...mainnetTask.settings, blockNumberMigration: { enabled: true, checksum: 2 } } });
    expect(await numbers()).toEqual(['34305852', '34305853']);
    expect(
      await target.database.query('select checksum, changes from kagami.repair where name = $1', ['block-numbers']),
    ).toEqual([{ checksum: 2, changes: '2' }]);
  });

  it('wait for what they are about', async () => {
    const repairs = await open();
    await repairs.run();
    expect(await done()).toEqual(['spurious-transfers']);
    const early = { consensusEnd: KNOWN, hapiVersion: { major: 0, minor: 26, patch: 0 } };
    // What is missing depends on where the ledger begins, which the first block tells.
    expect(repairs.areDue(early)).toBe(true);
    await insertBlock(target.database, KNOWN, { index: 34_305_852 });
    await repairs.run();
    expect(await done()).toEqual(['spurious-transfers', 'missing-transactions']);
    expect(repairs.areDue(early)).toBe(false);
    expect(repairs.areDue({ ...early, consensusEnd: KNOWN + 1n })).toBe(true);
    expect(repairs.areDue({ ...early, hapiVersion: { major: 0, minor: 37, patch: 0 } })).toBe(true);
    await insertBlock(target.database, LATE, LATEST);
    await repairs.run();
    expect(await done()).toHaveLength(inOrder.length);
    expect(repairs.areDue({ ...early, consensusEnd: LATE })).toBe(false);
  });

  it('add missing transactions from the beginning of an import that names it', async () => {
    await repair({ range: { from: undefined, to: undefined, beginsAt: 1_659_254_616_811_335_554n } });
    const [row] = await target.database.query('select count(*)::integer as count from transaction');
    expect(row).toEqual({ count: 70 + 12 });
  });

  it('leave a database alone that lacks its indexes, unless it is empty', async () => {
    await countedBlocks();
    const repairs = await open({ bulk: true });
    await repairs.run();
    expect(repairs.areDue({ consensusEnd: LATE, hapiVersion: null })).toBe(false);
    expect(await done()).toEqual([]);
    await target.database.query('delete from record_file');
    await repair({ bulk: true, range: { from: 0n, to: undefined, beginsAt: undefined } });
    expect(await done()).toEqual(['missing-transactions', 'spurious-transfers']);
  });

  it('of other networks are none, and nothing is asked for them', async () => {
    const untouchable = new Proxy({} as Database, {
      get: (_, property) => {
        throw new Error(`the database was used: ${String(property)}`);
      },
    });
    for (const network of ['testnet', 'demo', 'other', '']) {
      const repairs = await open({ network, database: untouchable });
      await repairs.run();
      expect(repairs.areDue({ consensusEnd: LATE, hapiVersion: { major: 1, minor: 0, patch: 0 } })).toBe(false);
    }
    await expect(open({ network: 'Mainnet-primary', database: untouchable })).rejects.toThrow('the database was used');
  });

  it('are refused to a writer that was followed by another', async () => {
    await countedBlocks();
    const repairs = await open();
    await lease.release();
    lease = await acquireWriter({ connectionString: target.connectionString });
    await expect(repairs.run()).rejects.toMatchObject({ code: 'WRITER_FENCED' });
    expect(await done()).toEqual([]);
    expect(await numbers()).toEqual(['0', '1']);
  });

  it('of which one was killed halfway are resumed with that one', async () => {
    await countedBlocks();
    await lease.release();
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('./testing/repair-process.fixture.ts', import.meta.url)), target.connectionString],
      { stdio: 'inherit' },
    );
    const exited = once(child, 'exit');
    await target.database.transaction(async (client) => {
      // The shift of block numbers changes the first row and then waits for the second.
      await client.query(`select from record_file where consensus_end = ${LATE} for update`);
      await blocked(target.database);
      child.kill('SIGKILL');
      expect(await exited).toEqual([null, 'SIGKILL']);
    });
    lease = await acquireWriter({ connectionString: target.connectionString });
    expect(await done()).toEqual(inOrder.slice(0, 2));
    expect(await numbers()).toEqual(['0', '1']);
    await repair();
    expect(await done()).toEqual(inOrder);
    expect(await numbers()).toEqual(['34305852', '34305853']);
  });
});

/** Resolves when the process of repairs waits for a lock. */
const blocked = async (database: Database): Promise<void> => {
  const waiting = `select from pg_stat_activity
    where datname = current_database() and application_name = 'kagami repair' and wait_event_type = 'Lock'`;
  while ((await database.query(waiting)).length === 0) await delay(20);
};
