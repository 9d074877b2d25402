import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseClient } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { importFolder } from '../pipeline/testing/import-run.fixture.ts';
import { tableDigests } from '../pipeline/testing/table-digests.fixture.ts';

const child = fileURLToPath(new URL('./testing/bulk-process.fixture.ts', import.meta.url));

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
  folder = await mkdtemp(join(tmpdir(), 'kagami-bulk-kill-'));
  ledger = await simulateLedger({ out: join(folder, 'ledger'), seed: 'bulk kill', blocks: 20, tps: 10, users: 40 });
  [undisturbed, disturbed] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await importFolder(undisturbed, {
    folder: join(folder, 'ledger'),
    addressBook: await readFile(ledger.addressBookFile),
  });
}, 300_000);

afterAll(async () => {
  await Promise.all([undisturbed?.drop(), disturbed?.drop()]);
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** Imports in another process; with `killAt`, kills it then. Gives whether it came to its end. */
const importInChild = async (manner: 'bulk' | 'ordinary', killAt?: () => Promise<void>): Promise<boolean> => {
  const importer = spawn(
    process.execPath,
    [child, disturbed.connectionString, join(folder, 'ledger'), ledger.addressBookFile, manner],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') } },
  );
  const exited = once(importer, 'exit');
  let output = '';
  importer.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await Promise.race([killAt?.(), exited]);
  if (killAt !== undefined) importer.kill('SIGKILL');
  await exited;
  return output.includes('done');
};

/**
 * Kills a bulk import in the midst of a transaction, `delayMs` after that has run into what `holdUp` did in one of ours.
 * Without something in its way, a small import is over before a kill gets there.
 */
const killWhereHeldUp = async (
  holdUp: (client: DatabaseClient) => Promise<unknown>,
  delayMs: number,
): Promise<void> => {
  const undone = disturbed.database.transaction(async (client) => {
    await holdUp(client);
    const held = async (): Promise<void> => {
      while ((await numberOf(HELD_UP)) === 0) await pause(20);
      await pause(delayMs);
    };
    expect(await importInChild('bulk', held)).toBe(false);
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
};

const HELD_UP = `select count(*) as n from pg_stat_activity
  where datname = current_database() and application_name = 'kagami importer' and wait_event_type = 'Lock'`;

/** Takes the key of the block at a position, so that whoever writes that block must wait. */
const takePlaceOfBlock = async (client: DatabaseClient, position: number): Promise<void> => {
  const [block] = await undisturbed.database.query(
    'select consensus_end as at from record_file order by consensus_end offset $1 limit 1',
    [position],
  );
  await client.query(
    `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, file_hash, index)
     values ('in the way', 0, 0, '', '', $1, $1, 0, 0, 6, '', -1)`,
    [block?.at],
  );
};

const numberOf = async (sql: string): Promise<number> => {
  const [row] = await disturbed.database.query<{ n: string }>(sql);
  return Number(row?.n);
};

/** Every index with its definition, the index it is a part of, and whether it can be used. */
const indexesOf = ({ database }: TestDatabase): Promise<unknown[]> =>
  database.query(
    `select c.relname, pg_get_indexdef(i.indexrelid) as definition, i.indisvalid, p.relname as parent
     from pg_index i join pg_class c on c.oid = i.indexrelid
     left join pg_inherits h on h.inhrelid = i.indexrelid left join pg_class p on p.oid = h.inhparent
     where c.relnamespace = 'public'::regnamespace order by c.relname`,
  );

/** In the order in which they are built. */
const missingIndexes = async (): Promise<unknown[]> =>
  (
    await disturbed.database.query(
      'select index_name from kagami.deferred_index order by parent_index is not null, table_name, index_name',
    )
  ).map(({ index_name }) => index_name);

describe('a bulk import that is killed', () => {
  it('while it loads and while it builds indexes leaves the database of an undisturbed ordinary import', async () => {
    const random = randomFrom(20_260_202);
    const blocks = ledger.blocks.length;
    let loaded = 0;
    for (let kill = 0; kill < 2; kill++) {
      const position = loaded + 1 + Math.floor(random() * 6);
      await killWhereHeldUp((client) => takePlaceOfBlock(client, position), random() * 12);
      loaded = await numberOf('select count(*) as n from record_file');
      expect(loaded).toBe(position);
    }
    expect(loaded).toBeLessThan(blocks);

    const all = await missingIndexes();
    for (const part of [0.3 + random() * 0.2, 0.6 + random() * 0.3]) {
      // One that is missing now; a bulk import takes those away again that the one before has built.
      const index = all[Math.floor(all.length * part)];
      await killWhereHeldUp(
        (client) => client.query('select from kagami.deferred_index where index_name = $1 for update', [index]),
        random() * 12,
      );
      const left = await missingIndexes();
      expect(left).toContain(index);
      expect(left.length).toBeLessThan(all.length);
    }
    expect(await numberOf('select count(*) as n from record_file')).toBe(blocks);

    expect(await importInChild('ordinary')).toBe(true);
    expect(await missingIndexes()).toEqual([]);
    expect(await tableDigests(disturbed.database)).toEqual(await tableDigests(undisturbed.database));
    expect(await indexesOf(disturbed)).toEqual(await indexesOf(undisturbed));
  }, 300_000);
});
