/** A page of balances with their token balances, read in one round trip as one text: now, or at a snapshot. */

import { alternatives, conjunction, isUnbounded } from '../../api/bounds.ts';
import type { Order } from '../../api/page.ts';
import { entityId, int64, list } from '../../api/resource/field.ts';
import type { PageStatement } from '../../api/resource/resource.ts';
import { resource } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import {
  intervalConditions,
  plannedLimit,
  type StatementBuilder,
  statementBuilder,
  whereClause,
} from '../../api/sql.ts';
import type { SteppedResult } from '../../api/stepped-search.ts';
import type { Reader } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import {
  balanceConditions,
  boundsConditions,
  isIdOfNoSyntheticTreasury,
  isNoSyntheticTreasury,
  publicKeyConditions,
  treasuryOf,
} from '../accounts/account-filters.ts';
import {
  accountTypes,
  type EntityFinder,
  type EntitySearch,
  entityConditions,
  entityPage,
  isAccount,
  searchEntities,
} from '../accounts/entity-search.ts';
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
const balancesStatement = (page: string, order: Order, tokens: string): PageStatement =>
  accountBalance.statement(`select p.*, ${tokens} as tokens from (${page}) p`, `p.id ${order}`);

const tokenLimitOf = (context: RouteContext): number => context.settings.response.limit.tokenBalance.multipleAccounts;

