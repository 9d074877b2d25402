import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { EARLY_DAYS } from '../../simulator/opening/early-days.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { importFolder } from './testing/import-run.fixture.ts';
import { tableDigests } from './testing/table-digests.fixture.ts';

const KILLS = 50;
const child = fileURLToPath(new URL('./testing/import-process.fixture.ts', import.meta.url));

/** Numbers in [0, 1) that follow from a seed, so that a failure can be looked at again. */
const randomFrom = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

let folder: string;
let ledger: SimulatedLedger;
let undisturbed: TestDatabase;
let disturbed: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-kill-'));
  ledger = await simulateLedger({ out: join(folder, 'ledger'), seed: 'kill', blocks: 400, tps: 15, users: 60 });
  [undisturbed, disturbed] = await Promise.all([createTestDatabase(), createTestDatabase()]);
}, 300_000);

afterAll(async () => {
  await Promise.all([undisturbed?.drop(), disturbed?.drop()]);
  await rm(folder, { recursive: true, force: true });
});

interface Kill {
  /** Commits to wait for, and milliseconds after the last of them. */
  readonly commits: number;
  readonly delayMs: number;
}

/** Imports in another process, which is killed if so wanted. Gives whether it came to its end. */
const importInChild = async (kill?: Kill): Promise<boolean> => {
  const importer = spawn(
    process.execPath,
    [child, disturbed.connectionString, join(folder, 'ledger'), ledger.addressBookFile],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') } },
  );
  const exited = once(importer, 'exit');
  let output = '';
  importer.stdout.setEncoding('utf8').on('data', (text: string) => {
    const before = commitsIn(output);
    output += text;
    if (kill !== undefined && before < kill.commits && commitsIn(output) >= kill.commits) {
      setTimeout(() => importer.kill('SIGKILL'), kill.delayMs);
    }
  });
  await exited;
  return output.includes('done');
};

const commitsIn = (output: string): number => output.split('committed').length - 1;

/**
 * Balances in snapshots that are not the sum of the transfers up to then, and accounts that a snapshot lacks. A month's
 * later ones leave out what has not changed.
 */
const wrongBalances = (database: Queryable): Promise<unknown[]> =>
  database.query(
    `with expected as (
       select f.consensus_timestamp, entity_id as account_id, sum(amount) as balance
       from account_balance_file f join crypto_transfer t on t.consensus_timestamp <= f.consensus_timestamp group by 1, 2
     ), written as (
       select f.consensus_timestamp, b.account_id, b.balance
       from account_balance_file f cross join lateral (
         select distinct on (account_id) account_id, balance from account_balance
         where consensus_timestamp <= f.consensus_timestamp order by account_id, consensus_timestamp desc
       ) b
     )
     select * from expected full join written using (consensus_timestamp, account_id)
     where coalesce(expected.balance, 0) <> coalesce(written.balance, 0)`,
  );

const snapshotsIn = async (database: Queryable): Promise<number> => {
  const [row] = await database.query<{ snapshots: string }>('select count(*) as snapshots from account_balance_file');
  return Number(row?.snapshots);
};

const blocksIn = async (database: Queryable): Promise<number> => {
  const [row] = await database.query<{ blocks: string }>('select count(*) as blocks from record_file');
  return Number(row?.blocks);
};

describe('an importer that is killed', () => {
  it(`leaves, after ${KILLS} kills at random moments, the database of an undisturbed import`, async () => {
    const random = randomFrom(20_260_101);
    let ended = 0;
    const seen = new Set<number>();
    for (let kill = 0; kill < KILLS; kill++) {
      if (await importInChild({ commits: 1 + Math.floor(random() * 4), delayMs: random() * 12 })) ended++;
      seen.add(await blocksIn(disturbed.database));
    }
    // Kills that all fall before the first or after the last block would show nothing.
    expect(ended).toBeLessThan(KILLS / 2);
    expect(seen.size).toBeGreaterThan(KILLS / 4);
    expect(await importInChild()).toBe(true);

    await importFolder(undisturbed, {
      folder: join(folder, 'ledger'),
      addressBook: await readFile(ledger.addressBookFile),
    });
    expect(await blocksIn(undisturbed.database)).toBe(ledger.blocks.length);
    expect(await tableDigests(disturbed.database)).toEqual(await tableDigests(undisturbed.database));
    // One for each early day, unless the next block came first, and one for the activity, which lasts for less than what
    // lies between two.
    const snapshots = await snapshotsIn(disturbed.database);
    expect(snapshots).toBeGreaterThanOrEqual(1);
    expect(snapshots).toBeLessThanOrEqual(EARLY_DAYS + 1);
    expect(await wrongBalances(disturbed.database)).toEqual([]);
  }, 600_000);
});
