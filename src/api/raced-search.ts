/**
 * Searches that may start from either of several indexes, of which nobody knows beforehand which one meets enough matches
 * first: the rows of an account that are of a type may be few because the account has few, because the type has few, or
 * because the two never meet. All of them are walked by turns from where the order begins, each on from where the one before
 * it has come to, so that the search costs no more than a small multiple of the best of them. Each step is bounded by
 * rows, and after one that took too long by a window of time too, since a planner that knows little of the newest rows may
 * choose a plan that a limit doesn't end. When the time is over, what was found is the page and its link leads on from there.
 */
import type { Reader } from '../database/connection.ts';
import { isKagamiError, KagamiError } from '../errors/kagami-error.ts';
import type { Interval } from './bounds.ts';
import type { Order } from './page.ts';
import type { RouteContext } from './route.ts';
import { briefSearchMs, inSearchTurns, takesLong } from './search-turns.ts';
import { onSharedConnections } from './shared-reads.ts';
import {
  attempt,
  firstWidth,
  longestShare,
  occupiedRange,
  planAsSearch,
  type SteppedResult,
  searchTimeOf,
  shrinkage,
  type Width,
  widthAfter,
  widthAfterFailure,
  windowAt,
} from './stepped-search.ts';

export interface WalkStep {
  /** The first matches of the interval in order, as many as were asked for at most. */
  readonly found: readonly bigint[];
  /**
   * How far the interval was examined, inclusive; `end`: to its end. `nowhere`: the walk has no order, and the rows did not
   * suffice for all of it; nothing was found then. Beside such a walk there has to be one that has an order.
   */
  readonly reached: bigint | 'end' | 'nowhere';
}

export interface Walk {
  /**
   * Whether a step examines all of its interval, so that only its time bounds it: such a walk joins when the others have not
   * come to the end within a moment, and goes in windows, each as wide as the one before suggests.
   */
  readonly isLong?: boolean;
  /** Examines about `rows` rows of the index from where the interval begins in the order. */
  step(db: Reader, interval: Interval, rows: number, limit: number): Promise<WalkStep>;
}

export interface RacedSearch {
  /** One in which every match has a row with the column of the order; absent: the search has no windows. */
  readonly table?: string;
  /** The column of ids that the interval bounds and the list is ordered by; absent: `consensus_timestamp`. */
  readonly idColumn?: string;
  readonly interval: Interval;
  readonly order: Order;
  readonly limit: number;
  readonly walks: readonly Walk[];
}

const firstRows = 100;
const mostRows = 250_000;
const growth = 4n;
/** Of a window, in nanoseconds or ids; beyond it there are none any more. */
const longestWindow = 365n * 86_400_000_000_000n;
/** A step that took no more than this share of the time makes way for one of more rows. */
const quickShare = 32;
/** Of the time, what one step may take. */
const shareOfStep = 1 / 4;
/** One turn in so many is another walk's than that of the one that gets on best: it may be better by now. */
const turnsOfBest = 8;

type Attempt = (part: () => Promise<WalkStep>, milliseconds: number) => Promise<WalkStep | undefined>;

const beyond = (interval: Interval, reached: bigint, order: Order): Interval =>
  order === 'asc' ? { ...interval, lower: reached + 1n } : { ...interval, upper: reached - 1n };

const isEmpty = ({ lower, upper }: Interval): boolean => lower !== null && upper !== null && lower > upper;

/** What a walk examines with its next step. */
interface Pace {
  rows: number;
  /** Undefined: all of the interval. */
  width: Width | undefined;
}

/** @param window what took too long; its ends are known where it had a width */
const slower = ({ rows, width }: Pace, window: Interval, { table, idColumn }: RacedSearch): Pace => {
  const fewer = Math.floor(rows / Number(shrinkage));
  if (table === undefined) return { rows: Math.max(1, fewer), width: undefined };
  const { lower, upper } = window;
  const isKnown = width !== undefined && lower !== null && upper !== null;
  return {
    rows: Math.max(firstRows, fewer),
    width: isKnown ? widthAfterFailure(upper - lower + 1n) : firstWidth(idColumn),
  };
};

