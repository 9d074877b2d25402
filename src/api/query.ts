/**
 * Query parameters of list and single-item endpoints: grouping, operators, acceptance, and the refusals that name every
 * faulty one. Owns no parameter's meaning: what a value stands for is said by the checks (parameter-checks.ts) and the
 * readers (page.ts, timestamp-filter.ts, entity-reference.ts).
 */
import { badRequest } from './problem.ts';
import type { RawQuery } from './route.ts';

export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';

const operators: ReadonlySet<string> = new Set<Operator>(['eq', 'ne', 'gt', 'gte', 'lt', 'lte']);

/** One accepted occurrence of a parameter: `timestamp=gte:5` is { timestamp, gte, 5 }; without operator it is `eq`. */
export interface Filter {
  /** In lower case. */
  readonly key: string;
  readonly operator: Operator;
  readonly value: string;
}

/**
 * Values by lower-case key, keys in the order of their first occurrence. `undefined` stands for a value whose key is
 * nested (`limit[a]=1`), which no parameter takes.
 */
export type GroupedQuery = ReadonlyMap<string, readonly (string | undefined)[]>;

/** Whether a parameter takes this operator and value. */
export type ParameterCheck = (operator: Operator, value: string) => boolean;

/** The parameters an endpoint takes, by lower-case name. */
export type AcceptedParameters = Readonly<Record<string, ParameterCheck>>;

const caseInsensitiveValues: ReadonlySet<string> = new Set(['order', 'result']);

const nestedKey = /^([^[\]]+)\[([^[\]]*)\]$/;

/** `a[]` and `a[3]` repeat `a`; any other bracket makes the value unusable. */
const plainKey = (key: string): { readonly name: string; readonly nested: boolean } => {
  if (!key.includes('[')) return { name: key, nested: false };
  const match = nestedKey.exec(key);
  if (match === null) return { name: key.slice(0, key.indexOf('[')) || key, nested: true };
  return { name: match[1] as string, nested: !/^\d*$/.test(match[2] as string) };
};

/** Whether a part of a key is a property that every JavaScript object has (`constructor`, `toString`). */
const isInherited = (part: string): boolean => Object.hasOwn(Object.prototype, part);

/**
 * Groups a raw query by lower-case key; the values of `order` and `result` become lower case. Keys that every object has
 * count as not given, as with the query parser that clients of mirror nodes are used to.
 */
export const groupQuery = (query: RawQuery): GroupedQuery => {
  const grouped = new Map<string, (string | undefined)[]>();
  for (const [rawKey, rawValue] of query) {
    if (rawKey.split(/[[\]]/).some(isInherited)) continue;
    const { name, nested } = plainKey(rawKey);
    const key = name.toLowerCase();
    const value = nested ? undefined : caseInsensitiveValues.has(key) ? rawValue.toLowerCase() : rawValue;
    const values = grouped.get(key);
    if (values === undefined) grouped.set(key, [value]);
    else values.push(value);
  }
  return grouped;
};

const isOperator = (text: string): text is Operator => operators.has(text);

const checkOf = (accepted: AcceptedParameters, key: string): ParameterCheck | undefined =>
  Object.hasOwn(accepted, key) ? accepted[key] : undefined;

const tooMany = (key: string, count: number, max: number): string =>
  `Parameter values count exceeds maximum number allowed: ${key} count: ${count} max: ${max}`;
const invalid = (key: string): string => `Invalid parameter: ${key}`;
const unknown = (key: string): string => `Unknown query parameter: ${key}`;

/** The last two parts of `a:b:c` as operator and value. */
const lenientFilter = (key: string, text: string | undefined, check: ParameterCheck): Filter | undefined => {
  if (text === undefined) return undefined;
  const last = text.lastIndexOf(':');
  if (last < 0) return check('eq', text) ? { key, operator: 'eq', value: text } : undefined;
  const operator = text.slice(text.lastIndexOf(':', last - 1) + 1, last);
  const value = text.slice(last + 1);
  return last > 0 && isOperator(operator) && check(operator, value) ? { key, operator, value } : undefined;
};

/** As `lenientFilter`, but a value has at most one colon. */
const strictFilter = (key: string, text: string | undefined, check: ParameterCheck): Filter | undefined =>
  text === undefined || text.indexOf(':') !== text.lastIndexOf(':') ? undefined : lenientFilter(key, text, check);

/** How often one parameter may be repeated (`query.maxRepeatedQueryParameters`). */
export interface RepeatLimit {
  readonly maxRepeatedQueryParameters: number;
}

/**
 * The filters of endpoints that report invalid parameters first and unknown ones after them, one message for each
 * occurrence: blocks, transactions, topics, contracts, schedules and most lists below an account.
 * @throws HttpProblem 400
 */
export const acceptSorted = (query: GroupedQuery, accepted: AcceptedParameters, limit: RepeatLimit): Filter[] => {
  const filters: Filter[] = [];
  const tooManyMessages: string[] = [];
  const invalidMessages: string[] = [];
  const unknownMessages: string[] = [];
  for (const [key, values] of query) {
    if (values.length > limit.maxRepeatedQueryParameters) {
      tooManyMessages.push(tooMany(key, values.length, limit.maxRepeatedQueryParameters));
      continue;
    }
    const check = checkOf(accepted, key);
    for (const value of values) {
      if (check === undefined) {
        unknownMessages.push(unknown(key));
        continue;
      }
      const filter = lenientFilter(key, value, check);
      if (filter === undefined) invalidMessages.push(invalid(key));
      else filters.push(filter);
    }
  }
  if (tooManyMessages.length + invalidMessages.length + unknownMessages.length > 0) {
    throw badRequest(...tooManyMessages, ...invalidMessages, ...unknownMessages);
  }
  return filters;
};

/**
 * The filters of endpoints that report in the order of the query, unknown keys once: `/accounts`, `/accounts/{id}`,
 * `/balances`, `/tokens/{id}`, and single items.
 * @throws HttpProblem 400
 */
export const acceptInOrder = (query: GroupedQuery, accepted: AcceptedParameters, limit: RepeatLimit): Filter[] => {
  const filters: Filter[] = [];
  const messages: string[] = [];
  for (const [key, values] of query) {
    const check = checkOf(accepted, key);
    if (check === undefined) {
      messages.push(unknown(key));
      continue;
    }
    if (values.length > limit.maxRepeatedQueryParameters) {
      messages.push(tooMany(key, values.length, limit.maxRepeatedQueryParameters));
      continue;
    }
    for (const value of values) {
      const filter = strictFilter(key, value, check);
      if (filter === undefined) messages.push(invalid(key));
      else filters.push(filter);
    }
  }
  if (messages.length > 0) throw badRequest(...messages);
  return filters;
};

/** 400 that names parameters (query or path) by `Invalid parameter: X`. */
export const invalidParameters = (...names: readonly string[]) => badRequest(...names.map(invalid));

/** 400 for a combination of parameters that makes no sense. */
export const invalidUsage = (key: string, reason: string) => badRequest(`Invalid parameter usage: ${key} - ${reason}`);

/** The last filter of that key; parameters that make sense only once take it. */
export const lastOf = (filters: readonly Filter[], key: string): Filter | undefined =>
  filters.findLast((filter) => filter.key === key);

export const allOf = (filters: readonly Filter[], key: string): readonly Filter[] =>
  filters.filter((filter) => filter.key === key);
