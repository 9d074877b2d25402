/** `/api/v1/accounts/{idOrAliasOrEvmAddress}`: one account, now or as it was, with a page of its transactions. */

import { type Bounds, boundsOf, conjunction, type Interval, isUnbounded } from '../../api/bounds.ts';
import { lookupAccountId } from '../../api/entity-lookup.ts';
import { linksJson } from '../../api/json.ts';
import type { Order } from '../../api/page.ts';
import { MAX_INT8 } from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import { endpoint, oneAnswer } from '../../api/resource/endpoint.ts';
import { listSchema } from '../../api/resource/field.ts';
import type { JsonBytes } from '../../api/resource/json-bytes.ts';
import { flag, limit, order, timestamps, transactionTypes } from '../../api/resource/parameter.ts';
import { extended } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import { linksSchema } from '../../api/schemas.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { type StatementBuilder, statementBuilder } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { balanceFromTransfers } from '../balances/balance-history.ts';
import {
  asOfInterval,
  type BalanceSnapshot,
  findBalanceSnapshot,
  snapshotConditions,
} from '../balances/balance-snapshot.ts';
import { currentTokenBalances, tokenBalancesAt } from '../balances/token-balances.ts';
import { transaction } from '../transactions/transaction.ts';
import {
  noTransactions,
  readTransactionPage,
  type TransactionListRequest,
  transactionPageLink,
} from '../transactions/transaction-list.ts';
import { account, accountStatement, accountVariant, currentStake, entityColumns } from './account.ts';
import { isNoSyntheticTreasury, treasuryOf } from './account-filters.ts';
import { accountPath } from './account-parameters.ts';
import { isAccount } from './entity-search.ts';

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

type AccountRow = Awaited<ReturnType<typeof account.read>>[number];

const readOne = async (
  { builder }: AccountQuery,
  context: RouteContext,
  page: string,
  stake: string,
  tokens: string,
): Promise<AccountRow | undefined> => {
  const [row] = await account.read(context.db, accountStatement(page, tokenOrder, stake, tokens), builder.values);
  return row;
};

const readCurrent = (id: EntityId, context: RouteContext): Promise<AccountRow | undefined> => {
  const query = accountQuery(id, context);
  const page = `select ${entityColumns.join(', ')} from entity e where e.id = ${query.id} and ${query.isShown}`;
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
  columns: readonly string[],
  id: string,
  range: string,
  others: readonly string[] = [],
): string => {
  const shown = columns.join(', ');
  const where = [`id = ${id}`, ...others].join(' and ');
  return `(
  select * from (
    select ${shown} from ${table} where ${where}
    union all
    (select ${shown} from ${table}_history where ${where}
        and lower(timestamp_range) < coalesce(upper(${range}), ${MAX_INT8})
      order by lower(timestamp_range) desc limit 1)
  ) version
  where timestamp_range && ${range} order by lower(timestamp_range) desc limit 1)`;
};

/** Leaves out the versions that were in force at the times that `ne` names. */
const notInForceAt = (builder: StatementBuilder, times: readonly bigint[]): string[] =>
  times.map((time) => `not timestamp_range @> ${builder.bind(time)}::bigint`);

const stakeColumns = ['id', 'end_stake_period', 'pending_reward', 'timestamp_range'];

/**
 * The account as of the newest time in the interval. Its balance is that of the snapshot, empty if the account is not in
 * it; without one, what that version of the account says.
 */
const readVersion = async (
  id: EntityId,
  interval: Interval,
  snapshot: BalanceSnapshot | undefined,
  context: RouteContext,
): Promise<AccountRow | undefined> => {
  const query = accountQuery(id, context);
  const { builder } = query;
  const range = rangeOf(builder, interval);
  const others = notInForceAt(builder, interval.excluded);
  const version = `select * from ${newestVersion('entity', entityColumns, query.id, range, others)} e where ${query.isShown}`;
  const stake = newestVersion('entity_stake', stakeColumns, 'p.id', range);
  if (snapshot === undefined) return readOne(query, context, version, stake, 'null');
  const timestamp = `${builder.bind(snapshot.timestamp)}::bigint`;
  const within = snapshotConditions(builder, snapshot);
  const columns = entityColumns.map((column) => {
    if (column === 'balance') return 'b.balance';
    return column === 'balance_timestamp' ? `${timestamp} as balance_timestamp` : `v.${column}`;
  });
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
): Promise<AccountRow | undefined> => {
  const version = await readVersion(id, interval, snapshot, context);
  if (version === undefined || (snapshot !== undefined && version.balance !== '')) return version;
  const past = await balanceFromTransfers(id, interval.upper ?? MAX_INT8, tokenLimitOf(context), context);
  if (past !== undefined) {
    return account.replace(version, {
      balance: past.balance,
      balanceTimestamp: past.timestamp,
      tokens: past.tokens,
    });
  }
  return snapshot === undefined ? version : account.replace(version, { balance: '0' });
};

