/**
 * The tables whose rows have successive versions: their keys, which columns are fixed once a row exists, and how a
 * staged value meets the value that the database already holds. The merge SQL (`write/merge-sql.ts`) is generated from
 * these descriptions; the merge of versions inside one batch is in `merge-rules.ts`.
 */
import type { RowOf } from '../../database/table.ts';

export interface UpsertDescription {
  readonly key: readonly string[];
  /** Superseded versions go to `<table>_history`, with their timestamp range closed. */
  readonly history: boolean;
  /** Set when the row is inserted, never changed afterwards. */
  readonly insertOnly: readonly string[];
  /**
   * Columns that a change without timestamp range (a delta) may carry, with the SQL of the new value; `s` is the staged
   * row, `e` the existing one.
   */
  readonly deltas?: Readonly<Record<string, string>>;
  /** Values that do not follow `coalesce(s.column, e.column, default)`. */
  readonly expressions?: Readonly<Record<string, string>>;
  /** Versions that do not meet this SQL condition are dropped. */
  readonly condition?: string;
}

const describe = <const T extends Readonly<Record<string, UpsertDescription>>>(tables: T): T => tables;

const ENTITY_TYPE = "coalesce(s.type, e.type, 'UNKNOWN')";
const ENTITY_BALANCE =
  `case when ${ENTITY_TYPE} in ('ACCOUNT', 'CONTRACT') then coalesce(e.balance, 0) + coalesce(s.balance, 0) ` +
  'else e.balance + coalesce(s.balance, 0) end';
const ENTITY_BALANCE_DELTA =
  "case when e.type in ('ACCOUNT', 'CONTRACT') then coalesce(e.balance, 0) + coalesce(s.balance, 0) " +
  'else e.balance + coalesce(s.balance, 0) end';

const TOKEN_SUPPLY =
  'case when s.total_supply >= 0 then s.total_supply ' +
  'else coalesce(e.total_supply, 0) + coalesce(s.total_supply, 0) end';

/** A version of an association that says when it was created starts afresh; any other builds on the existing row. */
const ofAssociation = (fresh: string, continued: string): string =>
  `case when s.created_timestamp is not null then ${fresh} else ${continued} end`;

/**
 * A hook's creation replaces the hook of that id, and what follows it in the batch has its creation time; any other
 * version builds on the existing row.
 */
const ofHook = (column: string, fallback: string): string =>
  'case when s.created_timestamp is not null ' +
  `then coalesce(s.${column}, ${fallback}) else coalesce(s.${column}, e.${column}, ${fallback}) end`;

/** 0 stands for "as it was"; no value clears. */
const retainable = (column: string): string => `case when s.${column} = 0 then e.${column} else s.${column} end`;

const allowance = {
  history: true,
  insertOnly: [],
  deltas: { amount: 'e.amount + s.amount', payer_account_id: 'coalesce(s.payer_account_id, e.payer_account_id)' },
} as const;

