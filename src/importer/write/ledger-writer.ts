/**
 * Writes a batch inside the caller's transaction: nothing of it is visible before the caller commits. Plain rows go by
 * COPY; staged versions and deltas as array parameters of one merge statement each. Tables without rows cost nothing.
 */
import type { DatabaseClient } from '../../database/connection.ts';
import { copyEncodedRows, copyRows } from '../../database/copy.ts';
import type { InsertTable, LedgerBatch, TreasuryBarrier } from '../ledger-batch.ts';
import type { UpsertTable } from '../state/upsert-tables.ts';
import { applyContractMigrations } from './contract-migration.ts';
import { writeDissociations } from './dissociate.ts';
import { writeStaged } from './staged-rows.ts';
import { applyTreasuryChange } from './treasury-change.ts';

type Steps = { readonly [T in InsertTable]: 'insert' } & { readonly [T in UpsertTable]: 'merge' };

/** How every table is written, in which order; the tables at the end are read by what follows them. */
const steps: Steps = {
  assessed_custom_fee: 'insert',
  contract: 'insert',
  contract_action: 'insert',
  contract_log: 'insert',
  contract_result: 'insert',
  contract_state: 'merge',
  contract_state_change: 'insert',
  contract_transaction: 'insert',
  contract_transaction_hash: 'insert',
  crypto_allowance: 'merge',
  crypto_transfer: 'insert',
  custom_fee: 'merge',
  entity: 'merge',
  entity_transaction: 'insert',
  ethereum_transaction: 'insert',
  file_data: 'insert',
  hook: 'merge',
  hook_storage: 'merge',
  hook_storage_change: 'insert',
  ledger: 'merge',
  live_hash: 'insert',
  network_freeze: 'insert',
  network_stake: 'insert',
  nft_allowance: 'merge',
  node: 'merge',
  node_stake: 'insert',
  prng: 'insert',
  record_file: 'insert',
  registered_node: 'merge',
  schedule: 'merge',
  sidecar_file: 'insert',
  staking_reward_transfer: 'insert',
  token_airdrop: 'merge',
  token_allowance: 'merge',
  topic: 'merge',
  topic_message: 'insert',
  topic_message_lookup: 'merge',
  transaction_hash: 'insert',
  transaction_signature: 'insert',
  token: 'merge',
  token_account: 'merge',
  nft: 'merge',
  transaction: 'insert',
  token_transfer: 'insert',
};

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

const isInserted = (table: keyof Steps): table is InsertTable => steps[table] === 'insert';

/** A treasury change needs what was staged before it in the database. */
const passBarrier = async (client: DatabaseClient, barrier: TreasuryBarrier): Promise<void> => {
  for (const [table, staged] of barrier.staged) await writeStaged(client, table, staged);
  await applyTreasuryChange(client, barrier.change);
};

/**
 * Writes all rows of a batch. The client must be in a transaction, which the caller commits; after a failure it must be
 * rolled back and the batch made anew.
 * @throws KagamiError as `copyRows` and queries do
 */
export const writeBatch = async (client: DatabaseClient, batch: LedgerBatch): Promise<void> => {
  await client.query(PREPARE_TRANSACTION);
  await applyContractMigrations(client, batch.contractMigrations);
  for (const barrier of batch.treasuryBarriers) await passBarrier(client, barrier);
  for (const table of Object.keys(steps) as (keyof Steps)[]) {
    if (isInserted(table)) await insertRows(client, table, batch);
    else await writeStaged(client, table, batch.staged(table));
  }
  await writeDissociations(client, batch.dissociateTransfers);
};
