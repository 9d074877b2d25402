/**
 * Lists whose matches may be rare: the search goes in windows of time (or of ids, for a list in their order) from where the
 * order begins. The first is short; how long it took tells how wide the next may be, soon all that is left where there is
 * little. Nothing is examined twice, so that a search on a busy machine takes as long as its whole statement would, and not
 * the time of an attempt given up on top of that. What was examined when the time is over is the page, and its link leads on
 * from there, so that no list runs into the statement timeout.
 */
import type { DatabaseClient, Reader } from '../database/connection.ts';
import { isKagamiError, KagamiError } from '../errors/kagami-error.ts';
import type { Interval } from './bounds.ts';
import type { Order } from './page.ts';
import type { RouteContext } from './route.ts';
import { briefSearchMs, inSearchTurns, takesLong } from './search-turns.ts';
import { inSharedRound } from './shared-reads.ts';

export interface SteppedSearch<R> {
  readonly interval: Interval;
  readonly order: Order;
  readonly limit: number;
  /** Tables with the column of the order in one of which every match has a row; their ends are the ends of the search. */
  readonly tables: readonly string[];
  /** The column of ids that the interval bounds and the list is ordered by; absent: `consensus_timestamp`. */
  readonly idColumn?: string;
  /** The first `limit` matches within the interval, in order. */
  find(db: Reader, interval: Interval, limit: number): Promise<readonly R[]>;
  /** As `find`, by a statement that leaves its way to the planner, which knows the values; absent: `find`. */
  findPlanned?(db: Reader, interval: Interval, limit: number): Promise<readonly R[]>;
}

export interface SteppedResult<R> {
  readonly rows: readonly R[];
  /** The last time or id that was examined; null when nothing is left beyond the rows, or beyond the last of a full page. */
  readonly examinedTo: bigint | null;
}

/** Widths in nanoseconds and in ids. */
const firstWindows = { time: 60_000_000_000n, ids: 10_000n } as const;
/** Of the time that is left, what a window is made to take, and what it may take. */
const wantedShare = 1 / 4;
export const longestShare = 1 / 2;
const mostGrowth = 128n;
/** After a window that took too long: its neighbours may be as dense, however empty the ones before were. */
const mostGrowthAfterFailure = 4n;
export const shrinkage = 16n;
/** Of the time; when less is left, what was examined is the page. */
const shareNotWorthAStep = 1 / 32;

/** Nanoseconds or ids of a window, and how many times as wide the next one may be. */
export interface Width {
  readonly width: bigint;
  readonly mostGrowth: bigint;
}

export const firstWidth = (idColumn: string | undefined): Width => ({
  width: firstWindows[idColumn === undefined ? 'time' : 'ids'],
  mostGrowth,
});

/** As wide as may be done in a part of the time that is left, by what the window before took. */
export const widthAfter = ({ width, mostGrowth }: Width, elapsedMs: number, leftMs: number): Width => {
  const most = Number(mostGrowth);
  const fitting = elapsedMs > 0 ? (leftMs * wantedShare) / elapsedMs : most;
  const hundredths = BigInt(Math.max(1, Math.floor(Math.min(most, fitting) * 100)));
  const next = (width * hundredths) / 100n;
  return { width: next > 1n ? next : 1n, mostGrowth };
};

/** @param examined how wide the window was that took too long, which ends where the search does */
export const widthAfterFailure = (examined: bigint): Width => ({
  width: examined > shrinkage ? examined / shrinkage : 1n,
  mostGrowth: mostGrowthAfterFailure,
});

type SearchSettings = Pick<RouteContext['settings'], 'query' | 'db'>;

/** Milliseconds that a search may take; 0: as long as it wants. */
export const searchTimeOf = ({ query, db }: SearchSettings): number => {
  const half = Math.floor(db.pool.statementTimeout / 2);
  return query.maxSearchTime > 0 && half > 0 ? Math.min(query.maxSearchTime, half) : query.maxSearchTime;
};

/** Runs a part of a search, within a transaction, for at most `milliseconds`; undefined when it took longer. */
export const attempt = async <T>(
  client: DatabaseClient,
  milliseconds: number,
  part: () => Promise<T>,
): Promise<T | undefined> => {
  await client.query(`set local statement_timeout = ${Math.max(1, Math.floor(milliseconds))}; savepoint step`);
  try {
    return await part();
  } catch (error) {
    if (!isKagamiError(error, 'DATABASE_TIMEOUT')) throw error;
    await client.query('rollback to savepoint step');
    return undefined;
  }
};

/**
 * How the server is to plan the statements of a search in a transaction. Each of them for its own values: windows differ by
 * orders of magnitude, and a plan that is kept for all of them reads the wide ones row by row through an index. With a second
 * process if the search is the only one; beside others it leaves the processors to them.
 */
