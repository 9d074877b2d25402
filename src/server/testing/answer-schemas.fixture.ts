/** Holds answers against the schemas that the documentation gives for them. */
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Route } from '../../api/route.ts';
import { openApiDocument } from '../openapi.ts';

export interface Violation {
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

export interface AnswerSchemas {
  /** What the JSON text of an answer of the route has that the schema for its status does not allow. */
  violations(route: Route, status: number, text: string): Violation[];
}

const documentId = 'openapi';

const pointerTo = (...names: readonly string[]): string =>
  `#/${names.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

interface DocumentedResponses {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, object> }>>>>;
}

export const createAnswerSchemas = (routes: readonly Route[]): AnswerSchemas => {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  formats.default(ajv);
  const document = openApiDocument(routes, { title: 'schemas', version: '0' });
  ajv.addSchema(document as AnySchemaObject, documentId);
  const validators = new Map<string, ValidateFunction>();
  const validatorOf = (route: Route, status: number): ValidateFunction | undefined => {
    const method = route.method.toLowerCase();
    const key = `${status} ${method} ${route.path}`;
    const known = validators.get(key);
    if (known !== undefined) return known;
    const response = (document as unknown as DocumentedResponses).paths[route.path]?.[method]?.responses[status];
    if (response === undefined) return undefined;
    const at =
      '$ref' in response ? String(response.$ref) : pointerTo('paths', route.path, method, 'responses', String(status));
    const validator = ajv.compile({ $ref: `${documentId}${at}/content/application~1json/schema` });
    validators.set(key, validator);
    return validator;
  };
  return {
    violations: (route, status, text) => {
      const validator = validatorOf(route, status);
      if (validator === undefined) {
        return [{ path: 'schema', expected: 'a documented status', actual: String(status) }];
      }
      if (validator(JSON.parse(text))) return [];
      return (validator.errors ?? []).map(({ instancePath, message, params }) => ({
        path: `schema ${instancePath}`,
        expected: message ?? '',
        actual: JSON.stringify(params),
      }));
    },
  };
};
