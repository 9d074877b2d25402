/** `/api/v1/tokens/{tokenId}/balances`: who holds a token, now or at the newest snapshot that the timestamps allow. */
import { type Bounds, conjunction, everything, type Interval } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { linksJson, timestampJson } from '../../api/json.ts';
import { limitOf, type Order, orderOf } from '../../api/page.ts';
import {
  entityIdParameter,
  limitParameter,
  nonNegativeInt8Parameter,
  orderParameter,
  publicKeyDigits,
  publicKeyParameter,
  timestampParameter,
} from '../../api/parameter-checks.ts';
import { acceptSorted, allOf, type Filter, groupQuery, lastOf } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import { timestampBounds } from '../../api/timestamp-filter.ts';
import type { Queryable } from '../../database/connection.ts';
import { type EntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { newestTimestamp } from '../balances/balance-page.ts';
import {
  asOfInterval,
  type BalanceSnapshot,
  findBalanceSnapshot,
  snapshotConditions,
} from '../balances/balance-snapshot.ts';
import { entityIdInterval, integerBounds, linkAfter, readTokenId } from './token-reference.ts';

const listParameters = {
  'account.balance': nonNegativeInt8Parameter,
  'account.id': entityIdParameter,
  'account.publickey': publicKeyParameter,
  limit: limitParameter,
  order: orderParameter,
  timestamp: timestampParameter,
};

interface HolderSearch {
  readonly tokenId: EntityId;
  readonly accounts: Interval;
  /** In the token's smallest unit. */
  readonly balances: Interval;
  /** Hex of the one public key that an account must have. */
  readonly publicKey: string | undefined;
  readonly order: Order;
  readonly limit: number;
}

interface HolderRow {
  readonly account_id: string;
  readonly balance: string;
  readonly decimals: string | null;
  /** Of the snapshot, or of the newest change among what was read with this. */
  readonly timestamp: string | null;
}

/** Accounts with the key, to be looked up before anything else: `offset 0` keeps the planner from walking all holders. */
const accountsOfKey = (builder: StatementBuilder, publicKey: string, accounts: Interval): string =>
  `(select e.id as account_id from entity e${whereClause([
    `e.public_key = ${builder.bind(publicKey)}::text`,
    "e.type = 'ACCOUNT'",
    ...intervalConditions(builder, 'e.id', accounts),
  ])} offset 0)`;

/** Wraps the statement of a page, which gives account_id, balance and balance_timestamp. */
const readPage = async (
  db: Queryable,
  builder: StatementBuilder,
  page: string,
  token: string,
  order: Order,
): Promise<readonly HolderRow[]> => {
  const text = `with page as materialized (${page})
    select p.account_id, p.balance, (select decimals from token where token_id = ${token}) as decimals,
      (select max(balance_timestamp) from page)::bigint as timestamp
    from page p order by p.account_id ${order}`;
  return db.query<HolderRow>(text, builder.values, statementName(text));
};

const findCurrent = (db: Queryable, search: HolderSearch): Promise<readonly HolderRow[]> => {
  const builder = statementBuilder();
  const token = `${builder.bind(search.tokenId)}::bigint`;
  const { publicKey, accounts, order } = search;
  const source =
    publicKey === undefined
      ? 'token_account a'
      : `${accountsOfKey(builder, publicKey, accounts)} k join token_account a on a.account_id = k.account_id`;
  const conditions = [
    `a.token_id = ${token}`,
    'a.associated',
    ...(publicKey === undefined ? intervalConditions(builder, 'a.account_id', accounts) : []),
    ...intervalConditions(builder, 'a.balance', search.balances),
  ];
  const page = `select a.account_id, a.balance, a.balance_timestamp from ${source}${whereClause(conditions)}
    order by a.account_id ${order} limit ${builder.bind(search.limit)}`;
  return readPage(db, builder, page, token, order);
};

/**
 * All accounts of an interval that have rows of the token in the snapshots, in order. Goes from account to account by the
 * index on token and account, so that its cost does not grow with the number of snapshots; it stops when its reader does.
 */
const walkedHolders = (builder: StatementBuilder, search: HolderSearch, token: string, within: string): string => {
  const { order, accounts } = search;
  const range = intervalConditions(builder, 'account_id', { ...accounts, excluded: [] });
  const first = (...conditions: readonly string[]): string =>
    `(select account_id from token_balance${whereClause([`token_id = ${token}`, ...conditions, ...range, within])}
      order by account_id ${order}, consensus_timestamp ${order} limit 1)`;
  const following = first(`account_id ${order === 'asc' ? '>' : '<'} walked.account_id`);
  const left = intervalConditions(builder, 'account_id', { ...everything, excluded: accounts.excluded });
  return `(with recursive walked as (${first()} union all
    select following.account_id from walked cross join lateral ${following} following)
    select account_id from walked${whereClause(left)})`;
};

const findAt = (db: Queryable, search: HolderSearch, snapshot: BalanceSnapshot): Promise<readonly HolderRow[]> => {
  const builder = statementBuilder();
  const token = `${builder.bind(search.tokenId)}::bigint`;
  const timestamp = `${builder.bind(snapshot.timestamp)}::bigint`;
  const within = snapshotConditions(builder, snapshot);
  const { publicKey, accounts, order } = search;
  const holders =
    publicKey === undefined
      ? walkedHolders(builder, search, token, within)
      : accountsOfKey(builder, publicKey, accounts);
  const conditions = intervalConditions(builder, 'newest.balance', search.balances);
  // Accounts that are walked to come in order one by one, and the walk goes no further than the limit; sorting them would
  // have it go to the end.
  const sorting = publicKey === undefined ? '' : ` order by h.account_id ${order}`;
  const page = `select h.account_id, newest.balance, ${timestamp} as balance_timestamp from ${holders} h
    cross join lateral (select balance from token_balance where token_id = ${token} and account_id = h.account_id
      and ${within} order by consensus_timestamp desc limit 1) newest
    ${whereClause(conditions)}${sorting} limit ${builder.bind(search.limit)}`;
  return readPage(db, builder, page, token, order);
};

const searchOf = (
  tokenId: EntityId,
  filters: readonly Filter[],
  order: Order,
  limit: number,
  context: RouteContext,
): HolderSearch | undefined => {
  const accounts = entityIdInterval(filters, 'account.id', context);
  const balances = conjunction(integerBounds(filters, 'account.balance'));
  if (accounts === undefined || balances === undefined) return undefined;
  const key = lastOf(filters, 'account.publickey')?.value;
  const publicKey = key === undefined ? undefined : publicKeyDigits(key);
  return { tokenId, accounts, balances, publicKey, order, limit };
};

/**
 * Whether the matches may lie far apart among the holders: no index holds balances, and of the accounts with a key there
 * may be very many, whether they hold the token or not.
 */
const isSparse = ({ publicKey, accounts, balances }: HolderSearch): boolean =>
  (accounts.lower === null || accounts.lower !== accounts.upper) &&
  (publicKey !== undefined || balances.lower !== null || balances.upper !== null || balances.excluded.length > 0);

/** @param table one in which every match has a row with an `account_id` */
const searchHolders = async (
  search: HolderSearch,
  table: string,
  find: (db: Queryable, search: HolderSearch) => Promise<readonly HolderRow[]>,
  context: RouteContext,
): Promise<SteppedResult<HolderRow>> => {
  if (!isSparse(search)) return { rows: await find(context.db, search), examinedTo: null };
  const { accounts, order, limit } = search;
  return searchInSteps(
    {
      interval: accounts,
      order,
      limit,
      tables: [table],
      idColumn: 'account_id',
      find: (db, window, most) => find(db, { ...search, accounts: window, limit: most }),
    },
    context,
  );
};

const noHolders: SteppedResult<HolderRow> = { rows: [], examinedTo: null };

const readHolders = async (
  search: HolderSearch,
  timestamps: Bounds | undefined,
  context: RouteContext,
): Promise<SteppedResult<HolderRow>> => {
  if (timestamps === undefined) return searchHolders(search, 'token_account', findCurrent, context);
  const interval = asOfInterval(timestamps);
  const snapshot = interval === undefined ? undefined : await findBalanceSnapshot(interval, context);
  if (snapshot === undefined) return noHolders;
  return searchHolders(search, 'token_balance', (db, part) => findAt(db, part, snapshot), context);
};

const holderJson = ({ account_id, balance, decimals }: HolderRow): string =>
  `{"account":"${formatEntityId(account_id)}","balance":${balance},"decimals":${decimals ?? 'null'}}`;

export const listHolders = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const tokenId = readTokenId(request, context);
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, listParameters, context.settings.query);
  const order = orderOf(filters, 'desc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const search = searchOf(tokenId, filters, order, limit, context);
  const timestamps = allOf(filters, 'timestamp').length > 0 ? timestampBounds(filters) : undefined;
  const { rows, examinedTo } = search === undefined ? noHolders : await readHolders(search, timestamps, context);
  const last = rows.at(-1);
  const passed = last === undefined || rows.length < limit ? examinedTo?.toString() : last.account_id;
  const link =
    passed === undefined ? null : linkAfter(request, query, order, entityIdPosition('account.id', passed, context));
  const body =
    `{"timestamp":${timestampJson(newestTimestamp(rows))},"balances":[${rows.map(holderJson).join(',')}],` +
    `"links":${linksJson(link)}}`;
  return { status: 200, body, link };
};
