/** Requests to REST routes without a listener: finds the route, splits the URL, gives the answer or the problem. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { CommitWaits } from '../../api/commit-waits.ts';
import { parseRawQuery, splitTarget } from '../../api/http/raw-query.ts';
import { HttpProblem } from '../../api/problem.ts';
import type { AuthenticatedUser, RestAnswer, Route, RouteContext } from '../../api/route.ts';
import { searchTurns } from '../../api/search-turns.ts';
import { loadSettings } from '../../config/load.ts';
import type { RestSettings } from '../../config/settings/rest.ts';
import type { Database } from '../../database/connection.ts';

type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

export interface RestFixtureOptions {
  readonly rest?: DeepPartial<RestSettings>;
  readonly shard?: bigint;
  readonly realm?: bigint;
  /** Nanoseconds since the epoch. */
  readonly now?: bigint;
  readonly user?: AuthenticatedUser;
}

export interface FixtureAnswer extends Partial<RestAnswer> {
  readonly status: number;
  readonly body: string;
  /** The body read by the ordinary JSON parser, which rounds integers beyond 2^53. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly json: any;
  /** Of a problem. */
  readonly messages?: readonly string[];
  /** Particulars of a problem of the `java` flavour, beside its messages. */
  readonly details?: readonly (string | undefined)[];
}

const merged = <T>(below: T, above: unknown): T => {
  if (above === undefined) return below;
  if (typeof below !== 'object' || below === null || Array.isArray(below)) return above as T;
  const changes = above as Record<string, unknown>;
  return Object.fromEntries(Object.entries(below).map(([key, value]) => [key, merged(value, changes[key])])) as T;
};

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
const validators = new Map<Route, ValidateFunction>();

/** @throws Error for an answer that is not what the route's documentation says */
const checkAnswer = (route: Route, { status, body }: RestAnswer, url: string): void => {
  const { answer, schemas } = route.operation;
  if (status !== 200 && !(status === 206 && answer.partial !== undefined)) {
    throw new Error(`${url} answers ${status}, which is not documented`);
  }
  const validate = validators.get(route) ?? ajv.compile({ allOf: [answer.schema], components: { schemas } });
  validators.set(route, validate);
  if (!validate(JSON.parse(String(body))))
    throw new Error(`${url} against its schema: ${ajv.errorsText(validate.errors)}`);
};

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`, 'i');

/** A function that sends GET requests to the routes, answered from `db`. */
export const restRequests = (
  routes: readonly Route[],
  db: Pick<Database, 'query' | 'cells'>,
  options: RestFixtureOptions = {},
) => {
  const { settings } = loadSettings({ cwd: '/', env: {}, files: [], readFile: () => undefined });
  const context: RouteContext = {
    db: db as Database,
    settings: merged({ ...settings.hiero.mirror.rest, chainId: '0x128' }, options.rest),
    javaSettings: settings.hiero.mirror.restJava,
    shard: options.shard ?? 0n,
    realm: options.realm ?? 0n,
    clock: () => options.now ?? 1_700_000_000_000_000_000n,
    waits: new CommitWaits(0),
    searches: searchTurns(merged(settings.hiero.mirror.rest, options.rest)),
  };
  return async (url: string): Promise<FixtureAnswer> => {
    const { path, query } = splitTarget(url);
    const found = routes
      .map((route) => ({ route, match: patternOf(route.path).exec(path.replace(/\/$/, '')) }))
      .find(({ match }) => match !== null);
    if (found === undefined) throw new Error(`No route for ${url}`);
    const pathParameters = Object.fromEntries(
      Object.entries(found.match?.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
    try {
      const answer = await found.route.handle(
        {
          method: 'GET',
          path,
          linkPrefix: '',
          pathParameters,
          query: parseRawQuery(query),
          headers: {},
          body: new Uint8Array(),
          ...(options.user === undefined ? {} : { user: options.user }),
        },
        context,
      );
      if (answer.contentType === undefined) checkAnswer(found.route, answer, url);
      return { ...answer, body: String(answer.body), json: JSON.parse(String(answer.body)) };
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      return {
        status: error.status,
        body: '',
        json: undefined,
        messages: error.messages.map(({ message }) => message),
        details: error.messages.map(({ detail }) => detail),
      };
    }
  };
};

/** Every page from `url` on, following `links.next`. */
export const followLinks = async (
  get: (url: string) => Promise<FixtureAnswer>,
  url: string,
  most = 200,
): Promise<FixtureAnswer[]> => {
  const pages: FixtureAnswer[] = [];
  for (let next: string | null = url; next !== null; ) {
    if (pages.length === most) throw new Error(`more than ${most} pages after ${url}`);
    const page: FixtureAnswer = await get(next);
    pages.push(page);
    next = page.link ?? null;
  }
  return pages;
};
