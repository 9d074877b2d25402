import type { Database } from '../database/connection.ts';
import { isKagamiError, KagamiError } from '../errors/kagami-error.ts';

/**
 * A database that is still being opened (the embedded server starts, the settings' host is awaited). Until then every
 * use fails at once as DATABASE_STARTING, so that the interfaces answer 503 instead of waiting.
 */
export const pendingDatabase = (opening: Promise<Database>): Database => {
  let opened: Database | undefined;
  let fault: unknown;
  opening.then(
    (database) => {
      opened = database;
    },
    (error: unknown) => {
      fault = error;
    },
  );
  const use = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    if (opened !== undefined) return work(opened);
    if (isKagamiError(fault)) throw fault;
    throw fault === undefined
      ? new KagamiError('DATABASE_STARTING', 'The database is being started')
      : new KagamiError('DATABASE_UNAVAILABLE', 'The database could not be opened', { cause: fault });
  };
  return {
    query: (text, values, name) => use((database) => database.query(text, values, name)),
    cells: (statements) => use((database) => database.cells(statements)),
    copyOut: (text, onRow) => use((database) => database.copyOut(text, onRow)),
    transaction: (work, options) => use((database) => database.transaction(work, options)),
    withClient: (work) => use((database) => database.withClient(work)),
    /** Absent until it is open, and where it has none. */
    get shared() {
      return opened?.shared;
    },
    listen: async (channel, onNotification, options) => (await opening).listen(channel, onNotification, options),
    close: async () => {
      const database = await opening.catch(() => undefined);
      await database?.close();
    },
  };
};
