import type { EntityId } from '../../../ledger/entity-id.ts';
import { TOKEN_BATCH_SIZE, TOKEN_METADATA_BYTES } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { treasuryOf, usableToken } from '../token-checks.ts';

export interface NftMetadataUpdate {
  readonly tokenId: EntityId;
  readonly serialNumbers: readonly bigint[];
  readonly metadata: Uint8Array;
}

/**
 * Gives serials new metadata (TokenUpdateNfts, [HIP-657](https://hips.hedera.com/hip/hip-657);
 * [HIP-850](https://hips.hedera.com/hip/hip-850) for serials that the treasury holds).
 */
export const updateNftMetadata = async (
  context: OperationContext,
  { tokenId, serialNumbers, metadata }: NftMetadataUpdate,
): Promise<void> => {
  const { world } = context;
  if (serialNumbers.length === 0) refuse('MISSING_SERIAL_NUMBERS');
  if (serialNumbers.length > TOKEN_BATCH_SIZE) refuse('BATCH_SIZE_LIMIT_EXCEEDED');
  if (serialNumbers.some((serialNumber) => serialNumber <= 0n)) refuse('INVALID_TOKEN_NFT_SERIAL_NUMBER');
  if (metadata.length > TOKEN_METADATA_BYTES) refuse('METADATA_TOO_LONG');
  const token = await usableToken(context, tokenId);
  const treasuryId = treasuryOf(token);
  const nfts = [];
  for (const serialNumber of new Set(serialNumbers)) {
    nfts.push((await world.nft(tokenId, serialNumber)) ?? refuse('INVALID_NFT_ID'));
  }
  if (token.keys.metadata === undefined) {
    // The supply key may change serials as long as they have not left the treasury.
    const inTreasury = nfts.every(({ ownerId }) => ownerId === treasuryId);
    if (!inTreasury) refuse('TOKEN_HAS_NO_METADATA_KEY');
    if (token.keys.supply === undefined) refuse('TOKEN_HAS_NO_METADATA_OR_SUPPLY_KEY');
  }
  for (const nft of nfts) world.putNft({ ...nft, metadata });
};
