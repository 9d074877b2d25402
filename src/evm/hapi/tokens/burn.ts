import type { EntityId } from '../../../ledger/entity-id.ts';
import { TOKEN_BATCH_SIZE } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { setBalance } from '../relation-balance.ts';
import { requireKyc, usableRelation } from '../relation-checks.ts';
import { treasuryOf, usableToken } from '../token-checks.ts';

export interface Burn {
  readonly tokenId: EntityId;
  /** Units of a fungible token. */
  readonly amount: bigint;
  readonly serialNumbers: readonly bigint[];
}

/** Takes supply out of the treasury (TokenBurn); gives the new total supply. */
export const burn = async (context: OperationContext, request: Burn): Promise<bigint> => {
  const { world } = context;
  const { tokenId, amount } = request;
  const serialNumbers = [...new Set(request.serialNumbers)];
  if (amount < 0n) refuse('INVALID_TOKEN_BURN_AMOUNT');
  if (serialNumbers.some((serialNumber) => serialNumber <= 0n)) refuse('INVALID_NFT_ID');
  if (serialNumbers.length > 0 && amount > 0n) refuse('INVALID_TRANSACTION_BODY');
  if (request.serialNumbers.length > TOKEN_BATCH_SIZE) refuse('BATCH_SIZE_LIMIT_EXCEEDED');
  const token = await usableToken(context, tokenId);
  if (token.keys.supply === undefined) refuse('TOKEN_HAS_NO_SUPPLY_KEY');
  const treasuryId = treasuryOf(token);
  const relation = await usableRelation(context, treasuryId, tokenId);
  requireKyc(relation);

  if (token.type === 'FUNGIBLE_COMMON') {
    if (token.totalSupply < amount) refuse('INVALID_TOKEN_BURN_AMOUNT');
    if (relation.balance < amount) refuse('INSUFFICIENT_TOKEN_BALANCE');
  } else {
    if (serialNumbers.length === 0) refuse('INVALID_TOKEN_BURN_METADATA');
    for (const serialNumber of serialNumbers) {
      const nft = (await world.nft(tokenId, serialNumber)) ?? refuse('INVALID_NFT_ID');
      if (nft.ownerId !== treasuryId) refuse('TREASURY_MUST_OWN_BURNED_NFT');
    }
    for (const serialNumber of serialNumbers) world.removeNft(tokenId, serialNumber);
  }
  const removed = token.type === 'FUNGIBLE_COMMON' ? amount : BigInt(serialNumbers.length);
  const totalSupply = token.totalSupply - removed;
  await setBalance(world, relation, relation.balance - removed);
  world.putToken({ ...token, totalSupply });
  return totalSupply;
};
