/** Holds answers against the schemas that the documentation gives for them. */
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Route } from '../src/api/route.ts';
import { openApiDocument } from '../src/server/openapi.ts';
import type { Difference } from './difference.ts';

export interface AnswerSchemas {
  /** What the JSON text of a successful answer of the route has that its schema does not allow. */
  violations(route: Route, text: string): Difference[];
}

const documentId = 'openapi';

export const createAnswerSchemas = (routes: readonly Route[]): AnswerSchemas => {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  formats.default(ajv);
  ajv.addSchema(openApiDocument(routes, { title: 'schemas', version: '0' }) as AnySchemaObject, documentId);
  const validators = new Map<Route, ValidateFunction>();
  const validatorOf = (route: Route): ValidateFunction => {
    let validator = validators.get(route);
    if (validator === undefined) {
      const path = route.path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
      const pointer = `#/paths/${path}/${route.method.toLowerCase()}/responses/200/content/application~1json/schema`;
      validator = ajv.compile({ $ref: `${documentId}${pointer}` });
      validators.set(route, validator);
    }
    return validator;
  };
  return {
    violations: (route, text) => {
      const validator = validatorOf(route);
      if (validator(JSON.parse(text))) return [];
      return (validator.errors ?? []).map(({ instancePath, message, params }) => ({
        path: `schema ${instancePath}`,
        expected: message ?? '',
        actual: JSON.stringify(params),
      }));
    },
  };
};
