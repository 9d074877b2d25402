/**
 * Few connections for the short statements of many requests. What is asked for within one turn of the event loop goes out in
 * one write for each connection, and a backend that is kept busy need not be woken for every statement.
 *
 * Nobody waits long behind another's statement: the session's `statement_timeout` is a few milliseconds. What does not
 * come to its end within them is refused (`NotShared`), to be run again on a connection of its own, and the same statement is
 * not taken again for a while.
 */
import type pg from 'pg';
import { databaseError } from '../database-error.ts';
import type { Row } from '../row.ts';
import { Fitness } from './fitness.ts';
import { hasWireForm } from './frontend-messages.ts';
import { type Batch, SharedConnection, type Statement } from './shared-connection.ts';

/** The statements are not answered on a shared connection; on one of its own each of them may be. */
export class NotShared extends Error {
  constructor(reason: string) {
    super(`Not for a shared connection: ${reason}`);
  }
}

/** Made once: where a stack begins says nothing here, and taking it down costs more than the statement. */
const refusals = {
  kind: new NotShared('it is of another kind'),
  long: new NotShared('it takes long'),
  over: new NotShared('the round is over'),
  rounds: new NotShared('it takes more than one round'),
  closed: new NotShared('no connection is open'),
} as const;

/** Statements that go out together, seeing one state, when the current turn of the event loop ends. */
export interface Round {
  /**
   * Gives the rows of the statement.
   * @throws NotShared, KagamiError
   */
  query(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
}

/** Milliseconds that a statement may take on a shared connection. */
export const sharedStatementMs = 30;

/** Of so many connections, how many short statements best share: one in five, one of three and four. */
export const sharedConnectionsOf = (connections: number): number =>
  connections < 3 ? 0 : Math.max(1, Math.floor(connections / 5));

/** Settings of the session of a shared connection. */
export const sharedSessionSettings = {
  default_transaction_isolation: 'repeatable read',
  default_transaction_read_only: 'on',
} as const;

/** Beyond so many unanswered batches the next connection is used. */
const depth = 8;

/**
 * What may go well on a connection of its own: classes of SQLSTATE for operator intervention (a time-out, the end of the backend)
 * and for conflicts (a replica that goes on), and statements that are prepared otherwise than thought.
 */
const runAgain = /^(?:57|40|26000|42P05|0A000)/;

/** Milliseconds after a connection was lost, or could not be opened, before another one is tried. */
const reopenMs = 1_000;

const tooLong = '57014';

const keyOf = ({ text, name }: Statement): string => name ?? text;

/** Only the extended protocol can be shared; a text without values may hold several statements. */
const isShareable = ({ values = [], name }: Statement): boolean =>
  (name !== undefined || values.length > 0) && values.every(hasWireForm);

interface Asked {
  readonly statement: Statement;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (fault: unknown) => void;
}

/** Statements that go out as one batch. */
interface Gathered {
  readonly asked: Asked[];
  hasGone: boolean;
}

const rejectAll = (asked: readonly Asked[], fault: unknown): void => {
  for (const { reject } of asked) reject(fault);
};

export class SharedConnections {
  readonly #open: () => pg.Client;
  readonly #fitness = new Fitness();
  readonly #connections: (SharedConnection | undefined)[];
  #waiting: Gathered[] = [];
  /** By `performance.now()`. */
  #opensAgainAt = 0;
  #isClosed = false;

  /** @param open makes a client of the driver, not connected, with `pipeline` and the session's settings */
  constructor(open: () => pg.Client, count: number) {
    this.#open = open;
    this.#connections = Array.from({ length: count }, () => undefined);
  }

