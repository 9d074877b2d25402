/** Schedules as the database gives them and as clients see them. */
import {
  base64Json,
  booleanJson,
  entityIdJson,
  keyObjectJson,
  plainJson,
  textJson,
  timestampJson,
} from '../../api/json.ts';

export interface ScheduleRow {
  readonly consensus_timestamp: string;
  readonly creator_account_id: string;
  readonly deleted: boolean | null;
  readonly executed_timestamp: string | null;
  readonly expiration_time: string | null;
  readonly key: Buffer | null;
  readonly memo: string | null;
  readonly payer_account_id: string;
  readonly schedule_id: string;
  /** `nanoseconds prefix signature type` of each, bytes in base64, separated by commas; null without any. */
  readonly signatures: string | null;
  readonly transaction_body: Buffer;
  readonly wait_for_expiry: boolean;
}

// PostgreSQL breaks lines of base64.
const base64Of = (column: string): string => `translate(encode(${column}, 'base64'), E'\\n', '')`;

/** Everything of the schedules in `source` but their order; to be followed by conditions. */
export const selectSchedules = (source: string): string => `
  select s.consensus_timestamp, s.creator_account_id, e.deleted, s.executed_timestamp, s.expiration_time, e.key, e.memo,
    s.payer_account_id, s.schedule_id, s.transaction_body, s.wait_for_expiry, (
      select string_agg(
        concat(g.consensus_timestamp, ' ', ${base64Of('g.public_key_prefix')}, ' ', ${base64Of('g.signature')}, ' ', g.type),
        ',' order by g.consensus_timestamp, g.public_key_prefix)
      from transaction_signature g where g.entity_id = s.schedule_id
    ) as signatures
  from ${source} s
  left join entity e on e.id = s.schedule_id`;

/** Numbers of the fields in the message SignaturePair. */
const signatureTypes: Readonly<Record<string, string>> = {
  2: 'CONTRACT',
  3: 'ED25519',
  4: 'RSA_3072',
  5: 'ECDSA_384',
  6: 'ECDSA_SECP256K1',
};

const signatureJson = (packed: string): string => {
  const [timestamp = '', prefix = '', signature = '', type = ''] = packed.split(' ');
  return (
    `{"consensus_timestamp":${timestampJson(timestamp)},"public_key_prefix":${plainJson(prefix)},` +
    `"signature":${plainJson(signature)},"type":${plainJson(signatureTypes[type] ?? 'UNKNOWN')}}`
  );
};

export const scheduleJson = (row: ScheduleRow): string =>
  `{"admin_key":${keyObjectJson(row.key)},"consensus_timestamp":${timestampJson(row.consensus_timestamp)},` +
  `"creator_account_id":${entityIdJson(row.creator_account_id)},"deleted":${booleanJson(row.deleted)},` +
  `"executed_timestamp":${timestampJson(row.executed_timestamp)},` +
  `"expiration_time":${timestampJson(row.expiration_time)},"memo":${textJson(row.memo)},` +
  `"payer_account_id":${entityIdJson(row.payer_account_id)},"schedule_id":${entityIdJson(row.schedule_id)},` +
  `"signatures":[${row.signatures === null ? '' : row.signatures.split(',').map(signatureJson).join(',')}],` +
  `"transaction_body":${base64Json(row.transaction_body)},"wait_for_expiry":${booleanJson(row.wait_for_expiry)}}`;
