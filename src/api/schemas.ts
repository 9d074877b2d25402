/** JSON Schemas and parameter descriptions that many operations share. */
import type { JsonSchema, OpenApiParameter } from './route.ts';

export const entityIdSchema: JsonSchema = {
  type: ['string', 'null'],
  pattern: '^\\d{1,10}\\.\\d{1,10}\\.\\d{1,12}$',
  description: 'shard.realm.num',
  examples: ['0.0.2'],
};

export const timestampSchema: JsonSchema = {
  type: 'string',
  pattern: '^\\d{1,10}\\.\\d{9}$',
  description: 'Seconds since the Unix epoch, a dot, nine digits of nanoseconds.',
  examples: ['1586567700.453054000'],
};

export const nullableTimestampSchema: JsonSchema = { ...timestampSchema, type: ['string', 'null'] };

export const keySchema: JsonSchema = {
  type: ['object', 'null'],
  required: ['_type', 'key'],
  properties: {
    _type: { type: 'string', enum: ['ECDSA_SECP256K1', 'ED25519', 'ProtobufEncoded'] },
    key: { type: 'string', description: 'Hex of the public key, or of the serialized Key message.' },
  },
};

export const linksSchema: JsonSchema = {
  type: 'object',
  required: ['next'],
  properties: {
    next: { type: ['string', 'null'], description: 'Where the next page is; null on the last one.' },
  },
};

/** An object whose members are all there. */
export const objectSchema = (properties: Readonly<Record<string, JsonSchema>>, description?: string): JsonSchema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  required: Object.keys(properties),
  properties,
});

/** A 64-bit integer, written as a JSON number with all its digits. */
export const int64Schema = (description: string, extra: JsonSchema = {}): JsonSchema => ({
  type: 'integer',
  format: 'int64',
  description,
  ...extra,
});

const comparison = '(gte?|lte?|eq|ne):';

export const limitParameterDoc: OpenApiParameter = {
  name: 'limit',
  in: 'query',
  description: 'Most entries on one page. Larger values are lowered to the largest page the server gives.',
  schema: { type: 'integer', minimum: 1, default: 25 },
  example: 2,
};

export const orderParameterDoc = (fallback: 'asc' | 'desc'): OpenApiParameter => ({
  name: 'order',
  in: 'query',
  description: 'Ascending or descending.',
  schema: { type: 'string', enum: ['asc', 'desc'], default: fallback },
});

export const timestampParameterDoc: OpenApiParameter = {
  name: 'timestamp',
  in: 'query',
  description:
    'Consensus timestamp as seconds with up to nine fraction digits, compared by an optional operator. Repeat it for a range.',
  schema: {
    type: 'array',
    items: { type: 'string', pattern: `^(${comparison})?\\d{1,10}(\\.\\d{1,9})?$` },
  },
  example: ['gte:1234567890.000000600'],
};

export const entityIdParameterDoc = (name: string, description: string): OpenApiParameter => ({
  name,
  in: 'query',
  description,
  schema: {
    type: 'array',
    items: {
      type: 'string',
      pattern: `^(${comparison})?((\\d{1,4}\\.)?(\\d{1,5}\\.)?(\\d{1,12}|[A-Fa-f0-9]{40})|0x[A-Fa-f0-9]{40})$`,
    },
  },
  example: ['gt:0.0.400'],
});
