/** A scheduled transaction as REST shows it. */
import {
  base64,
  entityId,
  field,
  flag,
  key,
  list,
  listEntries,
  nullable,
  nullableTimestamp,
  text,
  timestamp,
} from '../../api/resource/field.ts';
import { type PageStatement, resource } from '../../api/resource/resource.ts';

/** Numbers of the fields in the message SignaturePair. */
const signatureTypes: Readonly<Record<string, string>> = {
  2: 'CONTRACT',
  3: 'ED25519',
  4: 'RSA_3072',
  5: 'ECDSA_384',
  6: 'ECDSA_SECP256K1',
};

const required = (of: ReturnType<typeof base64>) => ({ ...of, schema: { ...of.schema, type: 'string' } });

const signature = listEntries({
  consensus_timestamp: timestamp('p.consensus_timestamp', 'When it was given.'),
  public_key_prefix: required(
    base64('p.public_key_prefix', 'As much of the public key as tells it from the other keys.'),
  ),
  signature: required(base64('p.signature', 'The signature.')),
  type: field(
    'p.type',
    { type: 'string', enum: [...Object.values(signatureTypes), 'UNKNOWN'] },
    (type) => `"${signatureTypes[type] ?? 'UNKNOWN'}"`,
  ),
});

export const schedule = resource({
  name: 'Schedule',
  keys: {
    id: 'p.schedule_id',
    createdTimestamp: 'p.consensus_timestamp',
    deleted: 'p.deleted',
    executedTimestamp: 'p.executed_timestamp',
    expirationTime: 'p.expiration_time',
  },
  fields: {
    admin_key: key('p.key', 'Key that may delete the schedule.'),
    consensus_timestamp: timestamp('p.consensus_timestamp', 'When it was created.'),
    creator_account_id: entityId('p.creator_account_id', 'Who created it.'),
    deleted: nullable(flag('p.deleted')),
    executed_timestamp: nullableTimestamp('p.executed_timestamp', 'When the transaction was executed.'),
    expiration_time: nullableTimestamp('p.expiration_time', 'When it ends unless executed before.'),
    memo: nullable(text('p.memo')),
    payer_account_id: entityId('p.payer_account_id', 'Who pays for the execution.'),
    schedule_id: entityId('p.schedule_id', 'The id.'),
    signatures: list('p.signatures', signature),
    transaction_body: required(base64('p.transaction_body', 'The serialized transaction to execute.')),
    wait_for_expiry: flag('p.wait_for_expiry', 'Whether it is executed only when it expires.'),
  },
});

/**
 * A statement that gives schedules with their signatures and what their entities say.
 * @param page statement that gives rows of `schedule`
 */
export const scheduleStatement = (page: string, orderBy: string): PageStatement =>
  schedule.statement(
    `select s.*, e.deleted, e.key, e.memo,
        (select ${signature.packed('p.consensus_timestamp, p.public_key_prefix')}
          from transaction_signature p where p.entity_id = s.schedule_id) as signatures
      from (${page}) s left join entity e on e.id = s.schedule_id`,
    orderBy,
  );
