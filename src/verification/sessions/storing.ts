/** What a finished verification means for the repository, in the words of the interfaces. */
import { bestOf, type DeployedContract, type StoredContract } from '../model.ts';

/** Why a result isn't stored when one that is as good is there. */
export const conflictMessage = ({ address, chainId }: DeployedContract): string =>
  `The contract ${address} on chainId ${chainId} is already partially verified. The provided new source code also ` +
  "yielded a partial match and will not be stored unless it's a full match";

/**
 * Whether nothing can come of verifying again. A perfect match of one bytecode only may still become one of both when
 * the client names the creating transaction.
 */
export const isSettled = (
  stored: StoredContract | undefined,
  creatorTransaction?: string,
): stored is StoredContract => {
  if (stored === undefined) return false;
  if (stored.runtimeMatch === 'perfect' && stored.creationMatch === 'perfect') return true;
  return bestOf(stored) === 'perfect' && creatorTransaction === undefined;
};
