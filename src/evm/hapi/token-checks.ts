import type { EntityId } from '../../ledger/entity-id.ts';
import type { TokenRecord } from '../state/records.ts';
import { type OperationContext, refuse } from './operation.ts';

/**
 * The token, if it exists, is not deleted and not paused.
 * Refuses: INVALID_TOKEN_ID, TOKEN_WAS_DELETED, TOKEN_IS_PAUSED (unless `pausedAllowed`).
 */
export const usableToken = async (
  { world }: OperationContext,
  tokenId: EntityId,
  { pausedAllowed = false }: { readonly pausedAllowed?: boolean } = {},
): Promise<TokenRecord> => {
  const token = (await world.token(tokenId)) ?? refuse('INVALID_TOKEN_ID');
  if (token.deleted) refuse('TOKEN_WAS_DELETED');
  if (token.paused && !pausedAllowed) refuse('TOKEN_IS_PAUSED');
  return token;
};

/** Refuses: INVALID_TREASURY_ACCOUNT_FOR_TOKEN when the token's treasury is not known. */
export const treasuryOf = ({ treasuryId }: TokenRecord): EntityId =>
  treasuryId ?? refuse('INVALID_TREASURY_ACCOUNT_FOR_TOKEN');
