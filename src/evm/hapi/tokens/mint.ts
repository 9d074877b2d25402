import type { EntityId } from '../../../ledger/entity-id.ts';
import { MAX_TOKEN_AMOUNT, TOKEN_BATCH_SIZE, TOKEN_METADATA_BYTES } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { setBalance } from '../relation-balance.ts';
import { requireKyc, usableRelation } from '../relation-checks.ts';
import { treasuryOf, usableToken } from '../token-checks.ts';

export interface Mint {
  readonly tokenId: EntityId;
  /** Units of a fungible token. */
  readonly amount: bigint;
  /** One element per serial of a non-fungible token. */
  readonly metadata: readonly Uint8Array[];
}

export interface Minted {
  readonly newTotalSupply: bigint;
  /** Empty for a fungible token. */
  readonly serialNumbers: readonly bigint[];
}

/** Adds supply to the treasury (TokenMint). */
export const mint = async (context: OperationContext, { tokenId, amount, metadata }: Mint): Promise<Minted> => {
  const { world } = context;
  if (metadata.length > 0 && amount > 0n) refuse('INVALID_TRANSACTION_BODY');
  if (amount < 0n) refuse('INVALID_TOKEN_MINT_AMOUNT');
  if (metadata.length > TOKEN_BATCH_SIZE) refuse('BATCH_SIZE_LIMIT_EXCEEDED');
  if (metadata.some(({ length }) => length > TOKEN_METADATA_BYTES)) refuse('METADATA_TOO_LONG');
  const token = await usableToken(context, tokenId);
  if (token.keys.supply === undefined) refuse('TOKEN_HAS_NO_SUPPLY_KEY');
  const treasuryId = treasuryOf(token);
  const relation = await usableRelation(context, treasuryId, tokenId);
  requireKyc(relation);

  const fungible = token.type === 'FUNGIBLE_COMMON';
  if (!fungible && metadata.length === 0) refuse('INVALID_TOKEN_MINT_METADATA');
  const added = fungible ? amount : BigInt(metadata.length);
  const newTotalSupply = token.totalSupply + added;
  if (newTotalSupply > MAX_TOKEN_AMOUNT) refuse('INVALID_TOKEN_MINT_AMOUNT');
  if (token.supplyType === 'FINITE' && newTotalSupply > token.maxSupply) refuse('TOKEN_MAX_SUPPLY_REACHED');

  const serialNumbers: bigint[] = [];
  if (!fungible) {
    let serialNumber = await world.lastSerialNumber(tokenId);
    for (const content of metadata) {
      serialNumber += 1n;
      serialNumbers.push(serialNumber);
      world.putNft({
        tokenId,
        serialNumber,
        ownerId: treasuryId,
        spenderId: undefined,
        delegatingSpenderId: undefined,
        createdTimestamp: context.now,
        metadata: content,
      });
    }
    world.putLastSerialNumber(tokenId, serialNumber);
  }
  await setBalance(world, relation, relation.balance + added);
  world.putToken({ ...token, totalSupply: newTotalSupply });
  return { newTotalSupply, serialNumbers };
};
