/** A ledger database for tests of what batches leave in it. */
import { afterAll, beforeAll } from 'vitest';
import type { Database, Row } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { LedgerBatch } from '../ledger-batch.ts';
import { writeBatch } from '../write/ledger-writer.ts';

export interface TestLedger {
  readonly database: Database;
  /** Writes and commits one batch; each function fills one block of it. */
  write(...blocks: ((batch: LedgerBatch) => void)[]): Promise<void>;
  /** All rows of a table that meet the condition, ordered by their own text. */
  rows(table: string, condition?: string): Promise<Row[]>;
  /** Chosen columns of the only row of a table that meets the condition. */
  row(table: string, columns: string, condition: string): Promise<Row>;
}

/** One database for all tests of a file. */
export const useTestLedger = (): TestLedger => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());
  const ledger: TestLedger = {
    get database() {
      return test.database;
    },
    write: async (...blocks) => {
      const batch = new LedgerBatch({ entityHistory: true });
      for (const fill of blocks) {
        batch.beginBlock();
        fill(batch);
      }
      await test.database.transaction((client) => writeBatch(client, batch));
    },
    rows: (table, condition = 'true') =>
      test.database.query(`select * from ${table} t where ${condition} order by t::text`),
    row: async (table, columns, condition) => {
      const rows = await test.database.query(`select ${columns} from ${table} where ${condition}`);
      if (rows.length !== 1 || rows[0] === undefined) throw new Error(`${rows.length} rows of ${table}: ${condition}`);
      return rows[0];
    },
  };
  return ledger;
};

/** The range of a version that begins at `lower`. */
export const since = (lower: bigint): { lower: bigint; upper: null } => ({ lower, upper: null });
