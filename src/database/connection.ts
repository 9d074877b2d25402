/**
 * Connections to PostgreSQL: the pool, transactions, notifications. Owns how values arrive (value-parsers.ts) and which
 * errors leave (database-error.ts); knows no table.
 *
 * Column values as they arrive: int2, int4, oid -> number; int8, numeric, ranges, timestamps and domains over int8 ->
 * text; bool -> boolean; bytea -> Buffer; json and jsonb -> text, not parsed; arrays of int8 -> string[]; bytea[] ->
 * Buffer[]; enums -> their label.
 */
import pg from 'pg';
import { isKagamiError } from '../errors/kagami-error.ts';
import type { BinaryValues } from './binary-values.ts';
import { CellTable } from './cell-table.ts';
import { copyOut } from './copy-out.ts';
import { databaseError } from './database-error.ts';
import { createListener, type ListenOptions } from './listener.ts';
import type { Row } from './row.ts';
import type { Statement } from './shared/shared-connection.ts';
import { NotShared, SharedConnections, sharedSessionSettings, sharedStatementMs } from './shared/shared-connections.ts';
import { valueParsers } from './value-parsers.ts';

export type { Row };

export interface Queryable {
  /**
   * Runs one statement and gives its rows. With a `name`, the statement is prepared once per connection under that name;
   * one name must always carry the same text. Without values and name, several statements may be separated by `;` (the
   * rows of the last one are given).
   * @throws KagamiError DATABASE_TIMEOUT, DATABASE_UNAVAILABLE, SCHEMA_NOT_READY, ... (see database-error.ts)
   */
  query<R = Row>(text: string, values?: readonly unknown[], name?: string): Promise<R[]>;
}

/** Who gives rows as the server sends them. */
export interface CellSource {
  /**
   * Runs prepared statements together, in one transaction, and gives the rows of each in cells (cell-table.ts). A client runs
   * them in the transaction that it is in.
   * @throws KagamiError as `query`
   */
  cells(statements: readonly Statement[]): Promise<CellTable[]>;
}

/** Who reads, in either form. */
export type Reader = Queryable & CellSource;

/** One connection, inside a transaction or held by `withClient`. */
export interface DatabaseClient extends Queryable, CellSource {
  /** The driver's connection, for COPY streams. */
  readonly driver: pg.ClientBase;
}

type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

interface TransactionOptions {
  readonly isolation?: IsolationLevel;
  readonly readOnly?: boolean;
}

