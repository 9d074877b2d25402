/** Whether a request's body is of a type that the route takes. */
import { type HttpProblem, reasonedProblem } from '../problem.ts';
import type { Route } from '../route.ts';

/** Type and subtype in lower case, without parameters. */
const mediaTypeOf = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();

/** `application/*+json` stands for every type with that suffix (RFC 6839). */
const isTaken = (content: Readonly<Record<string, unknown>>, type: string): boolean =>
  Object.hasOwn(content, type) ||
  (Object.hasOwn(content, 'application/*+json') && /^application\/[^+]+\+json$/.test(type));

/**
 * The 415 for a body of another type than the route documents; undefined when there is nothing to say against it.
 * Routes that document no body take any.
 */
export const contentTypeProblem = (route: Route, contentType: string | undefined): HttpProblem | undefined => {
  const { requestBody } = route.operation;
  if (requestBody === undefined) return undefined;
  if (contentType === undefined || contentType === '') return reasonedProblem(415, 'Content-Type is not supported');
  return isTaken(requestBody.content, mediaTypeOf(contentType))
    ? undefined
    : reasonedProblem(415, `Content-Type '${contentType}' is not supported`);
};
