/** `/api/v1/accounts/{id}/tokens`: the tokens an account is associated with. Reads `token_account` and `token`. */
import { lookupKnownAccountId } from '../../api/entity-lookup.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { type EntityIdFilter, entityIdBounds } from '../../api/entity-reference.ts';
import { nextLink, type Order } from '../../api/page.ts';
import { badRequest } from '../../api/problem.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { idsOrLongZeroAddresses, limit, order } from '../../api/resource/parameter.ts';
import type { ResourceRow } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import { statementBuilder, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { boundsConditions } from '../accounts/account-filters.ts';
import { accountPath } from '../accounts/account-parameters.ts';
import { tokenRelationship } from './token-relationship.ts';

interface Search {
  readonly accountId: EntityId;
  readonly tokens: readonly EntityIdFilter[];
  readonly order: Order;
  readonly limit: number;
}

/** A status that the account has not got of its own is the one that the token gives to new holders. */
const readRelationships = async (
  { accountId, tokens, order, limit }: Search,
  db: RouteContext['db'],
): Promise<ResourceRow<'tokenId'>[]> => {
  const bounds = entityIdBounds(tokens);
  if (bounds === undefined) return [];
  const builder = statementBuilder();
  const associated = [`account_id = ${builder.bind(accountId)}::bigint`, 'associated'];
  const conditions = boundsConditions(builder, 'token_id', bounds);
  if (conditions === undefined) return [];
  const page =
    'select a.automatic_association, a.balance, a.created_timestamp, t.decimals, ' +
    'coalesce(a.freeze_status, t.freeze_status) as freeze_status, ' +
    'coalesce(a.kyc_status, t.kyc_status) as kyc_status, a.token_id ' +
    `from (select * from token_account${whereClause([...associated, ...conditions])} ` +
    `order by token_id ${order} limit ${builder.bind(limit)}) a ` +
    'left join token t on t.token_id = a.token_id';
  return tokenRelationship.read(db, tokenRelationship.statement(page, `p.token_id ${order}`), builder.values);
};

export const tokenRelationshipList = endpoint({
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/tokens',
  flavour: 'js',
  operationId: 'getTokensByAccountId',
  summary: 'List the tokens of an account',
  description: 'The tokens the account is associated with, with its balances.',
  tag: 'accounts',
  refusals: 'sorted',
  pathParameters: accountPath,
  parameters: {
    limit,
    order: order('asc'),
    'token.id': idsOrLongZeroAddresses('Id of the token. Several `eq` mean any of them.'),
  },
  answer: pageOf('tokens', tokenRelationship, 'One page of tokens.'),
  problems: [400, 404],

  resolve: ({ path }, context) => lookupKnownAccountId(path.idOrAliasOrEvmAddress, context),

  handle: async ({ request, subject: accountId, query, grouped }, context) => {
    const tokens = query['token.id'];
    if (tokens.some(({ operator }) => operator === 'ne')) {
      throw badRequest('Not equal (ne) comparison operator is not supported for token.id');
    }
    const rows = await readRelationships({ accountId, tokens, order: query.order, limit: query.limit }, context.db);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < query.limit
        ? null
        : nextLink(request, grouped, query.order, [entityIdPosition('token.id', last.tokenId, context)]);
    return pageAnswer('tokens', rows, tokenRelationship.put, link);
  },
});
