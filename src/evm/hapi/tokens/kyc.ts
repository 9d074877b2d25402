import type { EntityId } from '../../../ledger/entity-id.ts';
import { usableAccount } from '../account-checks.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { usableRelation } from '../relation-checks.ts';
import { usableToken } from '../token-checks.ts';

/** Grants or revokes KYC of an account for a token (TokenGrantKycToAccount, TokenRevokeKycFromAccount). */
export const setKyc = async (
  context: OperationContext,
  {
    tokenId,
    accountId,
    granted,
  }: { readonly tokenId: EntityId; readonly accountId: EntityId; readonly granted: boolean },
): Promise<void> => {
  const keyless = await context.world.token(tokenId);
  if (keyless !== undefined && keyless.keys.kyc === undefined) refuse('TOKEN_HAS_NO_KYC_KEY');
  await usableAccount(context, accountId);
  await usableToken(context, tokenId);
  const relation = await usableRelation(context, accountId, tokenId);
  context.world.putTokenRelation({ ...relation, kycGranted: granted });
};
