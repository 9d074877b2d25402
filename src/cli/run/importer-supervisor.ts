/** Keeps the importer's thread running for `kagami start`, says in the log what happens to it, and knows its state. */
import type { Logger } from 'pino';
import type { Pruned } from '../../importer/maintenance/retention.ts';
import type { CommittedBlocks } from '../../importer/pipeline/block-commit.ts';
import type { Fault, ImporterMessage, ImporterTask } from '../../importer/pipeline/importer-messages.ts';
import { type ImporterThread, startImporterThread } from '../../importer/pipeline/importer-thread.ts';
import { type StopState, WAIT_PATIENCE_MS } from '../../importer/pipeline/stop-record.ts';

export interface ImporterState {
  readonly block: bigint | undefined;
  /** Nanoseconds. */
  readonly consensusEnd: bigint | undefined;
  /** Imported since the start. */
  readonly transactions: number;
  /** Why nothing is imported at the moment, if so. */
  readonly note: string | undefined;
}

export interface ImporterSupervisor {
  state(): ImporterState;
  /** Resolves with the fault that ended the import for good; never while it runs or after `stop`. */
  readonly failed: Promise<Fault>;
  /** Resolves when the last block that is wanted is imported; never after `stop`. */
  readonly completed: Promise<void>;
  stop(): Promise<void>;
}

/** A way in which the import stands still, for metrics. */
export interface ImportStop {
  readonly state: StopState | 'standby' | 'restarting';
  readonly code: Fault['code'];
}

export interface SupervisorOptions {
  readonly task: ImporterTask;
  readonly logger: Logger;
  readonly onCommitted: (blocks: CommittedBlocks) => void;
  /** The import stopped, or waits for longer than usual. */
  readonly onStop?: (stop: ImportStop) => void;
  /** For tests: another way to start the thread. */
  readonly startThread?: typeof startImporterThread;
  /** Milliseconds before a thread that lost its turn stands in line again. */
  readonly restartMs?: number;
  /** Milliseconds that a file may wait for signatures before anyone needs to know: nodes never sign all at once. */
  readonly patienceMs?: number;
}

/**
 * Runs the importer until `stop`. A thread that another writer has overtaken stands in line again, and one that fell
 * over a passing fault begins again; any other fault is final.
 */
export const superviseImporter = (options: SupervisorOptions): ImporterSupervisor => {
  const { task, logger, onCommitted, onStop, startThread = startImporterThread } = options;
  const { restartMs = 1_000, patienceMs = WAIT_PATIENCE_MS } = options;
  let state: ImporterState = { block: undefined, consensusEnd: undefined, transactions: 0, note: 'starting' };
  /** Transaction types that the log has named. */
  const named = new Set<string>();
  let stopping = false;
  let thread: ImporterThread | undefined;
  let restart: NodeJS.Timeout | undefined;
  let waiting: { readonly timer: NodeJS.Timeout; message: ImporterMessage & { kind: 'waiting' } } | undefined;
  const failed = Promise.withResolvers<Fault>();
  const completed = Promise.withResolvers<void>();
  const note = (text: string | undefined): void => {
    state = { ...state, note: text };
  };

  const endWait = (): void => {
    clearTimeout(waiting?.timer);
    waiting = undefined;
  };

  const wait = (message: ImporterMessage & { kind: 'waiting' }): void => {
    if (waiting?.message.file === message.file) {
      waiting.message = message;
      return;
    }
    endWait();
    const report = (): void => {
      const { file, fault } = waiting?.message ?? message;
      note(`waiting: ${fault.code}`);
      onStop?.({ state: 'waiting', code: fault.code });
      logger.warn({ file, code: fault.code }, `${fault.message}. ${fault.hint}`);
    };
    waiting = { timer: setTimeout(report, patienceMs), message };
  };

  const onMessage = (message: ImporterMessage): void => {
    switch (message.kind) {
      case 'importing':
        note(undefined);
        break;
      case 'job-failed':
        logger.warn({ job: message.job, code: message.fault.code }, `${message.fault.message}. ${message.fault.hint}`);
        break;
      case 'balances-initialized':
        logger.info({ ...message.balances }, 'took the first balances from a balance file');
        break;
      case 'pruning':
        logger.debug(plainOf(message.pruned), 'deleting old rows');
        break;
      case 'pruned':
        logger.info(plainOf(message.pruned), 'deleted old rows');
        break;
      case 'disagreed':
        logger.error(`Balance files and transfers disagree: ${message.error}`);
        break;
      case 'indexing': {
        const { index, table, done, total } = message.index;
        note(`building index ${done + 1} of ${total}, left out by a bulk import`);
        logger.info({ index, table }, `building index ${done + 1} of ${total}, which a bulk import left out`);
        break;
      }
      case 'committed': {
        const { blocks } = message;
        endWait();
        state = {
          block: blocks.blockNumber,
          consensusEnd: blocks.consensusEnd,
          transactions: state.transactions + blocks.transactions,
          note: undefined,
        };
        for (const [type, count] of blocks.unhandledTypes) {
          const level = named.has(type) ? 'debug' : 'info';
          named.add(type);
          logger[level]({ type, count }, 'a transaction type that only has the rows of every transaction');
        }
        onCommitted(blocks);
        break;
      }
      case 'standby':
        note('standing by, another importer writes');
        onStop?.({ state: 'standby', code: 'IMPORTER_STANDING_BY' });
        logger.info({ holder: message.holder }, 'another importer writes to this database; taking over when it ends');
        break;
      case 'waiting':
        wait(message);
        break;
      case 'skipped':
        logger.warn({ file: message.file, code: message.fault.code }, 'passed over a file that too few nodes signed');
        break;
      case 'retrying':
        note(`retrying: ${message.fault.code}`);
        onStop?.({ state: 'retrying', code: message.fault.code });
        logger.warn({ code: message.fault.code, pauseMs: message.pauseMs }, `${message.fault.message}; trying again`);
        break;
      default:
    }
  };

  const run = async (): Promise<void> => {
    thread = startThread(task, onMessage);
    const fault = await thread.ended;
    endWait();
    if (stopping) return;
    if (fault === undefined) {
      note('the import has come to its end');
      onStop?.({ state: 'ended', code: 'IMPORT_RANGE_ENDED' });
      logger.info('The import has come to its end (endDate or endBlockNumber)');
      completed.resolve();
      return;
    }
    if (fault.code === 'WRITER_FENCED' || fault.retryable) {
      note(`restarting: ${fault.code}`);
      onStop?.({ state: 'restarting', code: fault.code });
      logger.warn({ code: fault.code }, `${fault.message}; the importer stands in line again`);
      restart = setTimeout(() => void run(), restartMs);
      return;
    }
    note(`import stopped: ${fault.code}`);
    onStop?.({ state: 'stopped', code: fault.code });
    logger.error({ code: fault.code }, `The import stopped: ${fault.message}. ${fault.hint}`);
    failed.resolve(fault);
  };
  void run();

  return {
    state: () => state,
    failed: failed.promise,
    completed: completed.promise,
    stop: async () => {
      stopping = true;
      clearTimeout(restart);
      endWait();
      await thread?.stop();
    },
  };
};

/** What was deleted, as a log line takes it. */
const plainOf = ({ upTo, rows, partitions }: Pruned): object => ({
  upTo: String(upTo),
  rows: Object.fromEntries([...rows].map(([table, count]) => [table, String(count)])),
  partitions,
});
