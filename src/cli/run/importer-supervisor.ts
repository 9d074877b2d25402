/** Keeps the importer's thread running for `kagami start`, says in the log what happens to it, and knows its state. */
import type { Logger } from 'pino';
import type { Pruned } from '../../importer/maintenance/retention.ts';
import type { CommittedBlocks } from '../../importer/pipeline/block-commit.ts';
import type { Fault } from '../../importer/pipeline/fault.ts';
import type { ImporterMessage, ImporterTask } from '../../importer/pipeline/importer-messages.ts';
import { type ImporterThread, startImporterThread } from '../../importer/pipeline/importer-thread.ts';
import type { Standstill, StopState } from '../../importer/pipeline/stop-record.ts';
import type { BlockMeasurement } from '../../sources/block-measurement.ts';

export interface ImporterState {
  readonly block: bigint | undefined;
  /** Nanoseconds. */
  readonly consensusEnd: bigint | undefined;
  /** Imported since the start. */
  readonly transactions: number;
  /** Why nothing is imported at the moment, if so. */
  readonly note: string | undefined;
}

/** Why no block comes, as those are told who ask how the process is. */
export type ImporterStandstill = Pick<Standstill, 'state' | 'code' | 'file' | 'since'>;

const STANDBY_NOTE = 'standing by, another importer writes';

export interface ImporterSupervisor {
  state(): ImporterState;
  /** Undefined while the import goes on; `standby`: another process imports. */
  standstill(): ImporterStandstill | 'standby' | undefined;
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
  /** A block was proven or refused, or its source failed. */
  readonly onMeasured?: (measurement: BlockMeasurement) => void;
  /** For tests: another way to start the thread. */
  readonly startThread?: typeof startImporterThread;
  /** Milliseconds before a thread that lost its turn stands in line again. */
  readonly restartMs?: number;
}

/**
 * Runs the importer until `stop`. A thread that another writer has overtaken stands in line again, and one that fell
 * over a passing fault begins again; any other fault is final.
 */
export const superviseImporter = (options: SupervisorOptions): ImporterSupervisor => {
  const { task, logger, onCommitted, onStop, onMeasured, startThread = startImporterThread } = options;
  const { restartMs = 1_000 } = options;
  let state: ImporterState = { block: undefined, consensusEnd: undefined, transactions: 0, note: 'starting' };
  /** Transaction types that the log has named. */
  const named = new Set<string>();
  let missedSidecars = false;
  let stopping = false;
  let thread: ImporterThread | undefined;
  let restart: NodeJS.Timeout | undefined;
  const failed = Promise.withResolvers<Fault>();
  const completed = Promise.withResolvers<void>();
  const note = (text: string | undefined): void => {
    state = { ...state, note: text };
  };

  /** Why the import stands still, and since when a thread has been failing again and again. */
  let standing: ImporterStandstill | undefined;
  let restartingSince: Date | undefined;
  const stand = (
    state: ImporterStandstill['state'],
    code: string,
    file: string | null = null,
    since = new Date(),
  ): void => {
    standing = { state, code, file, since: since.toISOString() };
  };

  const onMessage = (message: ImporterMessage): void => {
    switch (message.kind) {
      case 'importing':
        if (restartingSince === undefined) standing = undefined;
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
        if (restartingSince !== undefined) standing = undefined;
        restartingSince = undefined;
        // A block from before the file that is waited for says nothing about that.
        state = {
          block: blocks.blockNumber,
          consensusEnd: blocks.consensusEnd,
          transactions: state.transactions + blocks.transactions,
          note: standing && state.note,
        };
        for (const [type, count] of blocks.unhandledTypes) {
          const level = named.has(type) ? 'debug' : 'info';
          named.add(type);
          logger[level]({ type, count }, 'a transaction type that only has the rows of every transaction');
        }
        if (blocks.sidecars.missing > 0) {
          const level = missedSidecars ? 'debug' : 'warn';
          missedSidecars = true;
          logger[level](
            { file: blocks.name, missing: blocks.sidecars.missing },
            'sidecar files are missing and were left out: the contracts that they describe cannot be called or verified',
          );
        }
        onCommitted(blocks);
        break;
      }
      case 'standby':
        note(STANDBY_NOTE);
        onStop?.({ state: 'standby', code: 'IMPORTER_STANDING_BY' });
        logger.info({ holder: message.holder }, 'another importer writes to this database; taking over when it ends');
        break;
      case 'standstill': {
        const { state: kind, fault, file } = message;
        stand(kind, fault.code, file);
        note(`${kind}: ${fault.code}`);
        if (kind === 'retrying') break;
        onStop?.({ state: kind, code: fault.code });
        logger.warn({ file, code: fault.code }, `${fault.message}. ${fault.hint}`);
        break;
      }
      case 'resumed':
        standing = undefined;
        note(undefined);
        logger.info('the import goes on');
        break;
      case 'measured':
        onMeasured?.(message.measurement);
        break;
      case 'stage':
        logger.debug({ stream: message.stream }, 'this stream is read now');
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
    if (stopping) return;
    standing = undefined;
    if (fault === undefined) {
      stand('ended', 'IMPORT_RANGE_ENDED');
      note('the import has come to its end');
      onStop?.({ state: 'ended', code: 'IMPORT_RANGE_ENDED' });
      logger.info('The import has come to its end (endDate or endBlockNumber)');
      completed.resolve();
      return;
    }
    if (fault.code === 'WRITER_FENCED' || fault.retryable) {
      restartingSince ??= new Date();
      stand('retrying', fault.code, null, restartingSince);
      note(`restarting: ${fault.code}`);
      onStop?.({ state: 'restarting', code: fault.code });
      logger.warn({ code: fault.code }, `${fault.message}; the importer stands in line again`);
      restart = setTimeout(() => void run(), restartMs);
      return;
    }
    stand('stopped', fault.code);
    note(`import stopped: ${fault.code}`);
    onStop?.({ state: 'stopped', code: fault.code });
    logger.error({ code: fault.code }, `The import stopped: ${fault.message}. ${fault.hint}`);
    failed.resolve(fault);
  };
  void run();

  return {
    state: () => state,
    standstill: () => (state.note === STANDBY_NOTE ? 'standby' : standing),
    failed: failed.promise,
    completed: completed.promise,
    stop: async () => {
      stopping = true;
      clearTimeout(restart);
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
