/** Tokens and accounts as requests below `/tokens` name them, and the page links that go by ids. */
import { type Bounds, boundsOf, conjunction, type Interval } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { entityIdFilters, type HomeRealm, readPathReference } from '../../api/entity-reference.ts';
import { nextLink, type Order, type PagePosition } from '../../api/page.ts';
import { allOf, type Filter, type GroupedQuery, invalidParameters } from '../../api/query.ts';
import type { OpenApiParameter, RestRequest } from '../../api/route.ts';
import type { EntityId } from '../../ledger/entity-id.ts';

/**
 * The token in the path: an id, or the address that holds its num.
 * @throws HttpProblem 400 `Invalid parameter: tokenid`
 */
export const readTokenId = (request: Pick<RestRequest, 'pathParameters'>, home: HomeRealm): EntityId => {
  const reference = readPathReference(request.pathParameters.tokenId ?? '', 'tokenid', home);
  if (!('id' in reference)) throw invalidParameters('tokenid');
  return reference.id;
};

export const tokenIdPathDoc: OpenApiParameter = {
  name: 'tokenId',
  in: 'path',
  required: true,
  description: 'Id of the token, or the 40 hex digits of the address that holds its num.',
  schema: { type: 'string', pattern: '^(\\d{1,10}\\.){0,2}\\d{1,10}$|^(0x|(\\d{1,10}\\.){0,2})[A-Fa-f0-9]{40}$' },
  example: '0.0.1135',
};

/**
 * The ids that satisfy every filter of a parameter at once. Undefined when there are none, also because a filter names an
 * address that is no id.
 * @throws HttpProblem 400
 */
export const entityIdInterval = (filters: readonly Filter[], key: string, home: HomeRealm): Interval | undefined => {
  const read = entityIdFilters(filters, key, home);
  const known = read.flatMap(({ operator, value }) => (value === undefined ? [] : [{ operator, value }]));
  return known.length < read.length ? undefined : conjunction(boundsOf(known));
};

/** The filters of a parameter with plain integers, merged. */
export const integerBounds = (filters: readonly Filter[], key: string): Bounds =>
  boundsOf(allOf(filters, key).map(({ operator, value }) => ({ operator, value: BigInt(value) })));

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
