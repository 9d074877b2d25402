import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { startImporterThread } from '../pipeline/importer-thread.ts';
import { defaultImporterSettings } from '../pipeline/testing/import-run.fixture.ts';
import { tableDigests } from '../pipeline/testing/table-digests.fixture.ts';

let folder: string;
let ledger: SimulatedLedger;
let plain: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-bulk-'));
  ledger = await simulateLedger({ out: join(folder, 'ledger'), seed: 'bulk', blocks: 30, tps: 20 });
  plain = await createTestDatabase();
  await importInto(plain, false);
}, 300_000);
afterAll(async () => {
  await plain?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Imports in the importer's thread; stops after so many commits, if wanted. */
const importInto = async (target: TestDatabase, bulk: boolean, stopAfter = Number.POSITIVE_INFINITY): Promise<void> => {
  let commits = 0;
  const thread = startImporterThread(
    {
      connectionString: target.connectionString,
      source: { kind: 'folder', path: join(folder, 'ledger') },
      settings: { ...defaultImporterSettings, parser: oneBlockAtATime },
      network: { shard: 0n, realm: 0n },
      initialAddressBook: await readFile(ledger.addressBookFile),
      follow: false,
      trustUnsigned: false,
      bulk,
      holder: 'test',
    },
    (message) => {
      if (message.kind === 'committed' && ++commits === stopAfter) void thread.stop();
    },
  );
  expect(await thread.ended).toBeUndefined();
};

const { parser } = defaultImporterSettings;
const oneBlockAtATime = {
  ...parser,
  record: { ...parser.record, batch: { ...parser.record.batch, maxFiles: 1 } },
};

const indexCount = async ({ database }: TestDatabase): Promise<number> => {
  const [row] = await database.query<{ count: string }>(`select count(*) from pg_indexes where schemaname = 'public'`);
  return Number(row?.count);
};

describe('a bulk import', () => {
  it('leaves the same rows and indexes as any other', async () => {
    const target = await createTestDatabase();
    await importInto(target, true);
    expect(await tableDigests(target.database)).toEqual(await tableDigests(plain.database));
    expect(await indexCount(target)).toBe(await indexCount(plain));
    await target.drop();
  }, 300_000);

  it('that is cut off is continued by an ordinary one, which builds the indexes first', async () => {
    const target = await createTestDatabase();
    await importInto(target, true, 5);
    expect(await indexCount(target)).toBeLessThan(await indexCount(plain));
    const [cutOff] = await target.database.query<{ blocks: string }>('select count(*) as blocks from record_file');
    expect(Number(cutOff?.blocks)).toBeLessThan(ledger.blocks.length);
    await importInto(target, false);
    expect(await tableDigests(target.database)).toEqual(await tableDigests(plain.database));
    expect(await indexCount(target)).toBe(await indexCount(plain));
    await target.drop();
  }, 300_000);
});
