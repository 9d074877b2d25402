/** JSON schemas that several network answers share. */
import type { JsonSchema } from '../../api/route.ts';

/** An object whose properties are all present and that has no others. */
export const closedObject = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const nullable = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, { type: 'null' }] };

export const int64: JsonSchema = { type: 'integer', format: 'int64' };
export const int32: JsonSchema = { type: 'integer', format: 'int32' };
export const text: JsonSchema = { type: 'string' };
export const timestamp: JsonSchema = {
  type: 'string',
  pattern: '^\\d{1,10}\\.\\d{1,9}$',
  example: '1586567700.453054000',
};
export const closedRange: JsonSchema = closedObject({ from: timestamp, to: timestamp });
export const openRange: JsonSchema = closedObject({ from: timestamp, to: nullable(timestamp) });
