/** `/api/v1/accounts/{id}/allowances/tokens`: what others may spend of an owner's fungible tokens. */
import { lookupAccountId } from '../../api/entity-lookup.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { entityIdJson, linksJson, timestampJson } from '../../api/json.ts';
import { limitOf, type Order, orderOf } from '../../api/page.ts';
import { type PairedBounds, pairedBounds, pairedConditions, pairedNextLink } from '../../api/paired-bounds.ts';
import {
  entityIdOrLongZeroParameter,
  entityIdParameter,
  limitParameter,
  orderParameter,
} from '../../api/parameter-checks.ts';
import { acceptSorted, groupQuery } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { idComparisons } from './id-comparisons.ts';

const parameters = {
  limit: limitParameter,
  order: orderParameter,
  'spender.id': entityIdParameter,
  'token.id': entityIdOrLongZeroParameter,
};

const keys = { primary: 'spender.id', secondary: 'token.id' };
const columns = { primary: 'spender', secondary: 'token_id' };

interface TokenAllowanceRow {
  readonly amount: string;
  readonly amount_granted: string;
  readonly owner: string;
  readonly spender: string;
  readonly token_id: string;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
}

const tokenAllowanceJson = (row: TokenAllowanceRow): string =>
  `{"amount":${row.amount},"amount_granted":${row.amount_granted},"owner":${entityIdJson(row.owner)},` +
  `"spender":${entityIdJson(row.spender)},"timestamp":{"from":${timestampJson(row.valid_from)},` +
  `"to":${timestampJson(row.valid_to)}},"token_id":${entityIdJson(row.token_id)}}`;

interface Search {
  readonly owner: EntityId;
  readonly bounds: PairedBounds;
  readonly order: Order;
  readonly limit: number;
}

const readAllowances = (search: Search, db: RouteContext['db']): Promise<TokenAllowanceRow[]> => {
  const { owner, bounds, order, limit } = search;
  const builder = statementBuilder();
  const conditions = [
    `owner = ${builder.bind(owner)}::bigint`,
    'amount > 0',
    ...pairedConditions(builder, columns, bounds),
  ];
  const text =
    'select amount, amount_granted, owner, spender, token_id, lower(timestamp_range) as valid_from, ' +
    `upper(timestamp_range) as valid_to from token_allowance${whereClause(conditions)} ` +
    `order by spender ${order}, token_id ${order} limit ${builder.bind(limit)}`;
  return db.query<TokenAllowanceRow>(text, builder.values, statementName(text));
};

export const listTokenAllowances = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const owner = await lookupAccountId(request.pathParameters.idOrAliasOrEvmAddress ?? '', context);
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, parameters, context.settings.query);
  const { comparisons, unmatched } = idComparisons(filters, [keys.primary, keys.secondary], context);
  const bounds = pairedBounds(comparisons, keys);
  const order = orderOf(filters, 'asc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const rows = unmatched ? [] : await readAllowances({ owner, bounds, order, limit }, context.db);
  const last = rows.at(-1);
  const next =
    last === undefined || rows.length < limit
      ? null
      : pairedNextLink(request, query, order, bounds, {
          primary: entityIdPosition(keys.primary, last.spender, context),
          secondary: entityIdPosition(keys.secondary, last.token_id, context),
        });
  const allowances = rows.map(tokenAllowanceJson).join(',');
  return { status: 200, body: `{"allowances":[${allowances}],"links":${linksJson(next)}}`, link: next };
};
