/** `/api/v1/tokens`: tokens by id, name, type, admin key and associated account. */
import { type Bounds, boundsWithin, conjunction, everything } from '../../api/bounds.ts';
import { type EntityIdFilter, entityIdBounds } from '../../api/entity-reference.ts';
import type { Order } from '../../api/page.ts';
import { publicKeyDigits, publicKeyParameter } from '../../api/parameter-checks.ts';
import { badRequest } from '../../api/problem.ts';
import { publicKeyFilters } from '../../api/public-key-filters.ts';
import {
  type Filter,
  type GroupedQuery,
  invalidParameters,
  type Operator,
  type ParameterCheck,
} from '../../api/query.ts';
import { type RacedSearch, searchByRacing, type Walk } from '../../api/raced-search.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { entityIds, filters, idsOrLongZeroAddresses, limit, order } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import { inSearchTurns } from '../../api/search-turns.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import { firstPositions, takeWalkStep } from '../../api/walk-step.ts';
import type { Reader } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { boundsConditions, publicKeyConditions } from '../accounts/account-filters.ts';
import { token } from './token.ts';
import { linkAmongAlternatives } from './token-links.ts';

type TokenRow = Awaited<ReturnType<typeof token.read>>[number];

const nameBytes = { min: 3, max: 100 };
const anyType = 'ALL';
const tokenTypes: readonly string[] = [anyType, 'FUNGIBLE_COMMON', 'NON_FUNGIBLE_UNIQUE'];

const nameParameter: ParameterCheck = (operator, value) => {
  const bytes = Buffer.byteLength(value);
  return operator === 'eq' && bytes >= nameBytes.min && bytes <= nameBytes.max && !value.includes('\0');
};

const isAnyType = (text: string): boolean => text.toUpperCase() === anyType;

const typeParameter: ParameterCheck = (_operator, value) => tokenTypes.includes(value.toUpperCase());

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
const accountFilterOf = ([first, ...others]: readonly EntityIdFilter[]): AccountFilter | undefined => {
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
        return operator === 'eq'
          ? [`e.public_key = ${builder.bind(publicKeyDigits(value))}::text`]
          : publicKeyConditions(builder, 'e.public_key', publicKeyFilters([{ operator, value }]));
      case 'type':
        return isAnyType(value)
          ? []
          : [`t.type ${sqlOperators[operator]} ${builder.bind(value.toUpperCase())}::token_type`];
      default:
        return [];
    }
  });

/** Whether names are asked for, which an index holds; everything else walks the ids, of a key or all. */
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

const isOnEntity = ({ key }: Filter): boolean => key === 'publickey';

/**
 * The entity of each token that is met, looked up by its id: a join that the planner may choose would walk all entities between
 * the first tokens, which may be millions. Only filters on the entity leave it the choice.
 */
const entityOf = (tokenId: string, filters: readonly Filter[]): string =>
  filters.some(isOnEntity)
    ? `join entity e on e.id = ${tokenId}`
    : `cross join lateral (select key from entity where id = ${tokenId} limit 1) e`;

const findTokens = async (
  db: Reader,
  { filters, ids, account, order, limit }: TokenSearch,
): Promise<readonly TokenRow[]> => {
  const builder = statementBuilder();
  const key = account === undefined ? filters.find(isNamedKey)?.value : undefined;
  const idColumn = key !== undefined ? 'e.id' : account === undefined ? 't.token_id' : 'a.token_id';
  const idConditions = boundsConditions(builder, idColumn, ids);
  if (idConditions === undefined) return [];
  // Where entities are filtered, a plan that reads them in order should begin at the first of the ids.
  const isJoined = key === undefined && filters.some(isOnEntity);
  const entityConditions = isJoined ? (boundsConditions(builder, 'e.id', ids) ?? []) : [];
  const source =
    account === undefined
      ? `token t ${entityOf('t.token_id', filters)}`
      : `token_account a join token t on t.token_id = a.token_id ${entityOf('a.token_id', filters)}`;
  const conditions = [
    ...(account === undefined ? [] : [`a.account_id = ${builder.bind(account.id)}::bigint`, 'a.associated']),
    ...(key === undefined ? [] : ofKey(builder, publicKeyDigits(key))),
    ...idConditions,
    ...entityConditions,
    ...filterConditions(builder, filters),
  ];
  const found = `select t.*, e.key from ${source}${whereClause(conditions)}`;
  const most = `limit ${builder.bind(limit)}`;
  const leading = key === undefined ? '' : `e.public_key ${order}, e.type ${order}, `;
  const page = `${found} order by ${leading}${idColumn} ${order} ${most}`;
  return token.read(db, token.statement(page, `p.token_id ${order}`), builder.values);
};

/**
 * The tokens by id, asked for their names one by one: ends soonest where the names are common. As a join, the planner would
 * walk all entities before the first token.
 */
const walkOfIds = ({ filters, order }: TokenSearch): Walk => ({
  step: (db, interval, rows, limit) => {
    const builder = statementBuilder();
    const conditions = ['t.token_id = w.token_id', ...filterConditions(builder, filters)];
    const isMatch = `(select true from token t ${entityOf('t.token_id', filters)}${whereClause(conditions)} limit 1)`;
    const candidates = `select token_id from token${whereClause(intervalConditions(builder, 'token_id', interval))}
      order by token_id ${order} limit ${rows}`;
    return takeWalkStep(db, { builder, candidates, column: 'token_id', questions: [isMatch], order, rows }, limit);
  },
});

