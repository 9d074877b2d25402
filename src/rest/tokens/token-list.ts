/** `/api/v1/tokens`: tokens by id, name, type, admin key and associated account. */
import { type Bounds, boundsWithin, conjunction } from '../../api/bounds.ts';
import { entityIdBounds, entityIdFilters } from '../../api/entity-reference.ts';
import { base64Json, entityIdJson, keyObjectJson, linksJson, plainJson, textJson } from '../../api/json.ts';
import { limitOf, type Order, orderOf } from '../../api/page.ts';
import {
  entityIdOrLongZeroParameter,
  entityIdParameter,
  limitParameter,
  orderParameter,
  publicKeyDigits,
  publicKeyParameter,
} from '../../api/parameter-checks.ts';
import { badRequest } from '../../api/problem.ts';
import {
  acceptSorted,
  allOf,
  type Filter,
  type GroupedQuery,
  groupQuery,
  invalidParameters,
  type Operator,
  type ParameterCheck,
} from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { type StatementBuilder, statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import { readInTurns, type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import type { Queryable } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { boundsConditions } from '../accounts/account-filters.ts';
import { linkAmongAlternatives } from './token-reference.ts';

const nameBytes = { min: 3, max: 100 };
const anyType = 'ALL';
const tokenTypes: readonly string[] = [anyType, 'FUNGIBLE_COMMON', 'NON_FUNGIBLE_UNIQUE'];

const nameParameter: ParameterCheck = (operator, value) => {
  const bytes = Buffer.byteLength(value);
  return operator === 'eq' && bytes >= nameBytes.min && bytes <= nameBytes.max && !value.includes('\0');
};

const isAnyType = (text: string): boolean => text.toUpperCase() === anyType;

const typeParameter: ParameterCheck = (_operator, value) => tokenTypes.includes(value.toUpperCase());

const listParameters = {
  'account.id': entityIdParameter,
  limit: limitParameter,
  name: nameParameter,
  order: orderParameter,
  publickey: publicKeyParameter,
  'token.id': entityIdOrLongZeroParameter,
  type: typeParameter,
};

const isGiven = (query: GroupedQuery, key: string): boolean => query.get(key)?.some((value) => value !== '') ?? false;

const refuseCombinationsWithName = (query: GroupedQuery): void => {
  if (!isGiven(query, 'name')) return;
  if (isGiven(query, 'token.id')) {
    throw badRequest('token.id and name can not be used together. Use a more specific name instead.');
  }
  if (isGiven(query, 'account.id')) throw badRequest('account.id and name cannot be used together');
};

interface AccountFilter {
  /** Undefined for an address that is no id: no token is associated with it. */
  readonly id: EntityId | undefined;
}

/** The account whose tokens are asked for; undefined when none is named. */
const accountFilterOf = (filters: readonly Filter[], context: RouteContext): AccountFilter | undefined => {
  const [first, ...others] = entityIdFilters(filters, 'account.id', context);
  if (first === undefined) return undefined;
  if (others.length > 0 || first.operator !== 'eq') throw invalidParameters('account.id');
  return { id: first.value };
};

const sqlOperators: Readonly<Record<Operator, string>> = {
  eq: '=',
  ne: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

/** A pattern that finds the text anywhere; its own wildcards stand for themselves. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Conditions over `token t` and `entity e`; each filter narrows the others. */
const filterConditions = (builder: StatementBuilder, filters: readonly Filter[]): string[] =>
  filters.flatMap(({ key, operator, value }) => {
    switch (key) {
      case 'name':
        return [`t.name ilike ${builder.bind(containing(value))}::text`];
      case 'publickey':
        return [`e.public_key ${sqlOperators[operator]} ${builder.bind(publicKeyDigits(value))}::text`];
      case 'type':
        return isAnyType(value)
          ? []
          : [`t.type ${sqlOperators[operator]} ${builder.bind(value.toUpperCase())}::token_type`];
      default:
        return [];
    }
  });

interface TokenRow {
  readonly decimals: string;
  readonly key: Buffer | null;
  /** Empty for tokens from before there was metadata. */
  readonly metadata: Buffer;
  readonly name: string;
  readonly symbol: string;
  readonly token_id: string;
  readonly type: string;
}

const columns = `t.decimals, e.key, coalesce(t.metadata, '') as metadata, t.name, t.symbol, t.token_id, t.type`;

/** Whether names are looked up in their index; everything else walks the ids, of a key or all. */
const isNameLookup = (filters: readonly Filter[]): boolean => filters.some(({ key }) => key === 'name');

/**
 * Whether the matches may lie far apart, or be many to be sorted: no index holds types, comparisons of keys may leave few,
 * and a key may be that of very many where no index has them in order.
 */
const isSparse = ({ filters, ids }: TokenSearch): boolean =>
  !isNameLookup(filters) &&
  ids.equal.length === 0 &&
  filters.some(({ key, value }) => key === 'publickey' || (key === 'type' && !isAnyType(value)));

interface TokenSearch {
  readonly filters: readonly Filter[];
  readonly ids: Bounds;
  readonly account: AccountFilter | undefined;
  readonly order: Order;
  readonly limit: number;
}

const isNamedKey = ({ key, operator }: Filter): boolean => key === 'publickey' && operator === 'eq';

/**
 * Tokens of a key, key and type as ranges from themselves to themselves: the index by key, type and id gives the order; one
 * by key and type has few rows sorted.
 */
const ofKey = (builder: StatementBuilder, publicKey: string): string[] => {
  const digits = `${builder.bind(publicKey)}::text`;
  return [`e.public_key >= ${digits} and e.public_key <= ${digits}`, "e.type >= 'TOKEN' and e.type <= 'TOKEN'"];
};

const findTokens = async (
  db: Queryable,
  { filters, ids, account, order, limit }: TokenSearch,
): Promise<readonly TokenRow[]> => {
  const builder = statementBuilder();
  const key = account === undefined ? filters.find(isNamedKey)?.value : undefined;
  const idColumn = key !== undefined ? 'e.id' : account === undefined ? 't.token_id' : 'a.token_id';
  const idConditions = boundsConditions(builder, idColumn, ids);
  if (idConditions === undefined) return [];
  const source =
    account === undefined
      ? 'token t join entity e on e.id = t.token_id'
      : 'token_account a join token t on t.token_id = a.token_id join entity e on e.id = a.token_id';
  const conditions = [
    ...(account === undefined ? [] : [`a.account_id = ${builder.bind(account.id)}::bigint`, 'a.associated']),
    ...(key === undefined ? [] : ofKey(builder, publicKeyDigits(key))),
    ...idConditions,
    ...filterConditions(builder, filters),
  ];
  const found = `select ${columns} from ${source}${whereClause(conditions)}`;
  const page = `limit ${builder.bind(limit)}`;
  const leading = key === undefined ? '' : `e.public_key ${order}, e.type ${order}, `;
  // `offset 0` keeps the planner from walking all ids until it has met enough tokens of a rare name.
  const text = isNameLookup(filters)
    ? `select * from (${found} offset 0) found order by token_id ${order} ${page}`
    : `${found} order by ${leading}${idColumn} ${order} ${page}`;
  return db.query<TokenRow>(text, builder.values, statementName(text));
};

const readTokens = async (
  filters: readonly Filter[],
  order: Order,
  limit: number,
  context: RouteContext,
): Promise<SteppedResult<TokenRow>> => {
  const account = accountFilterOf(filters, context);
  const ids = entityIdBounds(entityIdFilters(filters, 'token.id', context));
  if (ids === undefined || (account !== undefined && account.id === undefined)) return { rows: [], examinedTo: null };
  const search = { filters, ids, account, order, limit };
  const interval = isSparse(search) ? conjunction(ids) : undefined;
  if (interval === undefined) {
    const find = (db: Queryable) => findTokens(db, search);
    return { rows: await (isNameLookup(filters) ? readInTurns(context, find) : find(context.db)), examinedTo: null };
  }
  return searchInSteps(
    {
      interval,
      order,
      limit,
      tables: ['token'],
      idColumn: 'token_id',
      find: (db, window, most) => findTokens(db, { ...search, ids: boundsWithin(window), limit: most }),
    },
    context,
  );
};

const tokenJson = (row: TokenRow): string =>
  `{"admin_key":${keyObjectJson(row.key)},"decimals":${row.decimals},"metadata":${base64Json(row.metadata)},` +
  `"name":${textJson(row.name)},"symbol":${textJson(row.symbol)},"token_id":${entityIdJson(row.token_id)},` +
  `"type":${plainJson(row.type)}}`;

export const listTokens = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  refuseCombinationsWithName(query);
  const filters = acceptSorted(query, listParameters, context.settings.query);
  const order = orderOf(filters, 'asc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const { rows, examinedTo } = await readTokens(filters, order, limit, context);
  const last = rows.at(-1);
  const passed = last === undefined || rows.length < limit ? examinedTo?.toString() : last.token_id;
  // A search by name has one page.
  const link =
    passed === undefined || allOf(filters, 'name').length > 0
      ? null
      : linkAmongAlternatives(request, query, order, 'token.id', passed, context);
  return { status: 200, body: `{"tokens":[${rows.map(tokenJson).join(',')}],"links":${linksJson(link)}}`, link };
};