const faster = ({ rows, width }: Pace): Pace => ({
  rows: Math.min(mostRows, rows * Number(growth)),
  width: width === undefined || width.width > longestWindow ? undefined : { ...width, width: width.width * growth },
});

/** What is known of a walk by its steps. */
interface Progress {
  /** Nanoseconds or ids in a millisecond; undefined: not known yet. */
  speed: number | undefined;
  /** Of the latest step. */
  milliseconds: number;
  /** The most rows with which it came to nowhere. */
  rowsToNowhere: number;
  /** Whether it has no more turns. */
  hasLeft: boolean;
}

/**
 * Whose turn it is after so many milliseconds: one walk after the other, each once at least, until the long one joins, which
 * then goes on until its windows are long enough to tell how fast it is; from then on that of the walk that gets on best, with
 * now and then another's between.
 */
const turnsOf = (walks: readonly Walk[], progress: readonly Progress[]): ((elapsedMs: number) => number) => {
  const long = walks.findIndex(({ isLong = false }) => isLong);
  let turn = -1;
  let hasLongJoined = false;
  let isLongKnown = false;
  let turnsSinceKnown = 0;
  let untried = walks.length - 1;
  const following = (): number => {
    untried--;
    do turn = (turn + 1) % walks.length;
    while ((turn === long && !hasLongJoined) || progress[turn]?.hasLeft);
    return turn;
  };
  return (elapsedMs) => {
    if (long === -1) return following();
    if (!hasLongJoined && walks.length > 1 && (elapsedMs < briefSearchMs || untried > 0)) return following();
    hasLongJoined = true;
    isLongKnown ||= (progress[long] as Progress).milliseconds >= briefSearchMs;
    if (!isLongKnown) return long;
    if (++turnsSinceKnown % turnsOfBest === 0) return following();
    const speeds = progress.map(({ speed = 0 }) => speed);
    const best = Math.max(...speeds);
    return best > 0 ? speeds.indexOf(best) : following();
  };
};

/** How far a search has come. What one stage of it has examined, the next one need not. */
interface Race {
  readonly paces: Pace[];
  readonly progress: Progress[];
  readonly turnAfter: (elapsedMs: number) => number;
  readonly found: bigint[];
  /** What is left to be examined. */
  interval: Interval;
  examinedTo: bigint | null;
  /** Of all stages so far. */
  elapsedMs: number;
}

const startOf = ({ walks, table, idColumn, interval }: RacedSearch): Race => {
  const progress: Progress[] = walks.map(() => ({
    speed: undefined,
    milliseconds: 0,
    rowsToNowhere: 0,
    hasLeft: false,
  }));
  return {
    paces: walks.map(({ isLong }) => ({
      rows: firstRows,
      width: isLong && table !== undefined ? firstWidth(idColumn) : undefined,
    })),
    progress,
    turnAfter: turnsOf(walks, progress),
    found: [],
    interval,
    examinedTo: null,
    elapsedMs: 0,
  };
};

type Stage = 'brief' | 'long';

