/** Pages of accounts as entities, for the lists of accounts and of balances. */
import { type Bounds, boundsWithin, conjunction, isUnbounded } from '../../api/bounds.ts';
import type { Order } from '../../api/page.ts';
import type { PublicKeyFilters } from '../../api/public-key-filters.ts';
import type { RouteContext } from '../../api/route.ts';
import { plannedLimit, type StatementBuilder, whereClause } from '../../api/sql.ts';
import { type SteppedResult, type SteppedSearch, searchInSteps } from '../../api/stepped-search.ts';
import type { Reader } from '../../database/connection.ts';
import { balanceConditions, boundsConditions, publicKeyConditions } from './account-filters.ts';

/** The types of entities that are accounts to REST: contracts hold balances too. */
export const accountTypes = ['ACCOUNT', 'CONTRACT'] as const;
export const isAccount = `type in ('${accountTypes.join("', '")}')`;

export interface EntitySearch {
  readonly ids: Bounds;
  readonly keys: PublicKeyFilters;
  readonly balances: Bounds;
  readonly order: Order;
  readonly limit: number;
}

/**
 * The entities of a page. Named ids are looked up; everything else walks the accounts and the contracts by id, each in the
 * index by type (and those of a key in the index by key), so that long runs of other entities between them cost nothing. The type is a range from itself
 * to itself, ordered by it first, since only that index gives this order; an equality would let the planner walk all ids.
 */
export const entityPage = (
  builder: StatementBuilder,
  columns: readonly string[],
  search: EntitySearch,
  conditions: readonly string[],
): string => {
  const { order, limit } = search;
  const shown = columns.join(', ');
  const planned = plannedLimit(limit);
  const by = `order by id ${order}`;
  const first = `${by} limit ${builder.bind(limit)}`;
  if (search.ids.equal.length > 0) {
    // `offset 0` keeps the planner from walking all ids until it has met enough accounts.
    const named = `select ${shown} from entity e${whereClause([isAccount, ...conditions])} offset 0`;
    return `select * from (${named}) named ${first}`;
  }
  const walk = (type: string, leading: readonly string[], exactly: readonly string[]): string =>
    `(select ${shown} from entity e${whereClause([...exactly, `type >= '${type}' and type <= '${type}'`, ...conditions])}
      order by ${[...leading, 'type', 'id'].map((column) => `${column} ${order}`).join(', ')} limit ${planned})`;
  if (search.keys.equal.length === 0) {
    return `select * from (${accountTypes.map((type) => walk(type, [], [])).join(' union all ')}) walked ${first}`;
  }
  // The key as a range too: the index by key, type and id gives the order; one by key and type has few rows sorted.
  const ofKey = (key: string): string =>
    accountTypes
      .map((type) => walk(type, ['public_key'], [`e.public_key >= ${key} and e.public_key <= ${key}`]))
      .join(' union all ');
  // One key is the planner's to know: how many have it decides between the index and a scan of all.
  const [only, ...others] = search.keys.equal;
  if (others.length === 0) return `select * from (${ofKey(`${builder.bind(only)}::text`)}) walked ${first}`;
  return `select walked.* from unnest(${builder.bind(search.keys.equal)}::text[]) k(public_key)
    cross join lateral (${ofKey('k.public_key')}) walked ${first}`;
};

/** The conditions of a search on `entity e`; undefined when nothing can match. */
export const entityConditions = (
  builder: StatementBuilder,
  search: Pick<EntitySearch, 'ids' | 'keys' | 'balances'>,
): string[] | undefined => {
  const ids = boundsConditions(builder, 'e.id', search.ids);
  const balances = balanceConditions(builder, 'e.balance', search.balances);
  if (ids === undefined || balances === undefined) return undefined;
  // The walks of keys hold their key by themselves; comparing it again for every row would double their cost.
  const keys = search.ids.equal.length > 0 ? search.keys : { ...search.keys, equal: [] };
  return [...ids, ...publicKeyConditions(builder, 'e.public_key', keys), ...balances];
};

/**
 * Whether the matches may lie far apart, or be many to be sorted: no index holds balances, comparisons of keys may leave
 * few, and a key may be that of very many where no index has them in order. Named ids are looked up.
 */
const isSparse = ({ ids, keys, balances }: EntitySearch): boolean =>
  ids.equal.length === 0 && (keys.equal.length + keys.others.length > 0 || !isUnbounded(balances));

type FindEntities<R> = (db: Reader, search: EntitySearch) => Promise<readonly R[]>;

/** How accounts are found. */
export interface EntityFinder<R> {
  /** A table in which every match has a row. */
  readonly table: string;
  /** Its column of the accounts' ids. */
  readonly idColumn: string;
  readonly find: FindEntities<R>;
  /** As `find`, by a statement that leaves its way to the planner, which knows the values; absent: `find`. */
  readonly findPlanned?: FindEntities<R>;
}

/** The accounts of a search, in steps of their ids where they may lie far apart. */
export const searchEntities = async <R>(
  search: EntitySearch,
  { table, idColumn, find, findPlanned = find }: EntityFinder<R>,
  context: RouteContext,
): Promise<SteppedResult<R>> => {
  if (conjunction(search.balances) === undefined) return { rows: [], examinedTo: null };
  const interval = isSparse(search) ? conjunction(search.ids) : undefined;
  if (interval === undefined) return { rows: await find(context.db, search), examinedTo: null };
  const { order, limit } = search;
  const within =
    (findPart: FindEntities<R>): SteppedSearch<R>['find'] =>
    (db, window, most) =>
      findPart(db, { ...search, ids: boundsWithin(window), limit: most });
  return searchInSteps(
    { interval, order, limit, tables: [table], idColumn, find: within(find), findPlanned: within(findPlanned) },
    context,
  );
};
