/**
 * `/api/v1/accounts/{id}/hooks...`: the hooks of an account or contract
 * ([HIP-1195](https://hips.hedera.com/hip/hip-1195)) and what they store.
 */
import { defaultJavaLimit, maxJavaLimit } from '../../api/java-parameters.ts';
import type { OpenApiParameter, Route } from '../../api/route.ts';
import { limitParameterDoc, orderParameterDoc } from '../../api/schemas.ts';
import { listHooks, mostRepeats } from './hook-list.ts';
import { hookSchemas, hookStorageSchema, hookStorageSchemas, hooksSchema } from './hook-schema.ts';
import { listHookStorage } from './hook-storage.ts';

const ownerDoc: OpenApiParameter = {
  name: 'idOrAliasOrEvmAddress',
  in: 'path',
  required: true,
  description: 'Id, EVM address or base32 alias of the owner.',
  schema: { type: 'string' },
  example: '0.0.1001',
};

const limitDoc: OpenApiParameter = {
  ...limitParameterDoc,
  description: 'Most entries on one page.',
  schema: { type: 'integer', minimum: 1, maximum: maxJavaLimit, default: defaultJavaLimit },
};

export const hookRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/hooks',
    flavour: 'java',
    operation: {
      operationId: 'getHooks',
      summary: 'List the hooks of an account',
      description: 'Largest hook id first unless ordered otherwise. Deleted hooks are among them.',
      tags: ['accounts'],
      parameters: [
        ownerDoc,
        {
          name: 'hook.id',
          in: 'query',
          description: 'Hook id, compared by an optional operator. Several without operator mean any of them.',
          schema: {
            type: 'array',
            maxItems: mostRepeats,
            items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,19}$' },
          },
          example: ['gt:2'],
        },
        limitDoc,
        orderParameterDoc('desc'),
      ],
      answer: { description: 'One page of hooks.', schema: hooksSchema },
      problems: [400, 404],
      schemas: hookSchemas,
    },
    handle: listHooks,
  },
  {
    method: 'GET',
    path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/hooks/{hookId}/storage',
    flavour: 'java',
    operation: {
      operationId: 'getHookStorage',
      summary: 'List the storage of a hook',
      description:
        'The slots that are set. With a timestamp, the newest change of each slot up to it or within a range instead; ' +
        'a cleared slot has no value then.',
      tags: ['accounts'],
      parameters: [
        ownerDoc,
        {
          name: 'hookId',
          in: 'path',
          required: true,
          description: 'Hook id.',
          schema: { type: 'integer', format: 'int64', minimum: 0 },
          example: 1,
        },
        {
          name: 'key',
          in: 'query',
          description: 'Slot in hex, compared by an optional operator. Several without operator mean any of them.',
          schema: {
            type: 'array',
            maxItems: mostRepeats,
            items: { type: 'string', pattern: '^((eq|gte?|lte?):)?(0x)?[0-9A-Fa-f]{1,64}$' },
          },
          example: ['gte:0x0f9a'],
        },
        limitDoc,
        orderParameterDoc('asc'),
        {
          name: 'timestamp',
          in: 'query',
          description:
            'Consensus timestamp as seconds.nanoseconds; plain or `eq`: as of then. At most two, for a range.',
          schema: {
            type: 'array',
            maxItems: 2,
            items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,17}(\\.\\d{1,9})?$' },
          },
          example: ['lte:1586567700.453054000'],
        },
      ],
      answer: { description: 'One page of slots.', schema: hookStorageSchema },
      problems: [400, 404],
      schemas: hookStorageSchemas,
    },
    handle: listHookStorage,
  },
];
