/** One thread that executes contracts, as the pool sees it: busy with one task or with none. */
import { type MessagePort, Worker } from 'node:worker_threads';
import { KagamiError } from '../../errors/kagami-error.ts';
import { errorOfFault, type Order, type Reply } from './worker-messages.ts';

export interface ThreadOptions {
  readonly file: URL;
  readonly workerData: unknown;
  readonly heapMb: number;
}

/** What leaves the thread that sends it. */
export type Transferable = MessagePort;

export interface Assignment<Task, Answer> {
  readonly task: Task;
  readonly transfer: readonly Transferable[];
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Ends the thread when it has not answered by then; milliseconds from now. */
  readonly patienceMs: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface ThreadEvents {
  /** The task is answered, the thread is free again. */
  onFree(): void;
  /** The thread is gone; its task, if it had one, is answered. */
  onEnded(): void;
}

export class WorkerThread<Task, Answer> {
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #ended = Promise.withResolvers<void>();
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
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    this.#worker.on('message', (reply: Reply<Answer>) => this.#settle(reply));
    this.#worker.on('error', (error) => {
      this.#reason = error;
    });
    this.#worker.on('exit', () => this.#end());
  }

  get isFree(): boolean {
    return this.#current === undefined;
  }

  /** Only for a free thread. */
  assign(assignment: Assignment<Task, Answer>): void {
    this.#current = assignment;
    const { task, transfer, deadline } = assignment;
    this.#awaitAnswer(assignment);
    this.#send({ kind: 'task', id: ++this.#lastId, task, deadline }, transfer);
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

  #settle(reply: Reply<Answer>): void {
    const current = this.#current;
    if (reply.kind === 'ready') {
      this.#isReady = true;
      if (current !== undefined) this.#awaitAnswer(current);
      return;
    }
    if (current === undefined || reply.id !== this.#lastId) return;
    this.#current = undefined;
    clearTimeout(this.#killer);
    if (reply.kind === 'answer') current.resolve(reply.answer);
    else current.reject(errorOfFault(reply.fault));
    this.#events.onFree();
  }

  #awaitAnswer({ patienceMs }: Assignment<Task, Answer>): void {
    clearTimeout(this.#killer);
    this.#killer = setTimeout(() => this.#giveUp(), patienceMs);
  }

  /** A thread that is still being started is kept, since the next one would take as long: its task is refused. */
  #giveUp(): void {
    if (this.#isReady) {
      void this.terminate(
        new KagamiError('SIMULATION_TIMEOUT', 'A simulation did not end at its deadline; its thread was ended'),
      );
      return;
    }
    this.#current?.reject(new KagamiError('SIMULATION_TIMEOUT', 'The thread of a simulation takes long to start'));
  }

  #end(): void {
    clearTimeout(this.#killer);
    const current = this.#current;
    this.#current = undefined;
    if (current !== undefined) {
      current.reject(
        this.#reason instanceof KagamiError
          ? this.#reason
          : new KagamiError('SIMULATION_FAILED', 'The thread of a simulation has ended', { cause: this.#reason }),
      );
    }
    this.#ended.resolve();
    this.#events.onEnded();
  }
}
