/** Contracts whose bytecode became known by a migration of the network's state. */
import type { DatabaseClient } from '../../database/connection.ts';
import type { ContractMigration } from '../ledger-batch.ts';

/** $1 contract, $2 bytecode. */
const SET_BYTECODE = `
insert into contract (id, runtime_bytecode) values ($1, $2)
on conflict (id) do update set runtime_bytecode = excluded.runtime_bytecode`;

/** $1 contracts. */
const SET_TYPE = `
with history as (
  update entity_history set type = 'CONTRACT' where id = any ($1::bigint[]) and type <> 'CONTRACT'
)
update entity set type = 'CONTRACT' where id = any ($1::bigint[]) and type <> 'CONTRACT'`;

export const applyContractMigrations = async (
  client: DatabaseClient,
  migrations: readonly ContractMigration[],
): Promise<void> => {
  if (migrations.length === 0) return;
  for (const { contractId, runtimeBytecode } of migrations) {
    await client.query(SET_BYTECODE, [contractId, Buffer.from(runtimeBytecode)], 'contract_set_bytecode');
  }
  await client.query(SET_TYPE, [migrations.map(({ contractId }) => contractId)], 'contract_set_type');
};
