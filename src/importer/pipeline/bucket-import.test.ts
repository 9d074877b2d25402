import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acquireWriter } from '../../database/fencing.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import type { KagamiError } from '../../errors/kagami-error.ts';
import { nanosToStreamName, streamNameToNanos } from '../../ledger/timestamp.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { openSource } from '../../sources/open-source.ts';
import { type S3Proxy, startS3Proxy } from '../../sources/testing/s3-proxy.fixture.ts';
import {
  type S3TestServer,
  serverKeys,
  startS3Server,
  type TestObject,
  testLocation,
  testStore,
} from '../../sources/testing/s3-server.fixture.ts';
import { parseAddressBook } from '../../streams/address-book.ts';
import { type ImporterOptions, runImporter } from './importer.ts';
import type { ImporterSettings } from './importer-settings.ts';
import { defaultImporterSettings } from './testing/import-run.fixture.ts';

let folder: string;
let ledger: SimulatedLedger;
let server: S3TestServer;
let proxy: S3Proxy;
let target: TestDatabase;
/** Names of the record files, oldest first. */
let names: readonly string[];

const objectsOf = async (): Promise<TestObject[]> => {
  const root = join(folder, 'ledger');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile() && entry.name.includes('.rcd'))
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return { key: `recordstreams/${path.slice(path.indexOf('record0.0.'))}`, bytes: await readFile(path) };
      }),
  );
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-bucket-'));
  [ledger, server] = await Promise.all([
    simulateLedger({ out: join(folder, 'ledger'), seed: 'bucket', blocks: 12, tps: 5, users: 20 }),
    startS3Server(['streams', 'with-gap', 'growing']),
  ]);
  proxy = await startS3Proxy(server.port, serverKeys.secretKey);
  const objects = await objectsOf();
  names = [...new Set(objects.map(({ key }) => /\/([^/]+\.rcd\.gz)$/.exec(key)?.[1] ?? ''))]
    .filter((name) => /Z\.rcd\.gz$/.test(name))
    .sort();
  const missing = [names[5], names[6]].map((name) => name?.replace('.rcd.gz', '') ?? '');
  await server.put(objects);
  await server.put(
    objects.filter(({ key }) => !missing.some((base) => key.includes(base))),
    'with-gap',
  );
});
afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  proxy.harm = () => undefined;
  target = await createTestDatabase();
});
afterEach(() => target.drop());

interface Run extends Partial<Omit<ImporterOptions, 'settings'>> {
  readonly bucket?: string;
  readonly settings?: Partial<ImporterSettings>;
}

const importBucket = async ({ bucket = 'streams', settings, ...more }: Run = {}): Promise<void> => {
  const lease = await acquireWriter({ connectionString: target.connectionString });
  const location = testLocation([testStore(proxy.endpoint)], { bucket, timeoutMs: 4_000 });
  const source = openSource(location, more.follow ?? false);
  try {
    await runImporter({
      database: target.database,
      lease,
      source,
      settings: { ...defaultImporterSettings, ...settings },
      network: { shard: 0n, realm: 0n },
      follow: false,
      initialAddressBook: parseAddressBook(await readFile(ledger.addressBookFile)),
      readAhead: 25,
      ...more,
    });
  } finally {
    source.close();
    await lease.release();
  }
};

const blocks = async (): Promise<string[]> =>
  (await target.database.query<{ index: string }>('select index from record_file order by consensus_end')).map(
    ({ index }) => index,
  );
const numbers = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
const lastBlock = (): number => ledger.blocks.length - 1;
const startOfBlock = (number: number): bigint => streamNameToNanos(names[number] ?? '') ?? 0n;
const isoOf = (nanos: bigint): string => `${nanosToStreamName(nanos).replaceAll('_', ':')}`;

describe('an import from a bucket', () => {
  it('comes to the end although one node hangs and another one has damaged files', async () => {
    proxy.harm = ({ path, query }) => {
      const key = query.get('prefix') ?? path;
      if (key.includes('record0.0.3/')) return 'hang';
      return key.includes('record0.0.4/') && path.endsWith('.rcd.gz') ? 'truncate' : undefined;
    };
    await importBucket();
    expect(await blocks()).toEqual(numbers(0, lastBlock()));
  });

  it('begins and ends with the blocks wanted, and has nothing to do after that', async () => {
    const settings = { startBlockNumber: 3n, endBlockNumber: 7n };
    await importBucket({ settings });
    expect(await blocks()).toEqual(numbers(3, 7));
    proxy.requests.length = 0;
    await importBucket({ settings, follow: true });
    expect(await blocks()).toEqual(numbers(3, 7));
    expect(proxy.requests).toEqual([]);
    await importBucket({ settings: { endBlockNumber: 9n }, follow: true });
    expect(await blocks()).toEqual(numbers(3, 9));
  });

  it('ends with the last consensus time wanted, also when following', async () => {
    const endDate = isoOf(ledger.blocks[4]?.consensusEnd ?? 0n);
    await importBucket({ settings: { endDate }, follow: true });
    expect(await blocks()).toEqual(numbers(0, 4));
  });

  it('begins an empty database where it is told to, and goes on after the last block later', async () => {
    const beginsAt = startOfBlock(8) - 1n;
    const run = { beginsAt, follow: true, settings: { endBlockNumber: 9n } };
    await importBucket(run);
    expect(await blocks()).toEqual(numbers(8, 9));
    await importBucket({ beginsAt: beginsAt * 2n, settings: {} });
    expect(await blocks()).toEqual(numbers(8, lastBlock()));
  });

  it('is refused before it begins when it would end earlier', async () => {
    const settings = { startDate: '2024-01-02', endDate: '2024-01-01' };
    await expect(importBucket({ settings, follow: true })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('tells which blocks are missing, and leaves them out only when told', async () => {
    const refusal = (await importBucket({ bucket: 'with-gap' }).catch((error: unknown) => error)) as KagamiError;
    expect(refusal).toMatchObject({
      code: 'STREAM_CHAIN_BROKEN',
      message: `${names[7]}: blocks 5 to 6 are missing before it (block 7)`,
    });
    expect(await blocks()).toEqual(numbers(0, 4));
    // Continued, the number of the last block comes from the database.
    await expect(importBucket({ bucket: 'with-gap' })).rejects.toThrow('blocks 5 to 6 are missing');
    const gaps: unknown[] = [];
    await importBucket({
      bucket: 'with-gap',
      acceptGaps: true,
      events: {
        committed: ({ gapsBefore }) => {
          gaps.push(...gapsBefore);
        },
      },
    });
    expect(gaps).toEqual([{ file: names[7], first: 5n, last: 6n }]);
    expect(await blocks()).toEqual([...numbers(0, 4), ...numbers(7, lastBlock())]);
  });

  it('jumps to a later start only when gaps are accepted', async () => {
    await importBucket({ settings: { endBlockNumber: 2n } });
    const settings = { startDate: isoOf(startOfBlock(9)) };
    await expect(importBucket({ settings })).rejects.toThrow('startDate lies after block 2');
    await importBucket({ settings, acceptGaps: true });
    expect(await blocks()).toEqual([...numbers(0, 2), ...numbers(9, lastBlock())]);
  });
});
