/** The `timestamp` parameter: merging, the stricter rules some endpoints have, and the window of unbounded lists. */
import type { Database } from '../database/connection.ts';
import { MAX_NANOS, type Nanos, parseTimestamp } from '../ledger/timestamp.ts';
import { type Bounds, boundsOf, type Interval } from './bounds.ts';
import type { Order } from './page.ts';
import { badRequest } from './problem.ts';
import { allOf, type Filter } from './query.ts';

/** The merged `timestamp` filters, in nanoseconds; a value may exceed int8 (seconds up to 9999999999). */
export const timestampBounds = (filters: readonly Filter[]): Bounds =>
  boundsOf(
    allOf(filters, 'timestamp').map(({ operator, value }) => ({ operator, value: parseTimestamp(value) as Nanos })),
  );

export interface TimestampRules {
  /** A timestamp must be given. */
  readonly required?: boolean;
  /** `ne` may be used. */
  readonly allowNotEquals?: boolean;
  /** A lower or an upper bound may stand alone. */
  readonly allowOpenRange?: boolean;
  /** At most one lower and one upper bound, and `eq` alone. */
  readonly strict?: boolean;
  /** The range must hold a timestamp and be no longer than this many milliseconds. */
  readonly maxRangeMs?: number;
}

const durationUnits: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** A duration as settings write it: `7d`, `36h`, `90s`. */
const durationText = (milliseconds: number): string => {
  const [unit, length] = durationUnits.find(([, unitLength]) => milliseconds % unitLength === 0) ?? ['ms', 1];
  return `${milliseconds / length}${unit}`;
};

const refuseAmbiguous = (bounds: Bounds, allowNotEquals: boolean): void => {
  if (!allowNotEquals && bounds.unequal.length > 0) {
    throw badRequest('Not equals operator not supported for timestamp param');
  }
  if (bounds.lowerCount > 1) throw badRequest('Multiple gt or gte operators not permitted for timestamp param');
  if (bounds.upperCount > 1) throw badRequest('Multiple lt or lte operators not permitted for timestamp param');
  if (bounds.equal.length > 0 && bounds.lowerCount + bounds.upperCount + bounds.unequal.length > 0) {
    throw badRequest('Cannot combine eq with ne, gt, gte, lt, or lte for timestamp param');
  }
};

/**
 * Refuses combinations of timestamps that an endpoint does not take.
 * @throws HttpProblem 400
 */
export const checkTimestamps = (bounds: Bounds, rules: TimestampRules): void => {
  const { lower, upper, equal, unequal, lowerCount, upperCount } = bounds;
  if (equal.length + unequal.length + lowerCount + upperCount === 0) {
    if (rules.required) throw badRequest('No timestamp range or eq operator provided');
    return;
  }
  if (rules.strict) refuseAmbiguous(bounds, rules.allowNotEquals ?? false);
  if (!rules.allowOpenRange && equal.length === 0 && (lowerCount === 0 || upperCount === 0)) {
    throw badRequest('Timestamp range must have gt (or gte) and lt (or lte), or eq operator');
  }
  if (rules.maxRangeMs === undefined || lower === null || upper === null) return;
  const length = upper - lower + 1n;
  if (length <= 0n || length > BigInt(rules.maxRangeMs) * 1_000_000n) {
    throw badRequest(
      `Timestamp range by the lower and upper bounds must be positive and within ${durationText(rules.maxRangeMs)}`,
    );
  }
};

/** A list's interval after `query.bindTimestampRange`, and where the search goes on when the interval holds no page. */
export interface BoundInterval {
  readonly interval: Interval;
  /** Nanoseconds; null when nothing was cut off. */
  readonly next: Nanos | null;
}

export interface WindowSettings {
  readonly bindTimestampRange: boolean;
  /** Milliseconds. */
  readonly maxTransactionsTimestampRange: number;
}

/**
 * Cuts an interval of consensus timestamps to the window that one request may search, at the end where the order
 * begins. An open end is the first transaction's timestamp or now; after a beginning later than now it stays open, so
 * that a slow clock hides nothing. Without the setting the interval stays as it is.
 */
export const bindTimestampRange = async (
  interval: Interval,
  order: Order,
  settings: WindowSettings,
  db: Pick<Database, 'query'>,
  clock: () => Nanos,
): Promise<BoundInterval> => {
  if (!settings.bindTimestampRange) return { interval, next: null };
  const now = clock();
  if (interval.upper === null && interval.lower !== null && interval.lower > now) return { interval, next: null };
  const lower = interval.lower ?? (await firstTransactionTimestamp(db));
  const upper = interval.upper ?? now;
  const window = BigInt(settings.maxTransactionsTimestampRange) * 1_000_000n;
  if (upper - lower + 1n <= window) return { interval: { ...interval, lower, upper }, next: null };
  if (order === 'desc') {
    const start = upper - window + 1n;
    return { interval: { ...interval, lower: start, upper }, next: start };
  }
  const end = lower + window - 1n;
  return { interval: { ...interval, lower, upper: end > MAX_NANOS ? MAX_NANOS : end }, next: end };
};

const firstTransactionTimestamp = async (db: Pick<Database, 'query'>): Promise<Nanos> => {
  const [first] = await db.query<{ consensus_timestamp: string }>(
    'select consensus_timestamp from transaction order by consensus_timestamp limit 1',
    [],
    'first-transaction-timestamp',
  );
  return first === undefined ? 0n : BigInt(first.consensus_timestamp);
};
