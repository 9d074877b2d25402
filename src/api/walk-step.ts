/**
 * One step of a walk through an index, as one statement: it goes through so many rows in order, asks of each what the index
 * does not tell, and keeps nothing but matches.
 */
import type { Reader } from '../database/connection.ts';
import type { Order } from './page.ts';
import type { WalkStep } from './raced-search.ts';
import { type StatementBuilder, statementName, whereClause } from './sql.ts';

export interface WalkStatement {
  readonly builder: StatementBuilder;
  /** Statement that gives the first `rows` rows of the index in order, each position once. */
  readonly candidates: string;
  /** Its column, an int8, by which it goes. */
  readonly column: string;
  /** Conditions on a candidate `w`. */
  readonly questions: readonly string[];
  readonly order: Order;
  readonly rows: number;
}

interface StepRow {
  readonly found: readonly string[] | null;
  readonly examined: number;
  readonly reached: string | null;
}

/** The first of the positions (digits) in order. */
export const firstPositions = (positions: readonly string[] | null, order: Order, limit: number): bigint[] => {
  const sign = order === 'asc' ? 1 : -1;
  return (positions ?? [])
    .map(BigInt)
    .sort((a, b) => (a < b ? -sign : sign))
    .slice(0, limit);
};

/** Takes the step; gives at most `limit` matches. */
export const takeWalkStep = async (db: Reader, statement: WalkStatement, limit: number): Promise<WalkStep> => {
  const { builder, candidates, column, questions, order, rows } = statement;
  const asked = questions.length === 0 ? '' : ` filter (${whereClause(questions).trim()})`;
  const text = `select array_agg(w.${column}::bigint)${asked} as found, count(*)::int as examined,
      ${order === 'asc' ? 'max' : 'min'}(w.${column}) as reached
    from (${candidates}) w`;
  const [step] = await db.query<StepRow>(text, builder.values, statementName(text));
  if (step === undefined || step.reached === null) return { found: [], reached: 'end' };
  const found = firstPositions(step.found, order, limit);
  return { found, reached: step.examined < rows ? 'end' : BigInt(step.reached) };
};
