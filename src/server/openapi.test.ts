import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonSchema, Route } from '../api/route.ts';
import { openApiDocument, openApiYaml } from './openapi.ts';
import { documentedRoutes } from './routes.ts';

const info = { title: 'Test', version: '1.2.3' };

const route = (path: string, schemas: Readonly<Record<string, JsonSchema>>, rest: Partial<Route> = {}): Route => ({
  method: 'GET',
  path,
  flavour: 'js',
  operation: {
    operationId: 'getThing',
    summary: 'Get a thing',
    tags: ['things'],
    parameters: [{ name: 'id', in: 'path', description: 'Its id.', schema: { type: 'integer' } }],
    answer: { description: 'The thing.', schema: { $ref: '#/components/schemas/Thing' }, texts: ['text/plain'] },
    problems: [404],
    schemas,
  },
  handle: () => Promise.reject(new Error('unused')),
  ...rest,
});

describe('openApiDocument', () => {
  it('describes a route', () => {
    const document = openApiDocument([route('/things/{id}', { Thing: { type: 'object' } })], info);
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info,
      paths: {
        '/things/{id}': {
          get: {
            operationId: 'getThing',
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
            responses: {
              '200': {
                content: {
                  'application/json': { schema: { $ref: '#/components/schemas/Thing' } },
                  'text/plain': { schema: { type: 'string' } },
                },
              },
              '404': { $ref: '#/components/responses/Problem404' },
              '500': { $ref: '#/components/responses/Problem500' },
              '503': { $ref: '#/components/responses/Problem503' },
            },
          },
        },
      },
      components: { schemas: { Thing: { type: 'object' } } },
    });
  });

  it('offers examples of what must be given, and only tells those of filters', () => {
    const described = route('/things/{id}', {});
    const parameters = [
      { name: 'id', in: 'path', description: 'Its id.', schema: { type: 'integer' }, example: 5 },
      { name: 'q', in: 'query', description: 'Its color.', schema: { type: 'string' }, example: 'red' },
      { name: 'n', in: 'query', description: 'Its size.', schema: { type: 'integer' }, required: true, example: 7 },
    ] as const;
    const document = openApiDocument([{ ...described, operation: { ...described.operation, parameters } }], info);
    expect((document.paths as Record<string, { get: object }>)['/things/{id}']?.get).toMatchObject({
      parameters: [
        { name: 'id', required: true, example: 5 },
        { name: 'q', schema: { type: 'string', examples: ['red'] } },
        { name: 'n', required: true, example: 7 },
      ],
    });
    expect(JSON.stringify(document)).not.toContain('"example":"red"');
  });

  it('joins the methods of one path', () => {
    const routes = [route('/a', {}), route('/a', {}, { method: 'POST' })];
    expect(Object.keys((openApiDocument(routes, info).paths as Record<string, object>)['/a'] ?? {})).toEqual([
      'get',
      'post',
    ]);
  });

  it('refuses two meanings of one schema name', () => {
    const routes = [route('/a', { Thing: { type: 'object' } }), route('/b', { Thing: { type: 'array' } })];
    expect(() => openApiDocument(routes, info)).toThrow(
      expect.objectContaining({ code: 'OPENAPI_AMBIGUOUS', details: { schema: 'Thing', route: 'GET /b' } }),
    );
  });
});

describe('the document of all routes', () => {
  const document = openApiDocument(documentedRoutes, info);

  const referencesIn = (value: unknown): string[] => {
    if (Array.isArray(value)) return value.flatMap(referencesIn);
    if (value === null || typeof value !== 'object') return [];
    return Object.entries(value).flatMap(([key, member]) =>
      key === '$ref' && typeof member === 'string' ? [member] : referencesIn(member),
    );
  };

  it('resolves every reference', () => {
    for (const reference of referencesIn(document)) {
      const target = reference
        .replace('#/', '')
        .split('/')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
      expect(target, reference).toBeDefined();
    }
  });

  it('holds valid schemas and unique operation ids', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const { schemas } = document.components as { schemas: Record<string, AnySchemaObject> };
    for (const [name, schema] of Object.entries(schemas)) expect(ajv.validateSchema(schema), name).toBe(true);
    const ids = documentedRoutes.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('holds an example of every answer, which its schema allows', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema(document as AnySchemaObject, 'document');
    type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
    type Operation = { readonly responses: Readonly<Record<string, { readonly content?: Content }>> };
    const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    const bodies = Object.entries(paths).flatMap(([path, item]) =>
      Object.values(item).flatMap((operation) =>
        Object.values(operation.responses).map(({ content }) => ({ path, content })),
      ),
    );
    const { responses } = document.components as { responses: Record<string, { content: Content }> };
    bodies.push(...Object.entries(responses).map(([path, { content }]) => ({ path, content })));
    let examples = 0;
    for (const { path, content } of bodies) {
      const json = content?.['application/json'];
      if (json === undefined) continue;
      const schema = JSON.parse(JSON.stringify(json.schema).replaceAll('"#/', '"document#/'));
      const validate = ajv.compile(schema);
      validate(json.example);
      expect(validate.errors ?? [], path).toEqual([]);
      expect(JSON.stringify(json.example), path).not.toMatch(/:""|\[""/);
      examples++;
    }
    expect(examples).toBeGreaterThanOrEqual(documentedRoutes.length + Object.keys(responses).length);
  });

  it('describes every parameter, and shows how those are written that are more than a number or a word', () => {
    for (const { path, operation } of documentedRoutes) {
      for (const { name, description, schema, example } of operation.parameters) {
        const plain = schema.type === 'boolean' || schema.type === 'integer' || Array.isArray(schema.enum);
        const told = plain || schema.default !== undefined;
        expect(description, `${path} ${name}`).toMatch(/^\w.{5,}\.$/s);
        expect(told || example !== undefined || schema.examples !== undefined, `${path} ${name}`).toBe(true);
      }
    }
  });

  it('gives examples of parameters that their own schemas allow', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    for (const { path, operation } of documentedRoutes) {
      for (const { name, schema, example } of operation.parameters) {
        if (example !== undefined) expect(ajv.validate(schema, example), `${path} ${name}`).toBe(true);
      }
    }
  });

  it('describes every tag', () => {
    const described = (document.tags as readonly { name: string }[]).map(({ name }) => name);
    const used = new Set(documentedRoutes.flatMap(({ operation }) => operation.tags));
    expect(described.toSorted()).toEqual([...used].toSorted());
  });

  it('names every path parameter', () => {
    for (const { path, operation } of documentedRoutes) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const described = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(described.sort(), path).toEqual(inPath.sort());
    }
  });

  it('reads back from its YAML', () => {
    expect(parse(openApiYaml(documentedRoutes, info))).toEqual(JSON.parse(JSON.stringify(document)));
  });
});
