/** How versions of each table's rows combine in memory before they are written. The SQL side is `upsert-tables.ts`. */
import type { Int8Range } from '../../database/column.ts';
import { toHex } from '../../ledger/bytes.ts';
import { idKey, type MergeRules, pairKey, type Version, type VersionKey } from './staged-table.ts';
import { type UpsertTable, upsertTables } from './upsert-tables.ts';

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const lowerOf = (version: Version): bigint => (version.timestamp_range as Int8Range).lower;

/** `target` takes every column of `source` that it lacks itself. */
const fill = (target: Version, source: Version): void => {
  for (const column in source) if (!isGiven(target[column])) target[column] = source[column];
};

/** `target` takes every column that `source` gives. */
const overwrite = (target: Version, source: Version): void => {
  for (const column in source) if (isGiven(source[column])) target[column] = source[column];
};

/** `target` takes the columns of `source` that it lacks, except those that a version must say itself. */
const fillExcept =
  (own: readonly string[]) =>
  (target: Version, source: Version): void => {
    for (const column in source) {
      if (!isGiven(target[column]) && !own.includes(column)) target[column] = source[column];
    }
  };

const sum = (left: unknown, right: unknown): bigint | undefined => {
  if (!isGiven(left)) return isGiven(right) ? (right as bigint) : undefined;
  return isGiven(right) ? (left as bigint) + (right as bigint) : (left as bigint);
};

const endsWhereNextBegins = (previous: Version, next: Version): bigint | null => {
  const lower = lowerOf(next);
  return lowerOf(previous) === lower ? null : lower;
};

const noDeltas = (): void => {
  throw new TypeError('Only changes with a timestamp range can be staged for this table');
};

const keyText = (value: unknown): string =>
  value instanceof Uint8Array ? toHex(value) : (value as bigint | string).toString();

/** Reads the key columns of a version; one bigint column is its own key, several are joined. */
const keyReader = (columns: readonly string[]): ((version: Version) => VersionKey) => {
  const [first, second, third, fourth] = columns as [string, ...string[]];
  if (second === undefined) {
    return (version) => {
      const value = version[first];
      return typeof value === 'bigint' ? idKey(value) : keyText(value);
    };
  }
  if (third === undefined) {
    return (version) => {
      const left = version[first];
      const right = version[second];
      if (typeof left === 'bigint' && typeof right === 'bigint') return pairKey(left, right);
      return `${keyText(left)} ${keyText(right)}`;
    };
  }
  if (fourth === undefined) {
    return (version) => `${keyText(version[first])} ${keyText(version[second])} ${keyText(version[third])}`;
  }
  return (version) => columns.map((column) => keyText(version[column])).join(' ');
};

const defaultsOf = (table: UpsertTable): Omit<MergeRules, 'foldDelta'> => ({
  keyOf: keyReader(upsertTables[table].key),
  history: upsertTables[table].history,
  insertOnly: upsertTables[table].insertOnly,
  inherit: fill,
  repeat: overwrite,
  applyDelta: noDeltas,
  absorbDelta: noDeltas,
  deltaCarriesForward: false,
  endOf: endsWhereNextBegins,
});

const rulesOf = (table: UpsertTable, own: Partial<MergeRules>): MergeRules => {
  const rules = { ...defaultsOf(table), ...own };
  return { ...rules, foldDelta: own.foldDelta ?? rules.applyDelta };
};

const addBalance = (target: Version, delta: Version): void => {
  target.balance = sum(target.balance, delta.balance);
  if (isGiven(delta.balance_timestamp)) target.balance_timestamp = delta.balance_timestamp;
};

const entity: Partial<MergeRules> = {
  deltaCarriesForward: true,
  inherit: (next, previous) => {
    const balance = sum(next.balance, previous.balance);
    fill(next, previous);
    next.balance = balance;
  },
  repeat: (version, again) => {
    const balance = sum(version.balance, again.balance);
    fill(version, again);
    version.balance = balance;
  },
  applyDelta: (version, delta) => {
    addBalance(version, delta);
    if (isGiven(delta.ethereum_nonce)) version.ethereum_nonce = delta.ethereum_nonce;
  },
  absorbDelta: (next, delta) => {
    const balance = sum(next.balance, delta.balance);
    fill(next, delta);
    next.balance = balance;
  },
};

const isFreshAssociation = (version: Version): boolean => isGiven(version.created_timestamp);

const tokenAccount: Partial<MergeRules> = {
  deltaCarriesForward: true,
  inherit: (next, previous) => {
    if (isFreshAssociation(next)) return;
    const balance = sum(next.balance, previous.balance);
    fill(next, previous);
    next.balance = balance;
  },
  // Old records carry the same association twice; the second says nothing new.
  repeat: () => {},
  applyDelta: addBalance,
  absorbDelta: (next, delta) => {
    next.balance = sum(next.balance, delta.balance);
    if (!isGiven(next.balance_timestamp) || isGiven(delta.balance)) next.balance_timestamp = delta.balance_timestamp;
  },
};

