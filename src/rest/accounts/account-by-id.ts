/** `/api/v1/accounts/{idOrAliasOrEvmAddress}`: one account, now or as it was, with a page of its transactions. */
import { type Bounds, boundsOf, conjunction, type Interval } from '../../api/bounds.ts';
import { lookupAccountId } from '../../api/entity-lookup.ts';
import { linksJson } from '../../api/json.ts';
import { limitOf, type Order, orderOf } from '../../api/page.ts';
import {
  booleanParameter,
  limitParameter,
  MAX_INT8,
  orderParameter,
  timestampParameter,
  transactionTypeParameter,
} from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import { acceptInOrder, allOf, type Filter, groupQuery, lastOf } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { type StatementBuilder, statementBuilder, statementName } from '../../api/sql.ts';
import { timestampBounds } from '../../api/timestamp-filter.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { balanceFromTransfers } from '../balances/balance-history.ts';
import {
  asOfInterval,
  type BalanceSnapshot,
  findBalanceSnapshot,
  snapshotConditions,
} from '../balances/balance-snapshot.ts';
import { currentTokenBalances, tokenBalancesAt } from '../balances/token-balances.ts';
import {
  readTransactionPage,
  type TransactionPage,
  transactionPageLink,
  transactionTypesOf,
} from '../transactions/transaction-list.ts';
import { isNoSyntheticTreasury, treasuryOf } from './account-filters.ts';
import { accountMembersJson } from './account-json.ts';
import { accountsStatement, currentStake, entityColumns, type PackedAccount, readAccounts } from './account-page.ts';
import { isAccount } from './entity-search.ts';

const singleParameters = {
  limit: limitParameter,
  order: orderParameter,
  timestamp: timestampParameter,
  transactions: booleanParameter,
  transactiontype: transactionTypeParameter,
};

const idParameter = 'idOrAliasOrEvmAddress';

const tokenOrder: Order = 'asc';

interface AccountQuery {
  readonly builder: StatementBuilder;
  /** Placeholder of the account's id. */
  readonly id: string;
  /** Condition on an entity `e`. */
  readonly isShown: string;
}

const accountQuery = (id: EntityId, context: RouteContext): AccountQuery => {
  const builder = statementBuilder();
  return {
    builder,
    id: `${builder.bind(id)}::bigint`,
    isShown: `e.${isAccount} and ${isNoSyntheticTreasury(builder, treasuryOf(context), 'e')}`,
  };
};

const tokenLimitOf = ({ settings }: RouteContext): number => settings.response.limit.tokenBalance.singleAccount;

const readOne = async (
  { builder }: AccountQuery,
  context: RouteContext,
  page: string,
  stake: string,
  tokens: string,
): Promise<PackedAccount | undefined> => {
  const text = accountsStatement(page, tokenOrder, stake, tokens);
  return (await readAccounts(context.db, text, builder.values, statementName(text)))[0];
};

const readCurrent = (id: EntityId, context: RouteContext): Promise<PackedAccount | undefined> => {
  const query = accountQuery(id, context);
  const page = `select ${entityColumns} from entity e where e.id = ${query.id} and ${query.isShown}`;
  const tokens = currentTokenBalances('p.id', tokenOrder, query.builder.bind(tokenLimitOf(context)));
  return readOne(query, context, page, currentStake, tokens);
};

/** As PostgreSQL's int8range takes it; its end can't lie at the end of int8, since it is kept exclusively. */
const rangeOf = (builder: StatementBuilder, { lower, upper }: Interval): string =>
  `int8range(${builder.bind(lower)}::bigint, ${builder.bind(upper === MAX_INT8 ? null : upper)}::bigint, '[]')`;

/**
 * The newest version of a row that was in force at some time of the range and holds under the other conditions. Versions
 * don't overlap, so that only the last one that began before the end of the range can be it.
 */
const newestVersion = (
  table: string,
  columns: string,
  id: string,
  range: string,
  others: readonly string[] = [],
): string => {
  const where = [`id = ${id}`, ...others].join(' and ');
  return `(
  select * from (
    select ${columns} from ${table} where ${where}
    union all
    (select ${columns} from ${table}_history where ${where}
        and lower(timestamp_range) < coalesce(upper(${range}), ${MAX_INT8})
      order by lower(timestamp_range) desc limit 1)
  ) version
  where timestamp_range && ${range} order by lower(timestamp_range) desc limit 1)`;
};

/** Leaves out the versions that were in force at the times that `ne` names. */
const notInForceAt = (builder: StatementBuilder, times: readonly bigint[]): string[] =>
  times.map((time) => `not timestamp_range @> ${builder.bind(time)}::bigint`);

