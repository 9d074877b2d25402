/** One run of a route's handler: what it is given, and what becomes of its answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { AuthenticatedUser, RawQuery, RestRequest, Route, RouteContext } from '../route.ts';
import { answerOf, int64TextAnswer, unkept } from './answer.ts';
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
  readonly client: () => string;
  readonly clientSignal: () => AbortSignal;
}

/** How an answer is given out, apart from what it says. */
export interface AnswerForm {
  /** Writes 64-bit integers as strings; absent: they stay numbers. */
  readonly int64Writer?: ((route: Route, body: string) => string) | undefined;
  /** It was waited for: nobody may keep it. */
  readonly isLive: boolean;
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
  form: AnswerForm,
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
    waits: shared.waits,
    client: arrival.client,
    searches: shared.searches,
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
    client: arrival.client,
    clientSignal: arrival.clientSignal,
  };
  const answer = await route.handle(request, context);
  // What goes out piece by piece is never there as a whole, and stays as it is.
  const isRewritten = form.int64Writer !== undefined && answer.parts === undefined;
  const written = isRewritten ? int64TextAnswer(route, answer, form.int64Writer) : answer;
  const made = answerOf(route, written, defaultHeaders, !clockWasRead && !form.isLive);
  if (!form.isLive) return made;
  return { ...made, answer: unkept(made.answer), ...(answer.parts === undefined ? {} : { parts: answer.parts }) };
};
