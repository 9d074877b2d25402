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

type Step = { readonly insert: InsertTable } | { readonly merge: UpsertTable };

/** What is written in which order; the tables at the end are read by what follows them. */
const steps: readonly Step[] = [
  { insert: 'assessed_custom_fee' },
  { insert: 'contract' },
  { insert: 'contract_action' },
  { insert: 'contract_log' },
  { insert: 'contract_result' },
  { merge: 'contract_state' },
  { insert: 'contract_state_change' },
  { insert: 'contract_transaction' },
  { insert: 'contract_transaction_hash' },
  { merge: 'crypto_allowance' },
  { insert: 'crypto_transfer' },
  { merge: 'custom_fee' },
  { merge: 'entity' },
  { insert: 'entity_transaction' },
  { insert: 'ethereum_transaction' },
  { insert: 'file_data' },
  { merge: 'hook' },
  { merge: 'hook_storage' },
  { insert: 'hook_storage_change' },
  { merge: 'ledger' },
  { insert: 'live_hash' },
  { insert: 'network_freeze' },
  { insert: 'network_stake' },
  { merge: 'nft_allowance' },
  { merge: 'node' },
  { insert: 'node_stake' },
  { insert: 'prng' },
  { insert: 'record_file' },
  { merge: 'registered_node' },
  { merge: 'schedule' },
  { insert: 'sidecar_file' },
  { insert: 'staking_reward_transfer' },
  { merge: 'token_airdrop' },
  { merge: 'token_allowance' },
  { merge: 'topic' },
  { insert: 'topic_message' },
  { merge: 'topic_message_lookup' },
  { insert: 'transaction_hash' },
  { insert: 'transaction_signature' },
  { merge: 'token' },
  { merge: 'token_account' },
  { merge: 'nft' },
  { insert: 'transaction' },
  { insert: 'token_transfer' },
];

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
  await writeStaged(client, 'token', barrier.token);
  await writeStaged(client, 'token_account', barrier.tokenAccount);
  await writeStaged(client, 'nft', barrier.nft);
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
  for (const step of steps) {
    if ('insert' in step) await insertRows(client, step.insert, batch);
    else await writeStaged(client, step.merge, batch.staged(step.merge));
  }
  await writeDissociations(client, batch.dissociateTransfers);
};