  /**
   * Runs one statement.
   * @throws NotShared, KagamiError
   */
  query(statement: Statement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal(statement);
      if (refusal === undefined) this.#gather({ asked: [{ statement, resolve, reject }], hasGone: false });
      else reject(refusal);
    });
  }

  /**
   * For an answer of several statements. When it asks for another one after those of the round have gone, it is refused, and
   * for a while all rounds that begin with the same statement are.
   */
  round(): Round {
    const gathered: Gathered = { asked: [], hasGone: false };
    let key: string | undefined;
    const refusal = (statement: Statement, firstKey: string): NotShared | undefined => {
      if (gathered.hasGone) return refusals.over;
      return this.#fitness.isFit(firstKey) ? this.#refusal(statement) : refusals.rounds;
    };
    return {
      query: (text, values, name) =>
        new Promise((resolve, reject) => {
          const statement = { text, values, name };
          key ??= `round ${keyOf(statement)}`;
          const refused = refusal(statement, key);
          if (refused !== undefined) {
            if (gathered.hasGone) this.#fitness.refuse(key);
            reject(refused);
            return;
          }
          gathered.asked.push({ statement, resolve, reject });
          if (gathered.asked.length === 1) this.#gather(gathered);
        }),
    };
  }

  /** Closes the connections when what is on its way has been answered. */
  async close(): Promise<void> {
    this.#send();
    this.#isClosed = true;
    await Promise.all(this.#connections.map((connection) => connection?.close()));
  }

  #refusal(statement: Statement): NotShared | undefined {
    if (!isShareable(statement)) return refusals.kind;
    return this.#fitness.isFit(keyOf(statement)) ? undefined : refusals.long;
  }

  #gather(gathered: Gathered): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#send());
    this.#waiting.push(gathered);
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const gathered of waiting) this.#sendOne(gathered);
    for (const connection of this.#connections) connection?.flush();
  }

  #sendOne(gathered: Gathered): void {
    const { asked } = gathered;
    gathered.hasGone = true;
    const connection = this.#isClosed ? undefined : this.#choose();
    if (connection === undefined) {
      rejectAll(asked, refusals.closed);
      return;
    }
    const statements = asked.map(({ statement }) => statement);
    connection.add({ statements, ...this.#outcome(statements, asked) });
  }

  #outcome(statements: readonly Statement[], asked: readonly Asked[]): Pick<Batch, 'resolve' | 'reject'> {
    return {
      resolve: (rows) => {
        for (const [index, { resolve }] of asked.entries()) resolve(rows[index] as Row[]);
        for (const statement of statements) this.#fitness.praise(keyOf(statement));
      },
      reject: (fault, index) => {
        const { code, severity } = fault as { readonly code?: string; readonly severity?: unknown };
        const failed = statements[index];
        if (code === tooLong && failed !== undefined) this.#fitness.blame(keyOf(failed));
        // Without a severity it is not the server that speaks: the connection is gone, and another one tells why.
        const isRunAgain = severity === undefined || runAgain.test(code ?? '');
        rejectAll(asked, isRunAgain ? new NotShared(String((fault as Error).message)) : databaseError(fault));
      },
    };
  }

  /**
   * The first one with room, so that few are kept busy; where none has room, the one with the least to do, and one more is
   * opened. Undefined: none is open yet, and nobody waits for that.
   */
  #choose(): SharedConnection | undefined {
    let best: SharedConnection | undefined;
    for (const connection of this.#connections) {
      if (connection === undefined || !connection.isConnected) continue;
      if (connection.outstanding < depth) return connection;
      if (best === undefined || connection.outstanding < best.outstanding) best = connection;
    }
    this.#openAnother();
    return best;
  }

  #openAnother(): void {
    const isOpening = this.#connections.some((connection) => connection !== undefined && !connection.isConnected);
    const index = this.#connections.indexOf(undefined);
    if (isOpening || index < 0 || performance.now() < this.#opensAgainAt) return;
    const connection = new SharedConnection(this.#open(), () => {
      this.#opensAgainAt = performance.now() + reopenMs;
      this.#connections[index] = undefined;
    });
    this.#connections[index] = connection;
  }
}
