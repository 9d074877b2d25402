/** `/api/v1/transactions`: transactions by time, account, type, result and direction. Accounts show a page of it too. */

import { type Bounds, conjunction } from '../../api/bounds.ts';
import { entityIdBounds } from '../../api/entity-reference.ts';
import { nextLink, type Order, timestampPosition } from '../../api/page.ts';
import type { GroupedQuery } from '../../api/query.ts';
import { searchByRacing } from '../../api/raced-search.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { entityIds, limit, order, timestamps, transactionTypes, words } from '../../api/resource/parameter.ts';
import type { PageStatement } from '../../api/resource/resource.ts';
import type { RestRequest, RouteContext } from '../../api/route.ts';
import { bindTimestampRange } from '../../api/timestamp-filter.ts';
import { formatTimestamp, type Nanos } from '../../ledger/timestamp.ts';
import { type TransactionRow, transaction } from './transaction.ts';
import { accountIds, isSparse, searchStatement, type TransactionSearch } from './transaction-search.ts';
import { walksOf } from './transaction-walks.ts';

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
  readonly transactions: readonly TransactionRow[];
  /** Where the next page starts, in nanoseconds, exclusive; null when this was the last one. */
  readonly next: Nanos | null;
}

export const noTransactions: TransactionPage = { transactions: [], next: null };

const namedTransactions = (order: Order): PageStatement =>
  transaction.statement(
    'select * from transaction where consensus_timestamp = any ($1::bigint[])',
    `p.consensus_timestamp ${order}`,
  );

const namedStatements = { asc: namedTransactions('asc'), desc: namedTransactions('desc') };

interface Found {
  readonly rows: readonly TransactionRow[];
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
  return { rows: await transaction.read(context.db, namedStatements[order], [rows]), examinedTo };
};

const findTransactions = async (search: TransactionSearch, context: RouteContext): Promise<Found> => {
  if (isSparse(search)) return findSparse(search, context);
  const found = searchStatement(search);
  if (found === undefined) return { rows: [], examinedTo: null };
  return { rows: await transaction.read(context.db, found.statement, found.values), examinedTo: null };
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
  const last = rows.at(-1);
  const isFull = rows.length === list.limit && last !== undefined;
  return {
    transactions: rows,
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

export const transactionList = endpoint({
  path: '/api/v1/transactions',
  flavour: 'js',
  cacheSeconds: 2,
  operationId: 'getTransactions',
  summary: 'List transactions',
  description:
    'Newest first unless ordered otherwise. Filters of different kinds narrow each other. A search for rare ' +
    'transactions that takes too long ends early: the page then holds what was found, perhaps nothing, and ' +
    '`links.next` goes on from there.',
  tag: 'transactions',
  refusals: 'sorted',
  parameters: {
    'account.id': entityIds(
      'Account that paid for the transaction or whose hbar or tokens it moved. Several `eq` mean any of them.',
    ),
    limit,
    order: order('desc'),
    result: words('Only successful, or only failed transactions.', ['success', 'fail']),
    timestamp: timestamps,
    transactiontype: transactionTypes,
    type: words('Only transactions that moved hbar or tokens to (credit) or from (debit) the account.', [
      'credit',
      'debit',
    ]),
  },
  answer: pageOf('transactions', transaction, 'One page of transactions.'),
  problems: [400],

  handle: async ({ request, query, grouped }, context) => {
    const accounts = query['account.id'];
    const bounds = accounts.length === 0 ? undefined : entityIdBounds(accounts);
    const directions = new Set(query.type);
    const isEmpty = directions.size > 1 || (accounts.length > 0 && bounds === undefined);
    const page = isEmpty
      ? noTransactions
      : await readTransactionPage(
          {
            accounts: bounds,
            timestamps: query.timestamp,
            types: query.transactiontype,
            result: query.result.at(-1),
            direction: query.type.at(0),
            order: query.order,
            limit: query.limit,
          },
          context,
        );
    return pageAnswer(
      'transactions',
      page.transactions,
      transaction.put,
      transactionPageLink(request, grouped, query.order, page),
    );
  },
});
