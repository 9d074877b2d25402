import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { retentionPlan } from './retention-tables.ts';

/** What stays however old it is: state that holds, and what it is computed or proven from. */
const KEPT = [
  'account_balance',
  'account_balance_file',
  'address_book_entry',
  'address_book_service_endpoint',
  'file_data',
  'ledger',
  'schedule',
  'token_balance',
  'transaction_hash',
];

const settings = { enabled: true, period: 1, frequency: 1, batchPeriod: 1, include: [], exclude: [] };
const plan = retentionPlan(settings);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const names = async (text: string): Promise<string[]> => {
  const rows = await test.database.query<{ name: string }>(text);
  return rows.map(({ name }) => name);
};

const indexesBeginningWith = (column: string, method: string): Promise<string[]> =>
  names(`select distinct i.indrelid::regclass::text as name
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join pg_am m on m.oid = c.relam and m.amname = '${method}'
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0] and a.attname = '${column}'
    where i.indpred is null`);

describe('the tables of retention', () => {
  it('are all that carry the time of a transaction, or superseded versions, but for those that stay', async () => {
    const dated = await names(
      `select c.relname as name from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and (c.relname like '%\\_history' or c.relname = 'topic_message_lookup' or exists (
           select from pg_attribute a
           where a.attrelid = c.oid and a.attname in ('consensus_timestamp', 'consensus_end')
         ))
       order by 1`,
    );
    const planned = [...plan.timed, ...plan.ranged, ...plan.swept].map(({ name }) => name);
    expect([...planned, ...KEPT].sort()).toEqual(dated);
    expect(plan.partitioned).toEqual([]);
  });

  it('have an index that leads to their old rows, unless they are read through', async () => {
    for (const column of ['consensus_timestamp', 'consensus_end']) {
      const timed = plan.timed.filter((table) => table.column === column).map(({ name }) => name);
      const indexed = await indexesBeginningWith(column, 'btree');
      expect(timed.filter((name) => !indexed.includes(name))).toEqual([]);
    }
    const ranged = await indexesBeginningWith('timestamp_range', 'gist');
    const versions = plan.ranged.map(({ name }) => name).filter((name) => name.endsWith('_history'));
    expect(versions.filter((name) => !ranged.includes(name))).toEqual([]);
    const indexed = [...ranged, ...(await indexesBeginningWith('consensus_timestamp', 'btree'))];
    // A database that the reference mirror node made has no such index on entity_transaction, so that it is read through.
    const swept = plan.swept.map(({ name }) => name).filter((name) => indexed.includes(name));
    expect(swept).toEqual(['entity_transaction']);
  });

  it('are those that settings choose', () => {
    const chosen = retentionPlan({
      ...settings,
      include: ['transaction', 'topic_message', 'token_balance', 'account_balance'],
      exclude: ['account_balance'],
    });
    expect(chosen.timed.map(({ name }) => name)).toEqual(['transaction']);
    expect(chosen.ranged).toEqual([]);
    expect(chosen.swept.map(({ name }) => name)).toEqual(['topic_message']);
    expect(chosen.partitioned).toEqual(['token_balance']);
  });
});
