/**
 * `/api/v1/accounts/{id}/allowances/nfts`: who may move all NFTs of a token for an owner, seen from the owner or from the
 * one who may. Reads `nft_allowance`.
 */
import type { Comparison } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { readJavaAccountReference, resolveJavaReference } from '../../api/java-account-lookup.ts';
import { isJavaRangeEmpty, javaColumnBounds } from '../../api/java-bounds.ts';
import {
  countFaults,
  javaFlag,
  javaIdComparisons,
  javaLimit,
  javaOrder,
  limitFaults,
  refuseFaults,
} from '../../api/java-parameters.ts';
import { booleanJson, entityIdJson, linksJson, timestampJson } from '../../api/json.ts';
import type { Order } from '../../api/page.ts';
import { type PairedBounds, pairedConditions, pairedNextLink } from '../../api/paired-bounds.ts';
import { reasonedProblem } from '../../api/problem.ts';
import { type GroupedQuery, groupQuery } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';

const keys = { primary: 'account.id', secondary: 'token.id' };

interface NftAllowanceRow {
  readonly approved_for_all: boolean;
  readonly owner: string;
  readonly spender: string;
  readonly token_id: string;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
}

const nftAllowanceJson = (row: NftAllowanceRow): string =>
  `{"approved_for_all":${booleanJson(row.approved_for_all)},"owner":${entityIdJson(row.owner)},` +
  `"spender":${entityIdJson(row.spender)},"timestamp":{"from":${timestampJson(row.valid_from)},` +
  `"to":${timestampJson(row.valid_to)}},"token_id":${entityIdJson(row.token_id)}}`;

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

const readAllowances = (search: Search, db: RouteContext['db']): Promise<NftAllowanceRow[]> => {
  const { accountId, isOwner, bounds, order, limit } = search;
  const self = isOwner ? 'owner' : 'spender';
  const other = isOwner ? 'spender' : 'owner';
  const builder = statementBuilder();
  const conditions = [
    `${self} = ${builder.bind(accountId)}::bigint`,
    'approved_for_all',
    ...pairedConditions(builder, { primary: other, secondary: 'token_id' }, bounds),
  ];
  const text =
    'select approved_for_all, owner, spender, token_id, lower(timestamp_range) as valid_from, ' +
    `upper(timestamp_range) as valid_to from nft_allowance${whereClause(conditions)} ` +
    `order by ${other} ${order}, token_id ${order} limit ${builder.bind(limit)}`;
  return db.query<NftAllowanceRow>(text, builder.values, statementName(text));
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

export const listNftAllowances = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const { query } = request;
  const reference = readJavaAccountReference(request.pathParameters.idOrAliasOrEvmAddress ?? '', context);
  const accounts = javaIdComparisons(query, keys.primary, context);
  const limit = javaLimit(query);
  const order = javaOrder(query);
  const isOwner = javaFlag(query, 'owner', true);
  const tokens = javaIdComparisons(query, keys.secondary, context);
  refuseFaults([...countFaults(query, keys.primary), ...limitFaults(limit), ...countFaults(query, keys.secondary)]);
  const bounds = pairedFilters(accounts, tokens);
  const accountId = await resolveJavaReference(context.db, reference);
  const rows = await readAllowances({ accountId, isOwner, bounds, order, limit }, context.db);
  const last = rows.at(-1);
  const otherEnd = isOwner ? last?.spender : last?.owner;
  const next =
    last === undefined || otherEnd === undefined || rows.length < limit
      ? null
      : pairedNextLink(request, linkQuery(request), order, bounds, {
          primary: entityIdPosition(keys.primary, otherEnd, context),
          secondary: entityIdPosition(keys.secondary, last.token_id, context),
        });
  const allowances = rows.map(nftAllowanceJson).join(',');
  return { status: 200, body: `{"allowances":[${allowances}],"links":${linksJson(next)}}`, link: next };
};
