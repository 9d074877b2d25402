/** Rows for tests, inserted as literals that PostgreSQL reads by itself. */
import type { Database } from '../../database/connection.ts';

export type FixtureRow = Readonly<Record<string, string | number | bigint | boolean | null>>;

const literal = (value: FixtureRow[string] | undefined): string => {
  if (value === null || value === undefined) return 'default';
  return `'${String(value).replaceAll("'", "''")}'`;
};

/** Inserts rows; a column that a row leaves out or sets to null gets its default. */
export const insertRows = async (
  db: Pick<Database, 'query'>,
  table: string,
  rows: readonly FixtureRow[],
): Promise<void> => {
  if (rows.length === 0) return;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const tuples = rows.map((row) => `(${columns.map((column) => literal(row[column])).join(', ')})`);
  const names = columns.map((column) => `"${column}"`).join(', ');
  await db.query(`insert into ${table} (${names}) values ${tuples.join(', ')}`);
};
