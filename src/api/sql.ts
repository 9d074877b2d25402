/** A small builder for statements whose conditions depend on the request. Values always travel as parameters. */
import { hash } from 'node:crypto';
import type { Interval } from './bounds.ts';

export interface StatementBuilder {
  readonly values: readonly unknown[];
  /** Adds a value and gives its placeholder (`$3`). */
  bind(value: unknown): string;
}

export const statementBuilder = (): StatementBuilder => {
  const values: unknown[] = [];
  return {
    values,
    bind: (value) => `$${values.push(value)}`,
  };
};

/**
 * The conditions that hold an int8 column within an interval. The text depends only on which bounds there are, not on
 * their values, so that statements built from it can be prepared.
 */
export const intervalConditions = (builder: StatementBuilder, column: string, interval: Interval): string[] => {
  const conditions: string[] = [];
  const { lower, upper, excluded } = interval;
  if (lower !== null && lower === upper) conditions.push(`${column} = ${builder.bind(lower)}::bigint`);
  else {
    if (lower !== null) conditions.push(`${column} >= ${builder.bind(lower)}::bigint`);
    if (upper !== null) conditions.push(`${column} <= ${builder.bind(upper)}::bigint`);
  }
  if (excluded.length > 0) conditions.push(`${column} <> all (${builder.bind(excluded)}::bigint[])`);
  return conditions;
};

/** More are compared one by one: a plan reads an index once for each range. */
const mostRanges = 4;

/**
 * As `intervalConditions`, with exclusions written as the ranges between them: where nearly all rows have the excluded value,
 * an index that begins with the column gives the others at once, while an inequality has every row looked at.
 */
export const rangeConditions = (builder: StatementBuilder, column: string, interval: Interval): string[] => {
  const excluded = [...new Set(interval.excluded)].sort((a, b) => (a < b ? -1 : 1));
  if (excluded.length === 0 || excluded.length >= mostRanges) return intervalConditions(builder, column, interval);
  const bounds = excluded.map((value) => `${builder.bind(value)}::bigint`);
  const ranges = [...bounds, undefined].map((end, i) => [
    ...(i === 0 ? [] : [`${column} > ${bounds[i - 1]}`]),
    ...(end === undefined ? [] : [`${column} < ${end}`]),
  ]);
  return [
    ...intervalConditions(builder, column, { ...interval, excluded: [] }),
    `(${ranges.map((range) => range.join(' and ')).join(' or ')})`,
  ];
};

/** ` where a and b`, or nothing. Conditions that contain `or` must carry their own parentheses. */
export const whereClause = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;

/** A name under which a statement can be prepared: the same for the same text, different for different texts. */
export const statementName = (text: string): string => hash('sha1', text, 'base64url');

const plannedLimits = [100, 1000, 10_000, 100_000];

/** A page size as the planner is told of it, a literal; the actual one is a parameter, of which it would expect the worst. */
export const plannedLimit = (limit: number): number => plannedLimits.find((size) => size >= limit) ?? limit;
