/** A database that commits something of another connection after each of its first statements. */
import type { CellSource, Database, DatabaseClient, Queryable } from '../../database/connection.ts';

/** `commits`: run one after another, each when another statement of the answer has ended. */
export const committingBetween = (database: Database, commits: readonly (() => Promise<unknown>)[]): Database => {
  const waiting = [...commits];
  const after =
    (target: Queryable): Queryable['query'] =>
    async (text, values, name) => {
      const rows = await target.query(text, values, name);
      if (!text.startsWith('set ')) await waiting.shift()?.();
      return rows as never;
    };
  const cellsAfter =
    (target: CellSource): CellSource['cells'] =>
    async (statements) => {
      const tables = await target.cells(statements);
      await waiting.shift()?.();
      return tables;
    };
  return {
    ...database,
    query: after(database),
    cells: cellsAfter(database),
    transaction: (work, options) =>
      database.transaction((client) => {
        const committing: DatabaseClient = { driver: client.driver, query: after(client), cells: cellsAfter(client) };
        return work(committing);
      }, options),
  };
};
