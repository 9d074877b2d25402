import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import type { Fault } from '../pipeline/fault.ts';
import type { ImporterMessage } from '../pipeline/importer-messages.ts';
import { type ImporterThread, startImporterThread } from '../pipeline/importer-thread.ts';
import { defaultImporterSettings } from '../pipeline/testing/import-run.fixture.ts';
import type { Pruned } from './retention.ts';
import type { RetentionSettings } from './retention-tables.ts';

const BLOCK_MS = 2_000;

let folder: string;
let ledger: SimulatedLedger;
let target: TestDatabase;
let thread: ImporterThread | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-retention-'));
  ledger = await simulateLedger({ out: join(folder, 'ledger'), seed: 'retention', blocks: 12, tps: 5, users: 20 });
  target = await createTestDatabase();
}, 60_000);
afterEach(async () => {
  await thread?.stop();
});
afterAll(async () => {
  await target?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Imports the ledger and waits for more; the thread is stopped when `onMessage` says true. */
const follow = async (
  retention: Partial<RetentionSettings>,
  isEnough: (message: ImporterMessage) => boolean,
): Promise<Fault | undefined> => {
  thread = startImporterThread(
    {
      connectionString: target.connectionString,
      source: { kind: 'folder', path: join(folder, 'ledger') },
      settings: { ...defaultImporterSettings, retention: { ...defaultImporterSettings.retention, ...retention } },
      network: { shard: 0n, realm: 0n },
      initialAddressBook: await readFile(ledger.addressBookFile),
      follow: true,
      trustUnsigned: false,
      holder: 'test',
    },
    (message) => {
      if (isEnough(message)) void thread?.stop();
    },
  );
  return thread.ended;
};

it('deletes old blocks while the importer follows the network', async () => {
  const steps: Pruned[] = [];
  const passes: Pruned[] = [];
  const total = (pruned: readonly Pruned[], table: string): bigint =>
    pruned.reduce((sum, { rows }) => sum + (rows.get(table) ?? 0n), 0n);
  const ends = ledger.blocks.map(({ consensusEnd }) => consensusEnd);
  const newest = ends.length - 1;
  const period = 3 * BLOCK_MS;
  const horizon = (ends[newest] ?? 0n) - BigInt(period) * 1_000_000n;
  const gone = ends.filter((end) => end <= horizon).length;
  expect(gone).toBeGreaterThan(5);
  const fault = await follow({ enabled: true, period, frequency: 50 }, (message) => {
    if (message.kind === 'pruning') steps.push(message.pruned);
    if (message.kind === 'pruned') passes.push(message.pruned);
    return total(passes, 'record_file') === BigInt(gone);
  });
  expect(fault).toBeUndefined();
  expect(await target.database.query('select min(index) as first, max(index) as last from record_file')).toEqual([
    { first: String(gone), last: String(newest) },
  ]);
  const [early] = await target.database.query(
    `select count(*) as rows from transaction
     where consensus_timestamp < (select min(consensus_start) from record_file)`,
  );
  expect(early).toEqual({ rows: '0' });
  expect(total(passes, 'transaction')).toBeGreaterThan(BigInt(gone));
  expect(total(passes, 'transaction')).toBe(total(steps, 'transaction'));
}, 60_000);

it('ends the import at once when it is told about tables that do not exist', async () => {
  const fault = await follow({ enabled: true, include: ['transactions'] }, () => false);
  expect(fault).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('hiero.mirror.importer.retention.include: "transactions" is no table'),
  });
}, 60_000);
