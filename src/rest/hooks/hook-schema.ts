/** JSON Schemas of hooks and their storage, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import { entityIdSchema, int64Schema, keySchema, linksSchema } from '../../api/schemas.ts';
import { nullable, openRange, timestamp } from '../network/schemas.ts';

const hookId = int64Schema('Number that the owner gave the hook.', { minimum: 0 });
const ownerId: JsonSchema = { ...entityIdSchema, description: 'Account or contract that has the hook.' };

const hookProperties: Readonly<Record<string, JsonSchema>> = {
  admin_key: { ...keySchema, description: 'Key that may change the storage beside the owner.' },
  contract_id: { ...entityIdSchema, description: 'Contract that is run.' },
  created_timestamp: nullable(timestamp),
  deleted: { type: 'boolean' },
  extension_point: { type: 'string', enum: ['ACCOUNT_ALLOWANCE_HOOK'], description: 'When it is run.' },
  hook_id: hookId,
  owner_id: ownerId,
  timestamp_range: nullable(openRange),
  type: { type: 'string', enum: ['EVM'] },
};

const slotProperties: Readonly<Record<string, JsonSchema>> = {
  key: { type: 'string', pattern: '^0x[0-9a-f]{64}$', description: 'The slot.' },
  timestamp: { ...timestamp, description: 'When it last changed.' },
  value: {
    type: ['string', 'null'],
    pattern: '^0x[0-9a-f]{64}$',
    description: 'What it holds; null where a change cleared it.',
  },
};

const objectOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

export const hooksSchema: JsonSchema = objectOf({
  hooks: { type: 'array', items: { $ref: '#/components/schemas/Hook' } },
  links: linksSchema,
});

export const hookStorageSchema: JsonSchema = objectOf({
  hook_id: hookId,
  links: linksSchema,
  owner_id: ownerId,
  storage: { type: 'array', items: { $ref: '#/components/schemas/HookStorage' } },
});

export const hookSchemas: Readonly<Record<string, JsonSchema>> = { Hook: objectOf(hookProperties) };

export const hookStorageSchemas: Readonly<Record<string, JsonSchema>> = { HookStorage: objectOf(slotProperties) };
