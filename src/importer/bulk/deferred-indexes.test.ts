import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../../database/connection.ts';
import { acquireWriter, type WriterLease } from '../../database/fencing.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { deferIndexes, type IndexProgress, restoreIndexes } from './deferred-indexes.ts';

let test: TestDatabase;
let lease: WriterLease;

beforeAll(async () => {
  test = await createTestDatabase();
  lease = await acquireWriter({ connectionString: test.connectionString });
});
afterAll(async () => {
  await lease.release();
  await test.drop();
});

const indexes = (): Promise<Row[]> =>
  test.database.query(
    `select c.relname, pg_get_indexdef(i.indexrelid) as definition, i.indisvalid, p.relname as parent
     from pg_index i join pg_class c on c.oid = i.indexrelid
     left join pg_inherits h on h.inhrelid = i.indexrelid left join pg_class p on p.oid = h.inhparent
     where c.relnamespace = 'public'::regnamespace order by c.relname`,
  );

const names = async (): Promise<unknown[]> => (await indexes()).map(({ relname }) => relname);

describe('deferred indexes', () => {
  it('takes away the secondary indexes of large tables, keeps keys, and puts every one back as it was', async () => {
    const before = await indexes();
    await deferIndexes(test.database, lease);
    const without = await names();
    expect(without).toContain('transaction_pkey');
    expect(without).not.toContain('transaction__payer_account_id_consensus_ns');
    expect(without).not.toContain('crypto_transfer__entity_id_consensus_timestamp');
    expect(without).not.toContain('transaction_hash__hash');
    expect(without).not.toContain('transaction_hash_07_substring_idx');

    const progress: IndexProgress[] = [];
    await restoreIndexes(test.database, lease, { onProgress: (one) => progress.push(one) });
    expect(await indexes()).toEqual(before);
    expect(progress.map(({ done }) => done)).toEqual(progress.map((_, position) => position));
    expect(progress.length).toBe(before.length - without.length);
    expect(await test.database.query('select * from kagami.deferred_index')).toEqual([]);
  });

  it('goes on where it was cut off, whichever half was under way', async () => {
    const before = await indexes();
    await deferIndexes(test.database, lease);
    const cut = new AbortController();
    await restoreIndexes(test.database, lease, {
      onProgress: ({ done }) => done === 5 && cut.abort(),
      signal: cut.signal,
    });
    const half = await names();
    expect(half.length).toBeLessThan(before.length);
    await deferIndexes(test.database, lease);
    expect((await names()).length).toBeLessThan(half.length);
    await restoreIndexes(test.database, lease);
    expect(await indexes()).toEqual(before);
  });

  it('does nothing when nothing is missing', async () => {
    const before = await indexes();
    await restoreIndexes(test.database, lease);
    expect(await indexes()).toEqual(before);
  });

  it('refuses a writer that has been overtaken', async () => {
    await test.database.query('update kagami.writer set token = token + 1');
    await expect(deferIndexes(test.database, lease)).rejects.toMatchObject({ code: 'WRITER_FENCED' });
    await test.database.query('update kagami.writer set token = token - 1');
  });
});
