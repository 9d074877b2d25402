/**
 * Threads that answer REST requests beside the one that has the listeners. That one reads requests and writes answers for all of
 * them, so that there is one port, one cache, one set of figures and of bounds for clients; handlers, which take most of the
 * time, run where the fewest requests are being answered, which may be the listeners' thread itself.
 */
import { Worker } from 'node:worker_threads';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { MadeAnswer } from '../../api/http/answer-cache.ts';
import type { Arrival } from '../../api/http/handling.ts';
import { reasonedProblem } from '../../api/problem.ts';
import type { Route } from '../../api/route.ts';
import { errorOf } from './rest-fault.ts';
import type { RestOrder, RestReport, RestTask, RestWorkerData } from './rest-task.ts';

export interface RestThreadsLog {
  error(details: object, message: string): void;
}

export interface RestThreadsOptions {
  /** How many besides the listeners' own. */
  readonly count: number;
  /** With what they start; until it is there, everything runs in the listeners' thread. */
  readonly data: Promise<RestWorkerData>;
  /** Those that the threads know, in their order. */
  readonly routes: readonly Route[];
  readonly registry: Registry;
  readonly log: RestThreadsLog;
  /** Left out: the worker's file beside this one. */
  readonly workerFile?: URL;
  /** Milliseconds between two looks whether busy threads still react. */
  readonly lookMs?: number;
}

interface Waiting {
  readonly route: Route;
  resolve(made: MadeAnswer): void;
  reject(error: unknown): void;
}

/** Milliseconds after which a thread that was lost soon after its start is replaced. */
const replaceAfterMs = 1_000;
/** Milliseconds that threads have to close their connections. */
const stopPatienceMs = 2_000;
const defaultLookMs = 5_000;
/** Looks in a row at which a thread has not reacted since the first one: it computes without end, and is lost. */
const patientLooks = 3;
/** The listeners' thread has the reading and writing for all of them, too. */
const ownWeight = 2;

const interrupted = () => reasonedProblem(503, 'The thread that made the answer was lost. Try again.');

class RestThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly startedAt = performance.now();
  #tasks: RestTask[] = [];
  /** Looks since a question that is not answered yet; undefined: none is asked. */
  #unanswered: number | undefined;
  isReady = false;

  constructor(file: URL, data: RestWorkerData, onLost: (error: unknown) => void) {
    this.#worker = new Worker(file, { workerData: data, name: 'kagami-rest' });
    let fault: unknown;
    this.#worker.on('message', (report: RestReport) => this.#take(report));
    this.#worker.on('error', (error) => {
      fault = error;
    });
    this.#worker.on('exit', (code) => {
      this.isReady = false;
      for (const { reject } of this.#waiting.values()) reject(interrupted());
      this.#waiting.clear();
      const end = this.#isStuck ? 'The thread did not react any more' : `The thread ended with code ${code}`;
      onLost(fault ?? new Error(end));
    });
  }

  get outstanding(): number {
    return this.#waiting.size;
  }

  run(task: RestTask, route: Route): Promise<MadeAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(task.id, { route, resolve, reject });
      if (this.#tasks.push(task) === 1) setImmediate(() => this.#send());
    });
  }

  /** Ends a thread that has not reacted for several looks, though it has requests to answer. */
  look(): void {
    if (this.#unanswered === undefined) {
      if (!this.isReady || this.outstanding === 0) return;
      this.#unanswered = 0;
      this.#worker.postMessage({ kind: 'ping' } satisfies RestOrder);
    } else {
      this.#unanswered++;
      if (this.#isStuck) void this.#worker.terminate();
    }
  }

  get #isStuck(): boolean {
    return (this.#unanswered ?? 0) >= patientLooks;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage({ kind: 'stop' } satisfies RestOrder);
    const patience = setTimeout(() => void this.#worker.terminate(), stopPatienceMs);
    await ended;
    clearTimeout(patience);
  }

  /** Requests of one turn of the event loop go together. */
  #send(): void {
    const tasks = this.#tasks;
    this.#tasks = [];
    this.#worker.postMessage({ kind: 'tasks', tasks } satisfies RestOrder);
  }

  #take(report: RestReport): void {
    if (report.kind === 'ready') {
      this.isReady = true;
      return;
    }
    if (report.kind === 'pong') {
      this.#unanswered = undefined;
      return;
    }
    for (const outcome of report.outcomes) {
      const waiting = this.#waiting.get(outcome.id);
      if (waiting === undefined) continue;
      this.#waiting.delete(outcome.id);
      if ('fault' in outcome) waiting.reject(errorOf(outcome.fault));
      else {
        const { body, keepMs, ...answer } = outcome.made;
        const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
        waiting.resolve({ answer: { ...answer, body: bytes, route: waiting.route, deliveries: new Map() }, keepMs });
      }
    }
  }
}

