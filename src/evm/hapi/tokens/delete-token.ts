import type { EntityId } from '../../../ledger/entity-id.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { usableToken } from '../token-checks.ts';

/** Marks a token as deleted (TokenDelete). */
export const deleteToken = async (context: OperationContext, tokenId: EntityId): Promise<void> => {
  const token = await usableToken(context, tokenId);
  if (token.keys.admin === undefined) refuse('TOKEN_IS_IMMUTABLE');
  context.world.putToken({ ...token, deleted: true });
};
