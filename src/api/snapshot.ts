/**
 * Answers made of several statements. Blocks are committed whole, but one may be committed between two statements; within
 * a snapshot they all see the same blocks.
 */
import type { Database, DatabaseClient, Row } from '../database/connection.ts';
import type { RouteContext } from './route.ts';
import { untilItSearches } from './search-turns.ts';
import { inSharedRound } from './shared-reads.ts';

/** One transaction that begins with the first statement and ends with `close`. */
const lazySnapshot = (database: Database) => {
  const finished = Promise.withResolvers<void>();
  let transaction: Promise<void> | undefined;
  let client: Promise<DatabaseClient> | undefined;
  /** Settled when the latest part that sets something for itself has ended. */
  let parts: Promise<unknown> = Promise.resolve();
  let hasParts = false;
  const running = new Set<Promise<unknown>>();
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

  /** Statements go out in their order; only those after a part that sets something for itself wait for its end. */
  const inTurn = <T>(work: (client: DatabaseClient) => Promise<T>): Promise<T> => {
    // The connection may be somebody else's by now.
    if (hasEnded) return Promise.reject(new Error('The snapshot has ended'));
    client ??= begin();
    const opening = client;
    const turn = hasParts ? parts.then(() => opening).then(work) : opening.then(work);
    running.add(turn);
    const forget = () => running.delete(turn);
    turn.then(forget, forget);
    return turn;
  };

  return {
    query: <R = Row>(text: string, values?: readonly unknown[], name?: string): Promise<R[]> =>
      inTurn((open) => open.query<R>(text, values, name)),
    cells: (statements: Parameters<Database['cells']>[0]) => inTurn((open) => open.cells(statements)),
    /** What `work` sets locally ends with it, as it would with a transaction of its own. */
    nested: <T>(work: (client: DatabaseClient) => Promise<T>): Promise<T> => {
      const part = inTurn(async (open) => {
        try {
          return await work(open);
        } finally {
          open.query('set local statement_timeout to default').catch(() => undefined);
        }
      });
      hasParts = true;
      parts = part.catch(() => undefined);
      return part;
    },
    close: async (): Promise<void> => {
      hasEnded = true;
      await Promise.allSettled(running);
      finished.resolve();
      await transaction?.catch(() => undefined);
    },
  };
};

/**
 * Runs `work` with a database whose statements all read the same state; a connection is taken when the first comes.
 * Transactions within it are parts of the one. `work` begins anew, in another snapshot, when a search in it has to wait, and
 * when it was tried on a shared connection and asks for more than one round of short statements.
 */
export const inSnapshot = async <T>(context: RouteContext, work: (context: RouteContext) => Promise<T>): Promise<T> => {
  const shared = await inSharedRound(context, work);
  if (shared !== undefined) return shared.result;
  return untilItSearches(context, async (placed) => {
    const { query, cells, nested, close } = lazySnapshot(placed.db);
    try {
      return await work({ ...placed, db: { ...placed.db, query, cells, transaction: nested, withClient: nested } });
    } finally {
      await close();
    }
  });
};
