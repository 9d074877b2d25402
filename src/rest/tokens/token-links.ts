/** Intervals and page links of the lists below `/tokens`, which go by ids. */
import { boundsOf, conjunction, type Interval } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import type { EntityIdFilter, HomeRealm } from '../../api/entity-reference.ts';
import { nextLink, type Order, type PagePosition } from '../../api/page.ts';
import type { GroupedQuery } from '../../api/query.ts';
import type { RestRequest } from '../../api/route.ts';

/**
 * The ids that satisfy every filter of a parameter at once. Undefined when there are none, also because a filter names an
 * address that is no id.
 */
export const entityIdInterval = (filters: readonly EntityIdFilter[]): Interval | undefined => {
  const known = filters.flatMap(({ operator, value }) => (value === undefined ? [] : [{ operator, value }]));
  return known.length < filters.length ? undefined : conjunction(boundsOf(known));
};

const isEquality = (text: string | undefined): text is string => text !== undefined && !/^(ne|gte?|lte?):/.test(text);

/**
 * The link to the page after a position where every filter of its parameter has to hold: an equality leaves nothing after
 * the row that it names.
 */
export const linkAfter = (
  request: Pick<RestRequest, 'path' | 'linkPrefix'>,
  query: GroupedQuery,
  order: Order,
  position: PagePosition,
): string | null =>
  (query.get(position.key) ?? []).some(isEquality) ? null : nextLink(request, query, order, [position]);

/**
 * The link to the page after the id `last` (digits) where equalities mean "one of": those that have been passed are left
 * out, so that following the links comes to an end.
 */
export const linkAmongAlternatives = (
  request: Pick<RestRequest, 'path' | 'linkPrefix'>,
  query: GroupedQuery,
  order: Order,
  key: string,
  last: string,
  home: HomeRealm,
): string | null => {
  const values = query.get(key) ?? [];
  const position = entityIdPosition(key, last, home);
  const isPassed = (text: string | undefined): boolean => {
    if (!isEquality(text)) return false;
    const id = position.numberOf(text.replace(/^eq:/, ''));
    return id === undefined || (order === 'asc' ? id <= BigInt(last) : id >= BigInt(last));
  };
  const left = values.filter((text) => !isPassed(text));
  if (values.some(isEquality) && !left.some(isEquality)) return null;
  return nextLink(request, values.length === 0 ? query : new Map(query).set(key, left), order, [position]);
};
