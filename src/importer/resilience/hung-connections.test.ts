import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acquireWriter } from '../../database/fencing.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { simulateLedger } from '../../simulator/simulate-ledger.ts';
import { startImporterThread } from '../pipeline/importer-thread.ts';
import { CuttingProxy } from './cutting-proxy.fixture.ts';
import { resilienceSettings } from './resilience-settings.fixture.ts';

let folder: string;
let addressBook: Uint8Array;
let target: TestDatabase;
let proxy: CuttingProxy;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-hung-'));
  const ledger = await simulateLedger({
    out: join(folder, 'ledger'),
    seed: 'hung',
    blocks: 40,
    tps: 2,
    users: 10,
    nodes: 1,
  });
  addressBook = await readFile(ledger.addressBookFile);
  target = await createTestDatabase();
  proxy = await CuttingProxy.start(() => Number(new URL(target.connectionString).port));
}, 60_000);
afterAll(async () => {
  await proxy?.close();
  await target?.drop();
  await rm(folder, { recursive: true, force: true });
});

it('gives up waiting for its turn on a connection on which nothing is heard any more', async () => {
  const holder = await acquireWriter({ connectionString: target.connectionString, holder: 'first' });
  const url = new URL(target.connectionString);
  const standing = await CuttingProxy.start(() => Number(url.port));
  try {
    const standby = acquireWriter({
      connectionString: `${target.connectionString.replace(`:${url.port}/`, `:${standing.port}/`)}`,
      holder: 'second',
      pollMs: 10,
      answerMs: 300,
      onWait: () => standing.stall(),
    });
    await expect(standby).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
  } finally {
    await standing.close();
    await holder.release();
  }
});

it('gives up connections on which nothing is heard any more, so that its supervisor can begin anew', async () => {
  const url = new URL(target.connectionString);
  url.port = String(proxy.port);
  const thread = startImporterThread(
    {
      connectionString: url.href,
      source: { kind: 'folder', path: join(folder, 'ledger') },
      settings: resilienceSettings(1),
      network: { shard: 0n, realm: 0n },
      initialAddressBook: addressBook,
      follow: true,
      trustUnsigned: false,
      holder: 'the test',
    },
    // In the middle of the backlog: the next block is being written.
    ({ kind }) => kind === 'committed' && proxy.stall(),
    { lostGraceMs: 200 },
  );
  expect((await thread.ended)?.code).toBe('WRITER_FENCED');
}, 30_000);
