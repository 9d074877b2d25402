/** `/api/v1/transactions`: transactions by time, account, type, result and direction. Accounts show a page of it too. */
import { type Bounds, conjunction } from '../../api/bounds.ts';
import { entityIdBounds, entityIdFilters, type HomeRealm } from '../../api/entity-reference.ts';
import { linksJson } from '../../api/json.ts';
import { limitOf, nextLink, type Order, orderOf, timestampPosition } from '../../api/page.ts';
import {
  creditOrDebitParameter,
  entityIdParameter,
  limitParameter,
  orderParameter,
  resultParameter,
  timestampParameter,
  transactionTypeParameter,
} from '../../api/parameter-checks.ts';
import { acceptSorted, allOf, type Filter, type GroupedQuery, groupQuery, lastOf } from '../../api/query.ts';
import { searchByRacing } from '../../api/raced-search.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { statementName } from '../../api/sql.ts';
import { bindTimestampRange, timestampBounds } from '../../api/timestamp-filter.ts';
import { type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, type Nanos } from '../../ledger/timestamp.ts';
import { transactionTypeNumber } from '../../ledger/transaction-type.ts';
import { transactionJson } from './transaction-json.ts';
import { type PackedTransaction, pageStatement, readPage } from './transaction-page.ts';
import { accountIds, isSparse, searchStatement, type TransactionSearch } from './transaction-search.ts';
import { walksOf } from './transaction-walks.ts';

const listParameters = {
  'account.id': entityIdParameter,
  limit: limitParameter,
  order: orderParameter,
  result: resultParameter,
  timestamp: timestampParameter,
  transactiontype: transactionTypeParameter,
  type: creditOrDebitParameter,
};

const stakingRewardNum = 800n;

/** The account that pays staking rewards. */
export const stakingRewardAccount = ({ shard, realm }: HomeRealm): EntityId =>
  encodeEntityId(shard, realm, stakingRewardNum);

/** What a list of transactions is asked for. */
export interface TransactionListRequest {
  /** Undefined: any account. */
  readonly accounts: Bounds | undefined;
  readonly timestamps: Bounds;
  readonly types: readonly number[];
  readonly result: TransactionSearch['result'];
  readonly direction: TransactionSearch['direction'];
  readonly order: Order;
  readonly limit: number;
}

export interface TransactionPage {
  /** JSON text of each transaction. */
  readonly transactions: readonly string[];
  /** Where the next page starts, in nanoseconds, exclusive; null when this was the last one. */
  readonly next: Nanos | null;
}

const noTransactions: TransactionPage = { transactions: [], next: null };

const namedStatements = {
  asc: pageStatement('select * from transaction where consensus_timestamp = any ($1::bigint[])', 'asc', false),
  desc: pageStatement('select * from transaction where consensus_timestamp = any ($1::bigint[])', 'desc', false),
};

interface Found {
  readonly rows: readonly PackedTransaction[];
  /** The last time that was examined; null when nothing is left beyond the rows, or beyond the last of a full page. */
  readonly examinedTo: Nanos | null;
}

const findSparse = async (search: TransactionSearch, context: RouteContext): Promise<Found> => {
  const { timestamps: interval, order, limit } = search;
  if (search.accounts !== undefined && accountIds(search.accounts)?.length === 0) return { rows: [], examinedTo: null };
  const { rows, examinedTo } = await searchByRacing(
    { table: 'transaction', interval, order, limit, walks: walksOf(search) },
    context,
  );
  if (rows.length === 0) return { rows: [], examinedTo };
  const text = namedStatements[order];
  return { rows: await readPage(context.db, text, [rows], statementName(text)), examinedTo };
};

const findTransactions = async (search: TransactionSearch, context: RouteContext): Promise<Found> => {
  if (isSparse(search)) return findSparse(search, context);
  const statement = searchStatement(search);
  if (statement === undefined) return { rows: [], examinedTo: null };
  return { rows: await readPage(context.db, statement.text, statement.values, statement.name), examinedTo: null };
};

/** One page of transactions. */
export const readTransactionPage = async (
  list: TransactionListRequest,
  context: RouteContext,
): Promise<TransactionPage> => {
  const interval = conjunction(list.timestamps);
  if (interval === undefined) return noTransactions;
  const { query } = context.settings;
  const bound =
    list.timestamps.equal.length > 0
      ? { interval, next: null }
      : await bindTimestampRange(interval, list.order, query, context.db, context.clock);
  const search = {
    ...list,
    timestamps: bound.interval,
    precedingTypes: query.transactions.precedingTransactionTypes,
  };
  const { rows, examinedTo } = await findTransactions(search, context);
  const rewardAccount = stakingRewardAccount(context);
  const last = rows.at(-1);
  const isFull = rows.length === list.limit && last !== undefined;
  return {
    transactions: rows.map((row) => transactionJson(row, rewardAccount)),
    next: isFull ? BigInt(last.consensusTimestamp) : (examinedTo ?? bound.next),
  };
};

/** The link to what follows a page. */
export const transactionPageLink = (
  request: Pick<RestRequest, 'path' | 'linkPrefix'>,
  query: GroupedQuery,
  order: Order,
  page: TransactionPage,
): string | null =>
  page.next === null ? null : nextLink(request, query, order, [timestampPosition(formatTimestamp(page.next))]);

/** Numbers of the types that the filters name. */
export const transactionTypesOf = (filters: readonly Filter[]): number[] => [
  ...new Set(
    allOf(filters, 'transactiontype').map(({ value }) => transactionTypeNumber(value.toUpperCase()) as number),
  ),
];

/** The one direction all `type` filters name; `none` when they name both. */
const directionOf = (filters: readonly Filter[]): TransactionSearch['direction'] | 'none' => {
  const directions = new Set(allOf(filters, 'type').map(({ value }) => value.toLowerCase()));
  if (directions.size > 1) return 'none';
  const [direction] = directions;
  return direction as TransactionSearch['direction'];
};

const readList = async (filters: readonly Filter[], request: RestRequest, context: RouteContext, order: Order) => {
  const accountFilters = entityIdFilters(filters, 'account.id', context);
  const accounts = accountFilters.length === 0 ? undefined : entityIdBounds(accountFilters);
  const direction = directionOf(filters);
  if (direction === 'none' || (accountFilters.length > 0 && accounts === undefined)) return noTransactions;
  return readTransactionPage(
    {
      accounts,
      timestamps: timestampBounds(filters),
      types: transactionTypesOf(filters),
      result: lastOf(filters, 'result')?.value as TransactionSearch['result'],
      direction,
      order,
      limit: limitOf(filters, context.settings.response.limit, request.user),
    },
    context,
  );
};

export const listTransactions = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, listParameters, context.settings.query);
  const order = orderOf(filters, 'desc');
  const page = await readList(filters, request, context, order);
  const link = transactionPageLink(request, query, order, page);
  const body = `{"transactions":[${page.transactions.join(',')}],"links":${linksJson(link)}}`;
  return { status: 200, body, link };
};
