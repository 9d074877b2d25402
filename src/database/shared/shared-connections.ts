/**
 * Few connections for the short statements of many requests. What is asked for within one turn of the event loop goes out in
 * one write for each connection, and a backend that is kept busy need not be woken for every statement.
 *
 * Nobody waits long behind another's statement: the session's `statement_timeout` is a few milliseconds. What does not
 * come to its end within them is refused (`NotShared`), to be run again on a connection of its own, and the same statement is
 * not taken again for a while.
 */
import type pg from 'pg';
import type { CellTable } from '../cell-table.ts';
import { databaseError } from '../database-error.ts';
import type { Row } from '../row.ts';
import { Fitness } from './fitness.ts';
import { hasWireForm } from './frontend-messages.ts';
import { type Answered, type Batch, SharedConnection, type Statement } from './shared-connection.ts';

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
  busy: new NotShared('others take too long'),
} as const;

/** Statements that go out together, seeing one state, when the current turn of the event loop ends. */
export interface Round {
  /**
   * Gives the rows of the statement.
   * @throws NotShared, KagamiError
   */
  query(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
  /** As `query`, of several statements, whose rows are given as they come. */
  cells(statements: readonly Statement[]): Promise<CellTable[]>;
}

/** Milliseconds that a statement may take on a shared connection. */
export const sharedStatementMs = 30;

/** Of so many connections, how many short statements best share: one in five, one of three and four. */
export const sharedConnectionsOf = (connections: number): number =>
  connections < 3 ? 0 : Math.max(1, Math.floor(connections / 5));

/**
 * Settings of the session of a shared connection. Its statements are planned once: the planner takes a limit that it does not
 * know for a tenth of all rows, thinks a plan for the very values cheaper, and would make one for each request, which costs more
 * than to run it. A statement that such a plan makes long is given up, and planned for its values where it runs then.
 */
export const sharedSessionSettings = {
  default_transaction_isolation: 'repeatable read',
  default_transaction_read_only: 'on',
  plan_cache_mode: 'force_generic_plan',
} as const;

/**
 * Most unanswered batches of a connection: enough that its backend always has the next one, few enough that nobody waits long
 * behind those that have gone, and that rows of few answers are in memory at the same time.
 */
const depth = 8;

/** Milliseconds after which what has not gone yet is run on a connection of its own. */
const patienceMs = 1_000;

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

/** What one caller asks for. */
interface Asked {
  readonly statements: readonly Statement[];
  /** With the answers to all that went together, and which of them is the caller's first. */
  resolve(answers: readonly Answered[], first: number): void;
  reject(fault: unknown): void;
}

const askRows = (statement: Statement, ask: (asked: Asked) => void): Promise<Row[]> =>
  new Promise((resolve, reject) =>
    ask({ statements: [statement], resolve: (answers, first) => resolve(answers[first] as Row[]), reject }),
  );

const askCells = (statements: readonly Statement[], ask: (asked: Asked) => void): Promise<CellTable[]> =>
  new Promise((resolve, reject) =>
    ask({
      statements: statements.map(({ text, values, name }) => ({ text, values, name, asCells: true })),
      resolve: (answers, first) => resolve(answers.slice(first, first + statements.length) as CellTable[]),
      reject,
    }),
  );

/** Statements that go out as one batch. */
interface Gathered {
  readonly asked: Asked[];
  /** By `performance.now()`. */
  readonly since: number;
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
  #patience: NodeJS.Timeout | undefined;
  #isSending = false;
  #isClosing = false;
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
    return askRows(statement, (asked) => this.#ask(asked));
  }

