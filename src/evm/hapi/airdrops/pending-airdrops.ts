import type { PendingAirdropKey, PendingAirdropRecord } from '../../state/records.ts';
import { usableAccount } from '../account-checks.ts';
import { AIRDROP_LIST_SIZE } from '../limits.ts';
import { type OperationContext, refuse, type Status } from '../operation.ts';

const textOf = ({ senderId, receiverId, tokenId, serialNumber }: PendingAirdropKey): string =>
  `${senderId} ${receiverId} ${tokenId} ${serialNumber}`;

/**
 * The pending airdrops that a claim or cancellation names. Refuses: EMPTY_PENDING_AIRDROP_ID_LIST,
 * PENDING_AIRDROP_ID_LIST_TOO_LONG, PENDING_AIRDROP_ID_REPEATED, `unknownReceiver`, INVALID_PENDING_AIRDROP_ID.
 */
export const existingAirdrops = async (
  context: OperationContext,
  keys: readonly PendingAirdropKey[],
  unknownReceiver: Status,
): Promise<readonly PendingAirdropRecord[]> => {
  if (keys.length === 0) refuse('EMPTY_PENDING_AIRDROP_ID_LIST');
  if (keys.length > AIRDROP_LIST_SIZE) refuse('PENDING_AIRDROP_ID_LIST_TOO_LONG');
  if (new Set(keys.map(textOf)).size < keys.length) refuse('PENDING_AIRDROP_ID_REPEATED');
  for (const { receiverId } of keys) await usableAccount(context, receiverId, unknownReceiver);
  const airdrops = [];
  for (const key of keys) {
    await usableAccount(context, key.senderId, 'INVALID_PENDING_AIRDROP_ID');
    airdrops.push((await context.world.pendingAirdrop(key)) ?? refuse('INVALID_PENDING_AIRDROP_ID'));
  }
  return airdrops;
};
