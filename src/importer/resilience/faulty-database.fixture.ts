import { openDatabase } from '../../database/connection.ts';
import type { TestDatabase } from '../../database/testing/test-database.fixture.ts';
import type { FaultyServer } from './faulty-server.fixture.ts';

let created = 0;

/** A database of the ledger's tables on a server that is to break. */
export const createDatabase = async (server: FaultyServer): Promise<TestDatabase & { readonly name: string }> => {
  const name = `ledger_${++created}`;
  await server.createDatabase(name);
  const connectionString = server.connectionString(name);
  const database = openDatabase({ connectionString, max: 3 });
  const drop = async (): Promise<void> => {
    await database.close();
    await server.dropDatabase(name);
  };
  return { name, connectionString, database, drop };
};
