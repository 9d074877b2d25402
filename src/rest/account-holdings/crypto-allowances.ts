/** `/api/v1/accounts/{id}/allowances/crypto`: what others may spend of an owner's hbars. */
import { lookupAccountId } from '../../api/entity-lookup.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { type EntityIdFilter, entityIdBounds, entityIdFilters } from '../../api/entity-reference.ts';
import { entityIdJson, linksJson, timestampJson } from '../../api/json.ts';
import { limitOf, nextLink, type Order, orderOf } from '../../api/page.ts';
import { entityIdParameter, limitParameter, orderParameter } from '../../api/parameter-checks.ts';
import { badRequest } from '../../api/problem.ts';
import { acceptSorted, groupQuery } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { boundsConditions } from '../accounts/account-filters.ts';

const spenderKey = 'spender.id';
const parameters = { limit: limitParameter, order: orderParameter, [spenderKey]: entityIdParameter };

interface CryptoAllowanceRow {
  /** Tinybars, as the granted amount. */
  readonly amount: string;
  readonly amount_granted: string;
  readonly owner: string;
  readonly spender: string;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
}

const cryptoAllowanceJson = (row: CryptoAllowanceRow): string =>
  `{"amount":${row.amount},"amount_granted":${row.amount_granted},"owner":${entityIdJson(row.owner)},` +
  `"spender":${entityIdJson(row.spender)},"timestamp":{"from":${timestampJson(row.valid_from)},` +
  `"to":${timestampJson(row.valid_to)}}}`;

interface Search {
  readonly owner: EntityId;
  readonly spenders: readonly EntityIdFilter[];
  readonly order: Order;
  readonly limit: number;
}

const readAllowances = async (search: Search, db: RouteContext['db']): Promise<CryptoAllowanceRow[]> => {
  const { owner, spenders, order, limit } = search;
  const bounds = entityIdBounds(spenders);
  if (bounds === undefined) return [];
  const builder = statementBuilder();
  const owned = [`owner = ${builder.bind(owner)}::bigint`, 'amount > 0'];
  const conditions = boundsConditions(builder, 'spender', bounds);
  if (conditions === undefined) return [];
  const text =
    'select amount, amount_granted, owner, spender, lower(timestamp_range) as valid_from, ' +
    `upper(timestamp_range) as valid_to from crypto_allowance${whereClause([...owned, ...conditions])} ` +
    `order by spender ${order} limit ${builder.bind(limit)}`;
  return db.query<CryptoAllowanceRow>(text, builder.values, statementName(text));
};

export const listCryptoAllowances = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const owner = await lookupAccountId(request.pathParameters.idOrAliasOrEvmAddress ?? '', context);
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, parameters, context.settings.query);
  const spenders = entityIdFilters(filters, spenderKey, context);
  if (spenders.some(({ operator }) => operator === 'ne')) {
    throw badRequest(`Not equal (ne) comparison operator is not supported for ${spenderKey}`);
  }
  const order = orderOf(filters, 'desc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const rows = await readAllowances({ owner, spenders, order, limit }, context.db);
  const last = rows.at(-1);
  const next =
    last === undefined || rows.length < limit
      ? null
      : nextLink(request, query, order, [entityIdPosition(spenderKey, last.spender, context)]);
  const allowances = rows.map(cryptoAllowanceJson).join(',');
  return { status: 200, body: `{"allowances":[${allowances}],"links":${linksJson(next)}}`, link: next };
};
