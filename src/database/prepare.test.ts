import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseAddresses } from './connect-options.ts';
import { openDatabase } from './connection.ts';
import { loadMigrations } from './migrate.ts';
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
