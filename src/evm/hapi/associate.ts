/** Relations between accounts and tokens: TokenAssociate, and what transfers and claims do by themselves. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { TokenRecord } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { usableAccount } from './account-checks.ts';
import { type OperationContext, refuse } from './operation.ts';
import { usableToken } from './token-checks.ts';

export interface Association {
  readonly accountId: EntityId;
  readonly tokenIds: readonly EntityId[];
}

/** An account's limit when it has none. */
export const UNLIMITED_AUTOMATIC_ASSOCIATIONS = -1;

/** Adds a relation as the token wants new ones to be: frozen or not, KYC granted when the token knows no KYC. */
export const addRelation = async (
  world: World,
  accountId: EntityId,
  token: TokenRecord,
  { automatic }: { readonly automatic: boolean },
): Promise<void> => {
  world.putTokenRelation({
    accountId,
    tokenId: token.id,
    balance: 0n,
    frozen: token.freezeDefault,
    kycGranted: token.keys.kyc === undefined,
    automaticAssociation: automatic,
  });
  const counts = await world.accountCounts(accountId);
  world.putAccountCounts(accountId, { ...counts, associations: counts.associations + 1 });
};

/** Whether all slots for automatic associations are taken; also when there were none. */
export const hasNoFreeSlot = (account: {
  readonly maxAutomaticAssociations: number;
  readonly usedAutomaticAssociations: number;
}): boolean =>
  account.maxAutomaticAssociations !== UNLIMITED_AUTOMATIC_ASSOCIATIONS &&
  account.usedAutomaticAssociations >= account.maxAutomaticAssociations;

/**
 * Gives an account without a relation one of its slots. Refuses: INVALID_ACCOUNT_ID, TOKEN_NOT_ASSOCIATED_TO_ACCOUNT
 * (no slots at all), NO_REMAINING_AUTOMATIC_ASSOCIATIONS, ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN, ACCOUNT_FROZEN_FOR_TOKEN.
 */
export const associateAutomatically = async (
  context: OperationContext,
  accountId: EntityId,
  token: TokenRecord,
): Promise<void> => {
  const account = await usableAccount(context, accountId);
  if (account.maxAutomaticAssociations === 0) refuse('TOKEN_NOT_ASSOCIATED_TO_ACCOUNT');
  if (hasNoFreeSlot(account)) refuse('NO_REMAINING_AUTOMATIC_ASSOCIATIONS');
  if (token.keys.kyc !== undefined) refuse('ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN');
  if (token.freezeDefault) refuse('ACCOUNT_FROZEN_FOR_TOKEN');
  await addRelation(context.world, accountId, token, { automatic: true });
  context.world.putEntity({ ...account, usedAutomaticAssociations: account.usedAutomaticAssociations + 1 });
};

/** Associates an account with tokens (TokenAssociate). */
export const associate = async (context: OperationContext, { accountId, tokenIds }: Association): Promise<void> => {
  const { world } = context;
  await usableAccount(context, accountId);
  if (new Set(tokenIds).size < tokenIds.length) refuse('TOKEN_ID_REPEATED_IN_TOKEN_LIST');
  const tokens: TokenRecord[] = [];
  for (const tokenId of tokenIds) tokens.push(await usableToken(context, tokenId));
  for (const { id } of tokens) {
    if ((await world.tokenRelation(accountId, id)) !== undefined) refuse('TOKEN_ALREADY_ASSOCIATED_TO_ACCOUNT');
  }
  for (const token of tokens) await addRelation(world, accountId, token, { automatic: false });
};
