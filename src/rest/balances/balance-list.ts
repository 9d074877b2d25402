/** `/api/v1/balances`: balances now, or at the newest snapshot that the timestamps allow. */
import type { Bounds } from '../../api/bounds.ts';
import { resolveReference } from '../../api/entity-lookup.ts';
import { entityIdBounds, isEntityIdText, isEvmAddressText, readAccountReference } from '../../api/entity-reference.ts';
import { linksJson, timestampJson } from '../../api/json.ts';
import { limitOf, orderOf } from '../../api/page.ts';
import {
  limitParameter,
  nonNegativeInt8Parameter,
  orderParameter,
  publicKeyParameter,
  timestampParameter,
} from '../../api/parameter-checks.ts';
import { HttpProblem } from '../../api/problem.ts';
import { acceptInOrder, allOf, type Filter, groupQuery, type ParameterCheck } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { timestampBounds } from '../../api/timestamp-filter.ts';
import { decodeAlias } from '../../ledger/alias.ts';
import { type EntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { accountBalanceBounds, accountPageLink, publicKeyFilters } from '../accounts/account-filters.ts';
import type { EntitySearch } from '../accounts/entity-search.ts';
import { type BalancePage, readBalancesAt, readCurrentBalances } from './balance-page.ts';
import { asOfInterval, findBalanceSnapshot } from './balance-snapshot.ts';
import { tokenBalancesJson } from './token-balances.ts';

/** An EVM address or alias without shard and realm. */
const isAddressOrAlias = (text: string): boolean =>
  isEvmAddressText(text, 'bare') || (!isEntityIdText(text) && decodeAlias(text) !== undefined);

const accountParameter: ParameterCheck = (_operator, value) => isEntityIdText(value) || isAddressOrAlias(value);

const listParameters = {
  'account.balance': nonNegativeInt8Parameter,
  'account.id': accountParameter,
  'account.publickey': publicKeyParameter,
  limit: limitParameter,
  order: orderParameter,
  timestamp: timestampParameter,
};

const invalidAccount = (detail: string): HttpProblem =>
  new HttpProblem(400, [{ message: 'Invalid parameter: account.id', detail }]);

/** The id of an account named by `account.id`; undefined when there is none with that address or alias. */
const resolveAccount = async (text: string, context: RouteContext): Promise<EntityId | undefined> => {
  const reference = readAccountReference(text, 'account.id', context);
  try {
    return await resolveReference(context.db, reference);
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 404) return undefined;
    throw error;
  }
};

interface AccountFilters {
  /** Undefined: nothing can match. */
  readonly bounds: Bounds | undefined;
  /** The id behind a value of `account.id`. */
  readonly idOf: (value: string) => EntityId | undefined;
}

const readAccountFilters = async (filters: readonly Filter[], context: RouteContext): Promise<AccountFilters> => {
  const accounts = allOf(filters, 'account.id');
  const named = accounts.filter(({ value }) => isAddressOrAlias(value));
  if (named.some(({ operator }) => operator !== 'eq')) {
    throw invalidAccount('EVM address or alias only supports equals operator');
  }
  if (named.length > 1) throw invalidAccount('Only one EVM address or alias is allowed.');
  const read = await Promise.all(
    accounts.map(async ({ operator, value }) => ({
      operator,
      text: value,
      value: await resolveAccount(value, context),
    })),
  );
  const ids = new Map(read.map(({ text, value }) => [text, value]));
  return { bounds: entityIdBounds(read), idOf: (value) => ids.get(value.replace(/^eq:/, '')) };
};

const noBalances: BalancePage = { timestamp: null, balances: [], examinedTo: null };

const readPage = async (
  search: EntitySearch,
  timestamps: Bounds | undefined,
  context: RouteContext,
): Promise<BalancePage> => {
  if (timestamps === undefined) return readCurrentBalances(search, context);
  const interval = asOfInterval(timestamps);
  const snapshot = interval === undefined ? undefined : await findBalanceSnapshot(interval, context);
  return snapshot === undefined ? noBalances : readBalancesAt(search, snapshot, context);
};

export const listBalances = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  const filters = acceptInOrder(query, listParameters, context.settings.query);
  const order = orderOf(filters, 'desc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const { bounds: ids, idOf } = await readAccountFilters(filters, context);
  const timestamps = allOf(filters, 'timestamp').length > 0 ? timestampBounds(filters) : undefined;
  const balances = accountBalanceBounds(filters);
  const page =
    ids === undefined
      ? noBalances
      : await readPage({ ids, keys: publicKeyFilters(filters), balances, order, limit }, timestamps, context);
  const last = page.balances.at(-1);
  const passed = last === undefined || page.balances.length < limit ? page.examinedTo : BigInt(last.accountId);
  const link = passed === null ? null : accountPageLink(request, query, order, passed, context, idOf);
  const list = page.balances
    .map(
      ({ accountId, balance, tokens }) =>
        `{"account":"${formatEntityId(accountId)}","balance":${balance},"tokens":${tokenBalancesJson(tokens)}}`,
    )
    .join(',');
  const body = `{"timestamp":${timestampJson(page.timestamp)},"balances":[${list}],"links":${linksJson(link)}}`;
  return { status: 200, body, link };
};
