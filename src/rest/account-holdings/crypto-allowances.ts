/** `/api/v1/accounts/{id}/allowances/crypto`: what others may spend of an owner's hbars. */
import { lookupAccountId } from '../../api/entity-lookup.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { type EntityIdFilter, entityIdBounds } from '../../api/entity-reference.ts';
import { nextLink, type Order } from '../../api/page.ts';
import { badRequest } from '../../api/problem.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { entityIds, limit, order } from '../../api/resource/parameter.ts';
import type { ResourceRow } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import { statementBuilder, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { boundsConditions } from '../accounts/account-filters.ts';
import { accountPath } from '../accounts/account-parameters.ts';
import { cryptoAllowance } from './allowance.ts';

interface Search {
  readonly owner: EntityId;
  readonly spenders: readonly EntityIdFilter[];
  readonly order: Order;
  readonly limit: number;
}

const readAllowances = async (
  { owner, spenders, order, limit }: Search,
  db: RouteContext['db'],
): Promise<ResourceRow<'spender'>[]> => {
  const bounds = entityIdBounds(spenders);
  if (bounds === undefined) return [];
  const builder = statementBuilder();
  const owned = [`owner = ${builder.bind(owner)}::bigint`, 'amount > 0'];
  const conditions = boundsConditions(builder, 'spender', bounds);
  if (conditions === undefined) return [];
  const page =
    `select * from crypto_allowance${whereClause([...owned, ...conditions])} ` +
    `order by spender ${order} limit ${builder.bind(limit)}`;
  return cryptoAllowance.read(db, cryptoAllowance.statement(page, `p.spender ${order}`), builder.values);
};

export const cryptoAllowanceList = endpoint({
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/allowances/crypto',
  flavour: 'js',
  operationId: 'getCryptoAllowances',
  summary: 'List the hbar allowances of an account',
  description: 'What others may spend of the hbars of the account. Allowances that are used up are left out.',
  tag: 'accounts',
  refusals: 'sorted',
  pathParameters: accountPath,
  parameters: {
    limit,
    order: order('desc'),
    'spender.id': entityIds('Who may spend. Several `eq` mean any of them.'),
  },
  answer: pageOf('allowances', cryptoAllowance, 'One page of allowances.'),
  problems: [400, 404],

  resolve: ({ path }, context) => lookupAccountId(path.idOrAliasOrEvmAddress, context),

  handle: async ({ request, subject: owner, query, grouped }, context) => {
    const spenders = query['spender.id'];
    if (spenders.some(({ operator }) => operator === 'ne')) {
      throw badRequest('Not equal (ne) comparison operator is not supported for spender.id');
    }
    const rows = await readAllowances({ owner, spenders, order: query.order, limit: query.limit }, context.db);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < query.limit
        ? null
        : nextLink(request, grouped, query.order, [entityIdPosition('spender.id', last.spender, context)]);
    return pageAnswer('allowances', rows, cryptoAllowance.put, link);
  },
});
