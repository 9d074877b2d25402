/** `/api/v1/accounts/{id}/nfts`: the NFTs that an account holds. Reads `nft`. */
import { alternatives, conjunction } from '../../api/bounds.ts';
import { lookupAccountId } from '../../api/entity-lookup.ts';
import { entityIdPosition, numberPosition } from '../../api/entity-position.ts';
import { type EntityIdFilter, entityIdBounds } from '../../api/entity-reference.ts';
import type { Order } from '../../api/page.ts';
import { pairedBounds, pairedConditions, pairedNextLink } from '../../api/paired-bounds.ts';
import { entityIdOrLongZeroParameter, positiveInt8Parameter } from '../../api/parameter-checks.ts';
import { badRequest } from '../../api/problem.ts';
import type { Filter } from '../../api/query.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { entityIds, filters, limit, order } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import { intervalConditions, type StatementBuilder, statementBuilder, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { accountPath } from '../accounts/account-parameters.ts';
import { type NftRow, nft } from '../tokens/nft.ts';
import { type IdComparison, idComparisons } from './id-comparisons.ts';

const keys = { primary: 'token.id', secondary: 'serialnumber' };
const columns = { primary: 'n.token_id', secondary: 'n.serial_number' };

/** The filters of tokens and serial numbers, those of the key first that the query names first. */
const nftBounds = (serialNumbers: readonly Filter[], tokens: readonly IdComparison[], queryKeys: readonly string[]) => {
  const serials = serialNumbers.map(({ key, operator, value }) => ({ key, operator, value: BigInt(value) }));
  const serialsFirst = queryKeys.find((key) => key === keys.primary || key === keys.secondary) === keys.secondary;
  return pairedBounds(serialsFirst ? [...serials, ...tokens] : [...tokens, ...serials], keys);
};

/** @throws HttpProblem 400 */
const checkSpenders = (spenders: readonly EntityIdFilter[]): void => {
  const count = (...operators: readonly string[]): number =>
    spenders.filter(({ operator }) => operators.includes(operator)).length;
  if (count('lt', 'lte') > 1 || count('gt', 'gte') > 1) {
    throw badRequest('Multiple range params not allowed for spender.id');
  }
  if (count('ne') > 0) throw badRequest('Not equals (ne) comparison operator is not supported');
};

interface NftSearch {
  readonly accountId: EntityId;
  readonly bounds: ReturnType<typeof pairedBounds>;
  readonly spenders: readonly EntityIdFilter[];
  readonly order: Order;
  readonly limit: number;
}

/**
 * The NFTs that any of these spenders may spend. Each spender is a range from itself to itself, ordered by it first, since
 * only the index by spender gives this order; an equality would let the planner walk all NFTs of the account.
 */
const ofSpenders = (builder: StatementBuilder, spenders: readonly bigint[], search: NftSearch): string => {
  const { order } = search;
  const conditions = [
    `n.account_id = ${builder.bind(search.accountId)}::bigint`,
    'n.spender >= s.id and n.spender <= s.id',
    ...pairedConditions(builder, columns, search.bounds),
  ];
  return (
    `unnest(${builder.bind(spenders)}::bigint[]) s(id) cross join lateral (select * from nft n` +
    `${whereClause(conditions)} order by n.spender ${order}, n.token_id ${order}, n.serial_number ${order} ` +
    `limit ${builder.bind(search.limit)}) n`
  );
};

/** What to read the page from, with its conditions; undefined when nothing can match. */
const nftSource = (builder: StatementBuilder, search: NftSearch): string | undefined => {
  const spenders = entityIdBounds(search.spenders);
  if (spenders === undefined) return undefined;
  const named = alternatives(spenders);
  if (named !== undefined) return named.length === 0 ? undefined : ofSpenders(builder, named, search);
  const range = conjunction(spenders);
  if (range === undefined) return undefined;
  const conditions = [
    `n.account_id = ${builder.bind(search.accountId)}::bigint`,
    ...intervalConditions(builder, 'n.spender', range),
    ...pairedConditions(builder, columns, search.bounds),
  ];
  return `nft n${whereClause(conditions)}`;
};

const readNfts = async (search: NftSearch, db: RouteContext['db']): Promise<readonly NftRow[]> => {
  const builder = statementBuilder();
  const source = nftSource(builder, search);
  if (source === undefined) return [];
  const page = `select n.* from ${source}
    order by n.token_id ${search.order}, n.serial_number ${search.order} limit ${builder.bind(search.limit)}`;
  const orderBy = `p.token_id ${search.order}, p.serial_number ${search.order}`;
  return nft.read(db, nft.statement(page, orderBy), builder.values);
};

export const accountNftList = endpoint({
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/nfts',
  flavour: 'js',
  operationId: 'getNftsByAccountId',
  summary: 'List the NFTs of an account',
  description: 'By token and, within a token, by serial number.',
  tag: 'accounts',
  refusals: 'sorted',
  pathParameters: accountPath,
  parameters: {
    limit,
    order: order('desc'),
    serialnumber: filters(positiveInt8Parameter, {
      description:
        'Serial number, compared by an optional operator; only beside `token.id`. With a range of tokens a lower bound ' +
        'counts for the lowest token alone and needs it inclusive, an upper bound for the highest.',
      schema: { type: 'array', items: { type: 'string', pattern: '^((gte?|lte?|eq):)?\\d{1,19}$' } },
      example: ['gt:2'],
    }),
    'spender.id': entityIds('Who may spend the NFT. Several `eq` mean any of them; at most one range.'),
    'token.id': filters(entityIdOrLongZeroParameter, entityIds('Id of the token: one, or one range.').doc),
  },
  answer: pageOf('nfts', nft, 'One page of NFTs.'),
  problems: [400, 404],

  resolve: ({ path }, context) => lookupAccountId(path.idOrAliasOrEvmAddress, context),

  handle: async ({ request, subject: accountId, query, grouped }, context) => {
    const tokens = idComparisons(query['token.id'], [keys.primary], context).comparisons;
    const spenders = query['spender.id'];
    const bounds = nftBounds(query.serialnumber, tokens, [...grouped.keys()]);
    checkSpenders(spenders);
    const rows = await readNfts({ accountId, bounds, spenders, order: query.order, limit: query.limit }, context.db);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < query.limit
        ? null
        : pairedNextLink(request, grouped, query.order, bounds, {
            primary: entityIdPosition(keys.primary, last.tokenId, context),
            secondary: numberPosition(keys.secondary, last.serialNumber),
          });
    return pageAnswer('nfts', rows, nft.put, link);
  },
});
