/** `/api/v1/accounts/{id}/allowances/tokens`: what others may spend of an owner's fungible tokens. */
import { lookupAccountId } from '../../api/entity-lookup.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import type { Order } from '../../api/page.ts';
import { type PairedBounds, pairedBounds, pairedConditions, pairedNextLink } from '../../api/paired-bounds.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { entityIds, idsOrLongZeroAddresses, limit, order } from '../../api/resource/parameter.ts';
import type { ResourceRow } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import { statementBuilder, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { accountPath } from '../accounts/account-parameters.ts';
import { tokenAllowance } from './allowance.ts';
import { idComparisons } from './id-comparisons.ts';

const keys = { primary: 'spender.id', secondary: 'token.id' };
const columns = { primary: 'spender', secondary: 'token_id' };

interface Search {
  readonly owner: EntityId;
  readonly bounds: PairedBounds;
  readonly order: Order;
  readonly limit: number;
}

const readAllowances = (
  { owner, bounds, order, limit }: Search,
  db: RouteContext['db'],
): Promise<ResourceRow<'spender' | 'tokenId'>[]> => {
  const builder = statementBuilder();
  const conditions = [
    `owner = ${builder.bind(owner)}::bigint`,
    'amount > 0',
    ...pairedConditions(builder, columns, bounds),
  ];
  const page =
    `select * from token_allowance${whereClause(conditions)} ` +
    `order by spender ${order}, token_id ${order} limit ${builder.bind(limit)}`;
  const text = tokenAllowance.statement(page, `p.spender ${order}, p.token_id ${order}`);
  return tokenAllowance.read(db, text, builder.values);
};

export const tokenAllowanceList = endpoint({
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/allowances/tokens',
  flavour: 'js',
  operationId: 'getTokenAllowances',
  summary: 'List the token allowances of an account',
  description:
    'What others may spend of the fungible tokens of the account, by spender and, for one spender, by token. ' +
    'Allowances that are used up are left out.',
  tag: 'accounts',
  refusals: 'sorted',
  pathParameters: accountPath,
  parameters: {
    limit,
    order: order('asc'),
    'spender.id': entityIds('Who may spend: one, or one range.'),
    'token.id': idsOrLongZeroAddresses(
      'Id of the token; only beside `spender.id`. With a range of spenders a lower bound counts for the lowest spender ' +
        'alone and needs it inclusive, an upper bound for the highest.',
    ),
  },
  answer: pageOf('allowances', tokenAllowance, 'One page of allowances.'),
  problems: [400, 404],

  resolve: ({ path }, context) => lookupAccountId(path.idOrAliasOrEvmAddress, context),

  handle: async ({ request, subject: owner, query, filters, grouped }, context) => {
    const { order, limit } = query;
    const { comparisons, unmatched } = idComparisons(filters, [keys.primary, keys.secondary], context);
    const bounds = pairedBounds(comparisons, keys);
    const rows = unmatched ? [] : await readAllowances({ owner, bounds, order, limit }, context.db);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < limit
        ? null
        : pairedNextLink(request, grouped, order, bounds, {
            primary: entityIdPosition(keys.primary, last.spender, context),
            secondary: entityIdPosition(keys.secondary, last.tokenId, context),
          });
    return pageAnswer('allowances', rows, tokenAllowance.put, link);
  },
});
