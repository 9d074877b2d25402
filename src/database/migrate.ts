/**
 * Applies the numbered SQL files of `migrations/`, each in a transaction of its own that also records it in
 * `kagami.schema_migration`. Owns how the schema changes; the files own what it is. A database of the reference mirror
 * node is never touched unless adopted.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { isKagamiError, KagamiError } from '../errors/kagami-error.ts';
import { advisoryLockSpace, advisoryLocks } from './advisory-locks.ts';
import { clientConfig, type DatabaseClient, databaseClient } from './connection.ts';
import { databaseError } from './database-error.ts';
import { type DatabaseState, inspectDatabase, schemaDifferences } from './inspection.ts';
import { createPartitionsAhead } from './partitions.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text, hexadecimal; kept with the record for questions later. */
  readonly checksum: string;
}

/** The migration that makes the ledger schema; an adopted database has that already. */
const baselineVersion = 1;

const oldestServer = 150_000;

/** All migrations in order. */
export const loadMigrations = (folder: string = join(import.meta.dirname, 'migrations')): Migration[] =>
  readdirSync(folder)
    .map((file) => ({ file, match: /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file) }))
    .filter(({ match }) => match !== null)
    .map(({ file, match }) => {
      const sql = readFileSync(join(folder, file), 'utf8');
      return {
        version: Number(match?.[1]),
        name: match?.[2] ?? '',
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
      };
    })
    .sort((a, b) => a.version - b.version);

export interface MigrateOptions {
  readonly connectionString: string;
  /** Schema of the ledger tables; made when missing. */
  readonly schema?: string;
  /** Lets Kagami add its own schema to a database of the reference mirror node. */
  readonly adopt?: boolean;
  /** Called before each migration. */
  readonly onMigration?: (migration: Migration) => void;
  /** Called when another process migrates and this one waits. */
  readonly onWait?: () => void;
  readonly migrations?: readonly Migration[];
}

export interface MigrationReport {
  /** State before. */
  readonly before: DatabaseState;
  readonly applied: readonly { readonly version: number; readonly name: string; readonly milliseconds: number }[];
}

const inTransaction = async (client: DatabaseClient, work: () => Promise<void>): Promise<void> => {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (fault) {
    await client.query('rollback').catch(() => undefined);
    throw fault;
  }
};

const lock = async (client: DatabaseClient, onWait: (() => void) | undefined): Promise<void> => {
  const key = [advisoryLockSpace, advisoryLocks.migration];
  const [attempt] = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', key);
  if (attempt?.locked) return;
  onWait?.();
  await client.query('select pg_advisory_lock($1, $2)', key);
};

const recordTable = `
create schema if not exists kagami;
create table if not exists kagami.schema_migration (
  version     integer primary key,
  name        text not null,
  checksum    text not null,
  applied_at  timestamptz not null default now(),
  duration_ms integer not null
)`;

const record = (client: DatabaseClient, { version, name, checksum }: Migration, milliseconds: number) =>
  client.query('insert into kagami.schema_migration (version, name, checksum, duration_ms) values ($1, $2, $3, $4)', [
    version,
    name,
    checksum,
    Math.round(milliseconds),
  ]);

/** Applies one migration, or only records it when the database has its outcome already. */
const apply = async (client: DatabaseClient, migration: Migration, alreadyThere: boolean): Promise<number> => {
  const start = performance.now();
  let elapsed = 0;
  try {
    await inTransaction(client, async () => {
      await client.query(recordTable);
      if (!alreadyThere) await client.query(migration.sql);
      elapsed = performance.now() - start;
      await record(client, migration, elapsed);
    });
  } catch (fault) {
    if (isKagamiError(fault) && fault.retryable) throw fault;
    throw new KagamiError(
      'MIGRATION_FAILED',
      `Migration ${migration.version} (${migration.name}) failed: ${(fault as Error).message}`,
      {
        details: { version: migration.version, name: migration.name, ...(isKagamiError(fault) ? fault.details : {}) },
        cause: fault,
      },
    );
  }
  return elapsed;
};

