import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openApiDocument } from './openapi.ts';
import { documentedRoutes } from './routes.ts';
import { shapeOf } from './testing/document-shape.fixture.ts';

const referencePath = join(import.meta.dirname, '../../../shared/reference/rest-api-shapes.yaml');

interface Intended {
  readonly reason: string;
  readonly lines: RegExp;
}

/** What the reference's document says and ours does not. */
const leftOut: readonly Intended[] = [
  {
    reason: 'unknown blocks are 400, and every call is supported',
    lines: /^post \/api\/v1\/contracts\/call => (404|501)$/,
  },
  {
    reason: 'the specification: a text of hex, and an integer',
    lines:
      /^get \/api\/v1\/contracts\/\{contractIdOrAddress\}\/results -> results\[\]\.(access_list\b.*|status: string)$/,
  },
  {
    reason: 'a text in what is imported, a number in what the reference imported earlier',
    lines: /authorization_list\[\]\.y_parity: string$/,
  },
  { reason: 'there are no parameters to be wrong', lines: /^get \/api\/v1\/network\/stake => 400$/ },
  {
    reason: 'a topic that is not known has no messages',
    lines: /^get \/api\/v1\/topics\/\{topicId\}\/messages => 404$/,
  },
];

/** What ours says and the reference's does not. */
const added: readonly Intended[] = [
  { reason: 'any request may meet a fault or an outage', lines: / => 50[03]$/ },
  { reason: 'see above', lines: /authorization_list\[\]\.y_parity: integer\|string$/ },
  { reason: 'the path that the specification names', lines: /^get \/api\/v1\/schedule\/\{scheduleId\}( |$)/ },
  { reason: 'answers that wait for what is not imported yet', lines: / \?wait$/ },
  { reason: 'the plain text form of the supply', lines: /^get \/api\/v1\/network\/supply \?q$/ },
  { reason: 'an address in `from` that nobody has', lines: /^get \/api\/v1\/contracts\/(\{\w+\}\/)?results => 404$/ },
  { reason: 'the specification: a note of a fallback', lines: /^post \/api\/v1\/network\/fees -> notes(\[\])?: / },
  {
    reason: 'the specification: a text of hex, and an integer',
    lines:
      /^get \/api\/v1\/contracts\/\{contractIdOrAddress\}\/results -> results\[\]\.(access_list: string|status: integer)$/,
  },
  {
    reason: 'the unit of amounts and prices',
    lines: /^get \/api\/v1\/contracts\/\{contractIdOrAddress\}\/results \?hbar$/,
  },
  { reason: 'bodies too large, or of another type', lines: /^post \/api\/v1\/network\/fees => 41[35]$/ },
  { reason: 'bodies too large', lines: /^post \/api\/v1\/contracts\/call => 413$/ },
];

/** Lines that nothing in the list explains, and entries of the list that explain nothing. */
const unexplained = (lines: readonly string[], intended: readonly Intended[]) => ({
  lines: lines.filter((line) => !intended.some((entry) => entry.lines.test(line))),
  unused: intended.filter((entry) => !lines.some((line) => entry.lines.test(line))).map((entry) => entry.lines.source),
});

const nothing = { lines: [], unused: [] };

describe.skipIf(!existsSync(referencePath))('the document and the reference', () => {
  const document = openApiDocument(documentedRoutes, { title: 'Test', version: '0' });
  const ours = shapeOf(JSON.parse(JSON.stringify(document)));
  const theirs = shapeOf(existsSync(referencePath) ? parse(readFileSync(referencePath, 'utf8')) : {});

  it('are large enough to compare', () => {
    expect(theirs.size).toBeGreaterThan(1_300);
  });

  it('agree in operations, parameters, answer fields with their types, and statuses', () => {
    expect(
      unexplained(
        [...theirs].filter((line) => !ours.has(line)),
        leftOut,
      ),
    ).toEqual(nothing);
    expect(
      unexplained(
        [...ours].filter((line) => !theirs.has(line)),
        added,
      ),
    ).toEqual(nothing);
  });
});

describe('the shape of a document', () => {
  it('has a line for each operation, parameter, field and status', () => {
    const document = {
      paths: {
        '/a/{id}': {
          get: {
            parameters: [{ $ref: '#/components/parameters/id' }, { name: 'q', in: 'query' }],
            responses: {
              200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
              404: { $ref: '#/components/responses/None' },
            },
          },
        },
      },
      components: {
        parameters: { id: { name: 'id', in: 'path' } },
        schemas: {
          A: {
            allOf: [
              { type: 'object', properties: { list: { type: 'array', items: { type: ['integer', 'null'] } } } },
              { type: 'object', properties: { either: { oneOf: [{ type: 'string' }, { type: 'boolean' }] } } },
            ],
          },
        },
      },
    };
    expect([...shapeOf(document)]).toEqual([
      'get /a/{id}',
      'get /a/{id} /id',
      'get /a/{id} ?q',
      'get /a/{id} -> list: array',
      'get /a/{id} -> list[]: integer',
      'get /a/{id} -> either: boolean|string',
      'get /a/{id} => 200',
      'get /a/{id} => 404',
    ]);
  });
});
