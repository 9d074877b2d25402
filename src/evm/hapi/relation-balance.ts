import type { TokenRelationRecord } from '../state/records.ts';
import type { World } from '../state/world.ts';

/** Puts the relation with another balance, and keeps count of the account's positive balances. */
export const setBalance = async (world: World, relation: TokenRelationRecord, balance: bigint): Promise<void> => {
  const change = Number(balance > 0n) - Number(relation.balance > 0n);
  if (change !== 0) {
    const counts = await world.accountCounts(relation.accountId);
    world.putAccountCounts(relation.accountId, {
      ...counts,
      positiveBalances: counts.positiveBalances + change,
    });
  }
  world.putTokenRelation({ ...relation, balance });
};
