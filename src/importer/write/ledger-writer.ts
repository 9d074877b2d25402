/**
 * Writes a batch inside the caller's transaction: nothing of it is visible before the caller commits. Plain rows go by
 * COPY; staged versions and deltas as array parameters of one merge statement each. Tables without rows cost nothing.
 */
import type { DatabaseClient } from '../../database/connection.ts';
import { copyEncodedRows, copyRows } from '../../database/copy.ts';
import { type LedgerBatch, type TreasuryBarrier, treasuryTables } from '../ledger-batch.ts';
import { type InsertTable, isInserted, writtenTables } from '../tables/registry.ts';
import { applyContractMigrations } from './contract-migration.ts';
import { writeDissociations } from './dissociate.ts';
import { writeStaged } from './staged-rows.ts';
import { applyTreasuryChange } from './treasury-change.ts';

/**
 * The planner knows nothing of the rows in parameters and must not guess its way into reading a whole ledger table:
 * joins go by the index of the key. Compiling the plans would take longer than running them.
 */
const PREPARE_TRANSACTION = `
set local enable_hashjoin = off;
set local enable_mergejoin = off;
set local jit = off`;

const insertRows = async (client: DatabaseClient, table: InsertTable, batch: LedgerBatch): Promise<void> => {
  const encoded = batch.encodedRows(table);
  const rows = batch.rows(table);
  if (encoded !== undefined) await copyEncodedRows(client, table, encoded, rows);
  else if (rows.length > 0) await copyRows(client, table, rows);
};

/** A treasury change needs what was staged before it in the database. */
const passBarrier = async (client: DatabaseClient, barrier: TreasuryBarrier): Promise<void> => {
  for (const table of treasuryTables) await writeStaged(client, table, barrier.staged[table]);
  await applyTreasuryChange(client, barrier.change);
};

/**
 * Writes all rows of a batch, table by table in the order of the registry. The client must be in a transaction, which the
 * caller commits; after a failure it must be rolled back and the batch made anew.
 * @throws KagamiError as `copyRows` and queries do
 */
export const writeBatch = async (client: DatabaseClient, batch: LedgerBatch): Promise<void> => {
  await client.query(PREPARE_TRANSACTION);
  await applyContractMigrations(client, batch.contractMigrations);
  for (const barrier of batch.treasuryBarriers) await passBarrier(client, barrier);
  for (const table of writtenTables) {
    if (isInserted(table)) await insertRows(client, table, batch);
    else await writeStaged(client, table, batch.staged(table));
  }
  await writeDissociations(client, batch.dissociateTransfers);
};
