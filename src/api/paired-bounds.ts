/**
 * Comparison filters on two columns that a list is ordered by, the second one within equal values of the first: tokens
 * and serial numbers, spenders and tokens. Together they name one stretch of the list: a bound of the second column
 * counts only where the first one stands at its own bound, so that a link can say "on from here".
 */
import type { Comparison } from './bounds.ts';
import { nextLink, type Order, type PagePosition } from './page.ts';
import { badRequest, type HttpProblem } from './problem.ts';
import type { GroupedQuery } from './query.ts';
import type { RestRequest } from './route.ts';
import type { StatementBuilder } from './sql.ts';

/** The filters of one column: at most one of a kind, either an equality or bounds. */
export interface ColumnBounds {
  readonly equal?: bigint | undefined;
  /** `gt` or `gte`. */
  readonly lower?: Comparison | undefined;
  /** `lt` or `lte`. */
  readonly upper?: Comparison | undefined;
}

export interface PairedBounds {
  readonly primary: ColumnBounds;
  readonly secondary: ColumnBounds;
}

/** Query parameters or columns, in the order of the list. */
export interface PairOf<T> {
  readonly primary: T;
  readonly secondary: T;
}

const isBounded = ({ lower, upper }: ColumnBounds): boolean => lower !== undefined || upper !== undefined;

const isUnfiltered = (bounds: ColumnBounds): boolean => bounds.equal === undefined && !isBounded(bounds);

const onlyOne = (kind: string, key: string): HttpProblem =>
  badRequest(`Only one ${kind} operator is allowed for ${key}`);

/** Adds a filter to those before it. @throws HttpProblem 400 */
const withFilter = (bounds: ColumnBounds, key: string, { operator, value }: Comparison): ColumnBounds => {
  switch (operator) {
    case 'eq':
      if (bounds.equal !== undefined) throw onlyOne('equal (eq)', key);
      return { ...bounds, equal: value };
    case 'gt':
    case 'gte':
      if (bounds.lower !== undefined) throw onlyOne('gt/gte', key);
      return { ...bounds, lower: { operator, value } };
    case 'lt':
    case 'lte':
      if (bounds.upper !== undefined) throw onlyOne('lt/lte', key);
      return { ...bounds, upper: { operator, value } };
    case 'ne':
      throw badRequest(`Not equal (ne) operator is not supported for ${key}`);
  }
};

/** Refuses combinations that name no single stretch of the list. @throws HttpProblem 400 */
const checkPair = ({ primary, secondary }: PairedBounds, keys: PairOf<string>): void => {
  for (const [bounds, key] of [
    [primary, keys.primary],
    [secondary, keys.secondary],
  ] as const) {
    if (isBounded(bounds) && bounds.equal !== undefined) {
      throw badRequest(`Can't support both range and equal for ${key}`);
    }
  }
  if (isUnfiltered(primary) && !isUnfiltered(secondary)) {
    throw badRequest(`${keys.secondary} without a ${keys.primary} parameter filter`);
  }
  if (primary.equal !== undefined) return;
  if (secondary.lower !== undefined && primary.lower?.operator !== 'gte') {
    throw badRequest(`${keys.primary} must have gte or eq operator`);
  }
  if (secondary.upper !== undefined && primary.upper?.operator !== 'lte') {
    throw badRequest(`${keys.primary} must have lte or eq operator`);
  }
};

/**
 * The filters of the two keys as the `js` flavour takes them; those of other keys are left aside.
 * @param filters in the order of the query, which decides what is refused first
 * @throws HttpProblem 400
 */
export const pairedBounds = (
  filters: Iterable<Comparison & { readonly key: string }>,
  keys: PairOf<string>,
): PairedBounds => {
  let primary: ColumnBounds = {};
  let secondary: ColumnBounds = {};
  for (const filter of filters) {
    if (filter.key === keys.primary) primary = withFilter(primary, filter.key, filter);
    else if (filter.key === keys.secondary) secondary = withFilter(secondary, filter.key, filter);
  }
  const bounds = { primary, secondary };
  checkPair(bounds, keys);
  return bounds;
};

const sqlOperators = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/**
 * The conditions that hold two int8 columns within the bounds. Composite bounds become comparisons of rows, which one
 * range of an index on both columns answers.
 */
export const pairedConditions = (
  builder: StatementBuilder,
  columns: PairOf<string>,
  { primary, secondary }: PairedBounds,
): string[] => {
  const compare = (column: string, { operator, value }: Comparison): string =>
    `${column} ${sqlOperators[operator]} ${builder.bind(value)}::bigint`;
  const alone = (column: string, { equal, lower, upper }: ColumnBounds): string[] => {
    if (equal !== undefined) return [compare(column, { operator: 'eq', value: equal })];
    return [lower, upper].flatMap((bound) => (bound === undefined ? [] : [compare(column, bound)]));
  };
  if (primary.equal !== undefined || !isBounded(secondary)) {
    return [...alone(columns.primary, primary), ...alone(columns.secondary, secondary)];
  }
  const both = (outer: Comparison | undefined, inner: Comparison | undefined): string[] => {
    if (outer === undefined) return [];
    if (inner === undefined || outer.operator === 'gt' || outer.operator === 'lt') {
      return [compare(columns.primary, outer)];
    }
    const values = `${builder.bind(outer.value)}::bigint, ${builder.bind(inner.value)}::bigint`;
    return [`(${columns.primary}, ${columns.secondary}) ${sqlOperators[inner.operator]} (${values})`];
  };
  return [...both(primary.lower, secondary.lower), ...both(primary.upper, secondary.upper)];
};

/**
 * The link to the page after the row at the two positions. A column with an equality keeps it; beside one, the other
 * column alone goes on. Null when both are pinned, since their pair names one row, or when the next page would be empty.
 */
export const pairedNextLink = (
  request: Pick<RestRequest, 'path' | 'linkPrefix'>,
  query: GroupedQuery,
  order: Order,
  { primary, secondary }: PairedBounds,
  last: PairOf<PagePosition>,
): string | null => {
  const positions = [
    ...(primary.equal === undefined ? [{ ...last.primary, inclusive: secondary.equal === undefined }] : []),
    ...(secondary.equal === undefined ? [last.secondary] : []),
  ];
  return positions.length === 0 ? null : nextLink(request, query, order, positions);
};
