/** JSON Schemas of topic messages, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import {
  entityIdSchema,
  int64Schema,
  linksSchema,
  nullableTimestampSchema,
  timestampSchema,
} from '../../api/schemas.ts';

export const topicMessageSchema: JsonSchema = {
  type: 'object',
  required: [
    'chunk_info',
    'consensus_timestamp',
    'message',
    'payer_account_id',
    'running_hash',
    'running_hash_version',
    'sequence_number',
    'topic_id',
  ],
  properties: {
    chunk_info: {
      type: ['object', 'null'],
      description: 'Which part of a larger message this is; null when it is whole.',
      required: ['initial_transaction_id', 'number', 'total'],
      properties: {
        initial_transaction_id: {
          type: ['object', 'null'],
          description: 'The transaction that carried the first part.',
          required: ['account_id', 'nonce', 'scheduled', 'transaction_valid_start'],
          properties: {
            account_id: entityIdSchema,
            nonce: { type: ['integer', 'null'], format: 'int32', minimum: 0 },
            scheduled: { type: ['boolean', 'null'] },
            transaction_valid_start: nullableTimestampSchema,
          },
        },
        number: { type: ['integer', 'null'], format: 'int32', description: 'Counted from 1.' },
        total: { type: ['integer', 'null'], format: 'int32' },
      },
    },
    consensus_timestamp: timestampSchema,
    message: { type: 'string', description: 'The content, in base64 or as text.' },
    payer_account_id: entityIdSchema,
    running_hash: {
      type: ['string', 'null'],
      contentEncoding: 'base64',
      description: 'Hash over all messages up to this one.',
    },
    running_hash_version: { type: 'integer', format: 'int32' },
    sequence_number: int64Schema('Position within the topic, from 1.', { minimum: 0 }),
    topic_id: entityIdSchema,
  },
};

export const topicMessagesSchema: JsonSchema = {
  type: 'object',
  required: ['links', 'messages'],
  properties: {
    links: linksSchema,
    messages: { type: 'array', items: { $ref: '#/components/schemas/TopicMessage' } },
  },
};

export const topicMessageSchemas = { TopicMessage: topicMessageSchema };
