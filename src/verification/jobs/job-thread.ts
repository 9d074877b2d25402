/** One thread of verification, as the queue sees it: busy with one job or with none. */
import { Worker } from 'node:worker_threads';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { CompilerStore } from '../compilers/compiler-store.ts';
import { errorOfFault, type FromThread, faultOf, type Job, type JobThreadData, type ToThread } from './job-messages.ts';

const threadFile = (): URL =>
  new URL(`./verification-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** For the objects of one thread, MiB; output of compilers is large. */
const HEAP_MB = 1024;

export class JobThread {
  readonly #worker: Worker;
  readonly #compilers: CompilerStore;
  #current: PromiseWithResolvers<unknown> | undefined;
  #ended = false;

  constructor(data: JobThreadData, compilers: CompilerStore) {
    this.#compilers = compilers;
    this.#worker = new Worker(threadFile(), {
      workerData: data,
      name: 'kagami-verification',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      // Libraries print warnings about what users send.
      stdout: true,
      stderr: true,
    });
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (cause) =>
      this.#end(new KagamiError('VERIFICATION_FAILED', 'A thread failed', { cause })),
    );
    this.#worker.on('exit', () => this.#end(new KagamiError('VERIFICATION_FAILED', 'A thread has ended')));
    // A thread without a job keeps no process alive.
    this.#worker.unref();
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /**
   * Only for a thread that is free.
   * @throws KagamiError VERIFICATION_TIMEOUT, VERIFICATION_FAILED, and what the job throws
   */
  async run(job: Job, timeoutMs: number): Promise<unknown> {
    const current = Promise.withResolvers<unknown>();
    this.#current = current;
    this.#worker.ref();
    const killer = setTimeout(() => {
      const message = `A verification did not end within ${timeoutMs} ms`;
      void this.end(new KagamiError('VERIFICATION_TIMEOUT', message));
    }, timeoutMs);
    this.#send({ kind: 'job', job });
    try {
      return await current.promise;
    } finally {
      clearTimeout(killer);
      this.#current = undefined;
      this.#worker.unref();
    }
  }

  /** Compilers that the thread has started end with it. */
  async end(reason: KagamiError): Promise<void> {
    this.#end(reason);
    await this.#worker.terminate();
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    if (message.kind === 'answer') this.#current?.resolve(message.answer);
    else if (message.kind === 'fault') this.#current?.reject(errorOfFault(message.fault));
    else {
      this.#compilers.locate(message.language, message.version).then(
        (compiler) => this.#send({ kind: 'located', compiler }),
        (error) => this.#send({ kind: 'not-located', fault: faultOf(error) }),
      );
    }
  }

  #end(reason: KagamiError): void {
    this.#ended = true;
    this.#current?.reject(reason);
  }
}
