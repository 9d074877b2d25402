import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { int64ShapeOf, withInt64Texts } from '../src/api/http/int64-text.ts';
import type { JsonSchema, Route } from '../src/api/route.ts';
import { restRoutes } from '../src/server/rest-routes.ts';
import { createRouteFinder } from '../src/server/testing/route-finder.fixture.ts';
import { loadCases } from './cases.ts';
import { parseExactJson, writeExactJson } from './exact-json.ts';

const folder = join(import.meta.dirname, '../../shared/conformance/rest');

/** The same schema with every 64-bit integer a string of digits. */
const withStrings = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withStrings);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema as JsonSchema);
  const mapped = Object.fromEntries(entries.map(([key, value]) => [key, withStrings(value)]));
  if ((schema as JsonSchema).format !== 'int64') return mapped;
  const type = (schema as JsonSchema).type;
  const types = (Array.isArray(type) ? type : [type]).map((name) => (name === 'integer' ? 'string' : name));
  return { type: types, pattern: '^-?\\d+$' };
};

/** Numbers may be strings of the same digits; everything else must be equal. */
const expectStrings = (before: unknown, after: unknown): void => {
  if ((typeof before === 'number' || typeof before === 'bigint') && typeof after === 'string') {
    expect(after).toBe(String(before));
  } else if (typeof before !== 'object' || before === null) {
    expect(after).toBe(before);
  } else {
    expect(Object.keys(after as object)).toEqual(Object.keys(before));
    for (const [key, value] of Object.entries(before)) expectStrings(value, (after as Record<string, unknown>)[key]);
  }
};

describe.skipIf(!existsSync(folder))('answers with 64-bit integers as strings', () => {
  const routeOf = createRouteFinder(restRoutes);
  const answers = new Map<Route, unknown[]>();
  // The body of a suite runs even when its tests are left out.
  for (const { requests } of existsSync(folder) ? loadCases(folder, []) : []) {
    for (const request of requests) {
      const route = routeOf(request);
      const { status, body } = request.expect;
      if (route === undefined || status !== 200 || typeof body !== 'object' || body === null) continue;
      answers.set(route, [...(answers.get(route) ?? []), body]);
    }
  }

  it.each([...answers.keys()].map((route) => [route.path, route] as const))('%s', (_path, route) => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const { answer, schemas = {} } = route.operation;
    const validate = ajv.compile({
      ...(withStrings(answer.schema) as JsonSchema),
      components: { schemas: withStrings(schemas) },
    });
    const shape = int64ShapeOf(route.operation);
    for (const body of answers.get(route) ?? []) {
      const rewritten = parseExactJson(withInt64Texts(writeExactJson(body), shape));
      expectStrings(body, rewritten);
      expect(validate(rewritten), ajv.errorsText(validate.errors)).toBe(true);
    }
  });

  it('covers most routes', () => {
    expect(answers.size).toBeGreaterThan(30);
  });
});