/** Goes on with a race for `totalMs`. */
const goOn = async (
  search: RacedSearch,
  race: Race,
  db: Reader,
  totalMs: number,
  stage: Stage,
  attemptStep: Attempt,
): Promise<SteppedResult<bigint>> => {
  const { order, limit, walks, table, idColumn } = search;
  const { paces, progress, turnAfter, found } = race;
  const started = performance.now();
  const elapsedBefore = race.elapsedMs;
  const windowOf = async (width: Width | undefined): Promise<Interval | undefined> => {
    if (width === undefined || table === undefined) return race.interval;
    const range = await occupiedRange(db, {
      interval: race.interval,
      tables: [table],
      ...(idColumn === undefined ? {} : { idColumn }),
    });
    if (range === undefined) return undefined;
    return {
      ...windowAt(order === 'asc' ? range.lower : range.upper, width.width, range, order),
      excluded: race.interval.excluded,
    };
  };
  /** With no more rows than before it would come to nowhere again. */
  const leaveIfInVain = (turn: number): void => {
    const [{ rows }, of] = [paces[turn] as Pace, progress[turn] as Progress];
    of.hasLeft = stage === 'long' && rows <= of.rowsToNowhere;
  };
  for (;;) {
    const before = performance.now();
    const left = totalMs - (before - started);
    race.elapsedMs = elapsedBefore + (before - started);
    if (left <= 0) break;
    // The long walk waits for the long stage, however late that comes.
    const turn = turnAfter(stage === 'brief' ? 0 : race.elapsedMs);
    const [walk, pace, of] = [walks[turn] as Walk, paces[turn] as Pace, progress[turn] as Progress];
    const window = await windowOf(pace.width);
    if (window === undefined) return { rows: found, examinedTo: null };
    const step = await attemptStep(
      () => walk.step(db, window, pace.rows, limit - found.length),
      walk.isLong ? left * longestShare : Math.min(left, totalMs * shareOfStep),
    );
    const milliseconds = performance.now() - before;
    if (step === undefined) {
      paces[turn] = slower(pace, window, search);
      Object.assign(of, { speed: (of.speed ?? 0) / 2, milliseconds });
      leaveIfInVain(turn);
      continue;
    }
    found.push(...step.found);
    if (found.length >= limit || (step.reached === 'end' && pace.width === undefined)) {
      return { rows: found, examinedTo: null };
    }
    if (walk.isLong && pace.width !== undefined) {
      paces[turn] = { ...pace, width: widthAfter(pace.width, milliseconds, left - milliseconds) };
    } else if (milliseconds <= totalMs / quickShare) {
      paces[turn] = faster(pace);
    }
    if (step.reached === 'nowhere') {
      Object.assign(of, { speed: 0, milliseconds, rowsToNowhere: Math.max(of.rowsToNowhere, pace.rows) });
      leaveIfInVain(turn);
      continue;
    }
    const begin = order === 'asc' ? window.lower : window.upper;
    const reached = step.reached === 'end' ? ((order === 'asc' ? window.upper : window.lower) as bigint) : step.reached;
    const covered = begin === null ? undefined : Math.abs(Number(reached - begin));
    Object.assign(of, { speed: covered && covered / Math.max(milliseconds, 0.1), milliseconds });
    race.examinedTo = reached;
    race.interval = beyond(race.interval, reached, order);
    if (isEmpty(race.interval)) return { rows: found, examinedTo: null };
  }
  if (race.examinedTo === null) {
    throw new KagamiError('DATABASE_TIMEOUT', 'Not even a short part of the search could be done in time');
  }
  return { rows: found, examinedTo: race.examinedTo };
};

/** For a moment; its statements are short, since each examines few rows. @throws Error `takesLong` */
const goOnBriefly = async (search: RacedSearch, race: Race, db: Reader): Promise<SteppedResult<bigint>> => {
  try {
    const result = await goOn(search, race, db, briefSearchMs, 'brief', (part) => part());
    if (result.examinedTo === null) return result;
  } catch (error) {
    if (!isKagamiError(error, 'DATABASE_TIMEOUT')) throw error;
  }
  throw takesLong();
};

/**
 * The first matches of the interval in order, found within the time that one search may take (`query.maxSearchTime`): on
 * shared connections where that suffices, else on from there when it is its turn.
 */
export const searchByRacing = async (search: RacedSearch, context: RouteContext): Promise<SteppedResult<bigint>> => {
  const totalMs = searchTimeOf(context.settings);
  const race = startOf(search);
  const shared = await onSharedConnections(context, ({ db }) => goOnBriefly(search, race, db));
  if (shared !== undefined) return shared.result;
  return inSearchTurns(context, ({ db, searchStage }) => {
    if (searchStage === 'brief') return goOnBriefly(search, race, db);
    return db.transaction(
      async (client) => {
        await planAsSearch(client, context);
        if (totalMs === 0) return goOn(search, race, client, Number.POSITIVE_INFINITY, 'long', (part) => part());
        return goOn(search, race, client, totalMs, 'long', (part, milliseconds) => attempt(client, milliseconds, part));
      },
      { isolation: 'repeatable read', readOnly: true },
    );
  });
};
