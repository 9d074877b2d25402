/** Which statements one connection has prepared, and the columns that each gives. Bounded: the least recently used goes. */
import type { Row } from '../row.ts';
import { valueParsers } from '../value-parsers.ts';

/** A column as the driver's parser gives it. */
export interface WireField {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The columns of a statement. */
export interface RowShape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
  /** A row of nulls, to be copied: rows of one shape are then of one kind for the engine. */
  readonly empty: Row;
}

export const rowShape = (fields: readonly WireField[]): RowShape => ({
  names: fields.map(({ name }) => name),
  empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
  parsers: fields.map(({ dataTypeID }) => valueParsers.getTypeParser(dataTypeID, 'text') as (text: string) => unknown),
});

export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  /** Undefined until the server has told. */
  shape: RowShape | undefined;
  /** Whether the server may or may not know it, after an error. */
  isDoubtful: boolean;
}

/** A backend keeps plans of each in some ten kilobytes. */
const mostStatements = 500;

export class PreparedStatements {
  readonly #byName = new Map<string, PreparedStatement>();
  readonly #most: number;

  constructor(most: number = mostStatements) {
    this.#most = most;
  }

  /** The statement of that name, which counts as used. */
  use(name: string): PreparedStatement | undefined {
    const statement = this.#byName.get(name);
    if (statement !== undefined) {
      this.#byName.delete(name);
      this.#byName.set(name, statement);
    }
    return statement;
  }

  /** Adds a statement; gives the one that makes way for it. */
  add(statement: PreparedStatement): PreparedStatement | undefined {
    this.#byName.set(statement.name, statement);
    if (this.#byName.size <= this.#most) return undefined;
    const [oldest] = this.#byName.values();
    if (oldest !== undefined) this.#byName.delete(oldest.name);
    return oldest;
  }
}
