/**
 * Lists of the `java` flavour that are ordered by several numbers, one within the other: a row belongs to the list when
 * it lies between the bounds of all of them taken together, so that a link can say "on from here". Reads and checks no
 * parameters (java-parameters.ts does).
 */

import { MAX_INT64 } from '../ledger/int64.ts';
import type { Bounds } from './bounds.ts';
import type { Order } from './page.ts';
import type { RestRequest } from './route.ts';
import type { StatementBuilder } from './sql.ts';

/** One of the numbers that a list is ordered by, and what the request says of it; inequalities are left aside. */
export interface OrderedColumn {
  /** As it stands in SQL. */
  readonly column: string;
  readonly bounds: Bounds;
}

const contradictsItself = ({ bounds: { equal, lower, upper } }: OrderedColumn): boolean =>
  equal.length > 1 || equal.some((value) => (lower !== null && value < lower) || (upper !== null && value > upper));

const isPinned = ({ bounds }: OrderedColumn): boolean => bounds.equal.length > 0;

const sideConditions = (
  builder: StatementBuilder,
  columns: readonly OrderedColumn[],
  side: 'lower' | 'upper',
): string[] => {
  const bounded = columns.map(({ bounds }) => bounds[side] !== null);
  const first = bounded.indexOf(true);
  if (first < 0) return [];
  const gap = bounded.indexOf(false, first);
  const end = gap < 0 ? columns.length : gap;
  const bind = ({ bounds }: OrderedColumn): string => {
    const bound = bounds[side] as bigint;
    const isBeyond = bound > MAX_INT64;
    return `${builder.bind(isBeyond ? MAX_INT64 : bound)}::bigint`;
  };
  const compare = (run: readonly OrderedColumn[]): string => {
    const names = run.map(({ column }) => column);
    return `(${names.join(', ')}) ${side === 'lower' ? '>=' : '<='} (${run.map(bind).join(', ')})`;
  };
  const alone = columns.slice(end).filter((_column, index) => bounded[end + index]);
  return [compare(columns.slice(first, end)), ...alone.map((column) => compare([column]))];
};

/**
 * The conditions that hold the columns (outermost first) within their bounds; undefined when nothing can. A number with
 * an equality stands for itself; bounds of the others become comparisons of rows, which one range of an index on them
 * answers: the bound of an inner number counts only where the outer ones stand at their own, so that the lower one of an
 * inner number may well be above its upper one.
 */
export const orderedConditions = (
  builder: StatementBuilder,
  columns: readonly OrderedColumn[],
): string[] | undefined => {
  if (columns.some(contradictsItself)) return undefined;
  const open = columns.filter((column) => !isPinned(column));
  return [
    ...columns.filter(isPinned).map(({ column, bounds }) => `${column} = ${builder.bind(bounds.equal[0])}::bigint`),
    ...sideConditions(builder, open, 'lower'),
    ...sideConditions(builder, open, 'upper'),
  ];
};

/** Where one of the numbers stands on the last row of a page. */
export interface JavaPosition {
  /** Lower-case name of the parameter. */
  readonly key: string;
  /** As clients write it. */
  readonly value: string;
  /** The request leaves this parameter one value only, which stays. */
  readonly pinned: boolean;
}

const encode = (text: string): string => encodeURIComponent(text).replaceAll('%3A', ':');

/**
 * The link to the page after `positions` (outermost first): the request's own parameters in order of first appearance,
 * bounds in paging direction replaced, those against it kept. Null when no parameter could go on.
 * @param known parameters of the endpoint; others are left out
 * @param finished parameters without a position on this row, whose bounds in paging direction go
 */
export const javaNextLink = (
  request: Pick<RestRequest, 'path' | 'linkPrefix' | 'query'>,
  order: Order,
  positions: readonly JavaPosition[],
  known: readonly string[],
  finished: readonly string[] = [],
): string | null => {
  if (positions.every(({ pinned }) => pinned)) return null;
  const passed = order === 'asc' ? /^gte?:/i : /^lte?:/i;
  const paged: ReadonlySet<string> = new Set([...positions.map(({ key }) => key), ...finished]);
  const parameters = new Map<string, string[]>();
  const add = (key: string, value: string): void => {
    const values = parameters.get(key);
    if (values === undefined) parameters.set(key, [value]);
    else values.push(value);
  };
  for (const [sentKey, value] of request.query) {
    const key = sentKey.toLowerCase();
    if (known.includes(key) && !(paged.has(key) && passed.test(value))) add(key, value);
  }
  const direction = order === 'asc' ? 'gt' : 'lt';
  for (const [index, { key, value, pinned }] of positions.entries()) {
    if (pinned) continue;
    const innerGoOn = positions.slice(index + 1).some((inner) => !inner.pinned);
    add(key, `${direction}${innerGoOn ? 'e' : ''}:${value}`);
  }
  const text = [...parameters].flatMap(([key, values]) => values.map((value) => `${key}=${encode(value)}`)).join('&');
  return `${request.linkPrefix}${request.path}?${text}`;
};
