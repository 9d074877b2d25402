import type { EntityId } from '../../../ledger/entity-id.ts';
import type { SerialTransfer, TokenTransfers, Transfers } from './transfers.ts';

/** Net changes of every token over all levels: accounts whose changes cancel out are left out. */
export const netTokenTransfers = (levels: readonly Transfers[]): readonly TokenTransfers[] => {
  const units = new Map<EntityId, Map<EntityId, bigint>>();
  const serials = new Map<EntityId, SerialTransfer[]>();
  for (const { tokens } of levels) {
    for (const list of tokens) {
      const changes = units.get(list.tokenId) ?? new Map<EntityId, bigint>();
      for (const { party, amount } of list.adjustments) changes.set(party, (changes.get(party) ?? 0n) + amount);
      units.set(list.tokenId, changes);
      serials.set(list.tokenId, [...(serials.get(list.tokenId) ?? []), ...list.serials]);
    }
  }
  return [...units].map(([tokenId, changes]) => ({
    tokenId,
    adjustments: [...changes]
      .filter(([, amount]) => amount !== 0n)
      .map(([party, amount]) => ({ party, amount, isApproval: false })),
    serials: serials.get(tokenId) ?? [],
  }));
};
