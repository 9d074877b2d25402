/**
 * Accounts read in one round trip as one text, with their stakes and token balances. The driver's cost per row and column
 * outweighs all else on a page of a hundred accounts with two dozen columns.
 */
import type { Queryable } from '../../database/connection.ts';

/** An account as text: digits, `t` or `f` for flags, `\x` and hex for bytes, the empty text for null. */
export interface PackedAccount {
  readonly id: string;
  readonly alias: string;
  /** Seconds. */
  readonly autoRenewPeriod: string;
  /** Tinybars. */
  readonly balance: string;
  /** Nanoseconds. */
  readonly balanceTimestamp: string;
  readonly createdTimestamp: string;
  readonly declineReward: string;
  readonly delegationAddress: string;
  readonly deleted: string;
  readonly ethereumNonce: string;
  readonly evmAddress: string;
  readonly expirationTimestamp: string;
  readonly key: string;
  readonly maxAutomaticTokenAssociations: string;
  /** A JSON string, quotes and escapes included. */
  readonly memo: string;
  /** Tinybars. */
  readonly pendingReward: string;
  readonly receiverSigRequired: string;
  readonly stakedAccountId: string;
  readonly stakedNodeId: string;
  /** Days since the epoch. */
  readonly stakePeriodStart: string;
  /** `token amount`, separated by commas. */
  readonly tokens: string;
}

/** Columns of `entity` and `entity_history` that an account is made of. */
export const entityColumns = [
  'id',
  'alias',
  'auto_renew_period',
  'balance',
  'balance_timestamp',
  'created_timestamp',
  'decline_reward',
  'delegation_address',
  'deleted',
  'ethereum_nonce',
  'evm_address',
  'expiration_timestamp',
  'key',
  'max_automatic_token_associations',
  'memo',
  'receiver_sig_required',
  'staked_account_id',
  'staked_node_id',
  'stake_period_start',
  'timestamp_range',
  'type',
].join(', ');

/** The rows of `entity_stake` that count for the accounts `p`. */
export const currentStake = '(select * from entity_stake where id = p.id)';

/**
 * What an account staked to a node may collect. A stake that was changed after the last period whose rewards are known
 * has earned nothing yet.
 * @param stake statement that gives at most one stake of the account `p`
 */
const pendingReward = (stake: string): string =>
  `case when p.decline_reward or coalesce(p.staked_node_id, -1) = -1 then 0
    else (select case when p.stake_period_start >= s.end_stake_period then 0 else s.pending_reward end from ${stake} s) end`;

/** Neither stands in any value: the memo is a JSON string, in which control characters are escaped. */
const fieldSeparator = '\x1f';
const lineSeparator = '\x1e';

/** As PostgreSQL writes them in a literal. */
const fieldSeparatorSql = "e'\\x1f'";
const lineSeparatorSql = "e'\\x1e'";

/** In the order in which `unpack` reads them. */
const packedColumns = (stake: string, tokens: string): string[] => [
  'p.id',
  'p.alias',
  'p.auto_renew_period',
  'p.balance',
  'p.balance_timestamp',
  'p.created_timestamp',
  'p.decline_reward',
  'p.delegation_address',
  'p.deleted',
  'p.ethereum_nonce',
  'p.evm_address',
  'p.expiration_timestamp',
  'p.key',
  'p.max_automatic_token_associations',
  'to_json(p.memo)',
  pendingReward(stake),
  'p.receiver_sig_required',
  'p.staked_account_id',
  'p.staked_node_id',
  'p.stake_period_start',
  tokens,
];

/**
 * A statement that gives accounts as one text.
 * @param page statement that gives rows with `entityColumns`
 * @param stake statement in parentheses that gives at most one stake of the account `p`
 * @param tokens expression for the token balances of the account `p`: `token amount`, separated by commas
 */
export const accountsStatement = (page: string, order: 'asc' | 'desc', stake: string, tokens: string): string =>
  `select string_agg(concat(${packedColumns(stake, tokens).join(`, ${fieldSeparatorSql}, `)}), ${lineSeparatorSql}
    order by p.id ${order}) as accounts from (${page}) p`;

const unpack = (text: string): PackedAccount[] =>
  text.split(lineSeparator).map((line) => {
    const [
      id = '',
      alias = '',
      autoRenewPeriod = '',
      balance = '',
      balanceTimestamp = '',
      createdTimestamp = '',
      declineReward = '',
      delegationAddress = '',
      deleted = '',
      ethereumNonce = '',
      evmAddress = '',
      expirationTimestamp = '',
      key = '',
      maxAutomaticTokenAssociations = '',
      memo = '',
      pendingReward = '',
      receiverSigRequired = '',
      stakedAccountId = '',
      stakedNodeId = '',
      stakePeriodStart = '',
      tokens = '',
    ] = line.split(fieldSeparator);
    return {
      id,
      alias,
      autoRenewPeriod,
      balance,
      balanceTimestamp,
      createdTimestamp,
      declineReward,
      delegationAddress,
      deleted,
      ethereumNonce,
      evmAddress,
      expirationTimestamp,
      key,
      maxAutomaticTokenAssociations,
      memo,
      pendingReward,
      receiverSigRequired,
      stakedAccountId,
      stakedNodeId,
      stakePeriodStart,
      tokens,
    };
  });

/** Runs a statement of `accountsStatement`. With a `name`, it is prepared under it. */
export const readAccounts = async (
  db: Queryable,
  text: string,
  values: readonly unknown[],
  name?: string,
): Promise<PackedAccount[]> => {
  const [row] = await db.query<{ readonly accounts: string | null }>(text, values, name);
  return row === undefined || row.accounts === null ? [] : unpack(row.accounts);
};
