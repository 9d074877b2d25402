/** Jobs of verification wait here: so many run at once, and clients take turns. */
import { FairQueue } from '../../api/fair-queue.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { Job, JobAnswers } from './job-messages.ts';

/** Runs one job at a time. */
export interface JobRunner {
  readonly hasEnded: boolean;
  run(job: Job, timeoutMs: number): Promise<unknown>;
  end(reason: KagamiError): Promise<void>;
}

export interface JobQueueOptions {
  /** Jobs at once. */
  readonly concurrent: number;
  /** Most jobs that wait. */
  readonly waiting: number;
  /** Most of them of one client. */
  readonly waitingOfClient: number;
  /** Longest time of one job in milliseconds, without waiting. */
  readonly timeoutMs: number;
  /** How long a runner without a job is kept, in milliseconds. */
  readonly keepMs: number;
  /** Makes a runner; called when no free one is left. */
  readonly start: () => JobRunner;
}

interface Waiting {
  readonly job: Job;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const stopped = (): KagamiError => new KagamiError('VERIFICATION_STOPPED', 'Verification is being stopped');

export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #queue = new FairQueue<Waiting>();
  readonly #free: JobRunner[] = [];
  readonly #busy = new Set<JobRunner>();
  readonly #retirements = new Map<JobRunner, NodeJS.Timeout>();
  #isStopped = false;

  constructor(options: JobQueueOptions) {
    this.#options = options;
  }

  /**
   * @param client whose turn it is; jobs of one client keep their order
   * @throws KagamiError VERIFICATION_BUSY, VERIFICATION_STOPPED, VERIFICATION_TIMEOUT, VERIFICATION_FAILED, and what the
   * job throws
   */
  run<K extends Job['kind']>(job: Extract<Job, { kind: K }>, client: string): Promise<JobAnswers[K]> {
    if (this.#isStopped) return Promise.reject(stopped());
    const { concurrent, waiting, waitingOfClient } = this.#options;
    const mustWait = this.#busy.size >= concurrent;
    if (mustWait && (this.#queue.size >= waiting || this.#queue.sizeOf(client) >= waitingOfClient)) {
      return Promise.reject(
        new KagamiError('VERIFICATION_BUSY', 'Too many verifications are waiting', {
          details: { waiting: this.#queue.size },
        }),
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#queue.add(client, { job, resolve, reject });
    this.#proceed();
    return promise as Promise<JobAnswers[K]>;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { reject } of this.#queue.takeWhere(() => true)) reject(stopped());
    for (const timer of this.#retirements.values()) clearTimeout(timer);
    await Promise.all([...this.#free, ...this.#busy].map((runner) => runner.end(stopped())));
  }

  #proceed(): void {
    while (!this.#isStopped && this.#busy.size < this.#options.concurrent) {
      const next = this.#queue.next();
      if (next === undefined) return;
      this.#queue.charge(next.client, 1);
      void this.#perform(next.item);
    }
  }

  #take(): JobRunner {
    for (let runner = this.#free.pop(); runner !== undefined; runner = this.#free.pop()) {
      clearTimeout(this.#retirements.get(runner));
      this.#retirements.delete(runner);
      if (!runner.hasEnded) return runner;
    }
    return this.#options.start();
  }

  async #perform({ job, resolve, reject }: Waiting): Promise<void> {
    const runner = this.#take();
    this.#busy.add(runner);
    try {
      resolve(await runner.run(job, this.#options.timeoutMs));
    } catch (error) {
      reject(error);
    }
    this.#busy.delete(runner);
    if (!runner.hasEnded && !this.#isStopped) this.#release(runner);
    this.#proceed();
  }

  #release(runner: JobRunner): void {
    this.#free.push(runner);
    const timer = setTimeout(() => {
      this.#retirements.delete(runner);
      const place = this.#free.indexOf(runner);
      if (place >= 0) this.#free.splice(place, 1);
      void runner.end(stopped());
    }, this.#options.keepMs);
    timer.unref();
    this.#retirements.set(runner, timer);
  }
}
