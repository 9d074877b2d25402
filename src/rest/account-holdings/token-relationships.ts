/** `/api/v1/accounts/{id}/tokens`: the tokens an account is associated with. Reads `token_account` and `token`. */
import { lookupKnownAccountId } from '../../api/entity-lookup.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { type EntityIdFilter, entityIdBounds, entityIdFilters } from '../../api/entity-reference.ts';
import { booleanJson, entityIdJson, integerJson, linksJson, plainJson, timestampJson } from '../../api/json.ts';
import { limitOf, nextLink, type Order, orderOf } from '../../api/page.ts';
import { entityIdOrLongZeroParameter, limitParameter, orderParameter } from '../../api/parameter-checks.ts';
import { badRequest } from '../../api/problem.ts';
import { acceptSorted, groupQuery } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { boundsConditions } from '../accounts/account-filters.ts';

const tokenKey = 'token.id';
const parameters = { limit: limitParameter, order: orderParameter, [tokenKey]: entityIdOrLongZeroParameter };

/** By the number in the columns `freeze_status` and `kyc_status`. */
export const freezeStatuses = ['NOT_APPLICABLE', 'FROZEN', 'UNFROZEN'] as const;
export const kycStatuses = ['NOT_APPLICABLE', 'GRANTED', 'REVOKED'] as const;

interface RelationshipRow {
  readonly automatic_association: boolean | null;
  readonly balance: string;
  readonly created_timestamp: string | null;
  readonly decimals: string | null;
  readonly freeze_status: number | null;
  readonly kyc_status: number | null;
  readonly token_id: string;
}

const statusJson = (names: readonly string[], status: number | null): string =>
  plainJson(status === null ? null : (names[status] ?? null));

const relationshipJson = (row: RelationshipRow): string =>
  `{"automatic_association":${booleanJson(row.automatic_association)},"balance":${row.balance},` +
  `"created_timestamp":${timestampJson(row.created_timestamp)},"decimals":${integerJson(row.decimals)},` +
  `"freeze_status":${statusJson(freezeStatuses, row.freeze_status)},` +
  `"kyc_status":${statusJson(kycStatuses, row.kyc_status)},"token_id":${entityIdJson(row.token_id)}}`;

interface Search {
  readonly accountId: EntityId;
  readonly tokens: readonly EntityIdFilter[];
  readonly order: Order;
  readonly limit: number;
}

/** A status that the account has not got of its own is the one that the token gives to new holders. */
const readRelationships = async (search: Search, db: RouteContext['db']): Promise<RelationshipRow[]> => {
  const { accountId, tokens, order, limit } = search;
  const bounds = entityIdBounds(tokens);
  if (bounds === undefined) return [];
  const builder = statementBuilder();
  const associated = [`account_id = ${builder.bind(accountId)}::bigint`, 'associated'];
  const conditions = boundsConditions(builder, 'token_id', bounds);
  if (conditions === undefined) return [];
  const text =
    'select a.automatic_association, a.balance, a.created_timestamp, t.decimals, ' +
    'coalesce(a.freeze_status, t.freeze_status) as freeze_status, ' +
    'coalesce(a.kyc_status, t.kyc_status) as kyc_status, a.token_id ' +
    `from (select * from token_account${whereClause([...associated, ...conditions])} ` +
    `order by token_id ${order} limit ${builder.bind(limit)}) a ` +
    `left join token t on t.token_id = a.token_id order by a.token_id ${order}`;
  return db.query<RelationshipRow>(text, builder.values, statementName(text));
};

export const listTokenRelationships = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const accountId = await lookupKnownAccountId(request.pathParameters.idOrAliasOrEvmAddress ?? '', context);
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, parameters, context.settings.query);
  const tokens = entityIdFilters(filters, tokenKey, context);
  if (tokens.some(({ operator }) => operator === 'ne')) {
    throw badRequest(`Not equal (ne) comparison operator is not supported for ${tokenKey}`);
  }
  const order = orderOf(filters, 'asc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const rows = await readRelationships({ accountId, tokens, order, limit }, context.db);
  const last = rows.at(-1);
  const next =
    last === undefined || rows.length < limit
      ? null
      : nextLink(request, query, order, [entityIdPosition(tokenKey, last.token_id, context)]);
  const relationships = rows.map(relationshipJson).join(',');
  return { status: 200, body: `{"tokens":[${relationships}],"links":${linksJson(next)}}`, link: next };
};
