import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../database/testing/test-database.fixture.ts';
import type { Fault } from '../../importer/pipeline/fault.ts';
import type { ImporterMessage, ImporterTask } from '../../importer/pipeline/importer-messages.ts';
import { defaultImporterSettings } from '../../importer/pipeline/testing/import-run.fixture.ts';
import { simulateLedger } from '../../simulator/simulate-ledger.ts';
import { importPersistently, type PersistentImportOptions } from './persistent-import.ts';

const fault = (code: Fault['code'], retryable = true): Fault => ({
  code,
  message: `${code} happened`,
  hint: '',
  retryable,
  stack: undefined,
});
const committed = { kind: 'committed' } as ImporterMessage;

/** Threads that end with these faults one after the other, some after a block. */
const run = async (
  ends: readonly { readonly fault?: Fault; readonly afterBlock?: boolean }[],
  more: Partial<PersistentImportOptions> = {},
) => {
  let started = 0;
  const pauses: number[] = [];
  const result = await importPersistently({
    task: { source: { kind: 'folder', path: '/' } } as ImporterTask,
    onMessage: () => undefined,
    onRetry: (_, pauseMs) => pauses.push(pauseMs),
    retry: { minBackoff: 1, maxBackoff: 4 },
    signal: new AbortController().signal,
    startThread: (_, onMessage) => {
      const end = ends[Math.min(started++, ends.length - 1)];
      if (end?.afterBlock) onMessage(committed);
      return { ended: Promise.resolve(end?.fault), stop: async () => undefined };
    },
    ...more,
  });
  return { result: result?.code, started, pauses };
};

describe('an import once', () => {
  it('begins again after faults of the database, with growing pauses until there is a block', async () => {
    const lost = { fault: fault('DATABASE_UNAVAILABLE') };
    const ends = [lost, { fault: fault('DATABASE_TIMEOUT') }, lost, lost, { ...lost, afterBlock: true }, lost, {}];
    expect(await run(ends)).toEqual({ result: undefined, started: 7, pauses: [1, 2, 4, 4, 1, 2] });
    expect(await run([{ fault: fault('WRITER_FENCED', false) }, {}])).toMatchObject({ result: undefined, started: 2 });
  });

  it('ends with any other fault', async () => {
    for (const code of ['SOURCE_FILE_MISSING', 'STREAM_NO_CONSENSUS', 'SOURCE_TIMEOUT'] as const) {
      expect(await run([{ fault: fault(code), afterBlock: true }])).toMatchObject({ result: code, started: 1 });
    }
    const denied = { fault: fault('DATABASE_ACCESS_DENIED', false) };
    expect(await run([denied])).toMatchObject({ result: 'DATABASE_ACCESS_DENIED', started: 1 });
  });

  it('bears a store that fails after it has answered', async () => {
    const task = { source: { kind: 'bucket' } } as ImporterTask;
    const failing = { fault: fault('SOURCE_TIMEOUT') };
    expect(await run([failing, {}], { task })).toMatchObject({ result: 'SOURCE_TIMEOUT', started: 1 });
    expect(await run([{ ...failing, afterBlock: true }, {}], { task })).toMatchObject({ started: 2 });
  });

  it('gives up when no block comes for long', async () => {
    const { result, started } = await run([{ fault: fault('DATABASE_TIMEOUT') }], { patienceMs: 30 });
    expect(result).toBe('DATABASE_TIMEOUT');
    expect(started).toBeGreaterThan(2);
  });

  it('survives that the server ends all its connections', { timeout: 300_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kagami-persistent-'));
    const target = await createTestDatabase();
    try {
      const ledger = await simulateLedger({ out: folder, seed: 'lost', blocks: 12, tps: 20, users: 10, nodes: 1 });
      const retried: string[] = [];
      let cuts = 0;
      const result = await importPersistently({
        task: {
          connectionString: target.connectionString,
          source: { kind: 'folder', path: folder },
          settings: {
            ...defaultImporterSettings,
            parser: {
              ...defaultImporterSettings.parser,
              record: { ...defaultImporterSettings.parser.record, batch: { maxFiles: 2, maxItems: 1_000 } },
            },
          } as typeof defaultImporterSettings,
          network: { shard: 0n, realm: 0n },
          initialAddressBook: await readFile(ledger.addressBookFile),
          follow: false,
          trustUnsigned: false,
          holder: 'the test',
        },
        onMessage: ({ kind }) => {
          if (kind !== 'committed' || cuts++ >= 2) return;
          void target.database.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()`,
          );
        },
        onRetry: ({ code }) => retried.push(code),
        retry: { minBackoff: 10, maxBackoff: 100 },
        signal: new AbortController().signal,
      });
      expect(result).toBeUndefined();
      expect(retried.length).toBeGreaterThan(0);
      const [row] = await target.database.query(
        'select count(*), max(index) - min(index) + 1 as span from record_file',
      );
      const blocks = String(ledger.blocks.length);
      expect(row).toEqual({ count: blocks, span: blocks });
    } finally {
      await target.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
