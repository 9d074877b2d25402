/** A message of a consensus topic as REST shows it. */
import {
  base64,
  derived,
  entityId,
  entityIdJson,
  field,
  int32,
  int64,
  timestamp,
  timestampJson,
} from '../../api/resource/field.ts';
import type { Field } from '../../api/resource/field-type.ts';
import { type ResourceRow, resource } from '../../api/resource/resource.ts';
import { entityIdSchema, nullableTimestampSchema, objectSchema } from '../../api/schemas.ts';
import { nanosOf } from '../../ledger/timestamp.ts';
import { TransactionID } from '../../protobuf/generated/services/basic_types.ts';
import { accountIdJson } from '../proto-ids.ts';

const transactionIdJson = (accountId: string, nonce: string, scheduled: string, validStart: string): string =>
  `{"account_id":${accountId},"nonce":${nonce},"scheduled":${scheduled},"transaction_valid_start":${validStart}}`;

const initialTransactionJson = (bytes: Buffer): string => {
  const { accountID, nonce, scheduled, transactionValidStart: start } = TransactionID.decode(bytes);
  const validStart = start === undefined ? 'null' : timestampJson(nanosOf(start).toString());
  return transactionIdJson(accountIdJson(accountID), String(nonce), String(scheduled), validStart);
};

const int32Schema = { type: ['integer', 'null'], format: 'int32' };

const chunkInfo = derived(
  {
    number: 'p.chunk_num',
    total: 'p.chunk_total',
    initial: 'p.initial_transaction_id',
    payer: 'p.payer_account_id',
    validStart: 'p.valid_start_timestamp',
  },
  {
    ...objectSchema(
      {
        initial_transaction_id: {
          ...objectSchema(
            {
              account_id: entityIdSchema,
              nonce: { ...int32Schema, minimum: 0 },
              scheduled: { type: ['boolean', 'null'] },
              transaction_valid_start: nullableTimestampSchema,
            },
            'The transaction that carried the first part.',
          ),
          type: ['object', 'null'],
        },
        number: { ...int32Schema, description: 'Counted from 1.' },
        total: int32Schema,
      },
      'Which part of a larger message this is; null when it is whole.',
    ),
    type: ['object', 'null'],
  },
  ({ number, total, initial, payer, validStart }) => {
    if (number === '') return 'null';
    const transactionId =
      initial === ''
        ? transactionIdJson(entityIdJson(payer), 'null', 'null', timestampJson(validStart))
        : initialTransactionJson(Buffer.from(initial.slice(2), 'hex'));
    return `{"initial_transaction_id":${transactionId},"number":${number},"total":${total || 'null'}}`;
  },
);

const contentSchema = { type: 'string', description: 'The content, in base64 or as text.' };

/** Rows without a version have version 3. */
const usualRunningHashVersion = 'coalesce(p.running_hash_version, 3)';

const topicMessageWith = (message: Field) =>
  resource({
    name: 'TopicMessage',
    keys: { consensusTimestamp: 'p.consensus_timestamp' },
    fields: {
      chunk_info: chunkInfo,
      consensus_timestamp: timestamp('p.consensus_timestamp'),
      message,
      payer_account_id: entityId('p.payer_account_id'),
      running_hash: base64('p.running_hash', 'Hash over all messages up to this one.'),
      running_hash_version: int32(usualRunningHashVersion),
      sequence_number: int64('p.sequence_number', 'Position within the topic, from 1.', { minimum: 0 }),
      topic_id: entityId('p.topic_id'),
    },
  });

export const topicMessage = topicMessageWith({ ...base64('p.message', ''), schema: contentSchema });

/** A message whose content is given as UTF-8 text. */
export const topicMessageAsText = topicMessageWith(
  field('p.message', contentSchema, (bytes) => JSON.stringify(Buffer.from(bytes.slice(2), 'hex').toString('utf8'))),
);

export type TopicMessageRow = ResourceRow<'consensusTimestamp'>;
