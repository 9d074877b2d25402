/** JSON Schemas and parameter descriptions of airdrops, for the OpenAPI document. */
import type { JsonSchema, OpenApiParameter } from '../../api/route.ts';
import { entityIdSchema, int64Schema, linksSchema } from '../../api/schemas.ts';
import { openRange } from '../network/schemas.ts';

const airdropSchema: JsonSchema = {
  type: 'object',
  required: ['amount', 'receiver_id', 'sender_id', 'serial_number', 'timestamp', 'token_id'],
  properties: {
    amount: int64Schema('How many of a fungible token, in its smallest unit; null of an NFT.', {
      type: ['integer', 'null'],
    }),
    receiver_id: { ...entityIdSchema, description: 'Who may claim it.' },
    sender_id: { ...entityIdSchema, description: 'Who sent it, and may cancel it.' },
    serial_number: int64Schema('Serial number of an NFT; null of a fungible token.', { type: ['integer', 'null'] }),
    timestamp: openRange,
    token_id: { ...entityIdSchema, description: 'The token.' },
  },
};

export const airdropsSchema: JsonSchema = {
  type: 'object',
  required: ['airdrops', 'links'],
  properties: {
    airdrops: { type: 'array', items: { $ref: '#/components/schemas/TokenAirdrop' } },
    links: linksSchema,
  },
};

export const airdropSchemas: Readonly<Record<string, JsonSchema>> = { TokenAirdrop: airdropSchema };

export const idParameterDoc = (name: string, description: string): OpenApiParameter => ({
  name,
  in: 'query',
  description: `${description}, as num, realm.num or shard.realm.num with an operator before a colon; at most two.`,
  schema: {
    type: 'array',
    maxItems: 2,
    items: { type: 'string', pattern: '^((eq|gte?|lte?):)?(\\d{1,10}\\.){0,2}\\d{1,12}$' },
  },
  example: ['gte:0.0.400'],
});

export const serialNumberParameterDoc: OpenApiParameter = {
  name: 'serialnumber',
  in: 'query',
  description: 'Serial number of an NFT, 0 of a fungible token, with an operator before a colon; at most two.',
  schema: { type: 'array', maxItems: 2, items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,19}$' } },
  example: ['gt:2'],
};
