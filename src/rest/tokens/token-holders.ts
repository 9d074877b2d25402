/** `/api/v1/tokens/{tokenId}/balances`: who holds a token, now or at the newest snapshot that the timestamps allow. */
import { type Bounds, conjunction, everything, type Interval, isUnbounded } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { linksJson, timestampJson } from '../../api/json.ts';
import type { Order } from '../../api/page.ts';
import { publicKeyDigits, publicKeyParameter } from '../../api/parameter-checks.ts';
import { endpoint } from '../../api/resource/endpoint.ts';
import { entityId, int64, listSchema, nullable } from '../../api/resource/field.ts';
import { entityIds, filters, integers, limit, order, timestamps } from '../../api/resource/parameter.ts';
import { resource } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import { linksSchema, nullableTimestampSchema, objectSchema } from '../../api/schemas.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { intervalConditions, type StatementBuilder, statementBuilder, whereClause } from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import type { Queryable } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { accountPublicKeys } from '../accounts/account-parameters.ts';
import { newestTimestamp } from '../balances/balance-page.ts';
import {
  asOfInterval,
  type BalanceSnapshot,
  findBalanceSnapshot,
  snapshotConditions,
} from '../balances/balance-snapshot.ts';
import { entityIdInterval, linkAfter } from './token-links.ts';
import { readTokenId, tokenPath } from './token-path.ts';

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

const tokenHolder = resource({
  name: 'TokenHolder',
  keys: { accountId: 'p.account_id', timestamp: 'p.balance_timestamp' },
  fields: {
    account: entityId('p.account_id'),
    balance: int64('p.balance', 'In the smallest unit of the token; of NFTs, how many.'),
    decimals: nullable(int64('p.decimals', 'Of the token; null when it is not known.')),
  },
});

type HolderRow = Awaited<ReturnType<typeof tokenHolder.read>>[number];

/** Accounts with the key, to be looked up before anything else: `offset 0` keeps the planner from walking all holders. */
const accountsOfKey = (builder: StatementBuilder, publicKey: string, accounts: Interval): string =>
  `(select e.id as account_id from entity e${whereClause([
    `e.public_key = ${builder.bind(publicKey)}::text`,
    "e.type = 'ACCOUNT'",
    ...intervalConditions(builder, 'e.id', accounts),
  ])} offset 0)`;

/** Wraps the statement of a page, which gives account_id, balance and balance_timestamp. */
const readPage = (
  db: Queryable,
  builder: StatementBuilder,
  page: string,
  token: string,
  order: Order,
): Promise<readonly HolderRow[]> => {
  const withDecimals = `select p.*, (select decimals from token where token_id = ${token}) as decimals from (${page}) p`;
  return tokenHolder.read(db, tokenHolder.statement(withDecimals, `p.account_id ${order}`), builder.values);
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

/** The last one counts. */
const publicKeys = filters(publicKeyParameter, {
  ...accountPublicKeys.doc,
  description: 'Hex of the only public key of the account. The last counts.',
});

export const tokenHolderList = endpoint({
  path: '/api/v1/tokens/{tokenId}/balances',
  flavour: 'js',
  operationId: 'getTokenBalances',
  summary: 'List the balances of a token',
  description:
    'Current balances of the associated accounts. With timestamps, those of the newest snapshot that they allow, no ' +
    'older than the start of the month before; a single timestamp means as of that time. A token that does not ' +
    'exist has no balances.',
  tag: 'tokens',
  refusals: 'sorted',
  pathParameters: tokenPath,
  parameters: {
    'account.balance': integers('Balance in the smallest unit of the token; repeatable.', ['gt:400']),
    'account.id': entityIds('Id of the account. Several must all hold.'),
    'account.publickey': publicKeys,
    limit,
    order: order('desc'),
    timestamp: timestamps,
  },
  answer: {
    description: 'One page of balances.',
    schema: objectSchema({
      timestamp: {
        ...nullableTimestampSchema,
        description: 'Of the snapshot; of current balances, the newest change among those on this page.',
      },
      balances: listSchema(tokenHolder.schema),
      links: linksSchema,
    }),
    schemas: tokenHolder.schemas,
  },
  problems: [400],

  resolve: ({ path }, context) => readTokenId(path, context),

  handle: ({ request, subject: tokenId, query, grouped }, outside) =>
    inSnapshot(outside, async (context) => {
      const accounts = entityIdInterval(query['account.id']);
      const balances = conjunction(query['account.balance']);
      const key = query['account.publickey'].at(-1)?.value;
      const asked = isUnbounded(query.timestamp) ? undefined : query.timestamp;
      const search = accounts &&
        balances && {
          tokenId,
          accounts,
          balances,
          publicKey: key === undefined ? undefined : publicKeyDigits(key),
          order: query.order,
          limit: query.limit,
        };
      const { rows, examinedTo } = search === undefined ? noHolders : await readHolders(search, asked, context);
      const last = rows.at(-1);
      const passed = last === undefined || rows.length < query.limit ? examinedTo?.toString() : last.accountId;
      const link =
        passed === undefined
          ? null
          : linkAfter(request, grouped, query.order, entityIdPosition('account.id', passed, context));
      const body =
        `{"timestamp":${timestampJson(newestTimestamp(rows))},` +
        `"balances":[${rows.map(tokenHolder.json).join(',')}],"links":${linksJson(link)}}`;
      return { status: 200, body, link };
    }),
});