  /**
   * Runs statements together, which see one state, and gives their rows as they come.
   * @throws NotShared, KagamiError
   */
  cells(statements: readonly Statement[]): Promise<CellTable[]> {
    return askCells(statements, (asked) => this.#ask(asked));
  }

  /**
   * For an answer of several statements. When it asks for another one after those of the round have gone, it is refused, and
   * for a while all rounds that begin with the same statement are.
   */
  round(): Round {
    const gathered: Gathered = { asked: [], since: performance.now(), hasGone: false };
    let key: string | undefined;
    const refusal = (statements: readonly Statement[], firstKey: string): NotShared | undefined => {
      if (gathered.hasGone) return refusals.over;
      return this.#fitness.isFit(firstKey) ? this.#refusal(statements) : refusals.rounds;
    };
    const ask = (asked: Asked): void => {
      key ??= `round ${keyOf(asked.statements[0] as Statement)}`;
      const refused = refusal(asked.statements, key);
      if (refused !== undefined) {
        if (gathered.hasGone) this.#fitness.refuse(key);
        asked.reject(refused);
        return;
      }
      gathered.asked.push(asked);
      if (gathered.asked.length === 1) this.#gather(gathered);
    };
    return {
      query: (text, values, name) => askRows({ text, values, name }, ask),
      cells: (statements) => askCells(statements, ask),
    };
  }

  /** Closes the connections when what is on its way has been answered. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#send();
    this.#isClosed = true;
    await Promise.all(this.#connections.map((connection) => connection?.close()));
  }

  #ask(asked: Asked): void {
    const refusal = this.#refusal(asked.statements);
    if (refusal === undefined) this.#gather({ asked: [asked], since: performance.now(), hasGone: false });
    else asked.reject(refusal);
  }

  #refusal(statements: readonly Statement[]): NotShared | undefined {
    for (const statement of statements) {
      if (!isShareable(statement)) return refusals.kind;
      if (!this.#fitness.isFit(keyOf(statement))) return refusals.long;
    }
    return undefined;
  }

  #gather(gathered: Gathered): void {
    this.#waiting.push(gathered);
    this.#sendSoon();
  }

  #sendSoon(): void {
    if (this.#isSending || this.#waiting.length === 0) return;
    this.#isSending = true;
    setImmediate(() => this.#send());
  }

  /** In the order of their arrival, as far as there is room; the others go as answers come. */
  #send(): void {
    this.#isSending = false;
    let gone = 0;
    for (const gathered of this.#waiting) {
      const connection = this.#isClosed ? undefined : this.#choose();
      if (connection !== undefined && connection.outstanding >= depth && !this.#isClosing) break;
      if (connection === undefined) this.#refuse(gathered, refusals.closed);
      else this.#sendOn(connection, gathered);
      gone++;
    }
    this.#waiting.splice(0, gone);
    for (const connection of this.#connections) connection?.flush();
    if (this.#waiting.length > 0) this.#patience ??= this.#refuseTheLateIn(patienceMs);
  }

  #sendOn(connection: SharedConnection, gathered: Gathered): void {
    gathered.hasGone = true;
    const { asked } = gathered;
    const statements = asked.length === 1 ? (asked[0] as Asked).statements : asked.flatMap((each) => each.statements);
    connection.add({ statements, ...this.#outcome(statements, asked) });
  }

  #refuse(gathered: Gathered, reason: NotShared): void {
    gathered.hasGone = true;
    rejectAll(gathered.asked, reason);
  }

  #refuseTheLateIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#patience = undefined;
      const late = performance.now() - patienceMs;
      const inTime = this.#waiting.findIndex(({ since }) => since > late);
      const refused = this.#waiting.splice(0, inTime < 0 ? this.#waiting.length : inTime);
      for (const gathered of refused) this.#refuse(gathered, refusals.busy);
      const [next] = this.#waiting;
      if (next !== undefined) this.#patience = this.#refuseTheLateIn(Math.ceil(next.since - late));
    }, milliseconds).unref();
  }

  #outcome(statements: readonly Statement[], asked: readonly Asked[]): Pick<Batch, 'resolve' | 'reject'> {
    return {
      resolve: (answers) => {
        this.#sendSoon();
        let first = 0;
        for (const each of asked) {
          each.resolve(answers, first);
          first += each.statements.length;
        }
        for (const statement of statements) this.#fitness.praise(keyOf(statement));
      },
      reject: (fault, index) => {
        this.#sendSoon();
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
   * The first one with room, so that few are kept busy; where none has, the one with the least to do, and one more is opened.
   * Undefined: none is open yet, and nobody waits for that.
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
      this.#sendSoon();
    });
    this.#connections[index] = connection;
  }
}
