import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import type { ImporterSettings } from './importer.ts';
import type { Fault } from './importer-messages.ts';
import { startImporterThread } from './importer-thread.ts';
import { readStandstill } from './stop-record.ts';
import { defaultImporterSettings } from './testing/import-run.fixture.ts';

let folder: string;
let ledger: SimulatedLedger;
let target: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-standstill-'));
  ledger = await simulateLedger({ out: join(folder, 'ledger'), seed: 'still', blocks: 3, tps: 2, users: 10, nodes: 1 });
  target = await createTestDatabase();
}, 60_000);
afterAll(async () => {
  await target?.drop();
  await rm(folder, { recursive: true, force: true });
});

const importInThread = async (follow: boolean, settings: ImporterSettings): Promise<Fault | undefined> => {
  const thread = startImporterThread(
    {
      connectionString: target.connectionString,
      source: { kind: 'folder', path: join(folder, 'ledger') },
      settings,
      network: { shard: 0n, realm: 0n },
      initialAddressBook: await readFile(ledger.addressBookFile),
      follow,
      trustUnsigned: false,
      holder: 'the test',
    },
    () => undefined,
  );
  return thread.ended;
};

it('is kept by the thread that stops, and cleared by the next that gets further', async () => {
  const missing = ledger.blocks[3]?.name ?? '';
  const place = join(folder, 'ledger', 'record0.0.3', missing);
  await rename(place, join(folder, 'away'));
  const fault = await importInThread(false, defaultImporterSettings);
  expect(fault?.code).toBe('SOURCE_FILE_MISSING');
  expect(await readStandstill(target.database)).toMatchObject({
    state: 'stopped',
    code: 'SOURCE_FILE_MISSING',
    holder: 'the test',
  });

  await rename(join(folder, 'away'), place);
  expect(await importInThread(false, defaultImporterSettings)).toBeUndefined();
  expect(await readStandstill(target.database)).toBeUndefined();
});

it('tells of an import that has come to the end of its range', async () => {
  const endDate = new Date(Number((ledger.blocks[1]?.consensusEnd ?? 0n) / 1_000_000n)).toISOString();
  expect(await importInThread(true, { ...defaultImporterSettings, endDate })).toBeUndefined();
  expect(await readStandstill(target.database)).toMatchObject({
    state: 'ended',
    code: 'IMPORT_RANGE_ENDED',
    file: null,
  });
});
