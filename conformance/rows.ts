/** Loads the rows of a case, and takes away those of the one before. */
import type { Database } from '../src/database/connection.ts';
import type { ColumnValue, ConformanceCase } from './cases.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A literal of unknown type, which PostgreSQL reads by the column's own input function. */
const literal = (value: ColumnValue): string => (value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`);

type Row = Readonly<Record<string, ColumnValue>>;

/** Consecutive rows with the same columns, as one statement each. */
const insertsOf = (table: string, rows: readonly Row[]): string[] => {
  const statements: { readonly columns: string; readonly tuples: string[] }[] = [];
  for (const row of rows) {
    const columns = Object.keys(row).map(quoted).join(',');
    const tuple = `(${Object.values(row).map(literal).join(',')})`;
    const last = statements.at(-1);
    if (last !== undefined && last.columns === columns && columns !== '') last.tuples.push(tuple);
    else statements.push({ columns, tuples: [tuple] });
  }
  return statements.map(({ columns, tuples }) =>
    columns === ''
      ? `insert into ${quoted(table)} default values`
      : `insert into ${quoted(table)} (${columns}) values ${tuples.join(',')}`,
  );
};

export interface RowLoader {
  load(conformanceCase: ConformanceCase): Promise<void>;
}

/**
 * A loader that goes from case to case. Rows are deleted rather than truncated: the tables are small, and truncating
 * makes new files for every partition.
 */
export const createRowLoader = (database: Database): RowLoader => {
  let filled: readonly string[] = [];
  return {
    load: async ({ rows }) => {
      const statements = filled.map((table) => `delete from ${quoted(table)}`);
      filled = [...new Set([...filled, ...Object.keys(rows)])];
      for (const [table, tableRows] of Object.entries(rows)) statements.push(...insertsOf(table, tableRows));
      if (statements.length > 0) await database.query(statements.join(';\n'));
      filled = Object.keys(rows);
    },
  };
};
