/** JSON Schemas of blocks, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import { linksSchema, timestampRangeSchema } from '../../api/schemas.ts';

export const blockSchema: JsonSchema = {
  type: 'object',
  description: 'One record file, or one block of the block stream.',
  required: [
    'count',
    'gas_used',
    'hapi_version',
    'hash',
    'logs_bloom',
    'name',
    'number',
    'previous_hash',
    'size',
    'timestamp',
  ],
  properties: {
    count: { type: 'integer', format: 'int64', minimum: 0, description: 'How many transactions the block holds.' },
    gas_used: {
      type: ['integer', 'null'],
      format: 'int64',
      minimum: 0,
      description: 'Gas used by all contract transactions of the block; null when it is not known.',
    },
    hapi_version: { type: ['string', 'null'], description: 'Version of the network services: major.minor.patch.' },
    hash: { type: 'string', pattern: '^0x[0-9a-fA-F]*$', description: 'SHA-384 hash of the block.' },
    logs_bloom: {
      type: ['string', 'null'],
      pattern: '^0x([0-9a-f]{512})?$',
      description: 'Bloom filter over the contract logs of the block; `0x` when there are none.',
    },
    name: { type: 'string', description: 'File name of the block.' },
    number: { type: 'integer', format: 'int64', minimum: 0 },
    previous_hash: { type: 'string', pattern: '^0x[0-9a-fA-F]*$', description: 'Hash of the block before.' },
    size: { type: ['integer', 'null'], minimum: 0, description: 'Size of the file in bytes, as it was received.' },
    timestamp: timestampRangeSchema,
  },
};

export const blocksSchema: JsonSchema = {
  type: 'object',
  required: ['blocks', 'links'],
  properties: {
    blocks: { type: 'array', items: { $ref: '#/components/schemas/Block' } },
    links: linksSchema,
  },
};

export const blockSchemas = { Block: blockSchema };
