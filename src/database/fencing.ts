/**
 * One writer at a time. Two devices together: a session-level advisory lock, which the server frees as soon as the
 * holder's connection is gone, decides who may start; a growing token in `kagami.writer`, which every transaction of the
 * importer locks and compares, makes sure that a holder who does not yet know of its end cannot commit.
 *
 * The lock's connection must reach PostgreSQL itself or a pooler in session mode.
 */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isKagamiError, KagamiError } from '../errors/kagami-error.ts';
import { advisoryLockSpace, advisoryLocks } from './advisory-locks.ts';
import { clientConfig, type Queryable, type Row } from './connection.ts';
import { databaseError } from './database-error.ts';

/**
 * Session settings by which the server notices within 9 seconds that a client's machine is gone (that its process is
 * gone, it notices at once). For every connection that writes the ledger, so that nothing of a dead writer blocks the
 * next one.
 */
export const writerSessionSettings: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: '3',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
};

/** Who writes, or wrote last. */
export interface Writer {
  readonly token: bigint;
  readonly holder: string;
  /** ISO 8601. */
  readonly since: string;
}

export interface WriterLease extends Writer {
  /** Aborted when the lock is lost: stop, and acquire again. */
  readonly lost: AbortSignal;
  /**
   * First statement of every transaction that writes the ledger. Until that transaction ends no other writer can take
   * over; one that has taken over makes it throw.
   * @throws KagamiError WRITER_FENCED
   */
  check(client: Queryable): Promise<void>;
  /** Gives the lock back. Idempotent. */
  release(): Promise<void>;
}

export interface AcquireOptions {
  readonly connectionString: string;
  /** Names this writer to people; absent: host and process id. */
  readonly holder?: string;
  /** Called when another writer holds the lock, once for each holder. */
  readonly onWait?: (current: Writer) => void;
  /** Ends the wait; `acquireWriter` then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds between attempts. */
  readonly pollMs?: number;
  /** Milliseconds between signs of life on the lock's connection. */
  readonly heartbeatMs?: number;
  /** Milliseconds within which the server answers on that connection, else it is given up. */
  readonly answerMs?: number;
}

interface WriterRow {
  readonly token: string;
  readonly holder: string;
  readonly since: string;
}

const writerColumns = `token, holder, to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since`;

const toWriter = ({ token, holder, since }: WriterRow): Writer => ({ token: BigInt(token), holder, since });

/** The writer on record; whether it is alive only the lock tells. Undefined before the first. */
export const lastWriter = async (database: Queryable): Promise<Writer | undefined> => {
  const [row] = await database.query<WriterRow>(`select ${writerColumns} from kagami.writer`);
  return row === undefined || row.token === '0' ? undefined : toWriter(row);
};

const ANSWER_MS = 10_000;
/** How long the server waits for a row before it says so; well below what an answer may take. */
const LOCK_WAIT = '2s';
const LOCK_NOT_AVAILABLE = '55P03';

/** A half-open connection answers nothing and reports nothing: the driver's own limit ends the wait. */
const answeringClient = (driver: pg.ClientBase, answerMs: number): Queryable => ({
  query: async <R = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> => {
    try {
      const { rows } = await driver.query({ text, values: [...values], query_timeout: answerMs } as pg.QueryConfig);
      return rows as R[];
    } catch (fault) {
      throw databaseError(fault);
    }
  },
});

const connect = async (connectionString: string): Promise<pg.Client> => {
  const driver = new pg.Client({
    ...clientConfig({
      connectionString,
      applicationName: 'kagami writer lock',
      sessionSettings: { ...writerSessionSettings, lock_timeout: LOCK_WAIT },
    }),
    keepAliveInitialDelayMillis: 2_000,
  });
  driver.on('error', () => undefined);
  try {
    await driver.connect();
  } catch (fault) {
    throw databaseError(fault);
  }
  return driver;
};

const tryLock = async (client: Queryable): Promise<boolean> => {
  const [attempt] = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
    advisoryLockSpace,
    advisoryLocks.writer,
  ]);
  return attempt?.locked === true;
};

/** Waits for the lock; `onWait` hears of every holder once. */
const waitForLock = async (client: Queryable, options: AcquireOptions): Promise<void> => {
  const { onWait, signal, pollMs = 500 } = options;
  let told: bigint | undefined;
  while (!(await tryLock(client))) {
    const current = await lastWriter(client);
    if (current !== undefined && current.token !== told) {
      told = current.token;
      onWait?.(current);
    }
    await pause(pollMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  }
};

/** Waits for transactions of the writer before, which hold the row, and then makes their successors fail. */
const takeToken = async (client: Queryable, holder: string, signal: AbortSignal | undefined): Promise<Writer> => {
  for (;;) {
    try {
      const [row] = await client.query<WriterRow>(
        `update kagami.writer set token = token + 1, holder = $1, since = now() returning ${writerColumns}`,
        [holder],
      );
      if (row === undefined) throw new KagamiError('SCHEMA_NOT_READY', 'The table kagami.writer is empty');
      return toWriter(row);
    } catch (fault) {
      if (!isKagamiError(fault) || fault.details.sqlState !== LOCK_NOT_AVAILABLE) throw fault;
      signal?.throwIfAborted();
    }
  }
};

/** Whether the server can look for dead clients in the middle of a statement (not on every system). */
const canCheckConnections = async (client: Queryable): Promise<boolean> => {
  try {
    await client.query(`select set_config('client_connection_check_interval', '2s', false)`);
    return true;
  } catch {
    return false;
  }
};

/**
 * Becomes the writer, waiting as long as another lives.
 * @throws KagamiError SCHEMA_NOT_READY before the migrations, DATABASE_UNAVAILABLE also when the server stops answering,
 * and those of a connection
 */
export const acquireWriter = async (options: AcquireOptions): Promise<WriterLease> => {
  const holder = options.holder ?? `${hostname()} process ${process.pid}`;
  options.signal?.throwIfAborted();
  const driver = await connect(options.connectionString);
  const client = answeringClient(driver, options.answerMs ?? ANSWER_MS);
  let writer: Writer;
  let checksConnections: boolean;
  try {
    checksConnections = await canCheckConnections(client);
    await waitForLock(client, options);
    writer = await takeToken(client, holder, options.signal);
  } catch (fault) {
    await driver.end().catch(() => undefined);
    throw fault;
  }

  const lost = new AbortController();
  let released: Promise<void> | undefined;
  const lose = (): void => {
    clearInterval(heartbeat);
    if (released === undefined) lost.abort(new KagamiError('WRITER_FENCED', 'The connection of the writer lock broke'));
  };
  const heartbeatMs = options.heartbeatMs ?? 4_000;
  const heartbeat = setInterval(() => {
    answeringClient(driver, heartbeatMs).query('select 1').catch(lose);
  }, heartbeatMs);
  heartbeat.unref();
  driver.on('error', lose);
  driver.on('end', lose);

  const fencedCheck = checksConnections
    ? `select token, set_config('client_connection_check_interval', '2s', true) from kagami.writer for share`
    : 'select token from kagami.writer for share';

  return {
    ...writer,
    lost: lost.signal,
    check: async (target) => {
      const [row] = await target.query<{ token: string }>(fencedCheck, [], 'kagami_writer_check');
      if (row !== undefined && BigInt(row.token) === writer.token) return;
      throw new KagamiError('WRITER_FENCED', `Writer ${writer.token} was followed by writer ${row?.token}`, {
        details: { token: writer.token, current: row?.token },
      });
    },
    release: () => {
      clearInterval(heartbeat);
      released ??= driver.end().catch(() => undefined);
      return released;
    },
  };
};
