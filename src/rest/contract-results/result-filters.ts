/** What the query parameters of lists of contract results mean. */
import { alternatives, type Bounds, type Comparison, conjunction, type Interval } from '../../api/bounds.ts';
import { resolveReference } from '../../api/entity-lookup.ts';
import { isEntityIdText, isEvmAddressText, readAccountReference } from '../../api/entity-reference.ts';
import {
  blockNumberOf,
  blockNumberParameter,
  booleanParameter,
  MAX_INT8,
  nonNegativeInt4Parameter,
  onlyEquals,
} from '../../api/parameter-checks.ts';
import { badRequest } from '../../api/problem.ts';
import { type Filter, type GroupedQuery, invalidUsage } from '../../api/query.ts';
import { filters, flag, order, type Parameter, timestamps } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { blockLimit } from '../contracts/block-page.ts';
import type { AmountUnit } from './weibar.ts';

const blockHashText = /^(?:0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96})$/;
const FULL_HASH_DIGITS = 96;

/** Any of the values; undefined: no such filter. */
const transactionIndexes: Parameter<readonly bigint[] | undefined> = {
  accepts: onlyEquals(nonNegativeInt4Parameter),
  read: (filters) => (filters.length === 0 ? undefined : filters.map(({ value }) => BigInt(value))),
  doc: {
    description: 'Only the result at this place in its block; needs `block.number` or `block.hash`.',
    schema: { type: 'integer', format: 'int32', minimum: 0 },
    example: 1,
  },
};

/** Read by `unitOf`, since what stands in front of the value counts. */
export const hbar = filters(booleanParameter, {
  description: 'False: amounts and prices of gas in weibars, 10,000,000,000 of which make a tinybar; else in tinybars.',
  schema: { type: 'boolean', default: true },
});

/** The parameters of lists of results. */
export const resultParameters = {
  'block.hash': filters(
    onlyEquals((_operator, value) => blockHashText.test(value)),
    {
      description:
        'Only results of the block with this hash: all 48 bytes, or its first 32, in hex with optional 0x. The last of ' +
        'several counts. Not together with `block.number`.',
      schema: { type: 'string', pattern: '^(eq:)?(0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96})$' },
      example: `0x${'3c'.repeat(48)}`,
    },
  ),
  'block.number': filters(onlyEquals(blockNumberParameter), {
    description: 'Only results of the block with this number, in decimal or 0x hex. The last of several counts.',
    schema: { type: 'string', pattern: '^(eq:)?(\\d{1,19}|0x[0-9A-Fa-f]+)$' },
    example: '100',
  }),
  from: filters((_operator, value) => isEntityIdText(value) || isEvmAddressText(value, 'bare'), {
    description: 'Only results of calls by this account, given by its id or EVM address. Repeat it for any of several.',
    schema: {
      type: 'array',
      items: {
        type: 'string',
        pattern: '^((gte?|lte?|eq|ne):)?((\\d{1,4}\\.)?(\\d{1,5}\\.)?\\d{1,12}|(0x)?[A-Fa-f0-9]{40})$',
      },
    },
    example: ['0.0.1001'],
  }),
  hbar,
  internal: flag('With the results of transactions that other transactions caused.', false),
  limit: blockLimit,
  order: order('desc'),
  timestamp: timestamps,
  'transaction.index': transactionIndexes,
};

/** @throws HttpProblem 400 for parameters that do not go together */
export const checkResultParameters = (query: GroupedQuery): void => {
  const [hasHash, hasNumber] = [query.has('block.hash'), query.has('block.number')];
  if (query.has('transaction.index') && !hasHash && !hasNumber) {
    throw invalidUsage(
      'transaction.index',
      'transaction.index requires block.number or block.hash filter to be specified',
    );
  }
  if (hasHash && hasNumber) throw invalidUsage('block.hash', 'cannot combine block.number and block.hash');
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
export const sendersOf = async (from: readonly Filter[], context: RouteContext): Promise<Senders> => {
  const comparisons = await Promise.all(
    from.map(async ({ operator, value }) => ({
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

/**
 * The bounds from the timestamps and the block; undefined when there is no such block.
 * @param named the last filter of a block
 */
export const resultTimeBounds = async (
  bounds: Bounds,
  named: Filter | undefined,
  context: RouteContext,
): Promise<Bounds | undefined> => {
  if (named === undefined) return bounds;
  const block = await findBlock(named, context);
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