const findCurrentBalances = async (
  db: Reader,
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
  const find = (db: Reader, part: EntitySearch) => findCurrentBalances(db, part, context);
  return pageOf(await searchEntities(search, { table: 'entity', idColumn: 'id', find }, context));
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

const newestRow = (account: string, within: string): string =>
  `(select balance from account_balance where account_id = ${account} and ${within}
    order by consensus_timestamp desc limit 1)`;

/** Statements of a page that give id and balance, in whatever order. `conditions` are on a row `c` of them. */
interface PageParts {
  readonly search: EntitySearch;
  readonly builder: StatementBuilder;
  readonly within: string;
  readonly conditions: readonly string[];
  /** The page size, as a placeholder and as the planner is told of it. */
  readonly limit: string;
  readonly planned: number;
}

/**
 * Of each key and type the accounts in the order of their index; key and type as ranges from themselves to themselves, since
 * only that index gives this order.
 */
const pageOfKeys = ({ search, builder, within, conditions, limit, planned }: PageParts): string | undefined => {
  const { keys, order } = search;
  const ids = boundsConditions(builder, 'e.id', search.ids);
  if (ids === undefined) return undefined;
  const others = publicKeyConditions(builder, 'e.public_key', { ...keys, equal: [] });
  const ofType = (type: string): string => {
    const ofKey = [
      'e.public_key >= k.public_key and e.public_key <= k.public_key',
      `e.type >= '${type}' and e.type <= '${type}'`,
      ...ids,
      ...others,
    ];
    return `(select c.id, c.balance from (
        select e.id, newest.balance, e.public_key, e.type from entity e
        cross join lateral ${newestRow('e.id', within)} newest${whereClause(ofKey)}
        order by e.public_key ${order}, e.type ${order}, e.id ${order}) c${whereClause(conditions)}
      limit ${planned})`;
  };
  return `select walked.* from unnest(${builder.bind(keys.equal)}::text[]) k(public_key)
    cross join lateral (${accountTypes.map(ofType).join(' union all ')}) walked order by walked.id ${order} limit ${limit}`;
};

/** All accounts of comparisons of keys. */
const pageOfComparedKeys = ({ search, builder, within, conditions, limit }: PageParts): string | undefined => {
  const ids = boundsConditions(builder, 'e.id', search.ids);
  if (ids === undefined) return undefined;
  const compared = [...ids, ...publicKeyConditions(builder, 'e.public_key', search.keys)];
  return `select c.id, c.balance from (select e.id, newest.balance from entity e
      cross join lateral ${newestRow('e.id', within)} newest${whereClause(compared)}) c${whereClause(conditions)}
    order by c.id ${search.order} limit ${limit}`;
};

const snapshotRows = (within: string): string =>
  `(select account_id as id, balance, consensus_timestamp from account_balance${whereClause([within])})`;

const isNewest = (within: string): string =>
  `c.consensus_timestamp = (select n.consensus_timestamp from account_balance n where n.account_id = c.id and ${within}
    order by n.consensus_timestamp desc limit 1)`;

/**
 * Rows with the balances asked for, of any time, that are the newest of their accounts: where there are few, one pass finds
 * them in a fraction of the time that the walk from account to account takes.
 */
const pageOfBalances = ({ search, builder, within, conditions, limit }: PageParts): string | undefined => {
  const interval = conjunction(search.ids);
  if (interval === undefined) return undefined;
  const matching = [...intervalConditions(builder, 'c.id', interval), ...conditions, isNewest(within)];
  return `select c.id, c.balance from ${snapshotRows(within)} c${whereClause(matching)}
    order by c.id ${search.order} limit ${limit}`;
};

/** Whether accounts of keys or rows with the balances asked for are fewer, the planner knows. */
const pageOfKeysAndBalances = ({ search, builder, within, conditions, limit }: PageParts): string | undefined => {
  const ids = boundsConditions(builder, 'c.id', search.ids);
  if (ids === undefined) return undefined;
  const matching = [
    ...(search.keys.equal.length > 0 ? [isAccount] : []),
    ...publicKeyConditions(builder, 'e.public_key', search.keys),
    ...ids,
    ...conditions,
    isNewest(within),
  ];
  return `select c.id, c.balance from entity e join ${snapshotRows(within)} c on c.id = e.id${whereClause(matching)}
    order by c.id ${search.order} limit ${limit}`;
};

/** Accounts that are walked to come in order one by one, and the walk goes no further than the limit. */
const pageOfWalk = ({ search, builder, within, conditions, limit }: PageParts): string | undefined => {
  const walked = walkedAccounts(builder, search, within);
  return (
    walked &&
    `select c.id, c.balance from (select w.id, newest.balance from (${walked}) w
      cross join lateral ${newestRow('w.id', within)} newest) c${whereClause(conditions)} limit ${limit}`
  );
};

const pageOfNamed = ({ search, builder, within, conditions, limit }: PageParts): string | undefined => {
  const equal = alternatives(search.ids) ?? [];
  if (equal.length === 0) return undefined;
  return `select c.id, c.balance from (select n.id, newest.balance from unnest(${builder.bind(equal)}::bigint[]) n(id)
      cross join lateral ${newestRow('n.id', within)} newest) c${whereClause(conditions)}
    order by c.id ${search.order} limit ${limit}`;
};

type PageMaker = (parts: PageParts) => string | undefined;

const pageMaker = ({ ids, keys, balances }: EntitySearch): PageMaker => {
  if (keys.equal.length > 0) return pageOfKeys;
  if (keys.others.length > 0) return pageOfComparedKeys;
  if (ids.equal.length > 0) return pageOfNamed;
  return isUnbounded(balances) ? pageOfWalk : pageOfBalances;
};

/** For a statement that is planned for its values. */
const plannedPageMaker = (search: EntitySearch): PageMaker => {
  const namesKeys = search.keys.equal.length + search.keys.others.length > 0;
  return namesKeys && !isUnbounded(search.balances) ? pageOfKeysAndBalances : pageMaker(search);
};

const findBalancesAt = async (
  db: Reader,
  search: EntitySearch,
  pageMakerOf: (search: EntitySearch) => PageMaker,
  snapshot: BalanceSnapshot,
  context: RouteContext,
): Promise<readonly AccountBalanceRow[]> => {
  const builder = statementBuilder();
  const timestamp = `${builder.bind(snapshot.timestamp)}::bigint`;
  const within = snapshotConditions(builder, snapshot);
  const balances = balanceConditions(builder, 'c.balance', search.balances);
  if (balances === undefined) return [];
  const found = pageMakerOf(search)({
    search,
    builder,
    within,
    conditions: [...balances, isIdOfNoSyntheticTreasury(builder, treasuryOf(context), 'c.id')],
    limit: builder.bind(search.limit),
    planned: plannedLimit(search.limit),
  });
  if (found === undefined) return [];
  const page = `select f.id, f.balance, ${timestamp} as balance_timestamp from (${found}) f`;
  const tokens = tokenBalancesAt('p.id', search.order, within, builder.bind(tokenLimitOf(context)));
  return accountBalance.read(db, balancesStatement(page, search.order, tokens), builder.values);
};

export const readBalancesAt = async (
  search: EntitySearch,
  snapshot: BalanceSnapshot,
  context: RouteContext,
): Promise<BalancePage> => {
  const finder: EntityFinder<AccountBalanceRow> = {
    table: 'account_balance',
    idColumn: 'account_id',
    find: (db, part) => findBalancesAt(db, part, pageMaker, snapshot, context),
    findPlanned: (db, part) => findBalancesAt(db, part, plannedPageMaker, snapshot, context),
  };
  return pageOf(await searchEntities(search, finder, context));
};
