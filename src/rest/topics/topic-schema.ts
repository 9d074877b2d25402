/** JSON Schemas of topics, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import { entityIdSchema, int64Schema, keySchema } from '../../api/schemas.ts';
import { nullable, openRange, timestamp } from '../network/schemas.ts';

const fixedFeeSchema: JsonSchema = {
  type: 'object',
  required: ['amount', 'collector_account_id', 'denominating_token_id'],
  properties: {
    amount: int64Schema('Tinybars, or the smallest unit of the token.'),
    collector_account_id: { ...entityIdSchema, description: 'Who gets the fee.' },
    denominating_token_id: { ...entityIdSchema, description: 'Token it is paid in; null: hbar.' },
  },
};

const properties: Readonly<Record<string, JsonSchema>> = {
  admin_key: { ...keySchema, description: 'Key that may change and delete the topic.' },
  auto_renew_account: { ...entityIdSchema, description: 'Who pays for the renewal.' },
  auto_renew_period: int64Schema('Seconds by which the expiry is extended when it is reached.', {
    type: ['integer', 'null'],
  }),
  created_timestamp: nullable(timestamp),
  custom_fees: {
    type: 'object',
    required: ['created_timestamp', 'fixed_fees'],
    properties: {
      created_timestamp: { ...nullable(timestamp), description: 'Since when the fees are as they are.' },
      fixed_fees: { type: 'array', items: fixedFeeSchema, description: 'What a message to the topic costs.' },
    },
  },
  deleted: { type: ['boolean', 'null'] },
  fee_exempt_key_list: {
    type: 'array',
    items: keySchema,
    description: 'Keys that need not pay the fees when they sign a message.',
  },
  fee_schedule_key: { ...keySchema, description: 'Key that may change the fees.' },
  memo: { type: 'string' },
  submit_key: { ...keySchema, description: 'Key that messages need; null: anybody may send some.' },
  timestamp: openRange,
  topic_id: { ...entityIdSchema, description: 'The id.' },
};

export const topicSchema: JsonSchema = { $ref: '#/components/schemas/Topic' };

export const topicSchemas: Readonly<Record<string, JsonSchema>> = {
  Topic: { type: 'object', required: Object.keys(properties), properties },
};
