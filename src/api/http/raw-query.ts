import type { RawQuery } from '../route.ts';

const empty: RawQuery = [];

/** Percent-decodes one key or value, `+` being a space. A malformed escape leaves the whole text as it was sent. */
const decodeComponent = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
};

/**
 * The query part of a request target (without `?`) as ordered pairs. Empty parts (`a=1&&b=2`) are dropped, a key without
 * `=` gets an empty value.
 */
export const parseRawQuery = (query: string): RawQuery => {
  if (query === '') return empty;
  const pairs: (readonly [string, string])[] = [];
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    if (equals < 0) pairs.push([decodeComponent(part), '']);
    else pairs.push([decodeComponent(part.slice(0, equals)), decodeComponent(part.slice(equals + 1))]);
  }
  return pairs;
};

/** The key (in one and the same letter case) that occurs more often than `limit`, if any. */
export const overlyRepeatedKey = (query: RawQuery, limit: number): string | undefined => {
  if (query.length <= limit) return undefined;
  const counts = new Map<string, number>();
  for (const [key] of query) {
    const count = (counts.get(key) ?? 0) + 1;
    if (count > limit) return key;
    counts.set(key, count);
  }
  return undefined;
};

/** Splits a request target at the first `?`; a fragment, which clients must not send, is cut off. */
export const splitTarget = (target: string): { readonly path: string; readonly query: string } => {
  const hash = target.indexOf('#');
  const url = hash < 0 ? target : target.slice(0, hash);
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
};
