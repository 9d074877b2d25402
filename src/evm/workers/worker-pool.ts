/**
 * Threads that execute contracts. Started when first needed, one task at a time each.
 *
 * Tasks are taken in the order they came, with two exceptions that keep short ones from waiting for long ones: tasks
 * declared long never hold the last thread, and while tasks hold threads for long, as many further threads may be started,
 * so that the operating system shares the processor among them. A block that was announced is known to every task that is
 * asked for afterwards, because orders reach a thread in the order they were sent.
 */
import { KagamiError } from '../../errors/kagami-error.ts';
import { type ThreadOptions, type Transferable, WorkerThread } from './worker-thread.ts';

export interface PoolOptions extends ThreadOptions {
  /** Threads in ordinary times. */
  readonly size: number;
  /** Most tasks that wait. */
  readonly queueSize: number;
  /** Longest time of one task in milliseconds, waiting included. */
  readonly timeoutMs: number;
  /** Milliseconds past its deadline after which a thread that doesn't answer is ended. */
  readonly graceMs?: number;
  /** Milliseconds after which a running task counts as long. */
  readonly longAfterMs?: number;
  /** Milliseconds for which a thread beyond `size` is kept without a task, since starting one takes a second. */
  readonly keepExtraMs?: number;
  /** A thread ended unexpectedly, or was ended at a deadline. */
  readonly onThreadLost?: () => void;
}

export interface TaskRunner<Task, Answer> {
  /**
   * @param options `isLong`: expected to take longer than others; `timeoutMs`: in place of the usual time; `transfer`: what
   * changes threads with the task
   * @throws KagamiError SIMULATION_BUSY, SIMULATION_TIMEOUT, SIMULATION_FAILED, SIMULATION_STOPPED, and what the task throws
   */
  run(task: Task, options: TaskOptions): Promise<Answer>;
}

export interface TaskOptions {
  readonly isLong: boolean;
  /** Milliseconds, waiting included. */
  readonly timeoutMs?: number;
  readonly transfer?: readonly Transferable[];
}

export interface PoolFigures {
  readonly threads: number;
  readonly running: number;
  readonly waiting: number;
  /** Threads lost so far. */
  readonly lost: number;
}

interface Job<Task, Answer> {
  readonly task: Task;
  readonly isLong: boolean;
  readonly transfer: readonly Transferable[];
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  /** Milliseconds since the epoch; set when a thread has it. */
  startedAt: number;
}

const DEFAULT_GRACE_MS = 1_000;
const DEFAULT_LONG_AFTER_MS = 250;
const DEFAULT_KEEP_EXTRA_MS = 60_000;
/** Milliseconds that a thread has to close its connections. */
const STOP_PATIENCE_MS = 2_000;

const epochNow = (): number => performance.timeOrigin + performance.now();

