/**
 * Threads that execute contracts. Started when first needed, one task at a time each.
 *
 * Clients take turns by the time that their tasks have had threads, in three lanes with threads of their own, so that neither many nor
 * long tasks keep others waiting. Every call begins in the short lane. One that takes long while others wait moves over to the
 * long lane, thread and all; where that is full, it makes room: it is stopped, and begins anew when it is its turn there. What
 * was long for a client begins in the long lane the next time. Traces wait for their readers, and so for nobody else.
 *
 * A block that was announced is known to every task that is asked for afterwards, because orders reach a thread in the order
 * they were sent.
 */
import { FairQueue } from '../../api/fair-queue.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { KnownLongTasks } from './known-long-tasks.ts';
import { type TaskOutcome, type ThreadOptions, type Transferable, WorkerThread } from './worker-thread.ts';

export interface PoolOptions extends ThreadOptions {
  /** Threads of the short lane, and of traces; the long lane has one less, but at least one. */
  readonly size: number;
  /** Most tasks that wait in a lane. */
  readonly queueSize: number;
  /** Most gas that tasks in the long lane may wait for; one of more waits when it is alone. */
  readonly longGas: number;
  /** Longest time of one task in milliseconds, waiting included. */
  readonly timeoutMs: number;
  /** Milliseconds past its deadline after which a thread that doesn't answer is ended. */
  readonly graceMs?: number;
  /** Milliseconds after which a running task counts as long where others wait. */
  readonly longAfterMs?: number;
  /** Milliseconds for which a thread beyond `size` is kept without a task, since starting one takes a second. */
  readonly keepExtraMs?: number;
  /** A thread ended unexpectedly, or was ended at a deadline. */
  readonly onThreadLost?: () => void;
}

export interface TaskRunner<Task, Answer> {
  /** @throws KagamiError SIMULATION_BUSY, SIMULATION_CLIENT_BUSY, SIMULATION_TIMEOUT, SIMULATION_FAILED, SIMULATION_STOPPED, and what the task throws */
  run(task: Task, options?: TaskOptions): Promise<Answer>;
}

export interface TaskOptions {
  /** Whose task it is; left out: of those who can't be told apart. */
  readonly client?: string;
  /** What tasks that take about as long have in common, for this client; left out: nothing is known of it. */
  readonly likeness?: string;
  /** Most gas that the task may use. */
  readonly gas?: number;
  /** Sends its answer on the way, can't begin anew, and has a lane of its own. */
  readonly isTrace?: boolean;
  /** Milliseconds in place of the usual time, waiting included. */
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
  readonly client: string;
  readonly likeness: string | undefined;
  readonly gas: number;
  readonly transfer: readonly Transferable[];
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  lane: Lane<Task, Answer>;
  /** Milliseconds since the epoch; set when a thread has it. */
  startedAt: number;
  /** Until when the client has been charged, in milliseconds since the epoch. */
  chargedAt: number;
  isInterrupted: boolean;
}

interface Lane<Task, Answer> {
  /** Most threads. */
  readonly capacity: number;
  /** Most threads of one client. */
  readonly capacityOfClient: number;
  readonly queue: FairQueue<Job<Task, Answer>>;
  readonly running: Map<Job<Task, Answer>, WorkerThread<Task, Answer>>;
}

const DEFAULT_GRACE_MS = 1_000;
const DEFAULT_LONG_AFTER_MS = 25;
/** Processor time from which on a call begins in the long lane the next time; what is new takes some to be compiled. */
const KNOWN_LONG_MS = 50;
const DEFAULT_KEEP_EXTRA_MS = 60_000;
/** Milliseconds that a thread has to close its connections. */
const STOP_PATIENCE_MS = 2_000;
/** Charged when a task starts, so that of several free threads one client doesn't get all. */
const START_COST_MS = 1;

const epochNow = (): number => performance.timeOrigin + performance.now();

const openLane = <Task, Answer>(capacity: number, capacityOfClient = capacity): Lane<Task, Answer> => ({
  capacity,
  capacityOfClient,
  queue: new FairQueue(),
  running: new Map(),
});

