/** Everything between "a server runs" and "the ledger can be written and read": database, schema, partitions, roles. */
import pg from 'pg';
import { isKagamiError } from '../errors/kagami-error.ts';
import type { DatabaseAddresses } from './connect-options.ts';
import { clientConfig, databaseClient } from './connection.ts';
import { databaseError } from './database-error.ts';
import type { EmbeddedPostgres } from './embedded/launcher.ts';
import { type MigrateOptions, type MigrationReport, migrate } from './migrate.ts';
import { ensureRole, type Role } from './roles.ts';

const withOwner = async <T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const driver = new pg.Client(clientConfig({ connectionString, applicationName: 'kagami prepare' }));
  driver.on('error', () => undefined);
  try {
    await driver.connect();
    return await work(driver);
  } catch (fault) {
    throw databaseError(fault);
  } finally {
    await driver.end().catch(() => undefined);
  }
};

/**
 * Addresses of a database on the embedded server, which is made when missing.
 * @param name name of the database
 */
export const embeddedAddresses = async (server: EmbeddedPostgres, name = 'mirror_node'): Promise<DatabaseAddresses> => {
  await withOwner(server.nearestConnectionString('postgres'), async (driver) => {
    const { rowCount } = await driver.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await driver.query(`create database ${pg.escapeIdentifier(name)}`);
  });
  const owner = server.nearestConnectionString(name);
  const reader = server.nearestConnectionString(name, server.credentials.reader);
  return { owner, writer: owner, reader, schema: 'public' };
};

const roleOf = (address: string, access: Role['access']): Role => {
  const { username, password } = new URL(address);
  return {
    username: decodeURIComponent(username),
    access,
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
};

export interface Preparation extends MigrationReport {
  /** False for a database of the reference mirror node that was not adopted: nothing in it was changed. */
  readonly writable: boolean;
}

/**
 * Migrates the database and gives the writer and the reader their rights. A database of the reference mirror node is
 * left alone unless `adopt` is set.
 * @throws KagamiError those of `migrate` (except DATABASE_NOT_ADOPTED) and `ensureRole`
 */
export const prepareDatabase = async (
  addresses: DatabaseAddresses,
  options: Pick<MigrateOptions, 'adopt' | 'onMigration' | 'onWait'> = {},
): Promise<Preparation> => {
  const { schema } = addresses;
  let report: MigrationReport;
  try {
    report = await migrate({ ...options, connectionString: addresses.owner, schema });
  } catch (fault) {
    if (!isKagamiError(fault, 'DATABASE_NOT_ADOPTED')) throw fault;
    return { before: 'reference', applied: [], writable: false };
  }
  await withOwner(addresses.owner, async (driver) => {
    const client = databaseClient(driver);
    for (const role of [roleOf(addresses.writer, 'write'), roleOf(addresses.reader, 'read')]) {
      await ensureRole(client, schema, role);
    }
  });
  return { ...report, writable: true };
};
