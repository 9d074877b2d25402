/** JSON Schemas of scheduled transactions, for the OpenAPI document. */
import type { JsonSchema } from '../../api/route.ts';
import { entityIdSchema, keySchema, linksSchema, nullableTimestampSchema, timestampSchema } from '../../api/schemas.ts';

const base64 = (description: string): JsonSchema => ({ type: 'string', contentEncoding: 'base64', description });

const signatureProperties: Readonly<Record<string, JsonSchema>> = {
  consensus_timestamp: { ...timestampSchema, description: 'When it was given.' },
  public_key_prefix: base64('As much of the public key as tells it from the other keys.'),
  signature: base64('The signature.'),
  type: { type: 'string', enum: ['CONTRACT', 'ED25519', 'RSA_3072', 'ECDSA_384', 'ECDSA_SECP256K1', 'UNKNOWN'] },
};

const scheduleProperties: Readonly<Record<string, JsonSchema>> = {
  admin_key: { ...keySchema, description: 'Key that may delete the schedule.' },
  consensus_timestamp: { ...timestampSchema, description: 'When it was created.' },
  creator_account_id: { ...entityIdSchema, description: 'Who created it.' },
  deleted: { type: ['boolean', 'null'] },
  executed_timestamp: { ...nullableTimestampSchema, description: 'When the transaction was executed.' },
  expiration_time: { ...nullableTimestampSchema, description: 'When it ends unless executed before.' },
  memo: { type: ['string', 'null'] },
  payer_account_id: { ...entityIdSchema, description: 'Who pays for the execution.' },
  schedule_id: { ...entityIdSchema, description: 'The id.' },
  signatures: { type: 'array', items: { $ref: '#/components/schemas/ScheduleSignature' } },
  transaction_body: base64('The serialized transaction to execute.'),
  wait_for_expiry: { type: 'boolean', description: 'Whether it is executed only when it expires.' },
};

const objectOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

export const scheduleSchema: JsonSchema = { $ref: '#/components/schemas/Schedule' };

export const schedulesSchema: JsonSchema = objectOf({
  schedules: { type: 'array', items: scheduleSchema },
  links: linksSchema,
});

export const scheduleSchemas: Readonly<Record<string, JsonSchema>> = {
  Schedule: objectOf(scheduleProperties),
  ScheduleSignature: objectOf(signatureProperties),
};