export interface Database extends Queryable, CellSource {
  /** Runs `work` between BEGIN and COMMIT on one connection; rolls back when it throws, and throws that error. */
  transaction<T>(work: (client: DatabaseClient) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs one statement, without parameters, and hands on each of its rows in binary form as it comes: see copy-out.ts.
   * @throws KagamiError as `query`
   */
  copyOut(text: string, onRow: (values: BinaryValues) => void): Promise<void>;
  /** Runs `work` on one connection without a transaction. */
  withClient<T>(work: (client: DatabaseClient) => Promise<T>): Promise<T>;
  /** For short statements; `query` uses them too. Absent: every statement has a connection of its own while it runs. */
  readonly shared?: Pick<SharedConnections, 'query' | 'cells' | 'round'> | undefined;
  /**
   * Calls `onNotification` with the payload of every NOTIFY on `channel`, through a connection of its own that is
   * restored when it breaks. Gives the function that stops listening.
   */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    options?: ListenOptions,
  ): Promise<() => Promise<void>>;
  /** Closes every connection; waits for those in use. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly connectionString: string;
  /** Most connections at once; the one for notifications comes on top. */
  readonly max?: number;
  /**
   * How many of them short statements share, where everything only reads: a statement may be run twice. One at least is not
   * shared.
   */
  readonly shared?: number;
  /** Longest time of one statement in milliseconds; 0 or absent: no limit. */
  readonly statementTimeoutMs?: number;
  /** Longest time to wait for a connection (from the pool or the server) in milliseconds. */
  readonly connectionTimeoutMs?: number;
  readonly applicationName?: string;
  /** Schema of the ledger tables, first in the search path; absent: the server's default (`public`). */
  readonly schema?: string;
  /** Transactions only read unless they say otherwise. */
  readonly readOnly?: boolean;
  /** Further server settings of every session, for example `{ synchronous_commit: 'off' }`. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
}

const defaultConnectionTimeoutMs = 10_000;

/** `-c name=value` as the startup packet's `options` wants it: backslash before spaces and backslashes. */
const sessionOptions = (options: DatabaseOptions): string => {
  const settings: Record<string, string> = { ...options.sessionSettings };
  if (options.readOnly) settings.default_transaction_read_only = 'on';
  if (options.schema !== undefined && options.schema !== '') {
    settings.search_path = options.schema === 'public' ? 'public' : `${options.schema}, public`;
  }
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\ ]/g, '\\$&')}`)
    .join(' ');
};

/** The driver's configuration for one connection with our conventions. */
export const clientConfig = (options: DatabaseOptions): pg.ClientConfig => {
  const session = sessionOptions(options);
  return {
    connectionString: options.connectionString,
    application_name: options.applicationName ?? 'kagami',
    connectionTimeoutMillis: options.connectionTimeoutMs ?? defaultConnectionTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    types: valueParsers,
    ...(options.statementTimeoutMs ? { statement_timeout: options.statementTimeoutMs } : {}),
    ...(session === '' ? {} : { options: session }),
  };
};

const run = async <R>(
  target: pg.ClientBase | pg.Pool,
  text: string,
  values: readonly unknown[] | undefined,
  name: string | undefined,
): Promise<R[]> => {
  try {
    const result = await target.query<pg.QueryResultRow>({
      text,
      ...(values === undefined ? {} : { values: values as unknown[] }),
      ...(name === undefined ? {} : { name }),
    });
    // Several statements in one text give an array of results.
    const last = Array.isArray(result) ? (result as pg.QueryResult[]).at(-1) : result;
    return (last?.rows ?? []) as R[];
  } catch (fault) {
    throw databaseError(fault);
  }
};

const textParsers = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** The driver has made strings of the cells: statements for which that matters run on shared connections. */
const runForCells = async (target: pg.ClientBase, { text, values, name }: Statement): Promise<CellTable> => {
  try {
    const { rows } = await target.query<(string | null)[]>({
      text,
      values: [...(values ?? [])],
      ...(name === undefined ? {} : { name }),
      rowMode: 'array',
      types: textParsers,
    });
    const table = new CellTable();
    for (const row of rows) table.addTexts(row);
    return table;
  } catch (fault) {
    throw databaseError(fault);
  }
};

/** A connection of the driver with our query method. What is asked for before the last answer has come waits for it. */
export const databaseClient = (driver: pg.ClientBase): DatabaseClient => {
  let running = 0;
  let latest: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const answer = running === 0 ? ask() : latest.then(ask);
    running++;
    latest = answer.then(
      () => running--,
      () => running--,
    );
    return answer;
  };
  return {
    driver,
    query: (text, values, name) => inTurn(() => run(driver, text, values, name)),
    cells: (statements) => Promise.all(statements.map((statement) => inTurn(() => runForCells(driver, statement)))),
  };
};

/** What is sent within one turn of the event loop goes out in one write. */
const corkedForThisTurn = (driver: pg.Client): void => {
  const { stream } = driver.connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
};

/** A connection that takes statements before those before them are answered. */
const pipelinedClient = (driver: pg.Client): DatabaseClient => ({
  driver,
  query: (text, values, name) => {
    corkedForThisTurn(driver);
    return run(driver, text, values, name);
  },
  cells: (statements) => {
    corkedForThisTurn(driver);
    return Promise.all(statements.map((statement) => runForCells(driver, statement)));
  },
});

const beginStatement = ({ isolation, readOnly }: TransactionOptions): string =>
  `begin${isolation === undefined ? '' : ` isolation level ${isolation}`}${readOnly ? ' read only' : ''}`;

const shorter = (milliseconds: number, limit: number): number =>
  limit > 0 ? Math.min(milliseconds, limit) : milliseconds;

const openShared = (options: DatabaseOptions, count: number): SharedConnections => {
  const config = clientConfig({
    ...options,
    statementTimeoutMs: shorter(sharedStatementMs, options.statementTimeoutMs ?? 0),
    sessionSettings: { ...options.sessionSettings, ...sharedSessionSettings },
  });
  return new SharedConnections(() => new pg.Client({ ...config, pipeline: true }), count);
};

const defaultMax = 10;

/** Milliseconds that a server has, beyond the time limit of a statement, to say that it is over. */
const silenceAfterLimitMs = 5_000;

/**
 * The limit of the server is of no use where the server hangs, or the network swallows what it says: the driver then gives
 * up the connection and what waits on it. Only where nothing but the driver's own queries runs, which tell it their end.
 */
const silenceConfig = ({ statementTimeoutMs }: DatabaseOptions): pg.ClientConfig =>
  statementTimeoutMs ? { query_timeout: statementTimeoutMs + silenceAfterLimitMs } : {};

/** Opens a pool; connects when the first query comes. */
export const openDatabase = (options: DatabaseOptions): Database => {
  const max = options.max ?? defaultMax;
  const sharedCount = Math.min(options.shared ?? 0, max - 1);
  const shared = sharedCount > 0 ? openShared(options, sharedCount) : undefined;
  const isPipelined = shared !== undefined;
  const pool = new pg.Pool({
    ...clientConfig(options),
    ...(isPipelined ? { pipeline: true, ...silenceConfig(options) } : {}),
    max: max - sharedCount,
    idleTimeoutMillis: 30_000,
  });
  // A connection that breaks while idle is replaced by the pool; the next query finds out if the server is gone.
  pool.on('error', () => undefined);
  const listener = createListener(() => new pg.Client(clientConfig({ ...options, statementTimeoutMs: 0 })));
  let closing: Promise<void> | undefined;

  const acquire = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (fault) {
      throw databaseError(fault);
    }
  };

  const withDriver = async <T>(work: (driver: pg.PoolClient) => Promise<T>): Promise<T> => {
    const driver = await acquire();
    let broken: unknown;
    const onError = (fault: unknown): void => {
      broken = fault;
    };
    driver.on('error', onError);
    try {
      return await work(driver);
    } catch (fault) {
      if (isKagamiError(fault, 'DATABASE_UNAVAILABLE')) broken = fault;
      throw fault;
    } finally {
      driver.off('error', onError);
      driver.release(broken !== undefined);
    }
  };

  const clientOf = (driver: pg.PoolClient): DatabaseClient =>
    isPipelined ? pipelinedClient(driver) : databaseClient(driver);

  const queryOnOwn: Queryable['query'] = (text, values, name) => run(pool, text, values, name);

  const queryShared =
    (connections: SharedConnections): Queryable['query'] =>
    async <R>(text: string, values?: readonly unknown[], name?: string): Promise<R[]> => {
      try {
        return (await connections.query({ text, values, name })) as R[];
      } catch (fault) {
        if (!(fault instanceof NotShared)) throw fault;
        return queryOnOwn<R>(text, values, name);
      }
    };

  /** The begin goes out with what comes first, and nobody waits for the end of what has only read. */
  const readInPipeline = <T>(work: (client: DatabaseClient) => Promise<T>, begin: string): Promise<T> =>
    withDriver(async (driver) => {
      const client = clientOf(driver);
      client.query(begin).catch(() => undefined);
      try {
        const result = await work(client);
        client.query('commit').catch(() => undefined);
        return result;
      } catch (fault) {
        await client.query('rollback').catch(() => undefined);
        throw fault;
      }
    });

  const inTransaction = <T>(work: (client: DatabaseClient) => Promise<T>, begin: string): Promise<T> =>
    withDriver(async (driver) => {
      const client = clientOf(driver);
      await client.query(begin);
      try {
        const result = await work(client);
        await client.query('commit');
        return result;
      } catch (fault) {
        // When the connection is gone the server rolls back by itself; the first fault is the one that tells.
        await client.query('rollback').catch(() => undefined);
        throw fault;
      }
    });

  const transaction: Database['transaction'] = (work, transactionOptions = {}) =>
    (isPipelined && transactionOptions.readOnly === true ? readInPipeline : inTransaction)(
      work,
      beginStatement(transactionOptions),
    );

  const cellsOnOwn: CellSource['cells'] = (statements) =>
    statements.length === 1
      ? withDriver((driver) => clientOf(driver).cells(statements))
      : transaction((client) => client.cells(statements), { isolation: 'repeatable read', readOnly: true });

  const cellsShared =
    (connections: SharedConnections): CellSource['cells'] =>
    async (statements) => {
      try {
        return await connections.cells(statements);
      } catch (fault) {
        if (!(fault instanceof NotShared)) throw fault;
        return cellsOnOwn(statements);
      }
    };

  return {
    query: shared === undefined ? queryOnOwn : queryShared(shared),
    cells: shared === undefined ? cellsOnOwn : cellsShared(shared),
    ...(shared === undefined ? {} : { shared }),

    copyOut: (text, onRow) => withDriver((driver) => copyOut(driver, text, onRow)),

    withClient: (work) => withDriver((driver) => work(clientOf(driver))),

    transaction,

    listen: (channel, onNotification, listenOptions) => listener.listen(channel, onNotification, listenOptions),

    close: () => {
      closing ??= Promise.all([listener.close(), shared?.close(), pool.end()]).then(() => undefined);
      return closing;
    },
  };
};
