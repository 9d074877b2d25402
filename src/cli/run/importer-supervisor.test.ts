import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { CommittedBlocks } from '../../importer/pipeline/block-commit.ts';
import type { Fault } from '../../importer/pipeline/fault.ts';
import type { ImporterMessage, ImporterTask } from '../../importer/pipeline/importer-messages.ts';
import { superviseImporter } from './importer-supervisor.ts';

const fault = (code: Fault['code'], retryable = false): Fault => ({
  code,
  message: `${code} happened`,
  hint: 'Do something.',
  retryable,
  stack: undefined,
});

const standstill = (code: Fault['code']): ImporterMessage => ({
  kind: 'standstill',
  state: 'waiting',
  file: 'f',
  fault: fault(code, true),
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
  sidecars: { read: 0, missing: 0, unwanted: 0 },
  electorateChanged: false,
});

/** Threads that do what the test tells them. */
const supervised = () => {
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

  it('reports every way in which the import stands still', async () => {
    const { supervisor, threads, stops } = supervised();
    threads[0]?.tell({ kind: 'standby', holder: 'another' });
    threads[0]?.tell({ kind: 'importing' });
    threads[0]?.tell(standstill('STREAM_UNSIGNED'));
    threads[0]?.tell({ kind: 'resumed' });
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

  it('says once why the import stands still, until it goes on, whatever is committed meanwhile', async () => {
    const { supervisor, threads, log } = supervised();
    threads[0]?.tell({ kind: 'importing' });
    expect(supervisor.standstill()).toBeUndefined();
    threads[0]?.tell(standstill('STREAM_NO_CONSENSUS'));
    threads[0]?.tell({ kind: 'committed', blocks: blocks(1n, 1), heapBytes: 1 });
    expect(log).toEqual(['STREAM_NO_CONSENSUS happened. Do something.']);
    expect(supervisor.state()).toMatchObject({ block: 1n, note: 'waiting: STREAM_NO_CONSENSUS' });
    expect(supervisor.standstill()).toEqual({
      state: 'waiting',
      code: 'STREAM_NO_CONSENSUS',
      file: 'f',
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    threads[0]?.tell({ kind: 'resumed' });
    expect(supervisor.state().note).toBeUndefined();
    expect(supervisor.standstill()).toBeUndefined();
    expect(log.at(-1)).toBe('the import goes on');
    await supervisor.stop();
  });

  it('knows that it stands by, starts again and again, has stopped or come to its end', async () => {
    const { supervisor, threads } = supervised();
    threads[0]?.tell({ kind: 'standby', holder: 'another' });
    expect(supervisor.standstill()).toBe('standby');
    threads[0]?.end(fault('DATABASE_UNAVAILABLE', true));
    await vi.waitFor(() => expect(threads).toHaveLength(2));
    const first = supervisor.standstill();
    expect(first).toMatchObject({ state: 'retrying', code: 'DATABASE_UNAVAILABLE' });
    threads[1]?.tell({ kind: 'importing' });
    threads[1]?.end(fault('DATABASE_UNAVAILABLE', true));
    await vi.waitFor(() => expect(threads).toHaveLength(3));
    expect(supervisor.standstill()).toEqual(first);
    threads[2]?.tell({ kind: 'committed', blocks: blocks(1n, 1), heapBytes: 1 });
    expect(supervisor.standstill()).toBeUndefined();
    threads[2]?.end(fault('ROW_INVALID'));
    await supervisor.failed;
    expect(supervisor.standstill()).toMatchObject({ state: 'stopped', code: 'ROW_INVALID' });

    const ended = supervised();
    ended.threads[0]?.end();
    await ended.supervisor.completed;
    expect(ended.supervisor.standstill()).toMatchObject({ state: 'ended' });
  });
});
