/** One row for each block, its sidecar files, and the ledger identities. */
import { bytea, int4, int4Array, int8, jsonb, nullable, table, varchar, withDefault } from '../column.ts';

export const recordFile = table(
  'record_file',
  {
    name: varchar(250),
    load_start: int8,
    load_end: int8,
    hash: varchar(96),
    prev_hash: varchar(96),
    consensus_start: int8,
    consensus_end: int8,
    count: int8,
    digest_algorithm: int4,
    hapi_version_major: nullable(int4),
    hapi_version_minor: nullable(int4),
    hapi_version_patch: nullable(int4),
    version: int4,
    file_hash: varchar(96),
    bytes: nullable(bytea),
    index: int8,
    gas_used: nullable(withDefault(int8, "'-1'::integer")),
    logs_bloom: nullable(bytea),
    size: nullable(int4),
    sidecar_count: withDefault(int4, '0'),
    software_version_major: nullable(int4),
    software_version_minor: nullable(int4),
    software_version_patch: nullable(int4),
    round_start: nullable(int8),
    round_end: nullable(int8),
    previous_wrapped_record_block_hash: nullable(bytea),
    wrapped_record_block_hash: nullable(bytea),
    receipts_root: nullable(bytea),
  },
  ['consensus_end'],
);

export const sidecarFile = table(
  'sidecar_file',
  {
    bytes: nullable(bytea),
    count: nullable(int4),
    consensus_end: int8,
    hash_algorithm: int4,
    hash: bytea,
    id: int4,
    name: varchar(250),
    size: nullable(int4),
    types: int4Array,
  },
  ['consensus_end', 'id'],
);

export const ledger = table(
  'ledger',
  {
    consensus_timestamp: int8,
    history_proof_verification_key: bytea,
    ledger_id: bytea,
    node_contributions: jsonb,
  },
  ['ledger_id'],
);
