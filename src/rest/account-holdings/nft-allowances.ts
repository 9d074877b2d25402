/**
 * `/api/v1/accounts/{id}/allowances/nfts`: who may move all NFTs of a token for an owner, seen from the owner or from the
 * one who may. Reads `nft_allowance`.
 */
import type { Comparison } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { readJavaAccountReference, resolveJavaReference } from '../../api/java-account-lookup.ts';
import { isJavaRangeEmpty, javaColumnBounds } from '../../api/java-bounds.ts';
import { countFaults, javaFlag, limitFaults, refuseFaults } from '../../api/java-parameters.ts';
import type { Order } from '../../api/page.ts';
import { type PairedBounds, pairedConditions, pairedNextLink } from '../../api/paired-bounds.ts';
import { reasonedProblem } from '../../api/problem.ts';
import { type GroupedQuery, groupQuery } from '../../api/query.ts';
import { pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import { entityIds, type JavaParameter, limit, order } from '../../api/resource/java-parameter.ts';
import type { RestRequest, RouteContext } from '../../api/route.ts';
import { statementBuilder, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { accountPath } from '../accounts/account-parameters.ts';
import { nftAllowance } from './allowance.ts';

const keys = { primary: 'account.id', secondary: 'token.id' };

/**
 * Refuses what names no single stretch of the list.
 * @throws HttpProblem 400
 */
const pairedFilters = (accounts: readonly Comparison[], tokens: readonly Comparison[]): PairedBounds => {
  const isFiltered = (comparisons: readonly Comparison[]): boolean =>
    comparisons.some(({ operator }) => operator !== 'ne');
  const has = (comparisons: readonly Comparison[], ...operators: readonly string[]): boolean =>
    comparisons.some(({ operator }) => operators.includes(operator));
  if (isJavaRangeEmpty(accounts)) throw reasonedProblem(400, `Invalid range provided for ${keys.primary}`);
  if (!isFiltered(accounts) && isFiltered(tokens)) {
    throw reasonedProblem(400, `${keys.secondary} parameter must have ${keys.primary} present`);
  }
  const primary = javaColumnBounds(accounts, keys.primary);
  const secondary = javaColumnBounds(tokens, keys.secondary);
  // Between two accounts the tokens' bounds belong to one end each and need not form a range.
  const betweenAccounts = primary.upper !== undefined && primary.lower !== undefined;
  if (!betweenAccounts && isJavaRangeEmpty(tokens)) {
    throw reasonedProblem(400, `Invalid range provided for ${keys.secondary}`);
  }
  if (has(tokens, 'lt', 'lte') && !has(accounts, 'eq', 'lte')) {
    throw reasonedProblem(400, `Requires the presence of an lte or eq ${keys.primary} parameter`);
  }
  if (has(tokens, 'gt', 'gte') && !has(accounts, 'eq', 'gte')) {
    throw reasonedProblem(400, `Requires the presence of an gte or eq ${keys.primary} parameter`);
  }
  return { primary, secondary };
};

interface Search {
  readonly accountId: EntityId;
  /** The account owns the NFTs; otherwise it may move them. */
  readonly isOwner: boolean;
  readonly bounds: PairedBounds;
  readonly order: Order;
  readonly limit: number;
}

const readAllowances = (search: Search, db: RouteContext['db']): ReturnType<typeof nftAllowance.read> => {
  const { accountId, isOwner, bounds, order, limit } = search;
  const self = isOwner ? 'owner' : 'spender';
  const other = isOwner ? 'spender' : 'owner';
  const builder = statementBuilder();
  const conditions = [
    `${self} = ${builder.bind(accountId)}::bigint`,
    'approved_for_all',
    ...pairedConditions(builder, { primary: other, secondary: 'token_id' }, bounds),
  ];
  const page =
    `select * from nft_allowance${whereClause(conditions)} ` +
    `order by ${other} ${order}, token_id ${order} limit ${builder.bind(limit)}`;
  const text = nftAllowance.statement(page, `p.${other} ${order}, p.token_id ${order}`);
  return nftAllowance.read(db, text, builder.values);
};

/** The parameters a link repeats: operators of comparisons in lower case, blank comparisons left out. */
const linkQuery = ({ query }: RestRequest): GroupedQuery =>
  groupQuery(
    query.flatMap(([key, value]): [string, string][] => {
      const isComparison = key.toLowerCase() === keys.primary || key.toLowerCase() === keys.secondary;
      if (!isComparison) return [[key, value]];
      return value.trim() === '' ? [] : [[key, value.toLowerCase()]];
    }),
  );

const owner: JavaParameter<boolean> = {
  read: (query, name) => javaFlag(query, name, true),
  doc: { description: 'Whether the account is the owner.', schema: { type: 'boolean', default: true } },
};

export const nftAllowanceList = javaEndpoint({
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/allowances/nfts',
  operationId: 'getNftAllowances',
  summary: 'List the NFT allowances of an account',
  description:
    'Who may move all NFTs of a token for their owner. The account is the owner, or with `owner=false` the one who ' +
    'may; the list is ordered by the other one and, for the same one, by token. With a range of accounts a lower bound ' +
    'of `token.id` counts for the lowest account alone and needs it inclusive, an upper bound for the highest.',
  tag: 'accounts',
  pathParameters: accountPath,
  parameters: {
    'account.id': entityIds('The one at the other end of the allowance'),
    limit,
    order: order('asc'),
    owner,
    'token.id': entityIds('Token, only beside `account.id`'),
  },
  answer: pageOf('allowances', nftAllowance, 'One page of allowances.'),
  problems: [400, 404],

  handle: async ({ request, path, query }, context) => {
    const reference = readJavaAccountReference(path.idOrAliasOrEvmAddress, context);
    const { 'account.id': accounts, limit, order, owner: isOwner, 'token.id': tokens } = query;
    refuseFaults([
      ...countFaults(request.query, keys.primary),
      ...limitFaults(limit),
      ...countFaults(request.query, keys.secondary),
    ]);
    const bounds = pairedFilters(accounts, tokens);
    const accountId = await resolveJavaReference(context.db, reference);
    const rows = await readAllowances({ accountId, isOwner, bounds, order, limit }, context.db);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < limit
        ? null
        : pairedNextLink(request, linkQuery(request), order, bounds, {
            primary: entityIdPosition(keys.primary, isOwner ? last.spender : last.owner, context),
            secondary: entityIdPosition(keys.secondary, last.tokenId, context),
          });
    return pageAnswer('allowances', rows, nftAllowance.put, link);
  },
});
