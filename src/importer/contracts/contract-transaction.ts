/** Who took part in a contract transaction: the result's contract, the payer, and contracts that logged or used storage. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Source } from '../transactions/handler.ts';

/** Slots of the reference's hash table before it grows, and how full it may be. */
const FIRST_CAPACITY = 16;
const LOAD = 0.75;

/** The slot of an id in a hash table of that many: both halves of the id, then both halves of those, folded together. */
const slotOf = (id: EntityId, capacity: number): number => {
  const folded = Number(BigInt.asIntN(32, id ^ (BigInt.asUintN(64, id) >> 32n)));
  return (folded ^ (folded >>> 16)) & (capacity - 1);
};

/**
 * The ids in the order in which the reference lists them, which is that of its hash table: by slot, and those of one slot
 * as they came. Rows then compare equal.
 */
const inReferenceOrder = (ids: ReadonlySet<EntityId>): EntityId[] => {
  let capacity = FIRST_CAPACITY;
  while (ids.size > capacity * LOAD) capacity *= 2;
  return [...ids].sort((left, right) => slotOf(left, capacity) - slotOf(right, capacity));
};

/** One row for each of `ids`, every one with all of them. */
export const insertContractTransactions = ({ item, context }: Source, ids: ReadonlySet<EntityId>): void => {
  if (!context.persist.contractTransaction || ids.size === 0) return;
  const contractIds = inReferenceOrder(ids);
  for (const entityId of contractIds) {
    context.batch.insert('contract_transaction', {
      consensus_timestamp: item.consensusTimestamp,
      entity_id: entityId,
      contract_ids: contractIds,
      payer_account_id: item.payer,
    });
  }
};
