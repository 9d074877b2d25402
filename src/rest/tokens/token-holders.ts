/** `/api/v1/tokens/{tokenId}/balances`: who holds a token, now or at the newest snapshot that the timestamps allow. */
import { type Bounds, conjunction, isUnbounded } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { timestampJson } from '../../api/json.ts';
import type { Order } from '../../api/page.ts';
import { publicKeyDigits, publicKeyParameter } from '../../api/parameter-checks.ts';
import { type RacedSearch, searchByRacing } from '../../api/raced-search.ts';
import { endpoint, pageAnswer } from '../../api/resource/endpoint.ts';
import { entityId, int64, listSchema, nullable } from '../../api/resource/field.ts';
import { entityIds, filters, integers, limit, order, timestamps } from '../../api/resource/parameter.ts';
import { resource } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import { linksSchema, nullableTimestampSchema, objectSchema } from '../../api/schemas.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { intervalConditions, type StatementBuilder, statementBuilder, whereClause } from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import type { Reader } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { accountPublicKeys } from '../accounts/account-parameters.ts';
import { newestTimestamp } from '../balances/balance-page.ts';
import {
  asOfInterval,
  type BalanceSnapshot,
  findBalanceSnapshot,
  snapshotConditions,
} from '../balances/balance-snapshot.ts';
import { type HolderSearch, isNewestRow, newestBalance, walkedHolders, walksOfKey } from './holder-walks.ts';
import { entityIdInterval, linkAfter } from './token-links.ts';
import { readTokenId, tokenPath } from './token-path.ts';

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

/** Wraps the statement of a page, which gives account_id, balance and balance_timestamp. */
const readPage = (
  db: Reader,
  builder: StatementBuilder,
  page: string,
  token: string,
  order: Order,
): Promise<readonly HolderRow[]> => {
  const withDecimals = `select p.*, (select decimals from token where token_id = ${token}) as decimals from (${page}) p`;
  return tokenHolder.read(db, tokenHolder.statement(withDecimals, `p.account_id ${order}`), builder.values);
};

const findCurrent = (db: Reader, search: HolderSearch): Promise<readonly HolderRow[]> => {
  const { accounts, balances, order, limit } = search;
  const builder = statementBuilder();
  const token = `${builder.bind(search.tokenId)}::bigint`;
  const conditions = [
    `a.token_id = ${token}`,
    'a.associated',
    ...intervalConditions(builder, 'a.account_id', accounts),
    ...intervalConditions(builder, 'a.balance', balances),
  ];
  const page = `select a.account_id, a.balance, a.balance_timestamp from token_account a${whereClause(conditions)}
    order by a.account_id ${order} limit ${builder.bind(limit)}`;
  return readPage(db, builder, page, token, order);
};

/** Whether the matches may lie far apart among the holders: no index holds balances. */
const isSparse = ({ accounts, balances }: HolderSearch): boolean =>
  (accounts.lower === null || accounts.lower !== accounts.upper) &&
  (balances.lower !== null || balances.upper !== null || balances.excluded.length > 0);

/** Rows with the balances asked for, of any time, that are the newest of their accounts: few, or soon enough for a page. */
const pageOfBalances = (
  builder: StatementBuilder,
  { accounts, balances, order, limit }: HolderSearch,
  token: string,
  timestamp: string,
  within: string,
): string => {
  const conditions = [
    ...intervalConditions(builder, 'b.account_id', accounts),
    ...intervalConditions(builder, 'b.balance', balances),
    isNewestRow(token, 'b', within),
  ];
  return `select b.account_id, b.balance, ${timestamp} as balance_timestamp from (
      select * from token_balance where token_id = ${token} and ${within}) b${whereClause(conditions)}
    order by b.account_id ${order} limit ${builder.bind(limit)}`;
};

const findAt = (db: Reader, search: HolderSearch, snapshot: BalanceSnapshot): Promise<readonly HolderRow[]> => {
  const builder = statementBuilder();
  const token = `${builder.bind(search.tokenId)}::bigint`;
  const timestamp = `${builder.bind(snapshot.timestamp)}::bigint`;
  const within = snapshotConditions(builder, snapshot);
  if (isSparse(search))
    return readPage(db, builder, pageOfBalances(builder, search, token, timestamp, within), token, search.order);
  const conditions = intervalConditions(builder, 'newest.balance', search.balances);
  // Holders come in order one by one, and the walk goes no further than the limit; sorting them would have it go to the end.
  const page = `select h.account_id, newest.balance, ${timestamp} as balance_timestamp
    from (${walkedHolders(builder, search, token, within)}) h
    cross join lateral ${newestBalance(token, 'h.account_id', within)} newest
    ${whereClause(conditions)} limit ${builder.bind(search.limit)}`;
  return readPage(db, builder, page, token, search.order);
};

/** The named accounts, which are known to hold the token. */
const readNamed = (
  db: Reader,
  { tokenId, order }: HolderSearch,
  snapshot: BalanceSnapshot | undefined,
  ids: readonly EntityId[],
): Promise<readonly HolderRow[]> => {
  const builder = statementBuilder();
  const token = `${builder.bind(tokenId)}::bigint`;
  const named = `${builder.bind(ids)}::bigint[]`;
  if (snapshot === undefined) {
    const page = `select account_id, balance, balance_timestamp from token_account
      where token_id = ${token} and account_id = any (${named})`;
    return readPage(db, builder, page, token, order);
  }
  const timestamp = `${builder.bind(snapshot.timestamp)}::bigint`;
  const page = `select h.account_id, newest.balance, ${timestamp} as balance_timestamp from unnest(${named}) h(account_id)
    cross join lateral ${newestBalance(token, 'h.account_id', snapshotConditions(builder, snapshot))} newest`;
  return readPage(db, builder, page, token, order);
};

const searchOfKey = async (
  search: HolderSearch,
  publicKey: string,
  snapshot: BalanceSnapshot | undefined,
  context: RouteContext,
): Promise<SteppedResult<HolderRow>> => {
  const { accounts: interval, order, limit } = search;
  const table = snapshot === undefined ? 'token_account' : 'token_balance';
  const walks = walksOfKey(search, publicKey, snapshot);
  const raced: RacedSearch = { table, idColumn: 'account_id', interval, order, limit, walks };
  const { rows: ids, examinedTo } = await searchByRacing(raced, context);
  return { rows: ids.length === 0 ? [] : await readNamed(context.db, search, snapshot, ids), examinedTo };
};

/** @param snapshot undefined: holders of now */
const searchHolders = async (
  search: HolderSearch,
  snapshot: BalanceSnapshot | undefined,
  context: RouteContext,
): Promise<SteppedResult<HolderRow>> => {
  const { publicKey, accounts, order, limit } = search;
  if (publicKey !== undefined) return searchOfKey(search, publicKey, snapshot, context);
  const find = (db: Reader, part: HolderSearch) =>
    snapshot === undefined ? findCurrent(db, part) : findAt(db, part, snapshot);
  if (!isSparse(search)) return { rows: await find(context.db, search), examinedTo: null };
  return searchInSteps(
    {
      interval: accounts,
      order,
      limit,
      tables: [snapshot === undefined ? 'token_account' : 'token_balance'],
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
  if (timestamps === undefined) return searchHolders(search, undefined, context);
  const interval = asOfInterval(timestamps);
  const snapshot = interval === undefined ? undefined : await findBalanceSnapshot(interval, context);
  return snapshot === undefined ? noHolders : searchHolders(search, snapshot, context);
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
      return pageAnswer('balances', rows, tokenHolder.put, link, { timestamp: timestampJson(newestTimestamp(rows)) });
    }),
});
