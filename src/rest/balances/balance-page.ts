/** A page of balances with their token balances, read in one round trip as one text: now, or at a snapshot. */
import { alternatives, conjunction } from '../../api/bounds.ts';
import type { Order } from '../../api/page.ts';
import { entityId, int64, list } from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import { intervalConditions, type StatementBuilder, statementBuilder, whereClause } from '../../api/sql.ts';
import type { SteppedResult } from '../../api/stepped-search.ts';
import type { Queryable } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import {
  balanceConditions,
  boundsConditions,
  isIdOfNoSyntheticTreasury,
  isNoSyntheticTreasury,
  publicKeyConditions,
  treasuryOf,
} from '../accounts/account-filters.ts';
import { type EntitySearch, entityConditions, entityPage, searchEntities } from '../accounts/entity-search.ts';
import { type BalanceSnapshot, snapshotConditions } from './balance-snapshot.ts';
import { currentTokenBalances, tokenBalance, tokenBalancesAt } from './token-balances.ts';

export const accountBalance = resource({
  name: 'AccountBalance',
  keys: { id: 'p.id', timestamp: 'p.balance_timestamp' },
  fields: {
    account: entityId('p.id'),
    balance: int64('p.balance', 'Tinybars.'),
    tokens: list(
      'p.tokens',
      tokenBalance,
      'By token id. Only the first ones of an account that holds very many tokens.',
    ),
  },
});

type AccountBalanceRow = Awaited<ReturnType<typeof accountBalance.read>>[number];

export interface BalancePage {
  /** Digits of nanoseconds: of the snapshot, or of the newest change among the balances of the page. */
  readonly timestamp: string | null;
  readonly balances: readonly AccountBalanceRow[];
  /** Where the search goes on after a page that is not full; null when nothing is left. */
  readonly examinedTo: EntityId | null;
}

/** The newest timestamp (digits) among balances; null without any. */
export const newestTimestamp = (rows: readonly { readonly timestamp: string | null }[]): string | null => {
  const [first, ...others] = [...new Set(rows.flatMap(({ timestamp }) => timestamp || []))];
  if (first === undefined) return null;
  return others.reduce((newest, next) => (BigInt(next) > BigInt(newest) ? next : newest), first);
};

const pageOf = ({ rows, examinedTo }: SteppedResult<AccountBalanceRow>): BalancePage => ({
  timestamp: newestTimestamp(rows),
  balances: rows,
  examinedTo,
});

/** @param page statement that gives id, balance and balance_timestamp */
const balancesStatement = (page: string, order: Order, tokens: string): string =>
  accountBalance.statement(`select p.*, ${tokens} as tokens from (${page}) p`, `p.id ${order}`);

const tokenLimitOf = (context: RouteContext): number => context.settings.response.limit.tokenBalance.multipleAccounts;

const findCurrentBalances = async (
  db: Queryable,
  search: EntitySearch,
  context: RouteContext,
): Promise<readonly AccountBalanceRow[]> => {
  const builder = statementBuilder();
  const conditions = entityConditions(builder, search);
  if (conditions === undefined) return [];
  const page = entityPage(builder, ['id', 'balance', 'balance_timestamp'], search, [
    ...conditions,
    'e.balance is not null',
    isNoSyntheticTreasury(builder, treasuryOf(context), 'e'),
  ]);
  const tokens = currentTokenBalances('p.id', search.order, builder.bind(tokenLimitOf(context)));
  return accountBalance.read(db, balancesStatement(page, search.order, tokens), builder.values);
};

export const readCurrentBalances = async (search: EntitySearch, context: RouteContext): Promise<BalancePage> => {
  const find = (db: Queryable, part: EntitySearch) => findCurrentBalances(db, part, context);
  return pageOf(await searchEntities(search, { table: 'entity', idColumn: 'id' }, find, context));
};

/**
 * All accounts of an interval that have rows in the snapshots, in order. Goes from account to account by the primary key,
 * so that its cost does not grow with the number of snapshots; it stops when the reader of it does.
 */
const walkedAccounts = (builder: StatementBuilder, search: EntitySearch, within: string): string | undefined => {
  const interval = conjunction(search.ids);
  if (interval === undefined) return undefined;
  const range = intervalConditions(builder, 'account_id', { ...interval, excluded: [] });
  const first = (conditions: readonly string[]): string =>
    `(select account_id as id from account_balance${whereClause([...conditions, within])}
      order by account_id ${search.order}, consensus_timestamp ${search.order} limit 1)`;
  const following = first([`account_id ${search.order === 'asc' ? '>' : '<'} walked.id`, ...range]);
  return `with recursive walked as (${first(range)} union all select following.id from walked
      cross join lateral ${following} following)
    select id from walked${whereClause(intervalConditions(builder, 'id', { lower: null, upper: null, excluded: interval.excluded }))}`;
};

const hasKeys = ({ keys }: EntitySearch): boolean => keys.equal.length + keys.others.length > 0;

/** Whether neither ids nor keys are named. */
const isWalk = (search: EntitySearch): boolean => !hasKeys(search) && search.ids.equal.length === 0;

/** The ids that the filters allow, in order; undefined when there are none. */
const candidates = (builder: StatementBuilder, search: EntitySearch, within: string): string | undefined => {
  if (hasKeys(search)) {
    const ids = boundsConditions(builder, 'e.id', search.ids);
    if (ids === undefined) return undefined;
    const conditions = [...ids, ...publicKeyConditions(builder, 'e.public_key', search.keys)];
    return `select e.id from entity e${whereClause(conditions)} order by e.id ${search.order}`;
  }
  const equal = alternatives(search.ids);
  if (equal === undefined) return walkedAccounts(builder, search, within);
  if (equal.length === 0) return undefined;
  return `select id from unnest(${builder.bind(equal)}::bigint[]) named(id) order by id ${search.order}`;
};

const findBalancesAt = async (
  db: Queryable,
  search: EntitySearch,
  snapshot: BalanceSnapshot,
  context: RouteContext,
): Promise<readonly AccountBalanceRow[]> => {
  const builder = statementBuilder();
  const timestamp = `${builder.bind(snapshot.timestamp)}::bigint`;
  const within = snapshotConditions(builder, snapshot);
  const ids = candidates(builder, search, within);
  const balances = balanceConditions(builder, 'newest.balance', search.balances);
  if (ids === undefined || balances === undefined) return [];
  const conditions = [...balances, isIdOfNoSyntheticTreasury(builder, treasuryOf(context), 'c.id')];
  // Accounts that are walked to come in order one by one, and the walk goes no further than the limit; sorting them would
  // have it go to the end.
  const order = isWalk(search) ? '' : ` order by c.id ${search.order}`;
  const page = `select c.id, newest.balance, ${timestamp} as balance_timestamp from (${ids}) c cross join lateral (
      select balance from account_balance where account_id = c.id and ${within}
      order by consensus_timestamp desc limit 1) newest${whereClause(conditions)}${order} limit ${builder.bind(search.limit)}`;
  const tokens = tokenBalancesAt('p.id', search.order, within, builder.bind(tokenLimitOf(context)));
  return accountBalance.read(db, balancesStatement(page, search.order, tokens), builder.values);
};

export const readBalancesAt = async (
  search: EntitySearch,
  snapshot: BalanceSnapshot,
  context: RouteContext,
): Promise<BalancePage> => {
  const find = (db: Queryable, part: EntitySearch) => findBalancesAt(db, part, snapshot, context);
  return pageOf(await searchEntities(search, { table: 'account_balance', idColumn: 'account_id' }, find, context));
};
