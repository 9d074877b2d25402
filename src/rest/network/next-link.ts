import type { Order } from '../../api/page.ts';
import type { RestRequest } from '../../api/route.ts';
import { parseComparison, rangeOf } from './parameters.ts';

/** Characters that a query may carry as they are (RFC 3986, 3.4), less those with a meaning of their own in it. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:3A|2F|40|24|2C|3B|3F)/g, (escaped) => decodeURIComponent(escaped));

/**
 * `links.next` of a list that is paged by one id: the request's own known parameters, grouped by key in order of first
 * appearance, with the bound in paging direction replaced by the last id shown. Bounds in the other direction stay. With
 * an equality the parameters stay as they are. Null when nothing can follow.
 */
export const nextLink = (
  request: RestRequest,
  idKey: string,
  lastId: string,
  order: Order,
  knownKeys: readonly string[],
): string | null => {
  const [exclusive, inclusive] = order === 'asc' ? ['gt:', 'gte:'] : ['lt:', 'lte:'];
  const parameters = new Map<string, string[]>();
  for (const [sentKey, value] of request.query) {
    const key = sentKey.toLowerCase();
    if (!knownKeys.includes(key)) continue;
    const lower = value.toLowerCase();
    if (key === idKey && (lower.startsWith(exclusive) || lower.startsWith(inclusive))) continue;
    const values = parameters.get(key);
    if (values === undefined) parameters.set(key, [value]);
    else values.push(value);
  }
  const ids = parameters.get(idKey) ?? [];
  const comparisons = ids.map(parseComparison).filter((comparison) => comparison !== undefined);
  if (!comparisons.some(({ operator }) => operator === 'eq')) {
    ids.push(`${exclusive}${lastId}`);
    parameters.set(idKey, ids);
    const operator = order === 'asc' ? 'gt' : 'lt';
    const { lower, upper } = rangeOf([...comparisons, { operator, value: BigInt(lastId) }]);
    if (upper < lower) return null;
  }
  const text = [...parameters].flatMap(([key, values]) => values.map((value) => `${key}=${encode(value)}`)).join('&');
  return `${request.linkPrefix}${request.path}?${text}`;
};