/** All tokens of the names at once, if they are few. The planner chooses as for all of them, since it is materialized. */
const gatheredByName = ({ filters, order }: TokenSearch): Walk => ({
  step: async (db, interval, rows, limit) => {
    const builder = statementBuilder();
    const conditions = [...filterConditions(builder, filters), ...intervalConditions(builder, 't.token_id', interval)];
    const text = `with named as materialized (
        select t.token_id from token t ${entityOf('t.token_id', filters)}${whereClause(conditions)})
      select token_id from named limit ${rows + 1}`;
    const named = await db.query<{ readonly token_id: string }>(text, builder.values, statementName(text));
    if (named.length > rows) return { found: [], reached: 'nowhere' };
    return {
      found: firstPositions(
        named.map(({ token_id }) => token_id),
        order,
        limit,
      ),
      reached: 'end',
    };
  },
});

const readPlainly = async (db: Reader, search: TokenSearch): Promise<SteppedResult<TokenRow>> => ({
  rows: await findTokens(db, search),
  examinedTo: null,
});

/**
 * A name may be that of few tokens or of nearly all, so that two walks race. Since this list has one page only, a search that
 * has not ended within its time begins anew as one statement, for as long as that may take.
 */
const readByName = (search: TokenSearch, outside: RouteContext): Promise<SteppedResult<TokenRow>> =>
  inSearchTurns(outside, async (context) => {
    const { order, limit } = search;
    const walks = [walkOfIds(search), gatheredByName(search)];
    const raced: RacedSearch = { table: 'token', idColumn: 'token_id', interval: everything, order, limit, walks };
    const { rows: ids, examinedTo } = await searchByRacing(raced, context);
    if (examinedTo !== null) return readPlainly(context.db, search);
    if (ids.length === 0) return { rows: [], examinedTo: null };
    return readPlainly(context.db, { ...search, filters: [], ids: { ...search.ids, equal: ids } });
  });

const readTokens = async (search: TokenSearch, context: RouteContext): Promise<SteppedResult<TokenRow>> => {
  const { filters, ids, order, limit } = search;
  if (isNameLookup(filters)) return readByName(search, context);
  const interval = isSparse(search) ? conjunction(ids) : undefined;
  if (interval === undefined) return readPlainly(context.db, search);
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

const names = filters(nameParameter, {
  description:
    'Part of the name in any letter case. Several must all be found in it. Gives one page only, and goes together with ' +
    'neither `account.id` nor `token.id`.',
  schema: { type: 'string', minLength: nameBytes.min, maxLength: nameBytes.max },
  example: 'coin',
});

const adminKeys = filters(publicKeyParameter, {
  description: 'Hex of the admin key, where that is a single public key.',
  schema: {
    type: 'string',
    pattern: '^((gte?|lte?|eq|ne):)?(0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{66}|[0-9A-Fa-f]{88})$',
  },
  example: '3c3d546321ff6f63d701d2ec5c277095874e19f4a235bee1e6bb19258bf362be',
});

const types = filters(typeParameter, {
  description: 'Kind of token.',
  schema: { type: 'string', enum: tokenTypes, default: anyType },
});

const associatedAccount = {
  ...entityIds('Only tokens that this account is associated with.'),
  doc: {
    description: 'Only tokens that this account is associated with.',
    schema: { type: 'string', pattern: '^(eq:)?((\\d{1,10}\\.){0,2}\\d{1,12}|(0x)?[A-Fa-f0-9]{40})$' },
    example: '0.0.8',
  },
};

export const tokenList = endpoint({
  path: '/api/v1/tokens',
  flavour: 'js',
  cacheSeconds: 10,
  operationId: 'getTokens',
  summary: 'List tokens',
  description: 'Tokens by id. Filters of different kinds narrow each other.',
  tag: 'tokens',
  refusals: 'sorted',
  parameters: {
    'account.id': associatedAccount,
    limit,
    name: names,
    order: order('asc'),
    publickey: adminKeys,
    'token.id': idsOrLongZeroAddresses('Id of the token. Several `eq` mean any of them.'),
    type: types,
  },
  answer: pageOf('tokens', token, 'One page of tokens.'),
  problems: [400],

  resolve: ({ grouped }) => refuseCombinationsWithName(grouped),

  handle: async ({ request, query, grouped }, context) => {
    const account = accountFilterOf(query['account.id']);
    const ids = entityIdBounds(query['token.id']);
    if (ids === undefined || (account !== undefined && account.id === undefined))
      return pageAnswer('tokens', [], token.put, null);
    const search: TokenSearch = {
      filters: [...query.name, ...query.publickey, ...query.type],
      ids,
      account,
      order: query.order,
      limit: query.limit,
    };
    const { rows, examinedTo } = await readTokens(search, context);
    const last = rows.at(-1);
    const passed = last === undefined || rows.length < query.limit ? examinedTo?.toString() : last.id;
    // A search by name has one page.
    const link =
      passed === undefined || query.name.length > 0
        ? null
        : linkAmongAlternatives(request, grouped, query.order, 'token.id', passed, context);
    return pageAnswer('tokens', rows, token.put, link);
  },
});
