import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseAddresses } from './connect-options.ts';
import { openDatabase } from './connection.ts';
import { loadMigrations, migrate } from './migrate.ts';
import { prepareDatabase } from './prepare.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

describe('prepareDatabase', () => {
  let test: TestDatabase;
  let addresses: DatabaseAddresses;
  let names: string[];
  beforeEach(async () => {
    test = await createTestDatabase({ empty: true });
    const as = (kind: string): string => {
      const url = new URL(test.connectionString);
      url.username = `${kind}_${randomBytes(4).toString('hex')}`;
      url.password = `secret of ${kind}`;
      return url.href;
    };
    addresses = { owner: test.connectionString, writer: as('writer'), reader: as('reader'), schema: 'public' };
    names = [addresses.writer, addresses.reader].map((address) => new URL(address).username);
  });
  afterEach(async () => {
    for (const name of names) {
      const [role] = await test.database.query('select from pg_roles where rolname = $1', [name]);
      if (role !== undefined) await test.database.query(`drop owned by ${name}; drop role ${name}`);
    }
    await test.drop();
  });

  it('makes schema and roles, with rights on later tables too, any number of times', async () => {
    expect(await prepareDatabase(addresses)).toMatchObject({ before: 'empty', writable: true });
    expect(await prepareDatabase(addresses)).toMatchObject({ before: 'kagami', applied: [], writable: true });
    const aclVersions = `select max(xmin::text::int8)::text as newest from pg_class where relacl is not null`;
    const before = await test.database.query(aclVersions);
    await prepareDatabase(addresses);
    expect(await test.database.query(aclVersions)).toEqual(before);
    await test.database.query('create table later (id int)');

    const writer = openDatabase({ connectionString: addresses.writer });
    const reader = openDatabase({ connectionString: addresses.reader });
    try {
      await writer.query('insert into later values (1)');
      await writer.query(`update kagami.writer set holder = 'writer'`);
      await writer.query(`insert into account_balance values (5, 6, 7)`);
      await writer.query('create temp table staging (a int) on commit delete rows');
      expect(await reader.query('select id from later')).toEqual([{ id: 1 }]);
      expect(await reader.query('select balance from account_balance')).toEqual([{ balance: '6' }]);
      expect(await reader.query('select count(*)::int4 as n from transaction')).toEqual([{ n: 0 }]);
      await expect(reader.query('insert into later values (2)')).rejects.toMatchObject({
        code: 'DATABASE_ACCESS_DENIED',
      });
      // Also when the reader lifts its own read-only default.
      await expect(
        reader.transaction(async (client) => {
          await client.query('set transaction read write');
          await client.query('delete from later');
        }),
      ).rejects.toMatchObject({ code: 'DATABASE_ACCESS_DENIED', details: { sqlState: '42501' } });
      await expect(writer.query('drop table later')).rejects.toMatchObject({ details: { sqlState: '42501' } });
    } finally {
      await Promise.all([writer.close(), reader.close()]);
    }
  });

  /** What the reader may read of the schema `kagami`, tried table by table. */
  const readByReader = async (): Promise<{ readonly open: string[]; readonly hidden: string[] }> => {
    const tables = await test.database.query<{ name: string }>(
      `select relname::text as name from pg_class
       where relnamespace = 'kagami'::regnamespace and relkind in ('r', 'p', 'v', 'm') order by name`,
    );
    const reader = openDatabase({ connectionString: addresses.reader });
    const open: string[] = [];
    const hidden: string[] = [];
    try {
      for (const { name } of tables) {
        const read = await reader.query(`select * from kagami.${name}`).catch((error: unknown) => error);
        if (!(read instanceof Error)) open.push(name);
        else if (/permission denied/.test(read.message)) hidden.push(name);
        else throw read;
      }
    } finally {
      await reader.close();
    }
    return { open, hidden };
  };

  // A new table is hidden from readers until it is added to `readableTables`, and to this list.
  const separated = {
    open: [
      ...['block_chain', 'deferred_index', 'importer_state', 'initial_balances', 'repair', 'schema_migration'],
      ...['verified_contract', 'verified_contract_source', 'verified_source', 'writer'],
    ],
    hidden: ['verification_job', 'verification_secret', 'verification_session', 'verification_session_file'],
  };

  it('keeps keys and uploads from the reader, table by table, and tables to come', async () => {
    await prepareDatabase(addresses);
    expect(await readByReader()).toEqual(separated);
    await test.database.query('create table kagami.later (id int)');
    expect((await readByReader()).hidden).toContain('later');
  });

  it('takes from the reader what earlier versions gave, in the migration and at every start', async () => {
    await prepareDatabase(addresses);
    const [writer = '', reader = ''] = names;
    const giveAsBefore = `
      grant select on all tables in schema kagami to ${reader};
      alter default privileges in schema kagami grant select on tables to ${reader}`;
    await test.database.query(giveAsBefore);
    expect((await readByReader()).hidden).toEqual([]);
    await prepareDatabase(addresses);
    expect(await readByReader()).toEqual(separated);

    await test.database.query(`${giveAsBefore}; delete from kagami.schema_migration where version = 10`);
    expect((await migrate({ connectionString: addresses.owner })).applied).toHaveLength(1);
    expect(await readByReader()).toEqual(separated);
    await test.database.query('create table kagami.later (id int)');
    expect((await readByReader()).hidden).toContain('later');
    const [rights] = await test.database.query(
      `select has_table_privilege($1, 'kagami.verification_secret', 'insert') as writes,
              has_table_privilege($1, 'kagami.later', 'delete') as later`,
      [writer],
    );
    expect(rights).toEqual({ writes: true, later: true });
  });

  it('does nothing to a database of the reference that is not adopted', async () => {
    await test.database.query(loadMigrations()[0]?.sql ?? '');
    await test.database.query('create table flyway_schema_history (installed_rank int)');
    expect(await prepareDatabase(addresses)).toEqual({ before: 'reference', applied: [], writable: false });
    const [found] = await test.database.query(
      `select to_regnamespace('kagami') as ours, (select count(*)::int4 from pg_roles where rolname = any($1)) as roles`,
      [names],
    );
    expect(found).toEqual({ ours: null, roles: 0 });
  });
});
