/**
 * One connection that many requests use at the same time. What they ask is sent without waiting for the answers to what was
 * sent before, and is answered in order. Statements of one batch stand between two Syncs: they are one implicit transaction,
 * which the session makes `repeatable read` and read-only, so that they see one state; an error ends the batch, no other one.
 */
import pg from 'pg';
import { CellTable } from '../cell-table.ts';
import type { Row } from '../row.ts';
import { type DataRowTaker, tapDataRows } from './data-rows.ts';
import { FrontendMessages } from './frontend-messages.ts';
import {
  type PreparedStatement,
  PreparedStatements,
  type RowShape,
  rowShape,
  type WireField,
} from './prepared-statements.ts';

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
  /** The same name always carries the same text. */
  readonly name?: string | undefined;
  /** Whether its rows are wanted as they come (cell-table.ts). */
  readonly asCells?: boolean;
}

/** The rows of a statement, in the form that it asks for. */
export type Answered = readonly Row[] | CellTable;

/** Statements that go together. */
export interface Batch {
  readonly statements: readonly Statement[];
  resolve(answers: readonly Answered[]): void;
  /** With what the driver or the server says, and which of the statements failed. */
  reject(fault: unknown, index: number): void;
}

/** One statement of a batch on its way. */
interface Running {
  readonly prepared: PreparedStatement | undefined;
  readonly isParsed: boolean;
  /** Undefined: the server tells. */
  shape: RowShape | undefined;
  readonly rows: Row[];
  /** In place of rows. */
  readonly cells: CellTable | undefined;
}

const unnamed = '';

/**
 * Milliseconds after which nobody waits any longer for a server that answers nothing: statements of a shared connection are
 * cancelled by their time limit long before. They are run again on connections of their own.
 */
const silenceMs = 5_000;

const rowOf = ({ names, parsers, empty }: RowShape, fields: readonly (string | null)[]): Row => {
  const row: Row = { ...empty };
  for (let i = 0; i < names.length; i++) {
    const text = fields[i] as string | null;
    if (text !== null) row[names[i] as string] = (parsers[i] as (text: string) => unknown)(text);
  }
  return row;
};

const DriverQuery = pg.Query as unknown as new (text: string) => object;

/** The driver's query, of which only the place in its queue is used: it calls these methods as messages arrive. */
class BatchQuery extends DriverQuery {
  readonly #batch: Batch;
  readonly #connection: SharedConnection;
  #running: readonly Running[] = [];
  #index = 0;

  constructor(batch: Batch, connection: SharedConnection) {
    super('');
    this.#batch = batch;
    this.#connection = connection;
  }

  /** Gives an error instead of throwing it, as the driver wants it. */
  submit(): Error | null {
    try {
      this.#running = this.#connection.write(this.#batch.statements, this);
      return null;
    } catch (fault) {
      return fault as Error;
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly WireField[] }): void {
    const running = this.#running[this.#index];
    if (running === undefined) return;
    running.shape = rowShape(fields);
    if (running.prepared !== undefined) running.prepared.shape = running.shape;
  }

  /** Who takes the rows of the statement that is answered at the moment as they come. */
  get taker(): DataRowTaker | undefined {
    return this.#running[this.#index]?.cells;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const running = this.#running[this.#index];
    if (running?.shape !== undefined) running.rows.push(rowOf(running.shape, fields));
  }

  handleCommandComplete(): void {
    this.#index++;
  }

  handleEmptyQuery(): void {
    this.#index++;
  }

  handleReadyForQuery(): void {
    this.#connection.answered(this);
    this.#batch.resolve(this.#running.map(({ rows, cells }) => cells ?? rows));
    this.#running = [];
  }

  handleError(fault: unknown): void {
    this.#connection.answered(this);
    // The server has skipped what came after the error, so that it may not know statements that were to be prepared there.
    for (const [index, { prepared, isParsed }] of this.#running.entries()) {
      if (prepared !== undefined && (index === this.#index || (index > this.#index && isParsed))) {
        prepared.isDoubtful = true;
        prepared.shape = undefined;
      }
    }
    this.#batch.reject(fault, this.#index);
  }
}

export class SharedConnection {
  readonly #client: pg.Client;
  readonly #prepared = new PreparedStatements();
  readonly #messages = new FrontendMessages();
  readonly #onLost: () => void;
  /** What has gone and is not answered, in its order. */
  readonly #sent: BatchQuery[] = [];
  #outstanding = 0;
  /** By `performance.now()`. */
  #lastWord = 0;
  #watch: NodeJS.Timeout | undefined;
  #isConnected = false;
  #isUsable = true;

