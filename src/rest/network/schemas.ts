/** JSON schemas that several network answers share. */
import type { JsonSchema, OpenApiParameter } from '../../api/route.ts';

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

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
export const entityId: JsonSchema = { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$', example: '0.0.2' };
export const links: JsonSchema = closedObject({ next: nullable(text) });
export const key: JsonSchema = closedObject({
  _type: { type: 'string', enum: ['ECDSA_SECP256K1', 'ED25519', 'ProtobufEncoded'] },
  key: text,
});
export const closedRange: JsonSchema = closedObject({ from: timestamp, to: timestamp });
export const openRange: JsonSchema = closedObject({ from: timestamp, to: nullable(timestamp) });

export const timestampParameter: OpenApiParameter = {
  name: 'timestamp',
  in: 'query',
  description: 'Consensus timestamp as seconds.nanoseconds, with an operator before a colon; at most two.',
  schema: {
    type: 'array',
    maxItems: 2,
    items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,17}(\\.\\d{1,9})?$' },
  },
  example: ['lte:1586567700.453054000'],
};

export const orderParameter: OpenApiParameter = {
  name: 'order',
  in: 'query',
  description: 'Order of the entries.',
  schema: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
};

export const limitParameter = (usual: number, most: number): OpenApiParameter => ({
  name: 'limit',
  in: 'query',
  description: `Most entries to give, up to ${most}.`,
  schema: { type: 'integer', minimum: 1, default: usual },
});
