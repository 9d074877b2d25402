/** Who took part in a contract transaction: the result's contract, the payer, and contracts that logged or used storage. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Source } from '../transactions/handler.ts';

/** One row for each of `ids`, every one with all of them. */
export const insertContractTransactions = ({ item, context }: Source, ids: ReadonlySet<EntityId>): void => {
  if (!context.persist.contractTransaction || ids.size === 0) return;
  const contractIds = [...ids];
  for (const entityId of contractIds) {
    context.batch.insert('contract_transaction', {
      consensus_timestamp: item.consensusTimestamp,
      entity_id: entityId,
      contract_ids: contractIds,
      payer_account_id: item.payer,
    });
  }
};
