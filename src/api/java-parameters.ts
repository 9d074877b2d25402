/**
 * Parameters as the lists of the `java` flavour read them that are paged by ids (NFT allowances, airdrops): names in any
 * letter case, unknown ones ignored, of a repeated single value the first one, blank ones as if not given. A value that
 * can't be read is refused on its own before anything else is looked at.
 */
import { parseEntityId } from '../ledger/entity-id.ts';
import { MAX_INT64 } from '../ledger/int64.ts';
import type { Comparison } from './bounds.ts';
import type { HomeRealm } from './entity-reference.ts';
import type { Order } from './page.ts';
import { HttpProblem, reasonedProblem } from './problem.ts';
import type { Operator } from './query.ts';
import type { RawQuery } from './route.ts';

/** Entries of a page that names no limit. */
export const defaultJavaLimit = 25;
/** Most entries of a page; more are refused. */
export const maxJavaLimit = 100;

/** Refusal of a value that has not the form of its parameter. */
export const failedToConvert = (name: string): HttpProblem => reasonedProblem(400, `Failed to convert '${name}'`);

/** The values of a parameter in any letter case, in order. */
export const valuesOf = (query: RawQuery, name: string): readonly string[] =>
  query.flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []));

const firstOf = (query: RawQuery, name: string): string | undefined => {
  const value = valuesOf(query, name)[0]?.trim();
  return value === '' ? undefined : value;
};

const MAX_INT4 = 2_147_483_647;

/**
 * `limit` as a number that may still lie beyond what a page holds; `limitFaults` says so.
 * @throws HttpProblem 400
 */
export const javaLimit = (query: RawQuery): number => {
  const text = firstOf(query, 'limit');
  if (text === undefined) return defaultJavaLimit;
  const limit = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit >= -MAX_INT4 - 1 && limit <= MAX_INT4)) throw failedToConvert('limit');
  return limit;
};

/** What is wrong with a limit, in the words of the refusal; empty when nothing is. */
export const limitFaults = (limit: number): string[] => [
  ...(limit > 0 ? [] : ['limit must be greater than 0']),
  ...(limit <= maxJavaLimit ? [] : [`limit must be less than or equal to ${maxJavaLimit}`]),
];

/** `order`. @throws HttpProblem 400 */
export const javaOrder = (query: RawQuery, fallback: Order = 'asc'): Order => {
  const order = firstOf(query, 'order')?.toLowerCase() ?? fallback;
  if (order !== 'asc' && order !== 'desc') throw failedToConvert('order');
  return order;
};

const truths: ReadonlySet<string> = new Set(['true', 'on', 'yes', '1']);
const falsehoods: ReadonlySet<string> = new Set(['false', 'off', 'no', '0']);

/** A flag. @throws HttpProblem 400 */
export const javaFlag = (query: RawQuery, name: string, fallback: boolean): boolean => {
  const text = firstOf(query, name)?.toLowerCase();
  if (text === undefined) return fallback;
  if (truths.has(text)) return true;
  if (falsehoods.has(text)) return false;
  throw failedToConvert(name);
};

const idComparison = /^(?:(eq|ne|gte?|lte?):)?(\d{1,19}(?:\.\d{1,19}){0,2})$/i;

/** All `[operator:]id` of a parameter. EVM addresses are not taken. @throws HttpProblem 400 */
export const javaIdComparisons = (query: RawQuery, name: string, home: HomeRealm): Comparison[] =>
  valuesOf(query, name).flatMap((text) => {
    if (text.trim() === '') return [];
    const match = idComparison.exec(text);
    const value = match === null ? undefined : parseEntityId(match[2] as string, home);
    if (value === undefined) throw failedToConvert(name);
    return [{ operator: (match?.[1]?.toLowerCase() ?? 'eq') as Operator, value }];
  });

const numberComparison = /^(?:(eq|ne|gte?|lte?):)?(\d{1,19})$/i;

/** All `[operator:]number` of a parameter, from 0 to 2^63 - 1. @throws HttpProblem 400 */
export const javaNumberComparisons = (query: RawQuery, name: string): Comparison[] =>
  valuesOf(query, name).flatMap((text) => {
    if (text.trim() === '') return [];
    const match = numberComparison.exec(text);
    const value = match === null ? undefined : BigInt(match[2] as string);
    if (value === undefined || value > MAX_INT64) throw failedToConvert(name);
    return [{ operator: (match?.[1]?.toLowerCase() ?? 'eq') as Operator, value }];
  });

/** What is wrong with how often a parameter is given; empty when nothing is. */
export const countFaults = (query: RawQuery, name: string, most = 2): string[] =>
  valuesOf(query, name).length <= most ? [] : [`${name} size must be between 0 and ${most}`];

/** Refuses with one message for each fault. @throws HttpProblem 400 */
export const refuseFaults = (faults: readonly string[]): void => {
  if (faults.length === 0) return;
  throw new HttpProblem(
    400,
    faults.map((detail) => ({ message: 'Bad Request', detail })),
  );
};