  /** Connects. `onLost` is called once when the connection can no longer be used. */
  constructor(client: pg.Client, onLost: () => void) {
    this.#client = client;
    this.#onLost = onLost;
    client.on('error', () => this.#lose());
    client.on('end', () => this.#lose());
    client.connect().then(
      () => {
        tapDataRows(client.connection.stream, () => this.#sent[0]?.taker);
        this.#isConnected = true;
      },
      () => this.#lose(),
    );
  }

  get isConnected(): boolean {
    return this.#isConnected && this.#isUsable;
  }

  /** How many batches have been sent, or will be, and are not answered. */
  get outstanding(): number {
    return this.#outstanding;
  }

  /** Adds a batch, which goes out with the next `flush`. */
  add(batch: Batch): void {
    if (this.#outstanding++ === 0) this.#lastWord = performance.now();
    this.#watch ??= this.#watchIn(silenceMs);
    this.#client.query(new BatchQuery(batch, this));
  }

  /** Writes what was added. */
  flush(): void {
    if (this.#messages.isEmpty) return;
    const { bytes, done } = this.#messages.take();
    this.#client.connection.stream.write(bytes, done);
  }

  /** Closes the connection when what is on its way has been answered. */
  async close(): Promise<void> {
    this.#isUsable = false;
    await this.#client.end().catch(() => undefined);
  }

  /** For the batch: its place in the stream of messages has come. */
  write(statements: readonly Statement[], query: BatchQuery): Running[] {
    for (const { text, name } of statements) {
      if (name !== undefined && (this.#prepared.use(name)?.text ?? text) !== text) {
        throw new Error(`Prepared statements must be unique: '${name}' stands for another statement`);
      }
    }
    const running = statements.map((statement) => this.#writeStatement(statement));
    this.#messages.sync();
    this.#sent.push(query);
    return running;
  }

  /** For the batch: nothing more comes for it. */
  answered(query: BatchQuery): void {
    const index = this.#sent.indexOf(query);
    if (index >= 0) this.#sent.splice(index, 1);
    this.#outstanding--;
    this.#lastWord = performance.now();
  }

  #writeStatement({ text, values = [], name, asCells }: Statement): Running {
    const known = name === undefined ? undefined : this.#prepared.use(name);
    const isParsed = known === undefined || known.isDoubtful;
    const prepared = known ?? (name === undefined ? undefined : this.#prepare(name, text));
    if (known?.isDoubtful) this.#messages.close(known.name);
    if (prepared !== undefined) prepared.isDoubtful = false;
    if (isParsed) this.#messages.parse(name ?? unnamed, text);
    this.#messages.bind(name ?? unnamed, values);
    if (prepared?.shape === undefined && asCells !== true) this.#messages.describe();
    this.#messages.execute();
    return { prepared, isParsed, shape: prepared?.shape, rows: [], cells: asCells ? new CellTable() : undefined };
  }

  #prepare(name: string, text: string): PreparedStatement {
    const prepared: PreparedStatement = { name, text, shape: undefined, isDoubtful: false };
    const forgotten = this.#prepared.add(prepared);
    if (forgotten !== undefined) this.#messages.close(forgotten.name);
    return prepared;
  }

  /** Ends the connection where answers are waited for and none comes. */
  #watchIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#watch = undefined;
      if (this.#outstanding === 0) return;
      const rest = this.#lastWord + silenceMs - performance.now();
      if (rest > 0) this.#watch = this.#watchIn(rest);
      else this.#client.connection.stream.destroy();
    }, milliseconds).unref();
  }

  #lose(): void {
    clearTimeout(this.#watch);
    if (!this.#isUsable) return;
    this.#isUsable = false;
    this.#onLost();
    this.#client.end().catch(() => undefined);
  }
}
