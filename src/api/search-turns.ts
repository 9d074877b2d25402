/**
 * Which searches run when. A search that takes more than a moment waits for its turn, and however many are asked for, they
 * hold only a share of the database connections, so that short requests always find one. Those that wait have their turns in
 * an order in which clients share what there is: the client goes first whose searches have taken the least time.
 *
 * A search begins among the long ones (stage `long`) when one more of them may run at once. Otherwise it is first tried for a
 * moment (stage `brief`), so that one that is short needs no turn; what has not come to its end by then is given up, and
 * begins anew when it is its turn.
 */
import { sharedConnectionsOf } from '../database/shared/shared-connections.ts';
import { FairQueue } from './fair-queue.ts';
import { HttpProblem, reasonedProblem } from './problem.ts';

export type SearchStage = 'brief' | 'long';

/**
 * Where a search stands: in its stage; in a snapshot, which holds a connection and can't wait for a turn; or on a shared
 * connection, where everything is short or fails (`NotShared`), so that there are no turns.
 */
export type SearchPlace = SearchStage | 'snapshot' | 'shared';

/** Milliseconds that a search may take in the stage `brief`. */
export const briefSearchMs = 100;

/** Seconds after which a refused client may come again. */
const retryAfterSeconds = 2;

export interface TurnLimits {
  readonly atOnce: number;
  /** How many may wait for their turn; one more is refused. */
  readonly maxWaiting: number;
  /** Longest wait in milliseconds. */
  readonly maxWaitMs: number;
}

const refusal = (): HttpProblem => {
  const { status, messages } = reasonedProblem(503, 'Too many searches are waiting. Narrow the search, or try again.');
  return new HttpProblem(status, messages, { headers: { 'retry-after': String(retryAfterSeconds) } });
};

/** A search that waits. */
interface Waiting {
  begin(): void;
  refuse(): void;
}

/** Milliseconds, charged when a search begins, so that of several turns one client doesn't get all. */
const costOfBeginning = 1;

/** Lets so many run at once; the others wait. Searches of one client keep their order. */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting = new FairQueue<Waiting>();
  #running = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether one more would run at once. */
  get hasRoom(): boolean {
    return this.#running < this.#limits.atOnce;
  }

  /**
   * Runs `work` when it is its turn.
   * @param client whom it is for (client-identity.ts); all that nobody is known of share as one
   * @throws HttpProblem 503 with `Retry-After` when its turn has not come in time, or when too many are waiting and its
   *   client has more of them than any other
   */
  async run<T>(work: () => Promise<T>, client = ''): Promise<T> {
    await this.#turn(client);
    const began = performance.now();
    this.#waiting.charge(client, costOfBeginning);
    try {
      return await work();
    } finally {
      this.#waiting.charge(client, performance.now() - began);
      this.#end();
    }
  }

  /** Runs `work` if that can be at once; `unable` is thrown if not. */
  runAtOnce<T>(work: () => Promise<T>, unable: () => Error, client?: string): Promise<T> {
    if (!this.hasRoom) throw unable();
    return this.run(work, client);
  }

  #turn(client: string): Promise<void> | undefined {
    const { maxWaiting, maxWaitMs } = this.#limits;
    if (this.hasRoom) {
      this.#running++;
      return undefined;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting.takeWhere((one) => one === waiting);
      reject(refusal());
    }, maxWaitMs);
    const waiting: Waiting = {
      begin: () => {
        clearTimeout(timer);
        this.#running++;
        resolve();
      },
      refuse: () => {
        clearTimeout(timer);
        reject(refusal());
      },
    };
    this.#waiting.add(client, waiting);
    if (this.#waiting.size > maxWaiting) this.#waiting.takeFromHeaviest()?.item.refuse();
    return promise;
  }

  #end(): void {
    this.#running--;
    this.#waiting.next()?.item.begin();
  }
}

export type SearchTurns = Readonly<Record<SearchStage, Turns>>;

/** What `searchTurns` needs of the settings of the interface. */
interface SearchLimits {
  readonly query: { readonly maxSearches: number; readonly maxWaitingSearches: number };
  readonly db: { readonly pool: { readonly maxConnections: number; readonly connectionTimeout: number } };
}

