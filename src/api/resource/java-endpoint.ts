/**
 * Endpoints of the `java` flavour, defined as those of endpoint.ts. Their parameters may be named in any letter case, and
 * unknown ones are ignored.
 */
import type { RestAnswer, RestRequest, Route, RouteContext } from '../route.ts';
import { type AnswerDefinition, documented, type PathParameters } from './endpoint.ts';
import type { JavaParameter } from './java-parameter.ts';

type Parameters = Readonly<Record<string, JavaParameter<unknown>>>;

type Values<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends JavaParameter<infer Value> ? Value : never;
};

/** What a handler is asked. */
export interface JavaAsk<P extends Parameters, Path extends PathParameters> {
  readonly request: RestRequest;
  /** Texts of the path parameters. */
  readonly path: { readonly [Name in keyof Path]: string };
  /** Values of the query parameters, read each time they are asked for: a handler decides what is refused first. */
  readonly query: Values<P>;
}

export interface JavaEndpointDefinition<P extends Parameters, Path extends PathParameters> {
  readonly path: string;
  readonly cacheSeconds?: number;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly pathParameters?: Path;
  readonly parameters: P;
  readonly answer: AnswerDefinition;
  /** Statuses of problem answers beyond 500 and 503. */
  readonly problems: readonly number[];
  handle(ask: JavaAsk<P, Path>, context: RouteContext): Promise<RestAnswer>;
}

/** A class whose instances read the values of one query. */
const queryValues = (parameters: Parameters) => {
  class QueryValues {
    readonly #request: RestRequest;
    readonly #context: RouteContext;

    constructor(request: RestRequest, context: RouteContext) {
      this.#request = request;
      this.#context = context;
    }

    static {
      for (const [name, { read }] of Object.entries(parameters)) {
        Object.defineProperty(QueryValues.prototype, name, {
          get(this: QueryValues) {
            return read(this.#request.query, name.toLowerCase(), this.#context);
          },
        });
      }
    }
  }
  return QueryValues;
};

export const javaEndpoint = <P extends Parameters, Path extends PathParameters = Record<never, never>>(
  definition: JavaEndpointDefinition<P, Path>,
): Route => {
  const QueryValues = queryValues(definition.parameters);
  const { schemas, ...answer } = definition.answer;
  return {
    method: 'GET',
    path: definition.path,
    flavour: 'java',
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
    handle: (request, context) => {
      const path = request.pathParameters as { readonly [Name in keyof Path]: string };
      const query = new QueryValues(request, context) as unknown as Values<P>;
      return definition.handle({ request, path, query }, context);
    },
  };
};
