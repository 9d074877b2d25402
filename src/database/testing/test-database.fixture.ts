/**
 * A database of its own, with the current schema and no rows, for each caller: cloned from a template that is migrated
 * once for each test run. In a vitest run the server comes with it; elsewhere (benchmarks, conformance), set
 * KAGAMI_TEST_DATABASE_URL to a server on which databases may be created.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { type Database, openDatabase } from '../connection.ts';
import { loadMigrations, migrate } from '../migrate.ts';
import { onceForRun, runFolderVariable, serverVariable, testServer } from './test-server.fixture.ts';

export interface TestDatabase {
  readonly connectionString: string;
  readonly database: Database;
  /** Closes `database` and drops it on the server, whoever else is connected. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Without tables: for tests of migrations. */
  readonly empty?: boolean;
  readonly max?: number;
}

const withDatabase = (server: string, name: string): string => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
};

const onServer = async <T>(server: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Makes the template unless another run with the same migrations did so on this server. */
const makeTemplate = (server: string): Promise<string> =>
  onServer(server, async (client) => {
    const text = loadMigrations().map(({ checksum }) => checksum);
    const name = `kagami_template_${createHash('sha256').update(text.join()).digest('hex').slice(0, 12)}`;
    await client.query('select pg_advisory_lock(1953719668)');
    const { rowCount } = await client.query('select from pg_database where datname = $1 and datistemplate', [name]);
    if (rowCount === 0) {
      await client.query(`drop database if exists ${name} with (force)`);
      await client.query(`create database ${name} template template0 encoding 'UTF8' locale 'C'`);
      await migrate({ connectionString: withDatabase(server, name) });
      await client.query(`alter database ${name} with is_template true allow_connections false`);
    }
    return name;
  });

const serverOf = async (): Promise<{ server: string; template: () => Promise<string> }> => {
  const external = process.env[serverVariable];
  const runFolder = process.env[runFolderVariable];
  if (runFolder === undefined) {
    if (external === undefined) throw new Error(`No test server: run under vitest or set ${serverVariable}`);
    return { server: external, template: () => makeTemplate(external) };
  }
  const server = external ?? (await testServer(runFolder));
  return { server, template: () => onceForRun(join(runFolder, 'template'), () => makeTemplate(server)) };
};

export const createTestDatabase = async (options: TestDatabaseOptions = {}): Promise<TestDatabase> => {
  const { server, template } = await serverOf();
  const name = `kagami_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  const source = options.empty ? 'template0' : await template();
  await onServer(server, (client) =>
    client.query(
      `create database ${name} template ${source}${options.empty ? " encoding 'UTF8' locale 'C'" : ' strategy file_copy'}`,
    ),
  );
  const connectionString = withDatabase(server, name);
  const database = openDatabase({ connectionString, max: options.max ?? 5, applicationName: 'kagami test' });
  return {
    connectionString,
    database,
    drop: async () => {
      await database.close();
      await onServer(server, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
};
