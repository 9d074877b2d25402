import { hash } from 'node:crypto';
import type { RouteFlavour } from '../route.ts';

/**
 * The ETag of a body: weak (`W/"<length>-<SHA-1>"`) for the `js` flavour, strong (`"0<MD5>"`) for the `java` flavour. The
 * digests tell versions of a body apart, nothing more depends on them.
 */
export const entityTag = (body: Uint8Array, flavour: RouteFlavour): string =>
  flavour === 'java'
    ? `"0${hash('md5', body, 'hex')}"`
    : `W/"${body.byteLength.toString(16)}-${hash('sha1', body, 'base64url')}"`;

/** A compressed body is another sequence of bytes, so it may only carry a weak tag (RFC 9110, 8.8.1). */
export const weakened = (tag: string): string => (tag.startsWith('W/') ? tag : `W/${tag}`);

const opaque = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag);

/** Whether an `If-None-Match` value names `tag`, by the weak comparison of RFC 9110, 13.1.2. */
export const matchesEntityTag = (ifNoneMatch: string, tag: string): boolean => {
  const wanted = opaque(tag);
  return ifNoneMatch
    .split(',')
    .map((candidate) => candidate.trim())
    .some((candidate) => candidate === '*' || opaque(candidate) === wanted);
};
