import type { EntityId } from '../../../ledger/entity-id.ts';
import { usableAccount } from '../account-checks.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { relationOf } from '../relation-checks.ts';
import { usableToken } from '../token-checks.ts';

interface OfRelation {
  readonly tokenId: EntityId;
  readonly accountId: EntityId;
}

/** Freezes an account for a token (TokenFreezeAccount). */
export const freeze = async (context: OperationContext, { tokenId, accountId }: OfRelation): Promise<void> => {
  const token = await usableToken(context, tokenId);
  if (token.keys.freeze === undefined) refuse('TOKEN_HAS_NO_FREEZE_KEY');
  await usableAccount(context, accountId);
  const relation = await relationOf(context, accountId, tokenId);
  if (relation.frozen) refuse('ACCOUNT_FROZEN_FOR_TOKEN');
  context.world.putTokenRelation({ ...relation, frozen: true });
};

/** Unfreezes an account for a token (TokenUnfreezeAccount); one that is not frozen stays as it is. */
export const unfreeze = async (context: OperationContext, { tokenId, accountId }: OfRelation): Promise<void> => {
  const token = await usableToken(context, tokenId);
  if (token.keys.freeze === undefined) refuse('TOKEN_HAS_NO_FREEZE_KEY');
  await usableAccount(context, accountId);
  const relation = await relationOf(context, accountId, tokenId);
  context.world.putTokenRelation({ ...relation, frozen: false });
};
