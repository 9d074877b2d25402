import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import {
  type S3TestServer,
  serverKeys,
  startS3Server,
  type TestObject,
} from '../../sources/testing/s3-server.fixture.ts';
import { eventually, type KagamiProcess, startKagami } from './testing/kagami-process.fixture.ts';
import { getJson } from './testing/rest-walk.fixture.ts';
import { type LedgerFolder, simulateInto } from './testing/served-ledger.fixture.ts';

const EARLY = 4;
const LAST = 9;

let source: LedgerFolder;
let server: S3TestServer;
let target: TestDatabase;
let folder: string;
let kagami: KagamiProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-bucket-start-'));
  [source, server, target] = await Promise.all([
    simulateInto({ seed: 'bucket start', blocks: 10, tps: 5, users: 20 }),
    startS3Server(['solo-streams']),
    createTestDatabase(),
  ]);
});
afterAll(async () => {
  await kagami?.end('SIGKILL');
  await Promise.all([source?.remove(), server?.stop(), target?.drop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** The files of these blocks under a prefix of the bucket. */
const objectsOf = (from: number, to: number): TestObject[] => {
  const blocks = source.ledger.blocks.slice(from, to).map(({ name }) => name.split('Z')[0] ?? '');
  return readdirSync(source.folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.rcd/.test(file) && blocks.some((block) => file.includes(block)))
    .map((file) => ({
      key: `mine/recordstreams/${file.slice(file.indexOf('record0.0.'))}`,
      bytes: readFileSync(join(source.folder, file)),
    }));
};

it('follows a bucket, ends with the last block wanted, and goes on serving', async () => {
  await server.put(objectsOf(0, EARLY), 'solo-streams');
  const downloader = 'hiero.mirror.importer.downloader';
  const settings = {
    'hiero.mirror.importer.network': 'other',
    'hiero.mirror.importer.startDate': '1970-01-01T00:00:00Z',
    'hiero.mirror.importer.endBlockNumber': String(LAST),
    // The first store isn't there.
    [`${downloader}.sources[0].uri`]: 'http://127.0.0.1:9',
    [`${downloader}.sources[1].uri`]: server.endpoint,
    [`${downloader}.sources[1].credentials.accessKey`]: serverKeys.accessKey,
    [`${downloader}.sources[1].credentials.secretKey`]: serverKeys.secretKey,
    [`${downloader}.sources[0].credentials.accessKey`]: serverKeys.accessKey,
    [`${downloader}.sources[0].credentials.secretKey`]: serverKeys.secretKey,
    'kagami.server.additionalPorts': '',
  };
  kagami = startKagami(folder, [
    'start',
    ...['--source', 's3://solo-streams/mine', '--address-book', source.ledger.addressBookFile],
    ...['--database', target.connectionString, '--port', '0'],
    ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ]);
  const running = kagami;
  await running.says('s3://solo-streams/mine', 30_000);
  const origin = await eventually('port', 30_000, () => /http:\/\/127\.0\.0\.1:\d{4,}/.exec(running.output())?.[0]);
  const newest = async () => (await getJson(origin, '/api/v1/blocks?limit=1')).blocks[0]?.number;
  await eventually('early blocks', 30_000, async () => (await newest()) === BigInt(EARLY - 1));
  await server.put(objectsOf(EARLY, source.ledger.blocks.length), 'solo-streams');
  await running.says('The import has come to its end', 30_000);
  await eventually('last block', 10_000, async () => (await newest()) === BigInt(LAST));
  expect(await running.end('SIGTERM')).toBe(0);
}, 110_000);

it('ends by itself with the last block wanted when it only imports', async () => {
  const importOnly = await createTestDatabase();
  const alone = startKagami(folder, [
    'start',
    ...['--source', source.folder, '--address-book', source.ledger.addressBookFile, '--roles', 'importer'],
    ...['--database', importOnly.connectionString],
    ...['--set', 'hiero.mirror.importer.startDate=1970-01-01T00:00:00Z'],
    ...['--set', 'hiero.mirror.importer.endBlockNumber=6'],
  ]);
  try {
    expect(await alone.exited()).toBe(0);
    expect(alone.output()).toContain('The import has come to its end');
    expect(await importOnly.database.query('select max(index) as last from record_file')).toEqual([{ last: '6' }]);
  } finally {
    await alone.end('SIGKILL');
    await importOnly.drop();
  }
});
