import { Worker } from 'node:worker_threads';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { Fault } from './fault.ts';
import { faultOf } from './fault.ts';
import type { ImporterMessage, ImporterOrder, ImporterTask } from './importer-messages.ts';

export interface ImporterThread {
  /** Resolves when the thread has ended: undefined after a stop or the end of the source, else why it failed. */
  readonly ended: Promise<Fault | undefined>;
  /** Ends the group of blocks in work and stops. */
  stop(): Promise<void>;
}

/**
 * The thread's heap. Rows live until they are encoded, so that a young generation of the default size is copied again and
 * again. The collector lets garbage lie in proportion to the old generation's bound: this one holds blocks of more than
 * 100,000 transactions, and keeps the process a third smaller than the default.
 */
const HEAP = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 1024 };

/** Milliseconds that the thread has to end when it has lost the writer's lock. */
const LOST_GRACE_MS = 10_000;

/** Runs the importer in a worker thread, so that decoding never delays an answer of the interfaces. */
export const startImporterThread = (
  task: ImporterTask,
  onMessage: (message: ImporterMessage) => void,
  { lostGraceMs = LOST_GRACE_MS }: { readonly lostGraceMs?: number } = {},
): ImporterThread => {
  const worker = new Worker(workerFile(), {
    workerData: task,
    name: 'kagami-importer',
    resourceLimits: HEAP,
  });
  let fault: Fault | undefined;
  /** Ends a thread that hangs on a connection; whatever it was writing is rolled back. */
  const giveUp = (): void => {
    fault ??= faultOf(new KagamiError('WRITER_FENCED', 'The writer lock was lost, and the database does not answer'));
    void worker.terminate();
  };
  worker.on('message', (message: ImporterMessage) => {
    if (message.kind === 'failed') fault = message.fault;
    if (message.kind === 'lock-lost') setTimeout(giveUp, lostGraceMs).unref();
    onMessage(message);
  });
  const { promise: ended, resolve } = Promise.withResolvers<Fault | undefined>();
  worker.on('error', (error: unknown) => {
    fault = faultOf(error);
    onMessage({ kind: 'failed', fault });
  });
  worker.on('exit', () => resolve(fault));
  return {
    ended,
    stop: async () => {
      worker.postMessage({ kind: 'stop' } satisfies ImporterOrder);
      await ended;
    },
  };
};

/** The worker's file beside this one: a .ts source in development, .js in the built package. */
const workerFile = (): URL =>
  new URL(`./importer-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