const checkServer = async (client: DatabaseClient): Promise<void> => {
  const [server] = await client.query<{ number: string; version: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_version') as version",
  );
  if (Number(server?.number) < oldestServer) {
    throw new KagamiError('DATABASE_TOO_OLD', `The server is PostgreSQL ${server?.version}`, {
      details: { version: server?.version },
    });
  }
};

/** Throws unless the state lets us migrate. */
const checkState = async (
  client: DatabaseClient,
  state: DatabaseState,
  schema: string,
  adopt: boolean,
): Promise<void> => {
  if (state === 'foreign') {
    throw new KagamiError('DATABASE_FOREIGN', `The schema ${schema} holds tables of another application`, {
      details: { schema },
    });
  }
  if (state === 'newer-kagami') throw new KagamiError('DATABASE_NEWER', 'The database was migrated by a newer Kagami');
  if (state !== 'reference') return;
  if (!adopt) {
    throw new KagamiError('DATABASE_NOT_ADOPTED', 'The database was made by the reference mirror node');
  }
  const differences = await schemaDifferences(client, schema);
  if (differences.length > 0) {
    throw new KagamiError(
      'MIGRATION_FAILED',
      `The database of the reference mirror node has another schema version than Kagami knows: ${differences.slice(0, 5).join('; ')}`,
      { details: { differences } },
    );
  }
};

/**
 * Brings the database to the schema of this Kagami; does nothing when it is there already. Processes that start together
 * take turns. The role needs the right to create schemas, and in an empty database to create the (trusted) extensions
 * btree_gist and pg_trgm.
 * @throws KagamiError DATABASE_TOO_OLD, DATABASE_FOREIGN, DATABASE_NEWER, DATABASE_NOT_ADOPTED, MIGRATION_FAILED, and
 *   those of a connection
 */
export const migrate = async (options: MigrateOptions): Promise<MigrationReport> => {
  const { connectionString, schema = 'public', adopt = false } = options;
  const migrations = options.migrations ?? loadMigrations();
  const newest = migrations.at(-1)?.version ?? 0;
  const driver = new pg.Client(clientConfig({ connectionString, schema, applicationName: 'kagami migrate' }));
  driver.on('error', () => undefined);
  const client = databaseClient(driver);
  try {
    await driver.connect().catch((fault: unknown) => {
      throw databaseError(fault);
    });
    await checkServer(client);
    await lock(client, options.onWait);
    const before = await inspectDatabase(client, schema, newest);
    await checkState(client, before, schema, adopt);
    if (before === 'empty') await client.query(`create schema if not exists ${pg.escapeIdentifier(schema)}`);

    const done = new Set<number>();
    if (before === 'kagami') {
      const rows = await client.query<{ version: number }>('select version from kagami.schema_migration');
      for (const { version } of rows) done.add(version);
    }
    const applied: { version: number; name: string; milliseconds: number }[] = [];
    for (const migration of migrations) {
      if (done.has(migration.version)) continue;
      options.onMigration?.(migration);
      const alreadyThere = before === 'reference' && migration.version === baselineVersion;
      const milliseconds = await apply(client, migration, alreadyThere);
      applied.push({ version: migration.version, name: migration.name, milliseconds });
    }
    await inTransaction(client, () => createPartitionsAhead(client));
    return { before, applied };
  } finally {
    // Ends the session, and the lock with it.
    await driver.end().catch(() => undefined);
  }
};

/** State of the database for this version of Kagami; see `DatabaseState`. */
export const databaseState = (
  client: Parameters<typeof inspectDatabase>[0],
  schema = 'public',
): Promise<DatabaseState> => inspectDatabase(client, schema, loadMigrations().at(-1)?.version ?? 0);
