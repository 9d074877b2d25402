/**
 * Endpoints: the path, the parameters, the answer and the handler of a request, defined once. The route (route.ts) that
 * serves and documents it follows.
 */
import type { RestSettings } from '../../config/settings/rest.ts';
import { linksJson } from '../json.ts';
import {
  type AcceptedParameters,
  acceptInOrder,
  acceptSorted,
  allOf,
  type Filter,
  type GroupedQuery,
  groupQuery,
  type ParameterCheck,
} from '../query.ts';
import type {
  JsonSchema,
  OpenApiParameter,
  RestAnswer,
  RestRequest,
  Route,
  RouteContext,
  RouteFlavour,
} from '../route.ts';
import { linksSchema } from '../schemas.ts';
import { listSchema } from './field.ts';
import { JsonBytes } from './json-bytes.ts';
import type { Asked, Parameter } from './parameter.ts';
import type { NamedSchema } from './resource.ts';

type Parameters = Readonly<Record<string, Parameter<unknown>>>;
export type PathParameters = Readonly<Record<string, Parameter<unknown>['doc']>>;

type Values<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never;
};

/** What is known of a request before the values of its query are looked at. */
export interface Asking<Path extends PathParameters> {
  readonly request: RestRequest;
  /** Texts of the path parameters. */
  readonly path: { readonly [Name in keyof Path]: string };
  /** The query as links repeat it. */
  readonly grouped: GroupedQuery;
}

/** What a handler is asked. */
export interface Ask<P extends Parameters, Path extends PathParameters, Subject> extends Asking<Path> {
  /** What `resolve` gave. */
  readonly subject: Subject;
  /**
   * Values of the query parameters. Each is read when it is first asked for, so that a handler decides what is refused
   * first where several values have no meaning.
   */
  readonly query: Values<P>;
  /** What was accepted in the order of the query, for handlers whose refusals depend on the order of several parameters. */
  readonly filters: readonly Filter[];
}

/** What an answer is made of. */
export interface AnswerDefinition {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  /** Further content types, which carry plain text. */
  readonly texts?: readonly string[];
  /** When the answer is of the same form, but has status 206 for lack of something. Left out: never. */
  readonly partial?: string;
}

export interface EndpointDefinition<P extends Parameters, Path extends PathParameters, Subject> {
  readonly path: string;
  readonly flavour: RouteFlavour;
  readonly cacheSeconds?: number;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /**
   * How faults of the query are told: `sorted` reports values out of bounds before unknown parameters, each occurrence by
   * itself; `in order` reports in the order of the query, unknown parameters once. Clients of mirror nodes see both.
   */
  readonly refusals: 'sorted' | 'in order';
  readonly pathParameters?: Path;
  readonly parameters: P;
  readonly answer: AnswerDefinition;
  /** Statuses of problem answers beyond 500 and 503. */
  readonly problems: readonly number[];
  readonly isLive?: Route['isLive'];
  /** What the request is about, found or refused before its query is looked at. @throws HttpProblem 400, 404 */
  resolve?(asking: Asking<Path>, context: RouteContext): Subject | Promise<Subject>;
  handle(ask: Ask<P, Path, Subject>, context: RouteContext): Promise<RestAnswer>;
}

