/**
 * Work beside the import: it follows commits, takes its own time and its own connections, and never holds up a block.
 * At most one run of a kind at once; what is asked for during a run leads to one more.
 */
import type { Database, DatabaseClient } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';

export interface BackgroundWorkOptions {
  readonly run: () => Promise<void>;
  /** Told why a run failed; not told of runs that `signal` ended. */
  readonly onFault: (fault: unknown) => void;
  /** Ends all work. */
  readonly signal: AbortSignal;
  /** After a fault requests go unheard for this long, so that a lasting one does not fill the log. */
  readonly pauseAfterFaultMs?: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly clock?: () => number;
}

export class BackgroundWork {
  readonly #options: BackgroundWorkOptions;
  readonly #clock: () => number;
  #running: Promise<void> | undefined;
  #again = false;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(options: BackgroundWorkOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** Asks for a run that begins from now on. */
  request(): void {
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    if (this.#options.signal.aborted || this.#clock() < this.#notBefore) return;
    this.#running = this.#runAll().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when nothing runs and nothing that was asked for is left. Never rejects. */
  async settle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #runAll(): Promise<void> {
    const { run, onFault, signal, pauseAfterFaultMs = 30_000 } = this.#options;
    do {
      this.#again = false;
      try {
        await run();
      } catch (fault) {
        if (signal.aborted) return;
        this.#notBefore = this.#clock() + pauseAfterFaultMs;
        onFault(fault);
        return;
      }
    } while (this.#again && !signal.aborted);
  }
}

export interface BackgroundContext {
  readonly database: Database;
  readonly lease: Pick<WriterLease, 'check'>;
  readonly signal: AbortSignal;
}

/**
 * A writer's transaction that sees one state of the ledger throughout. When `signal` aborts, the server gives up the
 * statement in work, so that nobody waits for minutes of computation that no longer matter.
 * @throws KagamiError WRITER_FENCED, DATABASE_TIMEOUT when `signal` aborts, and those of a connection
 */
export const interruptibleTransaction = <T>(
  { database, lease, signal }: BackgroundContext,
  work: (client: DatabaseClient) => Promise<T>,
): Promise<T> =>
  database.transaction(
    async (client) => {
      await lease.check(client);
      const [session] = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      let cancelled: Promise<unknown> | undefined;
      const cancel = (): void => {
        cancelled = database.query('select pg_cancel_backend($1)', [session?.pid]).catch(() => undefined);
      };
      signal.throwIfAborted();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return await work(client);
      } finally {
        signal.removeEventListener('abort', cancel);
        // A connection that goes back to the pool earlier could pass the cancellation on to someone else's statement.
        await cancelled;
      }
    },
    { isolation: 'repeatable read' },
  );