const addSupply = (target: Version, delta: Version): void => {
  if (!isGiven(delta.total_supply)) return;
  const supply = delta.total_supply as bigint;
  target.total_supply = supply >= 0n ? supply : sum(target.total_supply, supply);
};

const token: Partial<MergeRules> = {
  inherit: (next, previous) => {
    const supply = next.total_supply;
    if (isGiven(supply) && (supply as bigint) < 0n) next.total_supply = sum(supply, previous.total_supply);
    fill(next, previous);
  },
  applyDelta: addSupply,
};

const spend = (target: Version, delta: Version): void => {
  target.amount = sum(target.amount, delta.amount);
};

/** Whoever pays for the first transfer that a block takes from an earlier block's allowance becomes its payer. */
const allowance: Partial<MergeRules> = {
  applyDelta: spend,
  foldDelta: (target, delta) => {
    spend(target, delta);
    if (isGiven(delta.payer_account_id)) target.payer_account_id = delta.payer_account_id;
  },
};

const SPENDERS = ['spender', 'delegating_spender'];
const fillOwnership = fillExcept(SPENDERS);

/** 0 retains the spender of the version before, which may itself be 0: then the database's. */
const nft: Partial<MergeRules> = {
  inherit: (next, previous) => {
    fillOwnership(next, previous);
    for (const column of SPENDERS) if (next[column] === 0n) next[column] = previous[column];
  },
  repeat: (version, again) => {
    for (const column in again) {
      if (isGiven(again[column]) && again[column] !== 0n) version[column] = again[column];
    }
  },
};

const isHookCreation = (version: Version): boolean => version.created_timestamp === lowerOf(version);

/** Deleting and creating a hook of the same id within one transaction leaves a deleted version of one nanosecond. */
const hook: Partial<MergeRules> = {
  inherit: (next, previous) => {
    if (!isHookCreation(next)) fill(next, previous);
  },
  endOf: (previous, next) => {
    const lower = lowerOf(next);
    if (lowerOf(previous) !== lower) return lower;
    return previous.deleted === true && isHookCreation(next) ? lower + 1n : null;
  },
};

const customFee: Partial<MergeRules> = {
  inherit: fillExcept(['fixed_fees', 'fractional_fees', 'royalty_fees']),
  repeat: Object.assign,
};

const contractState: Partial<MergeRules> = {
  repeat: (state, change) => {
    state.value = change.value;
    state.modified_timestamp = change.modified_timestamp;
  },
};

/** A negative creation time tells the merge that the slot was deleted and filled again within the batch. */
const hookStorage: Partial<MergeRules> = {
  repeat: (slot, change) => {
    if (slot.deleted === true) slot.created_timestamp = -(change.created_timestamp as bigint);
    slot.value = change.value;
    slot.modified_timestamp = change.modified_timestamp;
    slot.deleted = change.deleted;
  },
};

/** Only the execution is ever said again; of several the last counts. */
const schedule: Partial<MergeRules> = {
  repeat: (created, again) => {
    fill(created, again);
    if (isGiven(again.executed_timestamp)) created.executed_timestamp = again.executed_timestamp;
  },
};

/** The range from where either begins to where either ends. */
const spanned = (range: unknown, next: unknown): Int8Range => {
  const known = range as Int8Range;
  const added = next as Int8Range;
  const beginsEarlier = known.lower < added.lower;
  const endsLater = known.upper !== null && added.upper !== null && known.upper > added.upper;
  return { lower: (beginsEarlier ? known : added).lower, upper: (endsLater ? known : added).upper };
};

const topicMessageLookup: Partial<MergeRules> = {
  repeat: (lookup, next) => {
    lookup.sequence_number_range = spanned(lookup.sequence_number_range, next.sequence_number_range);
    lookup.timestamp_range = spanned(lookup.timestamp_range, next.timestamp_range);
  },
};

export const mergeRules: { readonly [T in UpsertTable]: MergeRules } = {
  contract_state: rulesOf('contract_state', contractState),
  crypto_allowance: rulesOf('crypto_allowance', allowance),
  custom_fee: rulesOf('custom_fee', customFee),
  entity: rulesOf('entity', entity),
  hook: rulesOf('hook', hook),
  hook_storage: rulesOf('hook_storage', hookStorage),
  ledger: rulesOf('ledger', {}),
  nft: rulesOf('nft', nft),
  nft_allowance: rulesOf('nft_allowance', {}),
  node: rulesOf('node', {}),
  registered_node: rulesOf('registered_node', {}),
  schedule: rulesOf('schedule', schedule),
  token: rulesOf('token', token),
  token_account: rulesOf('token_account', tokenAccount),
  token_airdrop: rulesOf('token_airdrop', {}),
  token_allowance: rulesOf('token_allowance', allowance),
  topic: rulesOf('topic', {}),
  topic_message_lookup: rulesOf('topic_message_lookup', topicMessageLookup),
};
