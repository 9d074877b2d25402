import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acquireWriter, type WriterLease } from '../../database/fencing.ts';
import { createTestDatabase } from '../../database/testing/test-database.fixture.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { simulateLedger } from '../../simulator/simulate-ledger.ts';
import { FolderSource } from '../../sources/folder-source.ts';
import { parseAddressBook } from '../../streams/address-book.ts';
import { runImporter } from './importer.ts';
import { defaultImporterSettings } from './testing/import-run.fixture.ts';

it('tries a failed commit again although no further file comes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kagami-retry-'));
  const target = await createTestDatabase();
  const lease = await acquireWriter({ connectionString: target.connectionString });
  const source = new FolderSource(join(folder, 'ledger'), { watch: true });
  try {
    const ledger = await simulateLedger({ out: join(folder, 'ledger'), seed: 'retry', blocks: 1, tps: 5, users: 20 });
    const stop = new AbortController();
    const retried: string[] = [];
    let checks = 0;
    const failingOnce: WriterLease = {
      ...lease,
      check: async (client) => {
        // The first check belongs to the address book, the second to the first group of blocks.
        if (++checks === 2) throw new KagamiError('DATABASE_UNAVAILABLE', 'the connection broke');
        await lease.check(client);
      },
    };
    await runImporter({
      database: target.database,
      lease: failingOnce,
      source,
      settings: {
        ...defaultImporterSettings,
        parser: {
          ...defaultImporterSettings.parser,
          record: { ...defaultImporterSettings.parser.record, retry: { minBackoff: 10, maxBackoff: 10 } },
        },
      },
      network: { shard: 0n, realm: 0n },
      follow: true,
      initialAddressBook: parseAddressBook(await readFile(ledger.addressBookFile)),
      signal: stop.signal,
      events: {
        retrying: ({ code }) => retried.push(code),
        committed: ({ blockNumber }) => {
          if (blockNumber === BigInt(ledger.blocks.length - 1)) stop.abort();
        },
      },
    });
    expect(retried).toEqual(['DATABASE_UNAVAILABLE']);
    const [row] = await target.database.query('select count(*) as blocks from record_file');
    expect(row).toEqual({ blocks: String(ledger.blocks.length) });
  } finally {
    source.close();
    await lease.release();
    await target.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
