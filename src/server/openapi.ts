/** The OpenAPI 3.1 document, produced from the route definitions. */
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { JsonSchema, OpenApiParameter, Route } from '../api/route.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { exampleOf } from './openapi-examples.ts';

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

type Members = Record<string, unknown>;

/** Operations that no route definition describes. */
export interface DocumentAdditions {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly schemas: Readonly<Record<string, unknown>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

const nothingMore: DocumentAdditions = { paths: {}, schemas: {}, tags: [] };

const description = `The ledger of a Hiero network as a mirror node tells it.

- Lists come in pages. \`links.next\` is the address of the next page, and null on the last one.
- Ids have the form \`shard.realm.num\`; timestamps are seconds and nanoseconds of consensus, \`1700000000.000000001\`.
- Filters compare with \`eq:\`, \`ne:\`, \`gt:\`, \`gte:\`, \`lt:\` or \`lte:\` before the value; repeated ones narrow each other.
- Amounts are in tinybars, 10^-8 of an hbar. 64-bit integers are JSON numbers; \`Accept: application/json; int64=string\`
  has them as strings, for parsers that read numbers as doubles.
- Errors are \`{"_status":{"messages":[...]}}\` with the status of the answer.
- Nothing needs credentials. Answers may be kept for as long as \`Cache-Control\` says, and carry an \`ETag\`.`;

const tags: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'accounts', description: 'Accounts, what they hold, allow and stake, and their hooks.' },
  { name: 'airdrops', description: 'Tokens that were sent to accounts and not yet claimed.' },
  { name: 'balances', description: 'Balances of accounts, now and in the past.' },
  { name: 'blocks', description: 'Blocks of the ledger: one for each record file.' },
  { name: 'contracts', description: 'Contracts, what their calls did, and simulated calls.' },
  { name: 'network', description: 'Nodes, fees, exchange rates, stakes and the supply of hbars.' },
  { name: 'schedules', description: 'Transactions that wait for signatures or for their time.' },
  { name: 'tokens', description: 'Fungible tokens and NFTs.' },
  { name: 'topics', description: 'Topics and their messages.' },
  { name: 'transactions', description: 'All that was done on the ledger.' },
];

const problemSchema: JsonSchema = {
  type: 'object',
  required: ['_status'],
  properties: {
    _status: {
      type: 'object',
      required: ['messages'],
      properties: {
        messages: {
          type: 'array',
          items: {
            type: 'object',
            required: ['message'],
            properties: {
              data: { type: ['string', 'null'], example: '0x3000' },
              detail: { type: ['string', 'null'] },
              message: { type: 'string', example: 'Not found' },
            },
          },
        },
      },
    },
  },
};

const problemDescriptions: Readonly<Record<number, string>> = {
  400: 'A parameter is invalid.',
  401: 'The credentials are unknown.',
  404: 'There is no such thing.',
  413: 'The body is too large.',
  415: 'The body has another content type.',
  429: 'Too many requests.',
  500: 'A fault of the server.',
  501: 'Not supported.',
  503: 'The database cannot answer at the moment.',
};

const problemMessages: Readonly<Record<number, Members>> = {
  400: { message: 'Invalid parameter: limit' },
  401: { message: 'Invalid credentials' },
  404: { message: 'Not found' },
  413: { message: 'Payload Too Large' },
  415: { message: 'Unsupported Media Type' },
  429: { message: 'Too Many Requests' },
  500: { message: 'Internal error' },
  501: { message: 'Not Implemented' },
  503: { message: 'Service Unavailable', detail: 'The database cannot be reached.' },
};

const problemName = (status: number): string => `Problem${status}`;

/** Every problem answer of any route: 500 and 503 may befall all of them. */
const problemStatuses = (route: Route): readonly number[] => [...new Set([...route.operation.problems, 500, 503])];

const withExample = (schema: JsonSchema, schemas: Members, { operation }: Route): Members => ({
  schema,
  example: exampleOf(schema, schemas, operation.operationId),
});

const responsesOf = (route: Route, schemas: Members): Members => {
  const { answer } = route.operation;
  const content: Members = { 'application/json': withExample(answer.schema, schemas, route) };
  for (const type of answer.texts ?? []) content[type] = { schema: { type: 'string' } };
  const responses: Members = { '200': { description: answer.description, content } };
  if (answer.partial !== undefined) responses['206'] = { description: answer.partial, content };
  for (const status of problemStatuses(route)) {
    responses[String(status)] = { $ref: `#/components/responses/${problemName(status)}` };
  }
  return responses;
};

/**
 * A form on the page starts with a parameter's own example in it. That helps with what is required; an optional filter
 * must start empty, or the first request would find little, so there the example belongs to the schema.
 */
const parameterOf = ({ example, ...parameter }: OpenApiParameter): Members => {
  const shown = example === undefined ? {} : { example };
  if (parameter.in === 'path') return { ...parameter, required: true, ...shown };
  if (example === undefined || parameter.required === true) return { ...parameter, ...shown };
  return { ...parameter, schema: { ...parameter.schema, examples: [example] } };
};

const operationOf = (route: Route, schemas: Members): Members => {
  const { operationId, summary, description, tags, parameters, requestBody } = route.operation;
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tags,
    parameters: parameters.map(parameterOf),
    ...(requestBody === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            description: requestBody.description,
            content: Object.fromEntries(
              Object.entries(requestBody.content).map(([type, schema]) => [
                type,
                type === 'application/json' ? withExample(schema, schemas, route) : { schema },
              ]),
            ),
          },
        }),
    responses: responsesOf(route, schemas),
  };
};

const schemasOf = (routes: readonly Route[]): Members => {
  const schemas: Members = {};
  for (const route of routes) {
    for (const [name, schema] of Object.entries(route.operation.schemas ?? {})) {
      if (Object.hasOwn(schemas, name) && !isDeepStrictEqual(schemas[name], schema)) {
        throw new KagamiError('OPENAPI_AMBIGUOUS', `Two routes define the schema ${name} differently`, {
          details: { schema: name, route: `${route.method} ${route.path}` },
        });
      }
      schemas[name] = schema;
    }
  }
  return schemas;
};

const sorted = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * The document as a plain object, paths and schemas in alphabetical order.
 * @throws KagamiError OPENAPI_AMBIGUOUS when two routes give one schema name different meanings.
 */
export const openApiDocument = (
  routes: readonly Route[],
  info: DocumentInfo,
  more: DocumentAdditions = nothingMore,
): Members => {
  const schemas = schemasOf(routes);
  const paths: Record<string, Members> = {};
  const statuses = new Set<number>();
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, schemas) };
    for (const status of problemStatuses(route)) statuses.add(status);
  }
  const responses = Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => [
        problemName(status),
        {
          description: problemDescriptions[status] ?? `Status ${status}.`,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Problem' },
              example: { _status: { messages: [problemMessages[status] ?? { message: 'Error' }] } },
            },
          },
        },
      ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server.' }],
    tags: [...tags.filter(({ name }) => routes.some(({ operation }) => operation.tags.includes(name))), ...more.tags],
    paths: { ...sorted(paths), ...sorted(more.paths) },
    components: { schemas: sorted({ ...schemas, Problem: problemSchema, ...more.schemas }), responses },
  };
};

export const openApiYaml = (routes: readonly Route[], info: DocumentInfo, more?: DocumentAdditions): string =>
  stringify(openApiDocument(routes, info, more), { aliasDuplicateObjects: false, lineWidth: 0 });
