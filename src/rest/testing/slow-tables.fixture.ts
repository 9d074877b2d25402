/**
 * Tables in which a statement runs into its timeout after a number of rows: the same on every machine, unlike time. They
 * lie in a schema `slow` as views of the real ones.
 */
import { type Database, openDatabase } from '../../database/connection.ts';
import type { TestDatabase } from '../../database/testing/test-database.fixture.ts';

/** The first condition of all on every row that is walked over, since it claims to cost next to nothing. */
const functionText = (mostRows: number): string => `
  create schema slow;
  create function slow.is_walked_over() returns boolean language plpgsql volatile cost 0.0001 as $$
  declare
    statement text := statement_timestamp()::text;
    rows int := 1;
  begin
    if current_setting('slow.statement', true) = statement then
      rows := current_setting('slow.rows')::int + 1;
    end if;
    perform set_config('slow.statement', statement, false), set_config('slow.rows', rows::text, false);
    if rows > ${mostRows} then
      raise exception 'canceling statement due to statement timeout' using errcode = '57014';
    end if;
    return true;
  end $$`;

/** Opens the database with the tables slow: a statement may walk over `mostRows` of their rows. To be closed. */
export const withSlowTables = async (
  { database, connectionString }: TestDatabase,
  mostRows: number,
  tables: readonly string[],
): Promise<Database> => {
  await database.query(functionText(mostRows));
  for (const table of tables) {
    await database.query(`create view slow.${table} as select * from public.${table} where slow.is_walked_over()`);
  }
  return openDatabase({ connectionString, schema: 'slow', max: 2 });
};
