/** One run of a route's handler: what it is given, and what becomes of its answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { AuthenticatedUser, RawQuery, RestRequest, Route, RouteContext } from '../route.ts';
import { answerOf } from './answer.ts';
import type { MadeAnswer } from './answer-cache.ts';

/** A request that has come as far as its handler. */
export interface Arrival {
  readonly path: string;
  readonly query: RawQuery;
  readonly linkPrefix: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly user: AuthenticatedUser | undefined;
  readonly body: unknown;
}

const noBody = new Uint8Array(0);
const noUser = {};

const joinedHeaders = (headers: IncomingHttpHeaders): Record<string, string | undefined> => {
  const joined: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    joined[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return joined;
};

/**
 * Runs the handler. An answer for which the clock was read may not be kept: it would differ with time alone.
 * Throws what the handler throws.
 */
export const handle = async (
  route: Route,
  arrival: Arrival,
  shared: RouteContext,
  defaultHeaders: Readonly<Record<string, string>>,
): Promise<MadeAnswer> => {
  let clockWasRead = false;
  const context: RouteContext = {
    db: shared.db,
    settings: shared.settings,
    javaSettings: shared.javaSettings,
    shard: shared.shard,
    realm: shared.realm,
    clock: () => {
      clockWasRead = true;
      return shared.clock();
    },
  };
  const request: RestRequest = {
    method: route.method,
    path: arrival.path,
    linkPrefix: arrival.linkPrefix,
    pathParameters: arrival.pathParameters,
    query: arrival.query,
    headers: joinedHeaders(arrival.headers),
    ...(arrival.user === undefined ? noUser : { user: arrival.user }),
    body: arrival.body instanceof Uint8Array ? arrival.body : noBody,
  };
  const answer = await route.handle(request, context);
  return answerOf(route, answer, defaultHeaders, !clockWasRead);
};
