/** `/api/v1/accounts/{id}/nfts`: the NFTs that an account holds. Reads `nft`. */
import { alternatives, conjunction } from '../../api/bounds.ts';
import { lookupAccountId } from '../../api/entity-lookup.ts';
import { entityIdPosition, numberPosition } from '../../api/entity-position.ts';
import { type EntityIdFilter, entityIdBounds, entityIdFilters } from '../../api/entity-reference.ts';
import { linksJson } from '../../api/json.ts';
import { limitOf, type Order, orderOf } from '../../api/page.ts';
import { pairedBounds, pairedConditions, pairedNextLink } from '../../api/paired-bounds.ts';
import {
  entityIdOrLongZeroParameter,
  entityIdParameter,
  limitParameter,
  orderParameter,
  positiveInt8Parameter,
} from '../../api/parameter-checks.ts';
import { badRequest } from '../../api/problem.ts';
import { acceptSorted, allOf, type Filter, groupQuery } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type NftRow, nftColumns, nftJson } from '../tokens/nft-json.ts';
import { type IdComparison, idComparisons } from './id-comparisons.ts';

const parameters = {
  limit: limitParameter,
  order: orderParameter,
  serialnumber: positiveInt8Parameter,
  'spender.id': entityIdParameter,
  'token.id': entityIdOrLongZeroParameter,
};

const keys = { primary: 'token.id', secondary: 'serialnumber' };
const columns = { primary: 'n.token_id', secondary: 'n.serial_number' };

const serialComparisons = (filters: readonly Filter[]): IdComparison[] =>
  allOf(filters, 'serialnumber').map(({ key, operator, value }) => ({ key, operator, value: BigInt(value) }));

/** The filters of tokens and serial numbers, those of the key first that the query names first. */
const nftBounds = (filters: readonly Filter[], tokens: readonly IdComparison[]) => {
  const serials = serialComparisons(filters);
  const serialsFirst =
    filters.find(({ key }) => key === keys.primary || key === keys.secondary)?.key === keys.secondary;
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
  const text =
    `select ${nftColumns} from ${source} ` +
    `order by n.token_id ${search.order}, n.serial_number ${search.order} limit ${builder.bind(search.limit)}`;
  return db.query<NftRow>(text, builder.values, statementName(text));
};

export const listAccountNfts = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const accountId = await lookupAccountId(request.pathParameters.idOrAliasOrEvmAddress ?? '', context);
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, parameters, context.settings.query);
  const tokens = idComparisons(filters, [keys.primary], context).comparisons;
  const spenders = entityIdFilters(filters, 'spender.id', context);
  const bounds = nftBounds(filters, tokens);
  checkSpenders(spenders);
  const order = orderOf(filters, 'desc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const rows = await readNfts({ accountId, bounds, spenders, order, limit }, context.db);
  const last = rows.at(-1);
  const next =
    last === undefined || rows.length < limit
      ? null
      : pairedNextLink(request, query, order, bounds, {
          primary: entityIdPosition(keys.primary, last.token_id, context),
          secondary: numberPosition(keys.secondary, last.serial_number),
        });
  return { status: 200, body: `{"nfts":[${rows.map(nftJson).join(',')}],"links":${linksJson(next)}}`, link: next };
};
