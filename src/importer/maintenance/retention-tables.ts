/** Which tables lose their old rows, and how these are found. */
import type { SettingsOf } from '../../config/setting.ts';
import type { retentionSettings } from '../../config/settings/retention.ts';
import { KagamiError } from '../../errors/kagami-error.ts';

export type RetentionSettings = SettingsOf<typeof retentionSettings>;

export interface RetainedTable {
  readonly name: string;
  /** SQL for "lies wholly at or before $1" (nanoseconds). */
  readonly isOld: string;
}

/** A table with an index that begins with the time of its rows. */
export interface TimedTable extends RetainedTable {
  readonly column: string;
}

/** What settings choose. */
export interface RetentionPlan {
  /** Emptied step by step, all tables at once. */
  readonly timed: readonly TimedTable[];
  /** Emptied with each step as well; their rows have ranges of time, or few of them are old. */
  readonly ranged: readonly RetainedTable[];
  /** No index leads to their old rows: they are read through, once for each pass over the database. */
  readonly swept: readonly RetainedTable[];
  /** Lose whole partitions. */
  readonly partitioned: readonly string[];
}

const timedBy = (column: string, names: readonly string[]): TimedTable[] =>
  names.map((name) => ({ name, column, isOld: `${column} <= $1::bigint` }));

const timed: readonly TimedTable[] = [
  ...timedBy('consensus_timestamp', [
    'assessed_custom_fee',
    'contract_action',
    'contract_log',
    'contract_result',
    'contract_state_change',
    'contract_transaction',
    'crypto_transfer',
    'ethereum_transaction',
    'live_hash',
    'network_freeze',
    'non_fee_transfer',
    'prng',
    'staking_reward_transfer',
    'token_transfer',
    'transaction',
  ]),
  ...timedBy('consensus_end', ['record_file', 'sidecar_file']),
];

const VERSION_IS_OLD = 'timestamp_range << int8range($1::bigint + 1, null)';
const versions = (name: string): RetainedTable => ({ name, isOld: VERSION_IS_OLD });

/** Rewards look back over 365 staking periods, however short the past is that is kept. */
const NEEDED_PERIODS = 366;
const beyondNeeded = (period: string): string =>
  `${period} <= (select max(epoch_day) from node_stake) - ${NEEDED_PERIODS}`;

const stakes = (name: string): RetainedTable => ({
  name,
  isOld: `consensus_timestamp <= $1::bigint and ${beyondNeeded('epoch_day')}`,
});

const ranged: readonly RetainedTable[] = [
  ...[
    'crypto_allowance_history',
    'custom_fee_history',
    'entity_history',
    'nft_allowance_history',
    'token_account_history',
    'token_airdrop_history',
    'token_allowance_history',
    'token_history',
    'topic_history',
  ].map(versions),
  { name: 'entity_stake_history', isOld: `${VERSION_IS_OLD} and ${beyondNeeded('end_stake_period')}` },
  stakes('network_stake'),
  stakes('node_stake'),
];

const swept: readonly RetainedTable[] = [
  ...[
    'contract_transaction_hash',
    'entity_transaction',
    'hook_storage_change',
    'reconciliation_job',
    'topic_message',
    'transaction_signature',
  ].map((name) => ({ name, isOld: 'consensus_timestamp <= $1::bigint' })),
  ...['hook_history', 'nft_history', 'node_history', 'registered_node_history'].map(versions),
  { name: 'topic_message_lookup', isOld: 'upper(timestamp_range) <= $1::bigint + 1' },
];

/** Monthly partitions; snapshots of balances are no part of the past that retention is for, unless someone says so. */
const partitioned: readonly string[] = ['account_balance', 'token_balance'];

const known: ReadonlySet<string> = new Set([
  ...[...timed, ...ranged, ...swept].map(({ name }) => name),
  ...partitioned,
]);

const namesIn = (settings: RetentionSettings, list: 'include' | 'exclude'): ReadonlySet<string> => {
  const names = settings[list].map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return new Set(names);
  const setting = `hiero.mirror.importer.retention.${list}`;
  throw new KagamiError(
    'CONFIG_INVALID',
    `${setting}: ${JSON.stringify(unknown)} is no table that can lose old rows; these can: ${[...known].join(', ')}`,
    { details: { setting } },
  );
};

/** @throws KagamiError CONFIG_INVALID for a table that is unknown, or kept in any case */
export const retentionPlan = (settings: RetentionSettings): RetentionPlan => {
  const included = namesIn(settings, 'include');
  const excluded = namesIn(settings, 'exclude');
  const isChosen = (name: string): boolean => (included.size === 0 || included.has(name)) && !excluded.has(name);
  const chosen = <T extends RetainedTable>(tables: readonly T[]): T[] => tables.filter(({ name }) => isChosen(name));
  return {
    timed: chosen(timed),
    ranged: chosen(ranged),
    swept: chosen(swept),
    partitioned: partitioned.filter((name) => included.has(name) && isChosen(name)),
  };
};
