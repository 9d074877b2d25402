/**
 * Reads on shared connections (database/shared): what an answer asks for is tried there first, where it costs least, and begins
 * anew on connections of its own when it takes more than a moment.
 */
import type { Database, DatabaseClient, Reader } from '../database/connection.ts';
import { NotShared } from '../database/shared/shared-connections.ts';
import type { RouteContext } from './route.ts';
import { isTakingLong } from './search-turns.ts';

type Work<T> = (context: RouteContext) => Promise<T>;

/** Whatever asks for more than a short statement can't be done here. */
const sharedDatabase = (database: Database, source: Reader): Database => {
  const client: DatabaseClient = {
    ...source,
    get driver(): never {
      throw new NotShared('it wants the connection itself');
    },
  };
  const nested = <T>(work: (client: DatabaseClient) => Promise<T>): Promise<T> => work(client);
  return { ...database, ...source, transaction: nested, withClient: nested };
};

/** Undefined: it has to begin anew. A part of the work may have hidden a refusal, and answered without it. */
const attempt = async <T>(
  context: RouteContext,
  work: Work<T>,
  source: Reader,
): Promise<{ readonly result: T } | undefined> => {
  let isRefused = false;
  const watched = async <R>(answer: Promise<R>): Promise<R> => {
    try {
      return await answer;
    } catch (error) {
      isRefused ||= error instanceof NotShared;
      throw error;
    }
  };
  const watchedSource: Reader = {
    query: (text, values, name) => watched(source.query(text, values, name)),
    cells: (statements) => watched(source.cells(statements)),
  };
  try {
    const result = await work({ ...context, db: sharedDatabase(context.db, watchedSource), searchStage: 'shared' });
    return isRefused ? undefined : { result };
  } catch (error) {
    if (isRefused || error instanceof NotShared || isTakingLong(error)) return undefined;
    throw error;
  }
};

/**
 * Runs `work` if all its statements can go out together, on a shared connection, in one state of the database; within such
 * another work, as a part of that. Undefined: they can't, and it has to be run in another way.
 */
export const inSharedRound = async <T>(
  context: RouteContext,
  work: Work<T>,
): Promise<{ readonly result: T } | undefined> => {
  if (context.searchStage === 'shared') return { result: await work(context) };
  const round = context.searchStage === undefined ? context.db.shared?.round() : undefined;
  return round && attempt(context, work, round as Reader);
};

/** As `inSharedRound`, of any number of short statements, each of which sees a state of its own. */
export const onSharedConnections = async <T>(
  context: RouteContext,
  work: Work<T>,
): Promise<{ readonly result: T } | undefined> => {
  if (context.searchStage === 'shared') return { result: await work(context) };
  const shared = context.searchStage === undefined ? context.db.shared : undefined;
  return (
    shared &&
    attempt(context, work, {
      query: ((text, values, name) => shared.query({ text, values, name })) as Reader['query'],
      cells: (statements) => shared.cells(statements),
    })
  );
};
