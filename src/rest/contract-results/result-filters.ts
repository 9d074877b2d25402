/** What the query parameters of lists of contract results mean. */
import { alternatives, type Bounds, type Comparison, conjunction, type Interval } from '../../api/bounds.ts';
import { resolveReference } from '../../api/entity-lookup.ts';
import { isEntityIdText, isEvmAddressText, readAccountReference } from '../../api/entity-reference.ts';
import {
  blockNumberOf,
  blockNumberParameter,
  booleanParameter,
  limitParameter,
  MAX_INT8,
  nonNegativeInt4Parameter,
  onlyEquals,
  orderParameter,
  timestampParameter,
} from '../../api/parameter-checks.ts';
import { badRequest } from '../../api/problem.ts';
import { acceptSorted, allOf, type Filter, type GroupedQuery, invalidUsage, lastOf } from '../../api/query.ts';
import type { RouteContext } from '../../api/route.ts';
import { timestampBounds } from '../../api/timestamp-filter.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import type { AmountUnit } from './weibar.ts';

const blockHashText = /^(?:0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96})$/;
const FULL_HASH_DIGITS = 96;

const listParameters = {
  from: (_operator: string, value: string) => isEntityIdText(value) || isEvmAddressText(value, 'bare'),
  'block.hash': onlyEquals((_operator, value) => blockHashText.test(value)),
  'block.number': onlyEquals(blockNumberParameter),
  hbar: booleanParameter,
  internal: booleanParameter,
  limit: limitParameter,
  order: orderParameter,
  timestamp: timestampParameter,
  'transaction.index': onlyEquals(nonNegativeInt4Parameter),
};

/**
 * The filters of a list of results.
 * @throws HttpProblem 400
 */
export const acceptResultFilters = (query: GroupedQuery, { settings }: RouteContext): Filter[] => {
  const filters = acceptSorted(query, listParameters, settings.query);
  const [hasHash, hasNumber] = [query.has('block.hash'), query.has('block.number')];
  if (query.has('transaction.index') && !hasHash && !hasNumber) {
    throw invalidUsage(
      'transaction.index',
      'transaction.index requires block.number or block.hash filter to be specified',
    );
  }
  if (hasHash && hasNumber) throw invalidUsage('block.hash', 'cannot combine block.number and block.hash');
  return filters;
};

/**
 * The unit that `hbar` asks for; tinybars unless it is `false`. It may stand only once and takes no operator.
 * @throws HttpProblem 400
 */
export const unitOf = (query: GroupedQuery): AmountUnit => {
  const values = query.get('hbar');
  if (values === undefined) return 'tinybar';
  const text = values.length === 1 ? values[0]?.toLowerCase() : undefined;
  if (text === 'true') return 'tinybar';
  if (text === 'false') return 'weibar';
  throw badRequest(`Invalid hbar parameter value: ${values.join(',')}. Must be 'true' or 'false'`);
};

export interface Senders {
  /** Any of them; undefined: no equality. */
  readonly ids: readonly EntityId[] | undefined;
  readonly comparisons: readonly Comparison[];
}

/**
 * Whom `from` names.
 * @throws HttpProblem 400 `Invalid parameter: from`, 404 for an address that nobody has
 */
export const sendersOf = async (filters: readonly Filter[], context: RouteContext): Promise<Senders> => {
  const comparisons = await Promise.all(
    allOf(filters, 'from').map(async ({ operator, value }) => ({
      operator,
      value: await resolveReference(context.db, readAccountReference(value, 'from', context)),
    })),
  );
  const equal = comparisons.filter(({ operator }) => operator === 'eq');
  return {
    ids: equal.length === 0 ? undefined : [...new Set(equal.map(({ value }) => value))],
    comparisons: comparisons.filter(({ operator }) => operator !== 'eq'),
  };
};

/** Any of the values; undefined: no such filter. */
export const transactionIndexesOf = (filters: readonly Filter[]): readonly bigint[] | undefined => {
  const values = allOf(filters, 'transaction.index').map(({ value }) => BigInt(value));
  return values.length === 0 ? undefined : values;
};

export const internalOf = (filters: readonly Filter[]): boolean =>
  lastOf(filters, 'internal')?.value.toLowerCase() === 'true';

interface BlockRow {
  readonly consensus_start: string;
  readonly consensus_end: string;
}

const blockByNumber = 'select consensus_start, consensus_end from record_file where index = $1 limit 1';

// A range instead of `like`, which an index of another collation than C could not serve.
const blockByHash = `select consensus_start, consensus_end from record_file
  where hash >= $1 and hash <= $2 order by hash limit 1`;

const findBlock = async (filter: Filter, { db }: RouteContext): Promise<BlockRow | undefined> => {
  if (filter.key === 'block.number') {
    const number = blockNumberOf(filter.value) as bigint;
    if (number > MAX_INT8) return undefined;
    const rows = await db.query<BlockRow>(blockByNumber, [number], 'block-span-by-number');
    return rows[0];
  }
  const hash = filter.value.replace(/^0x/, '').toLowerCase();
  const rows = await db.query<BlockRow>(blockByHash, [hash, hash.padEnd(FULL_HASH_DIGITS, 'f')], 'block-span-by-hash');
  return rows[0];
};

/** The bounds from the `timestamp` filters and the last block filter; undefined when there is no such block. */
export const resultTimeBounds = async (
  filters: readonly Filter[],
  context: RouteContext,
): Promise<Bounds | undefined> => {
  const bounds = timestampBounds(filters);
  const filter = filters.findLast(({ key }) => key === 'block.number' || key === 'block.hash');
  if (filter === undefined) return bounds;
  const block = await findBlock(filter, context);
  if (block === undefined) return undefined;
  const [start, end] = [BigInt(block.consensus_start), BigInt(block.consensus_end)];
  return {
    ...bounds,
    lower: bounds.lower === null || bounds.lower < start ? start : bounds.lower,
    upper: bounds.upper === null || bounds.upper > end ? end : bounds.upper,
  };
};

/** The timestamps that satisfy all bounds, where repeated equalities mean any of them; undefined: none. */
export const timestampsWithin = (bounds: Bounds): Interval | readonly bigint[] | undefined => {
  const values = alternatives(bounds)?.filter((value) => value <= MAX_INT8);
  if (values === undefined) return conjunction(bounds);
  return values.length === 0 ? undefined : values;
};
