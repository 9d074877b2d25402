/** Page size, order and the link to the next page. */
import { parseTimestamp } from '../ledger/timestamp.ts';
import { boundsOf, type Comparison } from './bounds.ts';
import { type Filter, type GroupedQuery, lastOf, type Operator } from './query.ts';
import type { RestRequest } from './route.ts';

export type Order = 'asc' | 'desc';

/** `response.limit` of the settings. */
export interface PageLimits {
  readonly default: number;
  readonly max: number;
}

/** The page size: the last `limit`, lowered to the largest that this user may have. */
export const limitOf = (filters: readonly Filter[], limits: PageLimits, user: RestRequest['user']): number => {
  const filter = lastOf(filters, 'limit');
  if (filter === undefined) return limits.default;
  const max = user?.limit ?? limits.max;
  const asked = BigInt(filter.value);
  return asked > BigInt(max) ? max : Number(asked);
};

/** The order: the last `order`, whatever its operator. */
export const orderOf = (filters: readonly Filter[], fallback: Order): Order => {
  const filter = lastOf(filters, 'order');
  return filter === undefined ? fallback : filter.value.toLowerCase() === 'asc' ? 'asc' : 'desc';
};

/** Where the next page starts, in terms of one query parameter. */
export interface PagePosition {
  /** Lower-case name of the parameter. */
  readonly key: string;
  /** Value on the last row of this page, as clients write it. */
  readonly value: string;
  /** Whether the next page includes the value (`gte`/`lte`), as for the leading columns of a composite position. */
  readonly inclusive?: boolean;
  /** The number behind a value of this parameter, to see when nothing is left; undefined when it has none. */
  readonly numberOf: (value: string) => bigint | undefined;
}

/** Position in a list that is paged by consensus timestamp. */
export const timestampPosition = (secondsAndNanos: string): PagePosition => ({
  key: 'timestamp',
  value: secondsAndNanos,
  numberOf: parseTimestamp,
});

const rangeValue = /^(gte|gt|lte|lt):(.*)$/s;

const comparisonsOf = (values: readonly (string | undefined)[], position: PagePosition): Comparison[] =>
  values.flatMap((text) => {
    const match = text === undefined ? null : rangeValue.exec(text);
    const value = match === null ? undefined : position.numberOf(match[2] as string);
    return value === undefined ? [] : [{ operator: (match as RegExpExecArray)[1] as Operator, value }];
  });

const isEmptyRange = (values: readonly (string | undefined)[], position: PagePosition): boolean => {
  const { lower, upper } = boundsOf(comparisonsOf(values, position));
  return lower !== null && upper !== null && upper < lower;
};

/**
 * Puts the position into the query: bounds in the direction of paging are replaced, bounds against it kept, and an
 * equality keeps the parameter as it is. A parameter that keeps a value keeps its place; otherwise it moves to the end.
 */
const advance = (query: Map<string, readonly (string | undefined)[]>, position: PagePosition, order: Order): void => {
  const replaced = order === 'asc' ? /^gte?:/ : /^lte?:/;
  const bound = `${order === 'asc' ? 'gt' : 'lt'}${position.inclusive ? 'e' : ''}:${position.value}`;
  const before = query.get(position.key);
  if (before === undefined) {
    query.set(position.key, [bound]);
    return;
  }
  const kept = before.filter((value) => value !== undefined && !replaced.test(value));
  const pinned = kept.some((value) => value !== undefined && !/^(ne|gte?|lte?):/.test(value));
  if (pinned) {
    query.set(position.key, kept);
    return;
  }
  if (kept.length === 0 && before.length === 1) query.delete(position.key);
  query.set(position.key, [...kept, bound]);
};

/** Escapes what may not stand in a query, or would be read as something else; all the rest stays legible. */
const queryText = (text: string): string =>
  text.replace(/[^\x21-\x7e]+|["#%&+<>\\`]/g, (unsafe) => encodeURIComponent(unsafe.toWellFormed()));

const queryString = (query: GroupedQuery): string => {
  let text = '';
  for (const [key, values] of query) {
    for (const value of values) text += `${text === '' ? '?' : '&'}${queryText(key)}=${queryText(value ?? '')}`;
  }
  return text;
};

/**
 * The link to the page after `positions`, or null when it would be empty by its own bounds. The first position decides
 * that, or the one whose key is `primary`.
 */
export const nextLink = (
  request: Pick<RestRequest, 'path' | 'linkPrefix'>,
  query: GroupedQuery,
  order: Order,
  positions: readonly PagePosition[],
  primary: string | undefined = positions[0]?.key,
): string | null => {
  const next = new Map(query);
  for (const position of positions) advance(next, position, order);
  const deciding = positions.find((position) => position.key === primary);
  if (deciding !== undefined && isEmptyRange(next.get(deciding.key) ?? [], deciding)) return null;
  const path = request.path.length > 1 && request.path.endsWith('/') ? request.path.slice(0, -1) : request.path;
  return `${request.linkPrefix}${path}${queryString(next)}`;
};