export class RestThreads {
  readonly #options: RestThreadsOptions;
  readonly #threads = new Set<RestThread>();
  readonly #places: ReadonlyMap<Route, number>;
  readonly #lost: Counter;
  readonly #looking: NodeJS.Timeout;
  #nextId = 0;
  #own = 0;
  #hasStopped = false;

  constructor(options: RestThreadsOptions) {
    this.#options = options;
    this.#places = new Map(options.routes.map((route, place) => [route, place]));
    const threads = this.#threads;
    new Gauge({
      name: 'kagami_rest_threads',
      help: 'Threads that answer REST requests, that of the listeners included.',
      registers: [options.registry],
      collect() {
        this.set(1 + [...threads].filter(({ isReady }) => isReady).length);
      },
    });
    this.#lost = new Counter({
      name: 'kagami_rest_threads_lost_total',
      help: 'Threads that answered REST requests and ended unexpectedly.',
      registers: [options.registry],
    });
    this.#looking = setInterval(() => {
      for (const thread of threads) thread.look();
    }, options.lookMs ?? defaultLookMs);
    this.#looking.unref();
    options.data.then(
      (data) => {
        for (let i = 0; i < options.count; i++) this.#start(data);
      },
      // Without a database, requests are refused where they arrive.
      () => undefined,
    );
  }

  /** Runs the handler in another thread; undefined: it had better run in this one, with `here`. */
  run(route: Route, arrival: Arrival, int64Texts: boolean, here: () => Promise<MadeAnswer>): Promise<MadeAnswer> {
    const thread = this.#leastBusy();
    const place = this.#places.get(route);
    if (thread === undefined || place === undefined) {
      this.#own++;
      return here().finally(() => {
        this.#own--;
      });
    }
    const { path, query, linkPrefix, pathParameters, headers, user, body, client } = arrival;
    const task: RestTask = {
      id: this.#nextId++,
      route: place,
      path,
      query,
      linkPrefix,
      pathParameters: { ...pathParameters },
      headers,
      user,
      body: body instanceof Uint8Array ? body : undefined,
      client: client(),
      int64Texts,
    };
    return thread.run(task, route);
  }

  /** Ends the threads. To be called when nobody asks any more. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    clearInterval(this.#looking);
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  #leastBusy(): RestThread | undefined {
    let best: RestThread | undefined;
    let least = this.#own * ownWeight;
    for (const thread of this.#threads) {
      if (!thread.isReady || thread.outstanding >= least) continue;
      best = thread;
      least = thread.outstanding;
    }
    return best;
  }

  #start(data: RestWorkerData): void {
    if (this.#hasStopped) return;
    const { log, workerFile: file = workerFile() } = this.#options;
    const thread = new RestThread(file, data, (error) => {
      this.#threads.delete(thread);
      if (this.#hasStopped) return;
      this.#lost.inc();
      log.error({ err: error }, 'a thread that answers REST requests was lost; another takes its place');
      const hasRunWell = performance.now() - thread.startedAt > replaceAfterMs;
      setTimeout(() => this.#start(data), hasRunWell ? 0 : replaceAfterMs).unref();
    });
    this.#threads.add(thread);
  }
}

/** The worker's file beside this one: a .ts source in development, .js in the built package. */
const workerFile = (): URL =>
  new URL(`./rest-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
