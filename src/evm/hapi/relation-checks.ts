import type { EntityId } from '../../ledger/entity-id.ts';
import type { TokenRelationRecord } from '../state/records.ts';
import { type OperationContext, refuse } from './operation.ts';

/** Refuses: TOKEN_NOT_ASSOCIATED_TO_ACCOUNT. */
export const relationOf = async (
  { world }: OperationContext,
  accountId: EntityId,
  tokenId: EntityId,
): Promise<TokenRelationRecord> =>
  (await world.tokenRelation(accountId, tokenId)) ?? refuse('TOKEN_NOT_ASSOCIATED_TO_ACCOUNT');

/** A relation that is not frozen. Refuses: TOKEN_NOT_ASSOCIATED_TO_ACCOUNT, ACCOUNT_FROZEN_FOR_TOKEN. */
export const usableRelation = async (
  context: OperationContext,
  accountId: EntityId,
  tokenId: EntityId,
): Promise<TokenRelationRecord> => {
  const relation = await relationOf(context, accountId, tokenId);
  if (relation.frozen) refuse('ACCOUNT_FROZEN_FOR_TOKEN');
  return relation;
};

/** Refuses: ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN. */
export const requireKyc = ({ kycGranted }: TokenRelationRecord): void => {
  if (!kycGranted) refuse('ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN');
};
