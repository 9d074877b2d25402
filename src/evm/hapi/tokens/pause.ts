import type { EntityId } from '../../../ledger/entity-id.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { usableToken } from '../token-checks.ts';

/** Pauses or unpauses a token (TokenPause, TokenUnpause). */
export const setPaused = async (
  context: OperationContext,
  { tokenId, paused }: { readonly tokenId: EntityId; readonly paused: boolean },
): Promise<void> => {
  const token = await usableToken(context, tokenId, { pausedAllowed: true });
  if (token.keys.pause === undefined) refuse('TOKEN_HAS_NO_PAUSE_KEY');
  context.world.putToken({ ...token, paused });
};