const stakeColumns = 'id, end_stake_period, pending_reward, timestamp_range';

/**
 * The account as of the newest time in the interval. Its balance is that of the snapshot, empty if the account is not in
 * it; without one, what that version of the account says.
 */
const readVersion = async (
  id: EntityId,
  interval: Interval,
  snapshot: BalanceSnapshot | undefined,
  context: RouteContext,
): Promise<PackedAccount | undefined> => {
  const query = accountQuery(id, context);
  const { builder } = query;
  const range = rangeOf(builder, interval);
  const others = notInForceAt(builder, interval.excluded);
  const version = `select * from ${newestVersion('entity', entityColumns, query.id, range, others)} e where ${query.isShown}`;
  const stake = newestVersion('entity_stake', stakeColumns, 'p.id', range);
  if (snapshot === undefined) return readOne(query, context, version, stake, 'null');
  const timestamp = `${builder.bind(snapshot.timestamp)}::bigint`;
  const within = snapshotConditions(builder, snapshot);
  const balanceColumns = `b.balance, ${timestamp} as balance_timestamp`;
  const columns = entityColumns
    .split(', ')
    .flatMap((column) =>
      column === 'balance' ? [balanceColumns] : column === 'balance_timestamp' ? [] : [`v.${column}`],
    );
  const page = `select ${columns.join(', ')} from (${version}) v left join lateral (
    select balance from account_balance where account_id = v.id and ${within}
    order by consensus_timestamp desc limit 1) b on true`;
  const tokens = tokenBalancesAt('p.id', tokenOrder, within, builder.bind(tokenLimitOf(context)));
  return readOne(query, context, page, stake, tokens);
};

/**
 * As `readVersion`; an account without a balance in a snapshot gets the one that its transfers give, where all of them are
 * known, else 0 as of the snapshot: it came after that.
 */
const readHistorical = async (
  id: EntityId,
  interval: Interval,
  snapshot: BalanceSnapshot | undefined,
  context: RouteContext,
): Promise<PackedAccount | undefined> => {
  const account = await readVersion(id, interval, snapshot, context);
  if (account === undefined || (snapshot !== undefined && account.balance !== '')) return account;
  const past = await balanceFromTransfers(id, interval.upper ?? MAX_INT8, tokenLimitOf(context), context);
  if (past !== undefined) {
    return { ...account, balance: past.balance, balanceTimestamp: past.timestamp, tokens: past.tokens };
  }
  return snapshot === undefined ? account : { ...account, balance: '0' };
};

const readAccount = async (
  id: EntityId,
  timestamps: Bounds | undefined,
  context: RouteContext,
): Promise<PackedAccount | undefined> => {
  if (timestamps === undefined) return readCurrent(id, context);
  const interval = conjunction(timestamps);
  const asOf = asOfInterval(timestamps);
  if (interval === undefined || asOf === undefined) throw notFound('Timestamp range is empty');
  return readHistorical(id, interval, await findBalanceSnapshot(asOf, context), context);
};

const noTransactions: TransactionPage = { transactions: [], next: null };

const readTransactions = (
  id: EntityId,
  filters: readonly Filter[],
  order: Order,
  request: RestRequest,
  context: RouteContext,
): Promise<TransactionPage> => {
  if (lastOf(filters, 'transactions')?.value.toLowerCase() === 'false') return Promise.resolve(noTransactions);
  return readTransactionPage(
    {
      accounts: boundsOf([{ operator: 'eq', value: id }]),
      timestamps: timestampBounds(filters),
      types: transactionTypesOf(filters),
      result: undefined,
      direction: undefined,
      order,
      limit: limitOf(filters, context.settings.response.limit, request.user),
    },
    context,
  );
};

export const getAccount = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  const filters = acceptInOrder(query, singleParameters, context.settings.query);
  const id = await lookupAccountId(request.pathParameters[idParameter] ?? '', context, idParameter);
  const order = orderOf(filters, 'desc');
  const timestamps = allOf(filters, 'timestamp').length > 0 ? timestampBounds(filters) : undefined;
  const [account, page] = await inSnapshot(context, (snapshot) =>
    Promise.all([readAccount(id, timestamps, snapshot), readTransactions(id, filters, order, request, snapshot)]),
  );
  if (account === undefined) throw notFound();
  const link = transactionPageLink(request, query, order, page);
  const { enableDelegationAddress } = context.settings.response;
  const members = accountMembersJson(account, { showBalance: true, showDelegationAddress: enableDelegationAddress });
  const transactions = `"transactions":[${page.transactions.join(',')}],"links":${linksJson(link)}`;
  return { status: 200, body: `{${members},${transactions}}`, link };
};
