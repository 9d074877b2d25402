/** Balance snapshots and the jobs that reconcile them. */
import {
  bool,
  bytea,
  entityId,
  hbarTinybars,
  int2,
  int4,
  int8,
  nanosTimestamp,
  nullable,
  table,
  text,
  timestamptz,
  varchar,
  withDefault,
} from '../column.ts';

export const accountBalance = table(
  'account_balance',
  {
    consensus_timestamp: nanosTimestamp,
    balance: hbarTinybars,
    account_id: entityId,
  },
  ['account_id', 'consensus_timestamp'],
);

export const accountBalanceFile = table(
  'account_balance_file',
  {
    consensus_timestamp: int8,
    count: int8,
    load_start: int8,
    load_end: int8,
    file_hash: nullable(varchar(96)),
    name: varchar(250),
    bytes: nullable(bytea),
    time_offset: withDefault(int4, '0'),
    synthetic: withDefault(bool, 'false'),
  },
  ['consensus_timestamp'],
);

export const tokenBalance = table(
  'token_balance',
  {
    consensus_timestamp: int8,
    account_id: entityId,
    balance: int8,
    token_id: entityId,
  },
  ['account_id', 'token_id', 'consensus_timestamp'],
);

export const reconciliationJob = table(
  'reconciliation_job',
  {
    consensus_timestamp: int8,
    count: int8,
    error: withDefault(text, "''::text"),
    timestamp_end: nullable(timestamptz),
    timestamp_start: timestamptz,
    status: int2,
  },
  ['timestamp_start'],
);
