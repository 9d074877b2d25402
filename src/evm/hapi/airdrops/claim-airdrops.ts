/**
 * TokenClaimAirdrop ([HIP-904](https://hips.hedera.com/hip/hip-904)): receivers take what was sent, and are associated
 * with it if need be.
 */
import type { EntityId } from '../../../ledger/entity-id.ts';
import type { PendingAirdropKey, PendingAirdropRecord } from '../../state/records.ts';
import { addRelation } from '../associate.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { usableToken } from '../token-checks.ts';
import { type TransferEffects, transferWithoutFees } from '../transfers/transfer.ts';
import type { Adjustment, SerialTransfer, TokenTransfers } from '../transfers/transfers.ts';
import { existingAirdrops } from './pending-airdrops.ts';

const adjustmentsOf = (airdrops: readonly PendingAirdropRecord[]): Adjustment[] => {
  const changes = new Map<EntityId, bigint>();
  const add = (accountId: EntityId, amount: bigint): void => {
    changes.set(accountId, (changes.get(accountId) ?? 0n) + amount);
  };
  for (const { senderId, receiverId, amount } of airdrops) {
    add(senderId, -amount);
    add(receiverId, amount);
  }
  return [...changes].map(([party, amount]) => ({ party, amount, isApproval: false }));
};

const serialsOf = (airdrops: readonly PendingAirdropRecord[]): SerialTransfer[] =>
  airdrops.map(({ senderId, receiverId, serialNumber }) => ({
    sender: senderId,
    receiver: receiverId,
    serialNumber,
    isApproval: false,
  }));

const transfersOf = (airdrops: readonly PendingAirdropRecord[]): TokenTransfers[] =>
  [...Map.groupBy(airdrops, ({ tokenId }) => tokenId)].map(([tokenId, list]) => ({
    tokenId,
    adjustments: adjustmentsOf(list.filter(({ serialNumber }) => serialNumber === 0n)),
    serials: serialsOf(list.filter(({ serialNumber }) => serialNumber !== 0n)),
  }));

/** Refuses, besides what transfers are refused for: see `existingAirdrops`, TOKEN_AIRDROP_WITH_FALLBACK_ROYALTY. */
export const claimAirdrops = async (
  context: OperationContext,
  keys: readonly PendingAirdropKey[],
): Promise<TransferEffects> => {
  const { world } = context;
  const airdrops = await existingAirdrops(context, keys, 'INVALID_ACCOUNT_ID');
  for (const { tokenId } of airdrops) {
    const { customFees } = await usableToken(context, tokenId);
    if (customFees.royalty.some(({ fallback }) => fallback !== undefined)) {
      refuse('TOKEN_AIRDROP_WITH_FALLBACK_ROYALTY');
    }
  }
  for (const { receiverId, tokenId } of airdrops) {
    if ((await world.tokenRelation(receiverId, tokenId)) !== undefined) continue;
    await addRelation(world, receiverId, await usableToken(context, tokenId), { automatic: false });
  }
  const effects = await transferWithoutFees(context, { hbar: [], tokens: transfersOf(airdrops) });
  for (const airdrop of airdrops) world.removePendingAirdrop(airdrop);
  return effects;
};
