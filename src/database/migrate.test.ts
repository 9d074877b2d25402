import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseState, loadMigrations, migrate } from './migrate.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

const migrations = loadMigrations();
const newest = migrations.at(-1)?.version ?? 0;

describe('migrations', () => {
  it('are numbered without gaps from 1', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  });
});

describe('migrate', () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase({ empty: true });
  });
  afterEach(() => test.drop());

  const tableCount = async (schema: string): Promise<number> => {
    const [row] = await test.database.query<{ count: string }>(
      `select count(*) from pg_class where relnamespace = to_regnamespace($1) and relkind in ('r', 'p') and not relispartition`,
      [schema],
    );
    return Number(row?.count);
  };

  /** As the reference mirror node leaves its database: all tables, and the records of its own migrations. */
  const makeReferenceDatabase = async (): Promise<void> => {
    await test.database.query(migrations[0]?.sql ?? '');
    await test.database.query('create table flyway_schema_history (installed_rank int primary key, version text)');
    await test.database.query('call create_mirror_node_time_partitions()');
  };

  it('makes the whole schema in an empty database and does nothing the second time', async () => {
    expect(await databaseState(test.database)).toBe('empty');
    const first = await migrate({ connectionString: test.connectionString });
    expect(first.before).toBe('empty');
    expect(first.applied.map(({ version }) => version)).toEqual(migrations.map(({ version }) => version));
    expect(await tableCount('public')).toBe(67);
    expect(await databaseState(test.database)).toBe('kagami');

    const second = await migrate({ connectionString: test.connectionString });
    expect(second).toEqual({ before: 'kagami', applied: [] });
    const records = await test.database.query(
      'select version, name, checksum from kagami.schema_migration order by version',
    );
    expect(records).toEqual(migrations.map(({ version, name, checksum }) => ({ version, name, checksum })));
  });

  it('lets processes that start together take turns', async () => {
    let waited = 0;
    const reports = await Promise.all(
      [1, 2, 3].map(() => migrate({ connectionString: test.connectionString, onWait: () => (waited += 1) })),
    );
    expect(reports.map(({ applied }) => applied.length).sort()).toEqual([0, 0, migrations.length]);
    expect(waited).toBe(2);
  });

  it('puts the tables into another schema when asked', async () => {
    await migrate({ connectionString: test.connectionString, schema: 'mirror' });
    expect(await tableCount('mirror')).toBe(67);
    expect(await tableCount('public')).toBe(0);
    expect(await databaseState(test.database, 'mirror')).toBe('kagami');
  });

  it('rolls a failing migration back whole and says which', async () => {
    const broken = { version: newest + 1, name: 'broken', sql: 'create table half (a int); select 1/0', checksum: '' };
    await expect(
      migrate({ connectionString: test.connectionString, migrations: [...migrations, broken] }),
    ).rejects.toMatchObject({ code: 'MIGRATION_FAILED', details: { version: newest + 1, sqlState: '22012' } });
    expect(await test.database.query(`select to_regclass('half') as half`)).toEqual([{ half: null }]);
    expect(await test.database.query('select max(version) as version from kagami.schema_migration')).toEqual([
      { version: newest },
    ]);
  });

  it('refuses the database of a newer Kagami', async () => {
    await migrate({ connectionString: test.connectionString });
    await test.database.query('insert into kagami.schema_migration values ($1, $2, $3, now(), 0)', [
      newest + 1,
      'x',
      '',
    ]);
    expect(await databaseState(test.database)).toBe('newer-kagami');
    await expect(migrate({ connectionString: test.connectionString })).rejects.toMatchObject({
      code: 'DATABASE_NEWER',
    });
  });

  it('refuses a database with tables of others', async () => {
    await test.database.query('create table invoices (id int)');
    expect(await databaseState(test.database)).toBe('foreign');
    await expect(migrate({ connectionString: test.connectionString })).rejects.toMatchObject({
      code: 'DATABASE_FOREIGN',
    });
    expect(await tableCount('public')).toBe(1);
  });

  it('leaves a database of the reference alone, and adds only what is ours when it is adopted', async () => {
    await makeReferenceDatabase();
    expect(await databaseState(test.database)).toBe('reference');
    await expect(migrate({ connectionString: test.connectionString })).rejects.toMatchObject({
      code: 'DATABASE_NOT_ADOPTED',
    });
    expect(await tableCount('kagami')).toBe(0);
    expect(await tableCount('public')).toBe(68);

    const report = await migrate({ connectionString: test.connectionString, adopt: true });
    expect(report.before).toBe('reference');
    expect(await tableCount('public')).toBe(68);
    expect(await tableCount('kagami')).toBe(14);
    expect(await databaseState(test.database)).toBe('kagami');
    expect(await migrate({ connectionString: test.connectionString })).toEqual({ before: 'kagami', applied: [] });
  });

  it('does not adopt a database of another schema version and names the differences', async () => {
    await makeReferenceDatabase();
    await test.database.query('alter table nft drop column metadata; drop table live_hash');
    await test.database.query('alter table prng alter column prng_number type bigint');
    await expect(migrate({ connectionString: test.connectionString, adopt: true })).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      details: {
        differences: ['live_hash: missing', 'nft.metadata: missing', 'prng.prng_number: bigint instead of integer'],
      },
    });
    expect(await tableCount('kagami')).toBe(0);
  });

  it('says that nobody answers', async () => {
    await expect(migrate({ connectionString: 'postgresql://x:y@127.0.0.1:1/z' })).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      retryable: true,
    });
  });
});