export class WorkerPool<Task, Answer> implements TaskRunner<Task, Answer> {
  readonly #options: PoolOptions;
  readonly #graceMs: number;
  readonly #longAfterMs: number;
  readonly #keepExtraMs: number;
  readonly #threads = new Map<WorkerThread<Task, Answer>, Job<Task, Answer> | undefined>();
  readonly #retiring = new Set<Promise<void>>();
  readonly #queue: Job<Task, Answer>[] = [];
  #lost = 0;
  #isStopping = false;
  #idle: PromiseWithResolvers<void> | undefined;
  #wakeUp: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
    this.#longAfterMs = options.longAfterMs ?? DEFAULT_LONG_AFTER_MS;
    this.#keepExtraMs = options.keepExtraMs ?? DEFAULT_KEEP_EXTRA_MS;
  }

  get figures(): PoolFigures {
    return {
      threads: this.#threads.size,
      running: this.#running().length,
      waiting: this.#queue.length,
      lost: this.#lost,
    };
  }

  async run(task: Task, { isLong, timeoutMs, transfer = [] }: TaskOptions): Promise<Answer> {
    if (this.#isStopping) throw stopped();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const deadline = epochNow() + (timeoutMs ?? this.#options.timeoutMs);
    this.#queue.push({ task, isLong, transfer, deadline, resolve, reject, startedAt: 0 });
    this.#dispatch();
    if (this.#queue.length > this.#options.queueSize) {
      this.#queue.pop();
      throw new KagamiError('SIMULATION_BUSY', 'Too many simulations wait for a thread', {
        details: { waiting: this.#queue.length },
      });
    }
    return promise;
  }

  /** Tasks that are asked for from now on see the block. */
  onBlockCommitted(): void {
    for (const thread of this.#threads.keys()) thread.blockCommitted();
  }

  /** Refuses new tasks, lets the others end for at most `drainMs`, and ends the threads. */
  async stop(drainMs: number): Promise<void> {
    this.#isStopping = true;
    if (this.#queue.length > 0 || this.#running().length > 0) {
      this.#idle = Promise.withResolvers();
      const patience = setTimeout(() => this.#idle?.resolve(), drainMs);
      await this.#idle.promise;
      clearTimeout(patience);
    }
    clearTimeout(this.#wakeUp);
    for (const { reject } of this.#queue.splice(0)) reject(stopped());
    const endings = [...this.#threads.keys()].map((thread) =>
      thread.isFree ? thread.stop(STOP_PATIENCE_MS) : thread.terminate(stopped()),
    );
    await Promise.all([...endings, ...this.#retiring]);
  }

  #running(): Job<Task, Answer>[] {
    return [...this.#threads.values()].filter((job) => job !== undefined);
  }

  #dispatch(): void {
    clearTimeout(this.#wakeUp);
    this.#refuseOverdue();
    for (;;) {
      const index = this.#nextIndex();
      if (index < 0) break;
      const thread = this.#freeThread();
      if (thread === undefined) break;
      const [job] = this.#queue.splice(index, 1);
      if (job !== undefined) this.#start(thread, job);
    }
    if (this.#queue.length > 0) this.#planWakeUp();
    else if (this.#running().length === 0) this.#idle?.resolve();
  }

  /** Place in the queue of the task whose turn it is; -1: none may start. */
  #nextIndex(): number {
    const longOnes = this.#running().filter(({ isLong }) => isLong).length;
    const mayStartLong = longOnes < Math.max(1, this.#options.size - 1);
    return this.#queue.findIndex(({ isLong }) => mayStartLong || !isLong);
  }

  #freeThread(): WorkerThread<Task, Answer> | undefined {
    for (const [thread, job] of this.#threads) if (job === undefined) return thread;
    const { size } = this.#options;
    return this.#threads.size < size + Math.min(size, this.#held()) ? this.#newThread() : undefined;
  }

  /** Threads whose task has been running for long. */
  #held(): number {
    const since = epochNow() - this.#longAfterMs;
    return this.#running().filter(({ startedAt }) => startedAt <= since).length;
  }

  #newThread(): WorkerThread<Task, Answer> {
    const thread: WorkerThread<Task, Answer> = new WorkerThread(this.#options, {
      onFree: () => this.#freed(thread),
      onEnded: () => this.#ended(thread),
    });
    this.#threads.set(thread, undefined);
    return thread;
  }

  #start(thread: WorkerThread<Task, Answer>, job: Job<Task, Answer>): void {
    const { task, transfer, deadline, resolve, reject } = job;
    const now = epochNow();
    job.startedAt = now;
    this.#threads.set(thread, job);
    const patienceMs = Math.max(0, deadline - now) + this.#graceMs;
    thread.assign({ task, transfer, deadline, patienceMs, resolve, reject });
  }

  #freed(thread: WorkerThread<Task, Answer>): void {
    this.#threads.set(thread, undefined);
    this.#dispatch();
    if (this.#isExtra(thread)) setTimeout(() => this.#retire(thread), this.#keepExtraMs).unref();
  }

  /** Whether the thread is free and there would be enough without it. */
  #isExtra(thread: WorkerThread<Task, Answer>): boolean {
    return this.#threads.size > this.#options.size && thread.isFree;
  }

  /** Ends a thread that was started for the time being, unless it is needed again. */
  #retire(thread: WorkerThread<Task, Answer>): void {
    if (this.#isStopping || !this.#isExtra(thread) || !this.#threads.delete(thread)) return;
    const ending = thread.stop(STOP_PATIENCE_MS).finally(() => this.#retiring.delete(ending));
    this.#retiring.add(ending);
  }

  #ended(thread: WorkerThread<Task, Answer>): void {
    if (this.#threads.delete(thread) && !this.#isStopping) {
      this.#lost++;
      this.#options.onThreadLost?.();
    }
    this.#dispatch();
  }

  /** Whoever waited until the deadline hears so. */
  #refuseOverdue(): void {
    const now = epochNow();
    for (let i = this.#queue.length - 1; i >= 0; i--) {
      if ((this.#queue[i]?.deadline ?? Number.POSITIVE_INFINITY) > now) continue;
      const [overdue] = this.#queue.splice(i, 1);
      overdue?.reject(new KagamiError('SIMULATION_TIMEOUT', 'A simulation waited too long for a thread'));
    }
  }

  /** When the first waiting task is overdue, or a running one counts as long from then on. */
  #planWakeUp(): void {
    const now = epochNow();
    const moments = [
      ...this.#queue.map(({ deadline }) => deadline),
      ...this.#running().map(({ startedAt }) => startedAt + this.#longAfterMs),
    ].filter((moment) => moment > now);
    if (moments.length === 0) return;
    this.#wakeUp = setTimeout(() => this.#dispatch(), Math.ceil(Math.min(...moments) - now));
  }
}

const stopped = (): KagamiError => new KagamiError('SIMULATION_STOPPED', 'The server is being stopped');