export class WorkerPool<Task, Answer> implements TaskRunner<Task, Answer> {
  readonly #options: PoolOptions;
  readonly #graceMs: number;
  readonly #longAfterMs: number;
  readonly #keepExtraMs: number;
  readonly #short: Lane<Task, Answer>;
  readonly #long: Lane<Task, Answer>;
  readonly #traces: Lane<Task, Answer>;
  readonly #lanes: readonly Lane<Task, Answer>[];
  readonly #knownLong: KnownLongTasks;
  readonly #threads = new Set<WorkerThread<Task, Answer>>();
  readonly #retiring = new Set<Promise<void>>();
  #lost = 0;
  #isStopping = false;
  #idle: PromiseWithResolvers<void> | undefined;
  #wakeUp: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions) {
    const { size } = options;
    this.#options = options;
    this.#graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
    this.#longAfterMs = options.longAfterMs ?? DEFAULT_LONG_AFTER_MS;
    this.#keepExtraMs = options.keepExtraMs ?? DEFAULT_KEEP_EXTRA_MS;
    const allButOne = Math.max(1, size - 1);
    this.#short = openLane(size);
    this.#long = openLane(allButOne);
    this.#traces = openLane(size, allButOne);
    this.#lanes = [this.#short, this.#traces, this.#long];
    this.#knownLong = new KnownLongTasks(options.longAfterMs ?? KNOWN_LONG_MS);
  }

  get figures(): PoolFigures {
    return {
      threads: this.#threads.size,
      running: this.#lanes.reduce((sum, { running }) => sum + running.size, 0),
      waiting: this.#waiting(),
      lost: this.#lost,
    };
  }

  async run(task: Task, options: TaskOptions = {}): Promise<Answer> {
    if (this.#isStopping) throw stopped();
    const { client = '', likeness, gas = 0, isTrace = false, timeoutMs, transfer = [] } = options;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const mayBeShort = !this.#knownLong.has(client, likeness);
    const lane = isTrace ? this.#traces : mayBeShort ? this.#short : this.#long;
    const deadline = epochNow() + (timeoutMs ?? this.#options.timeoutMs);
    this.#enqueue({
      ...{ task, client, likeness, gas, transfer, deadline, resolve, reject },
      ...{ lane, startedAt: 0, chargedAt: 0, isInterrupted: false },
    });
    return promise;
  }

  /** Tasks that are asked for from now on see the block. */
  onBlockCommitted(): void {
    for (const thread of this.#threads) thread.blockCommitted();
  }

  /** Refuses new tasks, lets the others end for at most `drainMs`, and ends the threads. */
  async stop(drainMs: number): Promise<void> {
    this.#isStopping = true;
    if (!this.#isIdle()) {
      this.#idle = Promise.withResolvers();
      const patience = setTimeout(() => this.#idle?.resolve(), drainMs);
      await this.#idle.promise;
      clearTimeout(patience);
    }
    clearTimeout(this.#wakeUp);
    for (const { queue } of this.#lanes) for (const { reject } of queue.takeWhere(() => true)) reject(stopped());
    const busy = new Set(this.#lanes.flatMap(({ running }) => [...running.values()]));
    const endings = [...this.#threads].map((thread) =>
      busy.has(thread) ? thread.terminate(stopped()) : thread.stop(STOP_PATIENCE_MS),
    );
    await Promise.all([...endings, ...this.#retiring]);
  }

  #waiting(): number {
    return this.#lanes.reduce((sum, { queue }) => sum + queue.size, 0);
  }

  #isIdle(): boolean {
    return this.#lanes.every(({ queue, running }) => queue.size === 0 && running.size === 0);
  }

  /** Whoever has most waiting gives way where too much waits. */
  #enqueue(job: Job<Task, Answer>): void {
    const { lane } = job;
    const { queue } = lane;
    queue.add(job.client, job, lane === this.#long ? job.gas : 1);
    this.#dispatch();
    const { queueSize, longGas } = this.#options;
    if (queue.size - this.#room(lane) > queueSize) {
      const details = { waiting: queue.size };
      queue
        .takeFromHeaviest()
        ?.item.reject(new KagamiError('SIMULATION_BUSY', 'Too many simulations wait for a thread', { details }));
    }
    while (lane === this.#long && queue.weight > longGas && queue.size > 1) {
      const details = { gas: queue.weight, most: longGas };
      const message = 'Too many long simulations of this client wait';
      queue.takeFromHeaviest()?.item.reject(new KagamiError('SIMULATION_CLIENT_BUSY', message, { details }));
    }
  }

  #room({ capacity, running }: Lane<Task, Answer>): number {
    return Math.max(0, capacity - running.size);
  }

  #dispatch(): void {
    clearTimeout(this.#wakeUp);
    // One moment for all: what is not yet due in one place must be waited for in another.
    const now = epochNow();
    this.#refuseOverdue(now);
    for (const { running } of this.#lanes) for (const job of running.keys()) this.#charge(job, now);
    for (const lane of this.#lanes) this.#startTasks(lane);
    if (this.#makeRoom(now)) this.#startTasks(this.#short);
    this.#startThreads();
    if (this.#waiting() > 0) this.#planWakeUp(now);
    else if (this.#isIdle()) this.#idle?.resolve();
  }

  #startTasks(lane: Lane<Task, Answer>): void {
    while (this.#room(lane) > 0) {
      const thread = [...this.#threads].find(({ isFree }) => isFree);
      const turn = thread && lane.queue.next((client) => this.#mayStart(lane, client));
      if (thread === undefined || turn === undefined) return;
      this.#start(thread, turn.item);
    }
  }

  #mayStart({ running, capacity, capacityOfClient }: Lane<Task, Answer>, client: string): boolean {
    if (capacityOfClient === capacity) return true;
    return [...running.keys()].filter((job) => job.client === client).length < capacityOfClient;
  }

  /**
   * Where calls wait and all threads of the short lane are taken, those that have had theirs for long leave it. Gives true
   * when there is room at once.
   */
  #makeRoom(now: number): boolean {
    const { queue, running } = this.#short;
    if (this.#room(this.#short) > 0) return false;
    let left = queue.size;
    let isRoom = false;
    for (const [job, thread] of running) {
      if (left === 0 || this.#longFrom(job) > now) break;
      left -= 1;
      if (this.#room(this.#long) > 0) {
        running.delete(job);
        this.#long.running.set(job, thread);
        job.lane = this.#long;
        thread.letGoOn();
        isRoom = true;
      } else if (!job.isInterrupted) {
        job.isInterrupted = true;
        thread.interrupt();
      }
    }
    return isRoom;
  }

  #longFrom({ startedAt }: Job<Task, Answer>): number {
    return startedAt + this.#longAfterMs;
  }

  /** One for each task that could start, apart from those that are being started. */
  #startThreads(): void {
    let wanted = 0;
    for (const lane of this.#lanes) {
      if (lane.queue.hasNext((client) => this.#mayStart(lane, client))) {
        wanted += Math.min(lane.queue.size, this.#room(lane));
      }
    }
    const coming = [...this.#threads].filter(({ isReady, isFree }) => !isReady || isFree).length;
    for (let started = coming; started < wanted; started++) this.#newThread();
  }

  #newThread(): void {
    const thread: WorkerThread<Task, Answer> = new WorkerThread(this.#options, {
      onFree: () => this.#freed(thread),
      onEnded: (reason) => this.#ended(thread, reason),
    });
    this.#threads.add(thread);
  }

  #start(thread: WorkerThread<Task, Answer>, job: Job<Task, Answer>): void {
    const { task, transfer, deadline, lane } = job;
    const now = epochNow();
    job.startedAt = now;
    job.chargedAt = now - START_COST_MS;
    this.#charge(job, now);
    job.isInterrupted = false;
    lane.running.set(job, thread);
    const patienceMs = Math.max(0, deadline - now) + this.#graceMs;
    thread.assign({ task, transfer, deadline, patienceMs, onOutcome: (outcome) => this.#settle(job, outcome) });
  }

  /** What a client has had in one lane counts in all of them. */
  #charge(job: Job<Task, Answer>, now: number): void {
    for (const { queue } of this.#lanes) queue.charge(job.client, now - job.chargedAt);
    job.chargedAt = now;
  }

  #settle(job: Job<Task, Answer>, outcome: TaskOutcome<Answer>): void {
    const { lane, client, likeness, deadline } = job;
    const now = epochNow();
    lane.running.delete(job);
    this.#charge(job, now);
    if (outcome.kind !== 'fault') this.#knownLong.note(client, likeness, outcome.cpuMs);
    switch (outcome.kind) {
      case 'answer':
        job.resolve(outcome.answer);
        return;
      case 'fault':
        job.reject(outcome.error);
        return;
      case 'interrupted':
        if (deadline <= now) job.reject(waitedTooLong());
        else {
          job.lane = this.#long;
          this.#enqueue(job);
        }
    }
  }

  #freed(thread: WorkerThread<Task, Answer>): void {
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

  /** A thread that could not be started takes a task with it, so that none waits for what never comes. */
  #ended(thread: WorkerThread<Task, Answer>, reason: unknown): void {
    if (this.#threads.delete(thread) && !this.#isStopping) {
      this.#lost++;
      this.#options.onThreadLost?.();
      if (!thread.isReady) {
        this.#lanes
          .find(({ queue }) => queue.size > 0)
          ?.queue.next()
          ?.item.reject(reason);
      }
    }
    this.#dispatch();
  }

  /** Whoever waited until the deadline hears so. */
  #refuseOverdue(now: number): void {
    for (const { queue } of this.#lanes) {
      for (const { reject } of queue.takeWhere(({ deadline }) => deadline <= now)) reject(waitedTooLong());
    }
  }

  /** When the first waiting task is overdue, or a running one counts as long from then on. */
  #planWakeUp(now: number): void {
    let next = Number.POSITIVE_INFINITY;
    for (const { queue } of this.#lanes) for (const { deadline } of queue) next = Math.min(next, deadline);
    for (const job of this.#short.running.keys()) {
      const moment = this.#longFrom(job);
      if (moment > now) next = Math.min(next, moment);
    }
    if (next < Number.POSITIVE_INFINITY) {
      this.#wakeUp = setTimeout(() => this.#dispatch(), Math.max(1, Math.ceil(next - epochNow())));
    }
  }
}

const stopped = (): KagamiError => new KagamiError('SIMULATION_STOPPED', 'The server is being stopped');

const waitedTooLong = (): KagamiError =>
  new KagamiError('SIMULATION_TIMEOUT', 'A simulation waited too long for a thread');
