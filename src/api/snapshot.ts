/**
 * Answers made of several statements. Blocks are committed whole, but one may be committed between two statements; within
 * a snapshot they all see the same blocks.
 */
import type { Database, DatabaseClient, Row } from '../database/connection.ts';
import type { RestAnswer, RestRequest, RouteContext } from './route.ts';
import { untilItSearches } from './search-turns.ts';

/** One transaction that begins with the first statement and ends with `close`. */
const lazySnapshot = (database: Database) => {
  const finished = Promise.withResolvers<void>();
  let transaction: Promise<void> | undefined;
  let client: Promise<DatabaseClient> | undefined;
  let latest: Promise<unknown> = Promise.resolve();
  let hasEnded = false;

  const begin = (): Promise<DatabaseClient> => {
    const opened = Promise.withResolvers<DatabaseClient>();
    transaction = database.transaction(
      async (opening) => {
        opened.resolve(opening);
        await finished.promise;
      },
      { isolation: 'repeatable read', readOnly: true },
    );
    transaction.catch(opened.reject);
    return opened.promise;
  };

  /** A connection does one thing after the other. */
  const inTurn = <T>(work: (client: DatabaseClient) => Promise<T>): Promise<T> => {
    // The connection may be somebody else's by now.
    if (hasEnded) return Promise.reject(new Error('The snapshot has ended'));
    client ??= begin();
    const opening = client;
    const running = latest.then(async () => work(await opening));
    latest = running.catch(() => undefined);
    return running;
  };

  return {
    query: <R = Row>(text: string, values?: readonly unknown[], name?: string): Promise<R[]> =>
      inTurn((open) => open.query<R>(text, values, name)),
    /** What `work` sets locally ends with it, as it would with a transaction of its own. */
    nested: <T>(work: (client: DatabaseClient) => Promise<T>): Promise<T> =>
      inTurn(async (open) => {
        try {
          return await work(open);
        } finally {
          await open.query('set local statement_timeout to default').catch(() => undefined);
        }
      }),
    close: async (): Promise<void> => {
      hasEnded = true;
      await latest;
      finished.resolve();
      await transaction?.catch(() => undefined);
    },
  };
};

/**
 * Runs `work` with a database whose statements all read the same state; a connection is taken when the first comes.
 * Transactions within it are parts of the one. `work` begins anew, in another snapshot, when a search in it has to wait.
 */
export const inSnapshot = <T>(context: RouteContext, work: (context: RouteContext) => Promise<T>): Promise<T> =>
  untilItSearches(context, async (placed) => {
    const { query, nested, close } = lazySnapshot(placed.db);
    try {
      return await work({ ...placed, db: { ...placed.db, query, transaction: nested, withClient: nested } });
    } finally {
      await close();
    }
  });

type Handle = (request: RestRequest, context: RouteContext) => Promise<RestAnswer>;

/** A handler whose statements all read the same state. */
export const fromOneSnapshot =
  (handle: Handle): Handle =>
  (request, context) =>
    inSnapshot(context, (snapshot) => handle(request, snapshot));
