import { usableAccount } from './account-checks.ts';
import type { Association } from './associate.ts';
import { type OperationContext, refuse } from './operation.ts';
import { relationOf } from './relation-checks.ts';

/** Ends relations (TokenDissociate); of tokens that are deleted or unknown whatever the account still holds goes with it. */
export const dissociate = async (context: OperationContext, { accountId, tokenIds }: Association): Promise<void> => {
  const { world } = context;
  await usableAccount(context, accountId);
  if (new Set(tokenIds).size < tokenIds.length) refuse('TOKEN_ID_REPEATED_IN_TOKEN_LIST');
  for (const tokenId of tokenIds) {
    await relationOf(context, accountId, tokenId);
    if ((await world.token(tokenId))?.paused) refuse('TOKEN_IS_PAUSED');
  }
  for (const tokenId of tokenIds) {
    const relation = await relationOf(context, accountId, tokenId);
    const token = await world.token(tokenId);
    if (token !== undefined && !token.deleted) {
      if (token.treasuryId === accountId) refuse('ACCOUNT_IS_TREASURY');
      if (relation.frozen) refuse('ACCOUNT_FROZEN_FOR_TOKEN');
      if (relation.balance > 0n) {
        refuse(
          token.type === 'NON_FUNGIBLE_UNIQUE' ? 'ACCOUNT_STILL_OWNS_NFTS' : 'TRANSACTION_REQUIRES_ZERO_TOKEN_BALANCES',
        );
      }
    }
    world.removeTokenRelation(accountId, tokenId);
    const { associations, positiveBalances } = await world.accountCounts(accountId);
    world.putAccountCounts(accountId, {
      associations: associations - 1,
      positiveBalances: positiveBalances - Number(relation.balance > 0n),
    });
    const account = await usableAccount(context, accountId);
    if (relation.automaticAssociation && account.usedAutomaticAssociations > 0) {
      world.putEntity({ ...account, usedAutomaticAssociations: account.usedAutomaticAssociations - 1 });
    }
  }
};
