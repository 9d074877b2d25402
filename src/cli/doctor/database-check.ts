import { advisoryLockSpace, advisoryLocks } from '../../database/advisory-locks.ts';
import { type Database, openDatabase } from '../../database/connection.ts';
import { databaseState, loadMigrations } from '../../database/migrate.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { checkStandstill } from './standstill-check.ts';

export interface DatabaseFindings {
  readonly findings: readonly Finding[];
  /** The server's clock in milliseconds since the epoch, if it answered. */
  readonly now?: number;
}

const OLDEST = 15;
const NEWEST = 18;

/** Whether the database answers, is one that Kagami can use, and who writes it. Changes nothing. */
export const checkDatabase = async (connectionString: string, schema: string): Promise<DatabaseFindings> => {
  const database = openDatabase({
    connectionString,
    schema,
    max: 1,
    connectionTimeoutMs: 5_000,
    statementTimeoutMs: 10_000,
  });
  try {
    const [server] = await database.query<{ version: string; number: string; now: string; name: string }>(
      `select current_setting('server_version') as version, current_setting('server_version_num') as number,
              (extract(epoch from clock_timestamp()) * 1000)::bigint as now, current_database()::text as name`,
    );
    const major = Math.floor(Number(server?.number) / 10_000);
    return {
      findings: [
        checkVersion(major, server?.version ?? '', server?.name ?? ''),
        ...(await checkSchema(database, schema)),
      ],
      now: Number(server?.now),
    };
  } catch (error) {
    const advice = isKagamiError(error) ? error.hint : 'Read the log of the database server.';
    return { findings: [fail('database', (error as Error).message, advice)] };
  } finally {
    await database.close().catch(() => undefined);
  }
};

const checkVersion = (major: number, version: string, name: string): Finding => {
  const text = `PostgreSQL ${version}, database ${name}`;
  if (major < OLDEST) return fail('database', text, `Kagami needs PostgreSQL ${OLDEST} to ${NEWEST}.`);
  if (major > NEWEST) return warn('database', text, `Kagami is tested with PostgreSQL ${OLDEST} to ${NEWEST}.`);
  return ok('database', text);
};

const checkSchema = async (database: Database, schema: string): Promise<Finding[]> => {
  const subject = 'schema';
  switch (await databaseState(database, schema)) {
    case 'empty':
      return [ok(subject, 'empty; the first start applies it')];
    case 'foreign':
      return [fail(subject, 'tables of another application', 'Name an empty database.')];
    case 'newer-kagami':
      return [fail(subject, 'made by a newer Kagami', 'Run that version or a later one.')];
    case 'reference': {
      const advice = 'It is served read-only; kagami migrate --adopt lets Kagami write to it.';
      return [warn(subject, 'made by the reference mirror node', advice), await checkLedger(database)];
    }
    case 'kagami':
      return [await checkMigrations(database), ...(await checkWriter(database)), await checkLedger(database)];
  }
};

const checkMigrations = async (database: Database): Promise<Finding> => {
  const rows = await database.query<{ version: number }>('select version from kagami.schema_migration');
  const applied = new Set(rows.map(({ version }) => version));
  const pending = loadMigrations().filter(({ version }) => !applied.has(version));
  if (pending.length === 0) return ok('schema', `up to date, ${applied.size} migrations`);
  const names = pending.map(({ version, name }) => `${version} ${name}`).join(', ');
  return warn(
    'schema',
    `${pending.length} migrations are missing: ${names}`,
    'The next start applies them, or kagami migrate.',
  );
};

const checkWriter = async (database: Database): Promise<Finding[]> => {
  const [lock] = await database.query<{ application: string | null }>(
    `select a.application_name as application
     from pg_locks l left join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted
       and l.database = (select oid from pg_database where datname = current_database())`,
    [advisoryLockSpace, advisoryLocks.writer],
  );
  const [writer] = await database.query<{ holder: string }>('select holder from kagami.writer');
  const state = lock ? `running${writer?.holder ? `: ${writer.holder}` : ''}` : 'none is running now';
  return [ok('importer', state), ...(await checkStandstill(database, lock !== undefined))];
};

const checkLedger = async (database: Database): Promise<Finding> => {
  const [last] = await database.query<{ index: string; end: string }>(
    'select index, consensus_end as end from record_file order by consensus_end desc limit 1',
  );
  if (!last) return ok('ledger', 'no blocks yet');
  const end = new Date(Number(BigInt(last.end) / 1_000_000n)).toISOString();
  return ok('ledger', `newest block ${last.index}, consensus time ${end}`);
};
