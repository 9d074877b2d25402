/** The pool of threads that simulate contract calls, as the settings want it. */
import { availableParallelism } from 'node:os';
import type { Chain } from '../../config/chain.ts';
import type { Web3Settings } from '../../config/settings/web3.ts';
import type { DatabaseOptions } from '../../database/connection.ts';
import { type SimulationSettings, simulationSettingsOf } from './simulation-settings.ts';
import type { CallAnswer, CallTask } from './simulation-task.ts';
import type { TraceAnswer, TraceTask } from './trace-task.ts';
import { type PoolFigures, type TaskRunner, WorkerPool } from './worker-pool.ts';

/** What a thread is born with. */
export interface EvmWorkerData {
  readonly database: DatabaseOptions;
  readonly maxFileAttempts: number;
  readonly settings: SimulationSettings;
}

export interface SimulationThreadsOptions {
  readonly settings: Web3Settings;
  /** `hiero.mirror.common.*` */
  readonly common: { readonly shard: bigint; readonly realm: bigint };
  /** The chain that contracts see; left out: that of `evm.network`. */
  readonly chain?: Chain;
  /** With the rights of a reader. */
  readonly connectionString: string;
  readonly schema: string;
  readonly onThreadLost?: () => void;
}

/** What answers calls and traces: one pool for both. */
export interface SimulationThreads {
  readonly calls: TaskRunner<CallTask, CallAnswer>;
  readonly traces: TaskRunner<TraceTask, TraceAnswer>;
  readonly figures: PoolFigures;
  /** What is asked for from now on sees the block. */
  onBlockCommitted(): void;
  /** Lets what runs end for at most `drainMs`, and ends the threads. */
  stop(drainMs: number): Promise<void>;
}

/** Reads of one call follow each other, but for a few. */
const CONNECTIONS_PER_THREAD = 2;
const CONNECTION_TIMEOUT_MS = 3_000;
const FEWEST_THREADS = 2;
/** Of long calls, on one thread; waiting calls that want more than this would not be answered in time. */
const GAS_PER_SECOND = 15_000_000;

/** Reads take microseconds: compiling their plans or starting workers for them takes longer. */
const sessionSettings = { jit: 'off', max_parallel_workers_per_gather: '0' };

/**
 * Starts no thread yet. Tell it every committed block, and stop it at the end.
 * @throws KagamiError CONFIG_INVALID for EVM versions that don't exist
 */
export const openSimulationThreads = (options: SimulationThreadsOptions): SimulationThreads => {
  const { settings, common, chain, connectionString, schema, onThreadLost } = options;
  const { workers, evm, db, requestTimeout } = settings;
  const workerData: EvmWorkerData = {
    database: {
      connectionString,
      schema,
      max: CONNECTIONS_PER_THREAD,
      statementTimeoutMs: db.statementTimeout,
      connectionTimeoutMs: CONNECTION_TIMEOUT_MS,
      applicationName: 'kagami evm',
      readOnly: true,
      sessionSettings,
    },
    maxFileAttempts: evm.maxFileAttempts,
    settings: simulationSettingsOf(evm, common, chain),
  };
  const size = workers.threads === 0 ? Math.max(FEWEST_THREADS, availableParallelism()) : workers.threads;
  const pool = new WorkerPool<CallTask | TraceTask, CallAnswer | TraceAnswer>({
    file: workerFile(),
    workerData,
    heapMb: workers.heapMb,
    size,
    queueSize: workers.queueSize,
    longGas: Number(workers.longCallGas) || longGasOf(size, requestTimeout),
    timeoutMs: requestTimeout,
    ...(onThreadLost === undefined ? {} : { onThreadLost }),
  });
  return {
    // A task of one kind is answered by an answer of its kind.
    calls: { run: async (task, taskOptions) => (await pool.run(task, taskOptions)) as CallAnswer },
    traces: { run: async (task, taskOptions) => (await pool.run(task, taskOptions)) as TraceAnswer },
    get figures() {
      return pool.figures;
    },
    onBlockCommitted: () => pool.onBlockCommitted(),
    stop: (drainMs) => pool.stop(drainMs),
  };
};

/** What the threads of long calls get done while one of them may wait. */
const longGasOf = (size: number, requestTimeoutMs: number): number =>
  Math.max(1, size - 1) * GAS_PER_SECOND * (requestTimeoutMs / 1_000);

/** The worker's file beside this one: a .ts source in development, .js in the built package. */
const workerFile = (): URL =>
  new URL(`./evm-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
