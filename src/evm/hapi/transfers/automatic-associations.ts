import type { EntityId } from '../../../ledger/entity-id.ts';
import type { TokenRecord } from '../../state/records.ts';
import { usableAccount } from '../account-checks.ts';
import { associateAutomatically } from '../associate.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { usableRelation } from '../relation-checks.ts';
import { usableToken } from '../token-checks.ts';
import { checkSpender, remainingAllowance } from './approvals.ts';
import type { TokenTransfers } from './transfers.ts';

/** Whether the account got one of its slots filled. Refuses accounts that cannot hold the token. */
const ensureRelation = async (context: OperationContext, accountId: EntityId, token: TokenRecord): Promise<boolean> => {
  await usableAccount(context, accountId);
  if ((await context.world.tokenRelation(accountId, token.id)) !== undefined) {
    await usableRelation(context, accountId, token.id);
    return false;
  }
  await associateAutomatically(context, accountId, token);
  return true;
};

/** Gives everyone in the transfers a relation who has free slots; the number of slots that this took. */
export const associateParties = async (
  context: OperationContext,
  tokens: readonly TokenTransfers[],
): Promise<number> => {
  const { world } = context;
  let count = 0;
  for (const { tokenId, adjustments, serials } of tokens) {
    const token = await usableToken(context, tokenId);
    const hasNone = async (accountId: EntityId): Promise<boolean> =>
      (await world.tokenRelation(accountId, tokenId)) === undefined &&
      (await usableAccount(context, accountId)).maxAutomaticAssociations === 0;

    for (const { party, amount, isApproval } of adjustments) {
      // A spender first hears that it has no allowance.
      if (isApproval && amount < 0n && (await hasNone(party))) {
        await remainingAllowance(context, tokenId, party, -amount);
      }
      if (await ensureRelation(context, party, token)) count++;
    }
    for (const { sender, receiver, serialNumber, isApproval } of serials) {
      const nft = await world.nft(tokenId, serialNumber);
      if ((await world.tokenRelation(sender, tokenId)) === undefined) {
        if (isApproval && nft !== undefined) await checkSpender(context, sender, nft);
        refuse('TOKEN_NOT_ASSOCIATED_TO_ACCOUNT');
      }
      if (nft === undefined) refuse('INVALID_NFT_ID');
      if (await ensureRelation(context, receiver, token)) count++;
    }
  }
  return count;
};
