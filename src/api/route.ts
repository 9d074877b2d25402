/**
 * The contract between a REST route and the machinery that serves it.
 *
 * A route is one definition: its path, its documentation (from which the OpenAPI document is produced, and against
 * which answers are checked) and its handler. A handler reads the raw query in the order the client sent it, asks the
 * database, and gives back the finished JSON text; it knows nothing of sockets, compression, ETags or caches. It refuses
 * by throwing an `HttpProblem` (problem.ts); any other error becomes a 500 or 503.
 */
import type { RestSettings } from '../config/settings/rest.ts';
import type { RestJavaSettings } from '../config/settings/restjava.ts';
import type { Database } from '../database/connection.ts';
import type { CommitWaits } from './commit-waits.ts';
import type { SearchPlace, SearchTurns } from './search-turns.ts';

/** What a handler may use. One instance per request, so that a read of the clock can be attributed to the answer. */
export interface RouteContext {
  readonly db: Database;
  /** `hiero.mirror.rest.*` */
  readonly settings: RestSettings;
  /** `hiero.mirror.restJava.*` */
  readonly javaSettings: RestJavaSettings;
  /** The network's own shard and realm, assumed where an id leaves them out and used for system entities. */
  readonly shard: bigint;
  readonly realm: bigint;
  /**
   * Nanoseconds since the epoch. Whoever reads it gives an answer that is not kept until the next block, since it would
   * differ with time alone: read it only when the answer depends on it.
   */
  readonly clock: () => bigint;
  /** Where a handler may wait for the next block; only in routes with `isLive`. */
  readonly waits: CommitWaits;
  /** Whom the request comes from, as far as sharing fairly goes (client-identity.ts). Absent: nobody can tell. */
  readonly client?: () => string;
  /** Where searches wait for their turn; see `inSearchTurns`. */
  readonly searches: SearchTurns;
  /** Within `inSearchTurns` or a snapshot. */
  readonly searchStage?: SearchPlace;
}

/**
 * Query parameters as the client sent them: percent-decoded (`+` is a space; malformed escapes stay as they are), keys
 * in their own letter case, repeats kept, in order.
 */
export type RawQuery = readonly (readonly [key: string, value: string])[];

/** A user from `hiero.mirror.rest.users` whose credentials came with the request. */
export interface AuthenticatedUser {
  readonly username: string;
  /** Takes the place of `response.limit.max` as the largest page this user gets; absent: no limit of its own. */
  readonly limit?: number;
}

export interface RestRequest {
  readonly method: 'GET' | 'POST';
  /** Path as sent, without the query: letter case, escapes and a trailing slash kept. Links repeat it. */
  readonly path: string;
  /** What comes before `path` in links: empty, or `http://host:port` under `response.includeHostInLink`. */
  readonly linkPrefix: string;
  /** Path parameters by the name in `Route.path`, percent-decoded, letter case kept. */
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: RawQuery;
  /** By lower-case name; values of repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly user?: AuthenticatedUser;
  /** The body's bytes of a POST, empty otherwise. */
  readonly body: Uint8Array;
  /** Whom the request comes from, as far as sharing fairly goes (client-identity.ts). Absent: nobody can tell. */
  readonly client?: () => string;
  /** Aborted when the client goes away before it has its answer. Absent: nobody can tell. */
  readonly clientSignal?: () => AbortSignal;
}

export interface RestAnswer {
  readonly status: number;
  /** The finished text, or its bytes in UTF-8. 64-bit integers stand in it as exact JSON numbers. */
  readonly body: string | Buffer;
  /**
   * The text piece by piece, in place of `body`, for answers too long to be held: each piece is asked for when the client
   * has taken those before it. Only in routes with `isLive`.
   */
  readonly parts?: AsyncIterable<string>;
  /** `cache-control: public, max-age=<this>`. Left out: `Route.cacheSeconds`; `null`: no such header. */
  readonly cacheSeconds?: number | null;
  /** `links.next` as it stands in the body; repeated as the header `Link: <...>; rel="next"`. */
  readonly link?: string | null;
  /** Left out: the JSON content type of the route's flavour. */
  readonly contentType?: string;
}

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. `$ref: '#/components/schemas/X'` points into `OpenApiOperation.schemas`. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly description: string;
  readonly required?: boolean;
  /** For a repeatable parameter: an array schema. */
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** The successful answer. */
export interface OpenApiAnswer {
  readonly description: string;
  readonly schema: JsonSchema;
  /** When the answer is of the same form, but has status 206 for lack of something. Left out: never. */
  readonly partial?: string;
  /** Further content types, which carry plain text. */
  readonly texts?: readonly string[];
}

/** The documentation of one route. Problem answers of any route have one shape, so their statuses suffice. */
export interface OpenApiOperation {
  readonly operationId: string;
  /** One line, imperative: `List blocks`. */
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly OpenApiParameter[];
  readonly answer: OpenApiAnswer;
  /** Statuses of problem answers beyond 500 and 503: 400, 404, ... */
  readonly problems: readonly number[];
  /** Content types and schemas that a POST takes. */
  readonly requestBody?: { readonly description: string; readonly content: Readonly<Record<string, JsonSchema>> };
  /** Named schemas that this operation refers to. The same name in several operations must be the same object. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

/**
 * `flavour`: which of the reference's processes served the endpoint. Clients see the difference in content type
 * (`application/json; charset=utf-8` against `application/json;charset=UTF-8`), ETag, errors and wrong methods. `web3`,
 * for contract calls: no ETag, no `cache-control`, and every message of a problem has `message`, `detail` and `data`.
 */
export type RouteFlavour = 'js' | 'java' | 'web3';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** With parameters in braces: `/api/v1/blocks/{hashOrNumber}`. Matched in any letter case, with or without a trailing slash. */
  readonly path: string;
  readonly flavour: RouteFlavour;
  /**
   * `max-age` in seconds of answers that name none themselves; left out: what `response.headers.default` says. The `java`
   * flavour sets it on its problem answers too, the `js` flavour does not.
   */
  readonly cacheSeconds?: number;
  /** Longest body of a POST in bytes, a longer one gives 413; left out: the application's own limit. */
  readonly maxBodyBytes?: number;
  /** A body of a content type that `requestBody` doesn't name gives 415; without `requestBody`, any type is taken. */
  readonly operation: OpenApiOperation;
  /** Whether an answer to this query waits for what is to come, so that it is neither kept nor shared by requests. */
  readonly isLive?: (query: RawQuery) => boolean;
  handle(request: RestRequest, context: RouteContext): Promise<RestAnswer>;
}
