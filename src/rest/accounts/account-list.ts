/** `/api/v1/accounts`: accounts by id, public key and balance. */
import { entityIdBounds, entityIdFilters } from '../../api/entity-reference.ts';
import { linksJson } from '../../api/json.ts';
import { limitOf, orderOf } from '../../api/page.ts';
import {
  booleanParameter,
  entityIdParameter,
  limitParameter,
  nonNegativeInt8Parameter,
  orderParameter,
  publicKeyParameter,
} from '../../api/parameter-checks.ts';
import { acceptInOrder, type Filter, groupQuery, lastOf } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { statementBuilder, statementName } from '../../api/sql.ts';
import type { SteppedResult } from '../../api/stepped-search.ts';
import type { Queryable } from '../../database/connection.ts';
import { currentTokenBalances } from '../balances/token-balances.ts';
import {
  accountBalanceBounds,
  accountPageLink,
  isNoSyntheticTreasury,
  publicKeyFilters,
  treasuryOf,
} from './account-filters.ts';
import { accountMembersJson } from './account-json.ts';
import { accountsStatement, currentStake, entityColumns, type PackedAccount, readAccounts } from './account-page.ts';
import { type EntitySearch, entityConditions, entityPage, searchEntities } from './entity-search.ts';

const listParameters = {
  'account.balance': nonNegativeInt8Parameter,
  'account.id': entityIdParameter,
  'account.publickey': publicKeyParameter,
  balance: booleanParameter,
  limit: limitParameter,
  order: orderParameter,
};

const findAccounts = async (
  db: Queryable,
  search: EntitySearch,
  showBalance: boolean,
  context: RouteContext,
): Promise<readonly PackedAccount[]> => {
  const builder = statementBuilder();
  const conditions = entityConditions(builder, search);
  if (conditions === undefined) return [];
  const page = entityPage(builder, entityColumns, search, [
    ...conditions,
    isNoSyntheticTreasury(builder, treasuryOf(context), 'e'),
  ]);
  const { multipleAccounts } = context.settings.response.limit.tokenBalance;
  const tokens = showBalance ? currentTokenBalances('p.id', search.order, builder.bind(multipleAccounts)) : 'null';
  const text = accountsStatement(page, search.order, currentStake, tokens);
  return readAccounts(db, text, builder.values, statementName(text));
};

const readFiltered = async (
  filters: readonly Filter[],
  page: Pick<EntitySearch, 'order' | 'limit'>,
  showBalance: boolean,
  context: RouteContext,
): Promise<SteppedResult<PackedAccount>> => {
  const ids = entityIdBounds(entityIdFilters(filters, 'account.id', context));
  if (ids === undefined) return { rows: [], examinedTo: null };
  const search = { ...page, ids, keys: publicKeyFilters(filters), balances: accountBalanceBounds(filters) };
  const find = (db: Queryable, part: EntitySearch) => findAccounts(db, part, showBalance, context);
  return searchEntities(search, { table: 'entity', idColumn: 'id' }, find, context);
};

export const listAccounts = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  const filters = acceptInOrder(query, listParameters, context.settings.query);
  const order = orderOf(filters, 'asc');
  const { response } = context.settings;
  const limit = limitOf(filters, response.limit, request.user);
  const showBalance = lastOf(filters, 'balance')?.value.toLowerCase() !== 'false';
  const { rows, examinedTo } = await readFiltered(filters, { order, limit }, showBalance, context);
  const last = rows.at(-1);
  const passed = last === undefined || rows.length < limit ? examinedTo : BigInt(last.id);
  const link = passed === null ? null : accountPageLink(request, query, order, passed, context);
  const options = { showBalance, showDelegationAddress: response.enableDelegationAddress };
  const accounts = rows.map((row) => `{${accountMembersJson(row, options)}}`).join(',');
  return { status: 200, body: `{"accounts":[${accounts}],"links":${linksJson(link)}}`, link };
};
