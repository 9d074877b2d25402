import type { EntityId } from '../../../ledger/entity-id.ts';
import { usableAccount } from '../account-checks.ts';
import { TOKEN_BATCH_SIZE } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { setBalance } from '../relation-balance.ts';
import { requireKyc, usableRelation } from '../relation-checks.ts';
import { usableToken } from '../token-checks.ts';

export interface Wipe {
  readonly tokenId: EntityId;
  readonly accountId: EntityId;
  /** Units of a fungible token. */
  readonly amount: bigint;
  readonly serialNumbers: readonly bigint[];
}

/** Takes supply from an account that is not the treasury (TokenWipe). */
export const wipe = async (context: OperationContext, request: Wipe): Promise<void> => {
  const { world } = context;
  const { tokenId, accountId, amount } = request;
  const serialNumbers = [...new Set(request.serialNumbers)];
  if (amount < 0n) refuse('INVALID_WIPING_AMOUNT');
  if (serialNumbers.some((serialNumber) => serialNumber <= 0n)) refuse('INVALID_NFT_ID');
  if (serialNumbers.length > 0 && amount > 0n) refuse('INVALID_TRANSACTION_BODY');
  await usableAccount(context, accountId);
  if (request.serialNumbers.length > TOKEN_BATCH_SIZE) refuse('BATCH_SIZE_LIMIT_EXCEEDED');
  const token = await usableToken(context, tokenId);
  if (token.keys.wipe === undefined) refuse('TOKEN_HAS_NO_WIPE_KEY');
  const relation = await usableRelation(context, accountId, tokenId);
  requireKyc(relation);
  if (token.treasuryId === accountId) refuse('CANNOT_WIPE_TOKEN_TREASURY_ACCOUNT');

  if (token.type === 'FUNGIBLE_COMMON') {
    if (amount > token.totalSupply || amount > relation.balance) refuse('INVALID_WIPING_AMOUNT');
  } else {
    if (serialNumbers.length === 0) refuse('INVALID_WIPING_AMOUNT');
    for (const serialNumber of serialNumbers) {
      const nft = (await world.nft(tokenId, serialNumber)) ?? refuse('INVALID_NFT_ID');
      if (nft.ownerId !== accountId) refuse('ACCOUNT_DOES_NOT_OWN_WIPED_NFT');
    }
    for (const serialNumber of serialNumbers) world.removeNft(tokenId, serialNumber);
  }
  const removed = token.type === 'FUNGIBLE_COMMON' ? amount : BigInt(serialNumbers.length);
  await setBalance(world, relation, relation.balance - removed);
  world.putToken({ ...token, totalSupply: token.totalSupply - removed });
};
