/** Keeps the importer's thread of `kagami import` running over faults that pass. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from '../../importer/pipeline/fault.ts';
import type { ImporterMessage, ImporterTask } from '../../importer/pipeline/importer-messages.ts';
import { startImporterThread } from '../../importer/pipeline/importer-thread.ts';

/** Milliseconds after which faults without a block between them no longer count as passing. */
const PATIENCE_MS = 300_000;

export interface PersistentImportOptions {
  readonly task: ImporterTask;
  readonly onMessage: (message: ImporterMessage) => void;
  readonly onRetry: (fault: Fault, pauseMs: number) => void;
  /** Milliseconds of the first and the longest pause; each is twice the one before. */
  readonly retry: { readonly minBackoff: number; readonly maxBackoff: number };
  /** Stops the import after the blocks in work. */
  readonly signal: AbortSignal;
  readonly patienceMs?: number;
  /** For tests: another way to start the thread. */
  readonly startThread?: typeof startImporterThread;
}

/**
 * Imports what is there, and begins again after the last committed block where the database was lost, or a store that had
 * answered before. Whoever watches a command wants to know at some time that it can't go on: that is after minutes
 * without a block.
 * @returns why the import ended, undefined at its end or when it was stopped
 */
export const importPersistently = async (options: PersistentImportOptions): Promise<Fault | undefined> => {
  const { task, signal, retry, patienceMs = PATIENCE_MS, startThread = startImporterThread } = options;
  let pause = retry.minBackoff;
  let failingSince: number | undefined;
  let hasImported = false;
  for (;;) {
    const thread = startThread(task, (message) => {
      if (message.kind === 'committed') {
        hasImported = true;
        failingSince = undefined;
        pause = retry.minBackoff;
      }
      options.onMessage(message);
    });
    const stop = (): void => void thread.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const fault = await thread.ended;
    signal.removeEventListener('abort', stop);
    if (fault === undefined || signal.aborted || !passes(fault, task, hasImported)) return fault;
    failingSince ??= performance.now();
    if (performance.now() - failingSince > patienceMs) return fault;
    options.onRetry(fault, pause);
    await delay(pause, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    pause = Math.min(2 * pause, retry.maxBackoff);
  }
};

const passes = ({ code, retryable }: Fault, { source }: ImporterTask, hasImported: boolean): boolean => {
  if (code === 'WRITER_FENCED') return true;
  if (!retryable) return false;
  if (code.startsWith('DATABASE_')) return true;
  // A store that has never answered is rather a wrong address, and what a folder lacks does not come by itself.
  if (!hasImported) return false;
  if (code.startsWith('SOURCE_NODE_')) return true;
  return source?.kind === 'bucket' && (code === 'SOURCE_TIMEOUT' || code === 'SOURCE_UNREADABLE');
};
