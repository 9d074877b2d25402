import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import type { Fault } from './fault.ts';
import type { ImporterSettings } from './importer-settings.ts';
import { startImporterThread } from './importer-thread.ts';
import { readStandstill } from './stop-record.ts';
import { defaultImporterSettings, importFolder } from './testing/import-run.fixture.ts';

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

it('reports an import that has come to the end of its range', async () => {
  const endDate = new Date(Number((ledger.blocks[1]?.consensusEnd ?? 0n) / 1_000_000n)).toISOString();
  expect(await importInThread(true, { ...defaultImporterSettings, endDate })).toBeUndefined();
  expect(await readStandstill(target.database)).toMatchObject({
    state: 'ended',
    code: 'IMPORT_RANGE_ENDED',
    file: null,
  });
});

it('is told of a block that is missing behind a backlog, and of its coming', { timeout: 120_000 }, async () => {
  const empty = await createTestDatabase();
  const missing = ledger.blocks[2]?.name ?? '';
  const place = join(folder, 'ledger', 'record0.0.3', missing);
  const away = join(folder, 'away');
  await rename(place, away);
  const messages: string[] = [];
  const thread = startImporterThread(
    {
      connectionString: empty.connectionString,
      source: { kind: 'folder', path: join(folder, 'ledger') },
      settings: defaultImporterSettings,
      network: { shard: 0n, realm: 0n },
      initialAddressBook: await readFile(ledger.addressBookFile),
      follow: true,
      trustUnsigned: false,
      holder: 'the test',
    },
    (message) => {
      if (message.kind === 'standstill') messages.push(`standstill: ${message.fault.code}`);
      else if (message.kind === 'committed') messages.push(`block ${message.blocks.blockNumber}`);
      else if (message.kind === 'resumed') messages.push('resumed');
    },
  );
  const last = ledger.blocks.length - 1;
  try {
    await expect.poll(() => messages.at(-1), { timeout: 60_000 }).toBe('standstill: SOURCE_FILE_MISSING');
    expect(messages).toContain('block 1');
    expect(await readStandstill(empty.database)).toMatchObject({ state: 'waiting', code: 'SOURCE_FILE_MISSING' });
    await rename(away, place);
    await expect.poll(() => messages.at(-1), { timeout: 60_000 }).toBe(`block ${last}`);
    expect(messages.filter((message) => !message.startsWith('block'))).toEqual([
      'standstill: SOURCE_FILE_MISSING',
      'resumed',
    ]);
    expect(await readStandstill(empty.database)).toBeUndefined();

    // The folder itself goes away, as when a disk is unmounted.
    await rename(join(folder, 'ledger'), join(folder, 'unmounted'));
    await expect.poll(() => messages.at(-1), { timeout: 60_000 }).toBe('standstill: SOURCE_UNREADABLE');
    await mkdir(join(folder, 'ledger'));
    await expect.poll(() => messages.at(-1), { timeout: 60_000 }).toBe('standstill: SOURCE_EMPTY');
    await rm(join(folder, 'ledger'), { recursive: true });
    await rename(join(folder, 'unmounted'), join(folder, 'ledger'));
    await expect.poll(() => messages.at(-1), { timeout: 60_000 }).toBe('resumed');
  } finally {
    await thread.stop();
    await empty.drop();
  }
});

it('does not take an import of nothing into nothing for a success', { timeout: 60_000 }, async () => {
  const empty = await createTestDatabase();
  try {
    const importOnce = (settings: Partial<ImporterSettings>, path = join(folder, 'ledger')): Promise<void> =>
      importFolder(empty, {
        folder: path,
        addressBook,
        settings: { ...defaultImporterSettings, ...settings },
      });
    const addressBook = await readFile(ledger.addressBookFile);
    const last = ledger.blocks.length - 1;
    await expect(importOnce({ startBlockNumber: 1_000n })).rejects.toMatchObject({
      code: 'SOURCE_OUT_OF_RANGE',
      message: expect.stringMatching(`block ${last}, and the import begins with block 1000 \\(startBlockNumber\\)`),
    });
    for (const settings of [{ startDate: '2099-01-01T00:00:00Z' }, { endDate: '1999-01-01T00:00:00Z' }]) {
      await expect(importOnce(settings)).rejects.toMatchObject({ code: 'SOURCE_OUT_OF_RANGE' });
    }
    await mkdir(join(folder, 'bare', 'record0.0.3'), { recursive: true });
    await expect(importOnce({}, join(folder, 'bare'))).rejects.toMatchObject({ code: 'SOURCE_EMPTY' });
    await importOnce({ startBlockNumber: BigInt(last) });
    // The database has what there is: nothing is amiss.
    await importOnce({ startBlockNumber: 1_000n });
  } finally {
    await empty.drop();
  }
});