/**
 * Of the connections, what long searches may hold where no setting says so, and of those that are not shared, what searches
 * may hold that begin.
 */
const shares = { long: 0.3, brief: 0.4 } as const;

/** Of very few connections both stages share those that may be held, so that one stays for short requests. */
const fewConnections = 3;

/**
 * The turns of one pool of connections. `maxSearches` says how many long ones run at once, 0: three tenths of the
 * connections; at least one connection that is not shared always stays for what is no search.
 */
export const searchTurns = ({ query, db: { pool } }: SearchLimits): SearchTurns => {
  const { maxConnections } = pool;
  const unshared = maxConnections - sharedConnectionsOf(maxConnections);
  const limits = {
    maxWaiting: query.maxWaitingSearches,
    maxWaitMs: pool.connectionTimeout > 0 ? pool.connectionTimeout : 20_000,
  };
  const share = (part: number, of: number): number => Math.max(1, Math.floor(of * part));
  const wanted = query.maxSearches > 0 ? query.maxSearches : share(shares.long, maxConnections);
  if (unshared < fewConnections) {
    const turns = new Turns({ ...limits, atOnce: Math.max(1, unshared - 1) });
    return { brief: turns, long: turns };
  }
  const long = Math.min(wanted, unshared - 2);
  const brief = Math.min(share(shares.brief, unshared), unshared - 1 - long);
  return { brief: new Turns({ ...limits, atOnce: brief }), long: new Turns({ ...limits, atOnce: long }) };
};

/** A search has to wait for its turn in that stage; what it is a part of has to begin anew then. */
class SearchNeedsTurn extends Error {
  readonly stage: SearchStage;

  constructor(stage: SearchStage) {
    super(`The search has to wait for its turn (${stage})`);
    this.stage = stage;
  }
}

/** To be thrown by a search that has not come to its end within the stage `brief`. */
export const takesLong = (): Error => new SearchNeedsTurn('long');

export const isTakingLong = (error: unknown): boolean => error instanceof SearchNeedsTurn;

/** The part of a route's context that searches have to do with. */
interface SearchContext {
  readonly searches: SearchTurns;
  readonly searchStage?: SearchPlace;
  readonly client?: () => string;
}

type Work<C, T> = (context: C) => Promise<T>;

const inStage = <C extends SearchContext, T>(context: C, stage: SearchStage, work: Work<C, T>): Promise<T> =>
  context.searches[stage].run(() => work({ ...context, searchStage: stage }), context.client?.());

const fromStage = async <C extends SearchContext, T>(context: C, first: SearchStage, work: Work<C, T>): Promise<T> => {
  if (first === 'long' || context.searches.long.hasRoom) return inStage(context, 'long', work);
  try {
    return await inStage(context, 'brief', work);
  } catch (error) {
    if (!(error instanceof SearchNeedsTurn)) throw error;
    return inStage(context, error.stage, work);
  }
};

/**
 * Runs `work`, which searches, in its turns: as long as it takes where there is room for that; otherwise for a moment and, if
 * that does not suffice, once more from its beginning. `searchStage` says which. Within another `inSearchTurns` it is a part of that.
 * @throws HttpProblem 503 when too many searches are waiting
 */
export const inSearchTurns = async <C extends SearchContext, T>(context: C, work: Work<C, T>): Promise<T> => {
  const { searches, searchStage } = context;
  if (searchStage === undefined) return fromStage(context, 'brief', work);
  if (searchStage !== 'snapshot') return work(context);
  const stage = searches.long.hasRoom ? 'long' : 'brief';
  return searches[stage].runAtOnce(
    () => work({ ...context, searchStage: stage }),
    () => new SearchNeedsTurn('brief'),
    context.client?.(),
  );
};

/**
 * Runs `work`, which holds a connection all the time and may search or not. A search in it that needs to wait ends it, and
 * it begins anew when it is its turn.
 */
export const untilItSearches = async <C extends SearchContext, T>(context: C, work: Work<C, T>): Promise<T> => {
  if (context.searchStage !== undefined) return work(context);
  try {
    return await work({ ...context, searchStage: 'snapshot' });
  } catch (error) {
    if (!(error instanceof SearchNeedsTurn)) throw error;
    return fromStage(context, error.stage, work);
  }
};