/** What the timestamps of a request ask for. */
interface Past {
  readonly interval: Interval;
  readonly asOf: Interval;
}

const pastOf = (timestamps: Bounds): Past => {
  const interval = conjunction(timestamps);
  const asOf = asOfInterval(timestamps);
  if (interval === undefined || asOf === undefined) throw notFound('Timestamp range is empty');
  return { interval, asOf };
};

/** @param expected the balance snapshot that is probably the one; where it is, everything can be asked for at once */
const readPast = async (
  id: EntityId,
  { interval, asOf }: Past,
  expected: BalanceSnapshot | undefined,
  context: RouteContext,
): Promise<AccountRow | undefined> => {
  const [row, snapshot] = await Promise.all([
    readHistorical(id, interval, expected, context),
    findBalanceSnapshot(asOf, context),
  ]);
  return snapshot?.timestamp === expected?.timestamp ? row : readHistorical(id, interval, snapshot, context);
};

const accountWithTransactions = extended('AccountWithTransactions', account, {
  transactions: {
    ...listSchema(transaction.schema),
    description: 'One page of what the account paid for, and of what moved its hbar or tokens.',
  },
  links: { ...linksSchema, description: 'To the next page of transactions.' },
});

export const accountById = endpoint({
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}',
  flavour: 'js',
  cacheSeconds: 2,
  operationId: 'getAccount',
  summary: 'Get an account',
  description:
    'The account with a page of its transactions. With timestamps, the account as it was at the newest time they ' +
    'allow, with the balance of the last snapshot they allow, and only transactions among them; a single timestamp ' +
    'means the state as of that time.',
  tag: 'accounts',
  refusals: 'in order',
  pathParameters: accountPath,
  parameters: {
    limit,
    order: order('desc'),
    timestamp: timestamps,
    transactions: flag('Whether transactions are listed.', true),
    transactiontype: transactionTypes,
  },
  answer: {
    description: 'The account.',
    schema: accountWithTransactions.schema,
    schemas: { ...accountWithTransactions.schemas, ...transaction.schemas },
  },
  problems: [400, 404],

  handle: async ({ request, path, query, grouped }, context) => {
    const id = await lookupAccountId(path.idOrAliasOrEvmAddress, context, 'idOrAliasOrEvmAddress');
    const past = isUnbounded(query.timestamp) ? undefined : pastOf(query.timestamp);
    const expected = past && (await findBalanceSnapshot(past.asOf, context));
    const list: TransactionListRequest = {
      accounts: boundsOf([{ operator: 'eq', value: id }]),
      timestamps: query.timestamp,
      types: query.transactiontype,
      result: undefined,
      direction: undefined,
      order: query.order,
      limit: query.limit,
    };
    const [row, page] = await inSnapshot(context, (snapshot) =>
      Promise.all([
        past === undefined ? readCurrent(id, snapshot) : readPast(id, past, expected, snapshot),
        query.transactions ? readTransactionPage(list, snapshot) : noTransactions,
      ]),
    );
    if (row === undefined) throw notFound();
    const link = transactionPageLink(request, grouped, query.order, page);
    const putMembers = account.members(accountVariant(context, { showBalance: true }));
    const put = (out: JsonBytes): void => {
      out.text('{');
      putMembers(out, row);
      out.text(',"transactions":[');
      out.list(page.transactions, transaction.put);
      out.text(`],"links":${linksJson(link)}}`);
    };
    return { ...oneAnswer(row, put), link };
  },
});