/** A class whose instances read the values of one query, each when it is first asked for. */
const queryValues = (parameters: Parameters) => {
  class QueryValues {
    readonly #filters: readonly Filter[];
    readonly #asked: Asked;
    readonly #values = new Map<string, unknown>();

    constructor(filters: readonly Filter[], asked: Asked) {
      this.#filters = filters;
      this.#asked = asked;
    }

    #value(name: string, { read }: Parameter<unknown>): unknown {
      if (this.#values.has(name)) return this.#values.get(name);
      const value = read(allOf(this.#filters, name), this.#asked);
      this.#values.set(name, value);
      return value;
    }

    static {
      for (const [name, parameter] of Object.entries(parameters)) {
        Object.defineProperty(QueryValues.prototype, name, {
          get(this: QueryValues) {
            return this.#value(name, parameter);
          },
        });
      }
    }
  }
  return QueryValues;
};

/** The checks of all parameters under some settings, made once for them. */
const checksUnder = (parameters: Parameters): ((settings: RestSettings) => AcceptedParameters) => {
  const made = new WeakMap<RestSettings, AcceptedParameters>();
  return (settings) => {
    const known = made.get(settings);
    if (known !== undefined) return known;
    const checks: Record<string, ParameterCheck> = {};
    for (const [name, { accepts }] of Object.entries(parameters)) {
      checks[name] = (operator, value) => accepts(operator, value, settings);
    }
    made.set(settings, checks);
    return checks;
  };
};

/** The parameters of an endpoint in the OpenAPI document. */
export const documented = (definition: {
  readonly pathParameters?: PathParameters | undefined;
  readonly parameters: Readonly<Record<string, Pick<Parameter<unknown>, 'doc'>>>;
}): OpenApiParameter[] => [
  ...Object.entries(definition.pathParameters ?? {}).map(
    ([name, doc]): OpenApiParameter => ({ name, in: 'path', required: true, ...doc }),
  ),
  ...Object.entries(definition.parameters).map(([name, { doc }]): OpenApiParameter => ({ name, in: 'query', ...doc })),
];

export const endpoint = <P extends Parameters, Path extends PathParameters = Record<never, never>, Subject = undefined>(
  definition: EndpointDefinition<P, Path, Subject>,
): Route => {
  const { parameters, refusals, handle } = definition;
  const accept = refusals === 'sorted' ? acceptSorted : acceptInOrder;
  const checks = checksUnder(parameters);
  const QueryValues = queryValues(parameters);
  const { schemas, ...answer } = definition.answer;
  return {
    method: 'GET',
    path: definition.path,
    flavour: definition.flavour,
    ...(definition.cacheSeconds === undefined ? {} : { cacheSeconds: definition.cacheSeconds }),
    operation: {
      operationId: definition.operationId,
      summary: definition.summary,
      ...(definition.description === undefined ? {} : { description: definition.description }),
      tags: [definition.tag],
      parameters: documented(definition),
      answer,
      problems: definition.problems,
      ...(schemas === undefined ? {} : { schemas }),
    },
    ...(definition.isLive === undefined ? {} : { isLive: definition.isLive }),
    handle: async (request, context) => {
      const path = request.pathParameters as { readonly [Name in keyof Path]: string };
      const grouped = groupQuery(request.query);
      const asking = { request, path, grouped };
      const subject = (await definition.resolve?.(asking, context)) as Subject;
      const filters = accept(grouped, checks(context.settings), context.settings.query);
      const query = new QueryValues(filters, { request, context }) as unknown as Values<P>;
      return handle({ ...asking, subject, query, filters }, context);
    },
  };
};

/** The answer that is one resource. */
export const one = ({ schema, schemas }: NamedSchema, description: string): AnswerDefinition => ({
  description,
  schema,
  schemas,
});

/** The answer that is a page of a list under `member`, with the link to the next one. */
export const pageOf = (member: string, { schema, schemas }: NamedSchema, description: string): AnswerDefinition => ({
  description,
  schema: {
    type: 'object',
    required: [member, 'links'],
    properties: { [member]: listSchema(schema), links: linksSchema },
  },
  schemas,
});

/** Bytes that an entry takes, more or less. */
const usualEntryBytes = 1_024;

/**
 * A page with its link.
 * @param rows the entries, each of which `put` writes
 * @param before JSON of members that come before the list
 */
export const pageAnswer = <Row>(
  member: string,
  rows: readonly Row[],
  put: (out: JsonBytes, row: Row) => void,
  link: string | null,
  before: Readonly<Record<string, string>> = {},
): RestAnswer => {
  const out = new JsonBytes(usualEntryBytes * (rows.length + 1));
  out.text('{');
  for (const [name, json] of Object.entries(before)) out.text(`"${name}":${json},`);
  out.text(`"${member}":[`);
  out.list(rows, put);
  out.text(`],"links":${linksJson(link)}}`);
  return { status: 200, body: out.finish(), link };
};

/** The answer that is one resource. */
export const oneAnswer = <Row>(row: Row, put: (out: JsonBytes, row: Row) => void): RestAnswer => {
  const out = new JsonBytes(usualEntryBytes);
  put(out, row);
  return { status: 200, body: out.finish() };
};
