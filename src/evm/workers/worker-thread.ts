/** One thread that executes contracts, as the pool sees it: being started, free, or busy with one task. */
import { type MessagePort, Worker } from 'node:worker_threads';
import { KagamiError } from '../../errors/kagami-error.ts';
import { errorOfFault, type Order, type Reply } from './worker-messages.ts';

/** Most of what a call makes is garbage at once; by default it could lie about in 128 MiB of each thread. */
const YOUNG_GENERATION_MB = 24;

export interface ThreadOptions {
  readonly file: URL;
  readonly workerData: unknown;
  readonly heapMb: number;
}

/** What leaves the thread that sends it. */
export type Transferable = MessagePort;

export type TaskOutcome<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly cpuMs: number }
  | { readonly kind: 'fault'; readonly error: unknown; readonly cpuMs: number }
  /** It made room for others, and can begin anew. */
  | { readonly kind: 'interrupted'; readonly cpuMs: number };

export interface Assignment<Task, Answer> {
  readonly task: Task;
  readonly transfer: readonly Transferable[];
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Ends the thread when it has not answered by then; milliseconds from now. */
  readonly patienceMs: number;
  readonly onOutcome: (outcome: TaskOutcome<Answer>) => void;
}

export interface ThreadEvents {
  /** The thread can take a task, for the first time or again. */
  onFree(): void;
  /** The thread is gone; its task, if it had one, has its outcome. */
  onEnded(reason: unknown): void;
}

export class WorkerThread<Task, Answer> {
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #ended = Promise.withResolvers<void>();
  readonly #interruptions = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #current: Assignment<Task, Answer> | undefined;
  #killer: NodeJS.Timeout | undefined;
  #isReady = false;
  #lastId = 0;
  #reason: unknown;

  constructor({ file, workerData, heapMb }: ThreadOptions, events: ThreadEvents) {
    this.#events = events;
    this.#worker = new Worker(file, {
      workerData,
      name: 'kagami-evm',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, maxOldGenerationSizeMb: heapMb },
    });
    this.#worker.on('message', (reply: Reply<Answer>) => this.#receive(reply));
    this.#worker.on('error', (error) => {
      this.#reason = error;
    });
    this.#worker.on('exit', () => this.#end());
    this.#send({ kind: 'interruptions', cell: this.#interruptions });
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get isFree(): boolean {
    return this.#isReady && this.#current === undefined;
  }

  /** Only for a free thread. */
  assign(assignment: Assignment<Task, Answer>): void {
    this.#current = assignment;
    const { task, transfer, deadline, patienceMs } = assignment;
    this.#killer = setTimeout(() => {
      void this.terminate(
        new KagamiError('SIMULATION_TIMEOUT', 'A simulation did not end at its deadline; its thread was ended'),
      );
    }, patienceMs);
    this.#send({ kind: 'task', id: ++this.#lastId, task, deadline }, transfer);
  }

  /** Asks the task in work to make room; it may still be answered. */
  interrupt(): void {
    Atomics.store(this.#interruptions, 0, this.#lastId);
  }

  /** Takes that back, if the task has not made room yet. */
  letGoOn(): void {
    Atomics.store(this.#interruptions, 0, 0);
  }

  blockCommitted(): void {
    this.#send({ kind: 'block-committed' });
  }

  /** Lets the thread close what it holds; one that doesn't within `patienceMs` is ended. */
  async stop(patienceMs: number): Promise<void> {
    this.#send({ kind: 'stop' });
    const killer = setTimeout(() => void this.#worker.terminate(), patienceMs);
    await this.#ended.promise;
    clearTimeout(killer);
  }

  /** @throws nothing: a task in work is refused */
  async terminate(reason: KagamiError): Promise<void> {
    this.#reason = reason;
    await this.#worker.terminate();
  }

  #send(order: Order<Task>, transfer: readonly Transferable[] = []): void {
    this.#worker.postMessage(order, transfer);
  }

  #receive(reply: Reply<Answer>): void {
    if (reply.kind === 'ready') {
      this.#isReady = true;
      this.#events.onFree();
      return;
    }
    const current = this.#current;
    if (current === undefined || reply.id !== this.#lastId) return;
    this.#current = undefined;
    clearTimeout(this.#killer);
    current.onOutcome(
      reply.kind === 'fault' ? { kind: 'fault', error: errorOfFault(reply.fault), cpuMs: reply.cpuMs } : reply,
    );
    this.#events.onFree();
  }

  #end(): void {
    clearTimeout(this.#killer);
    const current = this.#current;
    this.#current = undefined;
    const error =
      this.#reason instanceof KagamiError
        ? this.#reason
        : new KagamiError('SIMULATION_FAILED', 'The thread of a simulation has ended', { cause: this.#reason });
    current?.onOutcome({ kind: 'fault', error, cpuMs: 0 });
    this.#ended.resolve();
    this.#events.onEnded(error);
  }
}
