import type { PendingAirdropKey } from '../../state/records.ts';
import type { OperationContext } from '../operation.ts';
import { existingAirdrops } from './pending-airdrops.ts';

/** Takes pending airdrops back (TokenCancelAirdrop, [HIP-904](https://hips.hedera.com/hip/hip-904)). */
export const cancelAirdrops = async (context: OperationContext, keys: readonly PendingAirdropKey[]): Promise<void> => {
  const airdrops = await existingAirdrops(context, keys, 'INVALID_PENDING_AIRDROP_ID');
  for (const airdrop of airdrops) context.world.removePendingAirdrop(airdrop);
};