export const planAsSearch = async (client: DatabaseClient, { searches }: Pick<RouteContext, 'searches'>) => {
  const workers = searches.long.running <= 1 ? '; set local max_parallel_workers_per_gather = 1' : '';
  await client.query(`set local plan_cache_mode = force_custom_plan${workers}`);
};

export interface Range {
  readonly lower: bigint;
  readonly upper: bigint;
}

/** The part of the interval in which the tables have rows; undefined: none. */
export const occupiedRange = async (
  db: Reader,
  {
    interval: { lower, upper },
    tables,
    idColumn = 'consensus_timestamp',
  }: Pick<SteppedSearch<unknown>, 'interval' | 'tables' | 'idColumn'>,
): Promise<Range | undefined> => {
  const ends = (end: 'min' | 'max') => tables.map((table) => `(select ${end}(${idColumn}) from ${table})`);
  const [row] = await db.query<{ first: string | null; last: string | null }>(
    `select least(${ends('min')}) as first, greatest(${ends('max')}) as last`,
  );
  if (row === undefined || row.first === null || row.last === null) return undefined;
  const [first, last] = [BigInt(row.first), BigInt(row.last)];
  const range = {
    lower: lower === null || lower < first ? first : lower,
    upper: upper === null || upper > last ? last : upper,
  };
  return range.lower > range.upper ? undefined : range;
};

export const windowAt = (position: bigint, width: bigint, { lower, upper }: Range, order: Order): Range => {
  if (order === 'asc') {
    const end = position + width - 1n;
    return { lower: position, upper: end > upper ? upper : end };
  }
  const start = position - width + 1n;
  return { lower: start < lower ? lower : start, upper: position };
};

const searchWindows = async <R>(
  search: SteppedSearch<R>,
  client: DatabaseClient,
  started: number,
  totalMs: number,
): Promise<SteppedResult<R>> => {
  const { order, limit, interval, find, findPlanned = find } = search;
  const range = await occupiedRange(client, search);
  if (range === undefined) return { rows: [], examinedTo: null };
  const end = order === 'asc' ? range.upper : range.lower;
  const rows: R[] = [];
  let examinedTo: bigint | undefined;
  let position = order === 'asc' ? range.lower : range.upper;
  let width = firstWidth(search.idColumn);
  while (rows.length < limit && examinedTo !== end) {
    const before = performance.now();
    const left = totalMs - (before - started);
    if (left < (examinedTo === undefined ? 1 : totalMs * shareNotWorthAStep)) break;
    const window = windowAt(position, width.width, range, order);
    const found = await attempt(client, left * longestShare, () =>
      findPlanned(client, { ...window, excluded: interval.excluded }, limit - rows.length),
    );
    if (found === undefined) {
      width = widthAfterFailure(window.upper - window.lower + 1n);
      continue;
    }
    rows.push(...found);
    examinedTo = order === 'asc' ? window.upper : window.lower;
    position = order === 'asc' ? examinedTo + 1n : examinedTo - 1n;
    const now = performance.now();
    width = widthAfter(width, now - before, totalMs - (now - started));
  }
  if (examinedTo === undefined) {
    throw new KagamiError('DATABASE_TIMEOUT', 'Not even a short part of the search could be done in time');
  }
  return { rows, examinedTo: rows.length >= limit || examinedTo === end ? null : examinedTo };
};

const oneState = { isolation: 'repeatable read', readOnly: true } as const;

/** Reads for a moment. @throws Error `takesLong` */
const readBriefly = <T>({ db }: Pick<RouteContext, 'db'>, read: (db: Reader) => Promise<T>): Promise<T> =>
  db.transaction(async (client) => {
    const limited = client.query(`set local statement_timeout = ${briefSearchMs}`);
    // Should that fail, so does what comes after it.
    limited.catch(() => undefined);
    try {
      return await read(client);
    } catch (error) {
      throw isKagamiError(error, 'DATABASE_TIMEOUT') ? takesLong() : error;
    }
  }, oneState);

/**
 * Searches within the time that one search may take (`query.maxSearchTime`), all steps in one state of the ledger: on a
 * shared connection where that suffices, else when it is its turn.
 */
export const searchInSteps = async <R>(search: SteppedSearch<R>, context: RouteContext): Promise<SteppedResult<R>> => {
  const totalMs = searchTimeOf(context.settings);
  const { interval, limit, find, findPlanned = find } = search;
  const whole = (on: Reader) => find(on, interval, limit);
  const shared = await inSharedRound(context, ({ db }) => whole(db));
  if (shared !== undefined) return { rows: shared.result, examinedTo: null };
  return inSearchTurns(context, async ({ db, searchStage }) => {
    if (searchStage === 'brief') return { rows: await readBriefly({ db }, whole), examinedTo: null };
    return db.transaction(async (client) => {
      const started = performance.now();
      await planAsSearch(client, context);
      if (totalMs === 0) return { rows: await findPlanned(client, interval, limit), examinedTo: null };
      return searchWindows(search, client, started, totalMs);
    }, oneState);
  });
};
