/** Hooks attached to accounts and contracts, and their storage. */
import { bool, bytea, enumOf, historyOf, int8, int8range, nullable, table, withDefault } from '../column.ts';

export const hook = table(
  'hook',
  {
    contract_id: nullable(int8),
    created_timestamp: nullable(int8),
    hook_id: int8,
    owner_id: int8,
    timestamp_range: nullable(int8range),
    extension_point: withDefault(enumOf('hook_extension_point'), "'ACCOUNT_ALLOWANCE_HOOK'::hook_extension_point"),
    deleted: withDefault(bool, 'false'),
    admin_key: nullable(bytea),
    type: withDefault(enumOf('hook_type'), "'EVM'::hook_type"),
  },
  ['owner_id', 'hook_id'],
);

export const hookHistory = historyOf(hook);

export const hookStorage = table(
  'hook_storage',
  {
    created_timestamp: int8,
    hook_id: int8,
    modified_timestamp: int8,
    owner_id: int8,
    key: bytea,
    value: bytea,
    deleted: withDefault(bool, 'false'),
  },
  ['owner_id', 'hook_id', 'key'],
);

export const hookStorageChange = table(
  'hook_storage_change',
  {
    consensus_timestamp: int8,
    hook_id: int8,
    owner_id: int8,
    key: bytea,
    value_read: bytea,
    value_written: nullable(bytea),
    deleted: withDefault(bool, 'false'),
  },
  ['owner_id', 'hook_id', 'key', 'consensus_timestamp'],
);