export const upsertTables = describe({
  contract_state: {
    key: ['contract_id', 'slot'],
    history: false,
    insertOnly: ['created_timestamp'],
    expressions: { value: 's.value' },
  },
  crypto_allowance: { ...allowance, key: ['owner', 'spender'] },
  custom_fee: {
    key: ['entity_id'],
    history: true,
    insertOnly: [],
    expressions: {
      fixed_fees: 's.fixed_fees',
      fractional_fees: 's.fractional_fees',
      royalty_fees: 's.royalty_fees',
    },
  },
  entity: {
    key: ['id'],
    history: true,
    insertOnly: ['alias', 'created_timestamp', 'evm_address', 'num', 'realm', 'shard'],
    deltas: {
      balance: ENTITY_BALANCE_DELTA,
      balance_timestamp: 'coalesce(s.balance_timestamp, e.balance_timestamp)',
      ethereum_nonce: 'coalesce(s.ethereum_nonce, e.ethereum_nonce)',
    },
    expressions: {
      balance: ENTITY_BALANCE,
      ethereum_nonce: `coalesce(s.ethereum_nonce, e.ethereum_nonce, case when ${ENTITY_TYPE} = 'ACCOUNT' then 0 end)`,
      public_key: "case when s.public_key = '' then null else coalesce(s.public_key, e.public_key) end",
    },
  },
  hook: {
    key: ['owner_id', 'hook_id'],
    history: true,
    insertOnly: [],
    expressions: {
      admin_key: ofHook('admin_key', 'null'),
      contract_id: ofHook('contract_id', 'null'),
      deleted: ofHook('deleted', 'false'),
      extension_point: ofHook('extension_point', "'ACCOUNT_ALLOWANCE_HOOK'"),
      type: ofHook('type', "'EVM'"),
    },
  },
  hook_storage: {
    key: ['owner_id', 'hook_id', 'key'],
    history: false,
    insertOnly: [],
    expressions: {
      created_timestamp:
        'case when e.created_timestamp is null or e.deleted or s.created_timestamp < 0 ' +
        'then abs(s.created_timestamp) else e.created_timestamp end',
    },
  },
  ledger: { key: ['ledger_id'], history: false, insertOnly: [] },
  nft: {
    key: ['token_id', 'serial_number'],
    history: true,
    insertOnly: ['created_timestamp'],
    expressions: {
      account_id: 'case when coalesce(s.deleted, e.deleted) then null else coalesce(s.account_id, e.account_id) end',
      delegating_spender: retainable('delegating_spender'),
      spender: retainable('spender'),
    },
  },
  nft_allowance: { key: ['owner', 'spender', 'token_id'], history: true, insertOnly: [] },
  node: {
    key: ['node_id'],
    history: true,
    insertOnly: ['created_timestamp'],
    expressions: {
      grpc_proxy_endpoint:
        "case when (s.grpc_proxy_endpoint ->> 'port') = '-1' then null " +
        'else coalesce(s.grpc_proxy_endpoint, e.grpc_proxy_endpoint) end',
    },
  },
  registered_node: { key: ['registered_node_id'], history: true, insertOnly: ['created_timestamp'] },
  schedule: {
    key: ['schedule_id'],
    history: false,
    insertOnly: [
      'consensus_timestamp',
      'creator_account_id',
      'expiration_time',
      'payer_account_id',
      'transaction_body',
      'wait_for_expiry',
    ],
    condition: 'coalesce(s.consensus_timestamp, e.consensus_timestamp) is not null',
  },
  token: {
    key: ['token_id'],
    history: true,
    insertOnly: [
      'created_timestamp',
      'decimals',
      'freeze_default',
      'freeze_status',
      'initial_supply',
      'kyc_status',
      'max_supply',
      'supply_type',
      'type',
    ],
    deltas: { total_supply: TOKEN_SUPPLY },
    expressions: { total_supply: TOKEN_SUPPLY },
    condition: 'coalesce(s.created_timestamp, e.created_timestamp) is not null',
  },
  token_account: {
    key: ['account_id', 'token_id'],
    history: true,
    insertOnly: [],
    deltas: {
      balance: 'e.balance + coalesce(s.balance, 0)',
      balance_timestamp: 'coalesce(s.balance_timestamp, e.balance_timestamp)',
    },
    expressions: {
      balance: ofAssociation('coalesce(s.balance, 0)', 'coalesce(e.balance, 0) + coalesce(s.balance, 0)'),
      freeze_status: ofAssociation('s.freeze_status', 'coalesce(s.freeze_status, e.freeze_status)'),
      kyc_status: ofAssociation('s.kyc_status', 'coalesce(s.kyc_status, e.kyc_status)'),
    },
  },
  token_airdrop: {
    key: ['receiver_account_id', 'sender_account_id', 'serial_number', 'token_id'],
    history: true,
    insertOnly: [],
  },
  token_allowance: { ...allowance, key: ['owner', 'spender', 'token_id'] },
  topic: { key: ['id'], history: true, insertOnly: ['created_timestamp'] },
  topic_message_lookup: {
    key: ['topic_id', 'partition'],
    history: false,
    insertOnly: [],
    expressions: {
      sequence_number_range:
        'int8range(least(lower(e.sequence_number_range), lower(s.sequence_number_range)), ' +
        'greatest(upper(e.sequence_number_range), upper(s.sequence_number_range)))',
      timestamp_range:
        'int8range(least(lower(e.timestamp_range), lower(s.timestamp_range)), ' +
        'greatest(upper(e.timestamp_range), upper(s.timestamp_range)))',
    },
  },
});

export type UpsertTables = typeof upsertTables;
export type UpsertTable = keyof UpsertTables;

type KeyColumn<T extends UpsertTable> = UpsertTables[T]['key'][number] & keyof RowOf<T>;

/**
 * One version of a row as a handler gives it: the key, and the columns that it knows. An absent, undefined or null
 * column means "as it was", except where the table's description says otherwise (fees of `custom_fee`, spenders of
 * `nft`, value of `contract_state`, statuses of a newly created association: there it means NULL).
 * A `timestamp_range` makes it a change that ends the version before; without one it is a delta that alters the current
 * version in place (balances, nonces, supply, allowances).
 */
export type StagedVersion<T extends UpsertTable> = {
  [K in KeyColumn<T>]: RowOf<T>[K];
} & {
  [K in Exclude<keyof RowOf<T>, KeyColumn<T>>]?: RowOf<T>[K] | null | undefined;
};
