import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { CommittedBlocks } from '../../importer/pipeline/block-commit.ts';
import type { Fault, ImporterMessage, ImporterTask } from '../../importer/pipeline/importer-messages.ts';
import { superviseImporter } from './importer-supervisor.ts';

const fault = (code: Fault['code'], retryable = false): Fault => ({
  code,
  message: `${code} happened`,
  hint: 'Do something.',
  retryable,
  stack: undefined,
});

const blocks = (blockNumber: bigint, transactions: number): CommittedBlocks => ({
  blockNumber,
  consensusEnd: 5n,
  name: 'x',
  version: 6,
  blocks: 1,
  transactions,
  bytes: 1,
  types: new Map(),
  unhandledTypes: new Map(),
  errors: [],
  errorCount: 0,
  writeMs: 1,
  gapsBefore: [],
  electorateChanged: false,
});

/** Threads that do what the test tells them. */
const supervised = (patienceMs?: number) => {
  const threads: { tell: (message: ImporterMessage) => void; end: (fault?: Fault) => void }[] = [];
  const log: string[] = [];
  const committed: bigint[] = [];
  const stops: string[] = [];
  const supervisor = superviseImporter({
    task: {} as ImporterTask,
    logger: pino({ level: 'debug' }, { write: (line) => void log.push((JSON.parse(line) as { msg: string }).msg) }),
    onCommitted: ({ blockNumber }) => void committed.push(blockNumber),
    onStop: ({ state, code }) => void stops.push(`${state} ${code}`),
    restartMs: 5,
    ...(patienceMs === undefined ? {} : { patienceMs }),
    startThread: (_, onMessage) => {
      const { promise, resolve } = Promise.withResolvers<Fault | undefined>();
      threads.push({ tell: onMessage, end: resolve });
      return {
        ended: promise,
        stop: async () => {
          resolve(undefined);
          await promise;
        },
      };
    },
  });
  return { supervisor, threads, log, committed, stops };
};

describe('the supervisor of the importer', () => {
  it('adds up what is committed', () => {
    const { supervisor, threads, committed } = supervised();
    expect(supervisor.state().note).toBe('starting');
    threads[0]?.tell({ kind: 'importing' });
    threads[0]?.tell({ kind: 'committed', blocks: blocks(7n, 10), heapBytes: 1 });
    threads[0]?.tell({ kind: 'committed', blocks: blocks(8n, 5), heapBytes: 1 });
    expect(supervisor.state()).toEqual({ block: 8n, consensusEnd: 5n, transactions: 15, note: undefined });
    expect(committed).toEqual([7n, 8n]);
  });

  it.each([fault('WRITER_FENCED'), fault('DATABASE_UNAVAILABLE', true)])(
    'starts again after $code',
    async (passing) => {
      const { supervisor, threads } = supervised();
      threads[0]?.end(passing);
      await vi.waitFor(() => expect(threads).toHaveLength(2));
      await supervisor.stop();
    },
  );

  it('gives up after a final fault, and says what to do', async () => {
    const { supervisor, threads, log } = supervised();
    threads[0]?.end(fault('STREAM_CHAIN_BROKEN'));
    expect((await supervisor.failed).code).toBe('STREAM_CHAIN_BROKEN');
    await pause(30);
    expect(threads).toHaveLength(1);
    expect(supervisor.state().note).toBe('import stopped: STREAM_CHAIN_BROKEN');
    expect(log.at(-1)).toBe('The import stopped: STREAM_CHAIN_BROKEN happened. Do something.');
  });

  it('says that the import has come to its end', async () => {
    const { supervisor, threads, log } = supervised();
    threads[0]?.end();
    await supervisor.completed;
    await pause(30);
    expect(threads).toHaveLength(1);
    expect(supervisor.state().note).toBe('the import has come to its end');
    expect(log.at(-1)).toContain('endBlockNumber');
  });

  it('tells of every way in which the import stands still', async () => {
    const { supervisor, threads, stops } = supervised(5);
    threads[0]?.tell({ kind: 'standby', holder: 'another' });
    threads[0]?.tell({ kind: 'importing' });
    threads[0]?.tell({ kind: 'waiting', file: 'f', fault: fault('STREAM_UNSIGNED', true) });
    await vi.waitFor(() => expect(stops).toHaveLength(2));
    threads[0]?.tell({ kind: 'committed', blocks: blocks(1n, 1), heapBytes: 1 });
    threads[0]?.tell({ kind: 'retrying', fault: fault('DATABASE_FULL', true), pauseMs: 1 });
    threads[0]?.end(fault('WRITER_FENCED'));
    await vi.waitFor(() => expect(threads).toHaveLength(2));
    threads[1]?.end(fault('ROW_INVALID'));
    await supervisor.failed;
    expect(stops).toEqual([
      'standby IMPORTER_STANDING_BY',
      'waiting STREAM_UNSIGNED',
      'retrying DATABASE_FULL',
      'restarting WRITER_FENCED',
      'stopped ROW_INVALID',
    ]);

    const ended = supervised();
    ended.threads[0]?.end();
    await ended.supervisor.completed;
    expect(ended.stops).toEqual(['ended IMPORT_RANGE_ENDED']);
  });

  it('does not start again once it is stopped', async () => {
    const { supervisor, threads } = supervised();
    threads[0]?.end(fault('WRITER_FENCED'));
    await pause(1);
    await supervisor.stop();
    await pause(30);
    expect(threads).toHaveLength(1);
  });

  it('says that it stands by', () => {
    const { supervisor, threads } = supervised();
    threads[0]?.tell({ kind: 'standby', holder: 'another' });
    expect(supervisor.state().note).toBe('standing by, another importer writes');
  });

  it('mentions a file that waits for signatures only when it takes long', async () => {
    const patient = supervised(10_000);
    patient.threads[0]?.tell({ kind: 'waiting', file: 'f', fault: fault('STREAM_UNSIGNED', true) });
    expect(patient.log).toEqual([]);
    await patient.supervisor.stop();

    const { supervisor, threads, log } = supervised(5);
    threads[0]?.tell({ kind: 'waiting', file: 'f', fault: fault('STREAM_UNSIGNED', true) });
    threads[0]?.tell({ kind: 'waiting', file: 'f', fault: fault('STREAM_NO_CONSENSUS', true) });
    await vi.waitFor(() => expect(log).toEqual(['STREAM_NO_CONSENSUS happened. Do something.']));
    expect(supervisor.state().note).toBe('waiting: STREAM_NO_CONSENSUS');
    await supervisor.stop();
  });
});
