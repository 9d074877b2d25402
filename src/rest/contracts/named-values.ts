/** Paging of lists whose entries the query may name one by one. */
import { nextLink, type Order, type PagePosition } from '../../api/page.ts';
import type { GroupedQuery } from '../../api/query.ts';
import type { RestRequest } from '../../api/route.ts';

/** The value of an equality (`7`, `eq:7`); undefined for other comparisons. */
const namedValue = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const [, operator, value] = /^(?:.*:)?(ne|eq|gte?|lte?):([^:]*)$/s.exec(text) ?? [];
  if (operator === undefined) return text;
  return operator === 'eq' ? value : undefined;
};

/**
 * The link to the page after a position. Values that the query names by equality and that have been passed are left out,
 * so that following the links comes to an end; null when all of them have been.
 * @param numberOf the number behind a named value; undefined when nothing can match it
 */
export const namedValuesLink = (
  request: Pick<RestRequest, 'path' | 'linkPrefix'>,
  query: GroupedQuery,
  order: Order,
  position: PagePosition,
  numberOf: (value: string) => bigint | undefined = position.numberOf,
): string | null => {
  const last = position.numberOf(position.value) as bigint;
  const values = query.get(position.key) ?? [];
  const isPassed = (text: string | undefined): boolean => {
    const named = namedValue(text);
    if (named === undefined) return false;
    const value = numberOf(named);
    return value === undefined || (order === 'asc' ? value <= last : value >= last);
  };
  const left = values.filter((text) => !isPassed(text));
  if (values.some((text) => namedValue(text) !== undefined) && !left.some((text) => namedValue(text) !== undefined)) {
    return null;
  }
  return nextLink(request, new Map(query).set(position.key, left), order, [position]);
};
