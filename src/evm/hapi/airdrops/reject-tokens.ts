/**
 * TokenReject ([HIP-904](https://hips.hedera.com/hip/hip-904)): tokens go back to their treasuries, without fees and
 * allowances.
 */
import type { EntityId } from '../../../ledger/entity-id.ts';
import { usableAccount } from '../account-checks.ts';
import { AIRDROP_LIST_SIZE } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { usableRelation } from '../relation-checks.ts';
import { treasuryOf, usableToken } from '../token-checks.ts';
import { moveSerials, moveUnits } from '../transfers/move-tokens.ts';
import type { TokenTransfers } from '../transfers/transfers.ts';

export interface Rejection {
  readonly tokenId: EntityId;
  /** Absent: all units of a fungible token. */
  readonly serialNumber?: bigint;
}

const returnedUnits = async (
  context: OperationContext,
  ownerId: EntityId,
  tokenId: EntityId,
): Promise<TokenTransfers> => {
  const token = await usableToken(context, tokenId);
  const { balance } = await usableRelation(context, ownerId, tokenId);
  const treasuryId = treasuryOf(token);
  if (treasuryId === ownerId) refuse('ACCOUNT_IS_TREASURY');
  if (balance === 0n) refuse('INSUFFICIENT_TOKEN_BALANCE');
  const adjustments = [
    { party: ownerId, amount: -balance, isApproval: false },
    { party: treasuryId, amount: balance, isApproval: false },
  ];
  return { tokenId, adjustments, serials: [] };
};

const returnedSerial = async (
  context: OperationContext,
  ownerId: EntityId,
  tokenId: EntityId,
  serialNumber: bigint,
): Promise<TokenTransfers> => {
  const nft = (await context.world.nft(tokenId, serialNumber)) ?? refuse('INVALID_NFT_ID');
  const treasuryId = treasuryOf(await usableToken(context, tokenId));
  if (treasuryId === ownerId) refuse('ACCOUNT_IS_TREASURY');
  if (nft.ownerId !== ownerId) refuse('INVALID_OWNER_ID');
  return {
    tokenId,
    adjustments: [],
    serials: [{ sender: ownerId, receiver: treasuryId, serialNumber, isApproval: false }],
  };
};

export const rejectTokens = async (
  context: OperationContext,
  { ownerId, rejections }: { readonly ownerId: EntityId; readonly rejections: readonly Rejection[] },
): Promise<void> => {
  if (rejections.length === 0) refuse('EMPTY_TOKEN_REFERENCE_LIST');
  if (rejections.length > AIRDROP_LIST_SIZE) refuse('TOKEN_REFERENCE_LIST_SIZE_LIMIT_EXCEEDED');
  const names = rejections.map(({ tokenId, serialNumber }) => `${tokenId} ${serialNumber}`);
  if (new Set(names).size < names.length) refuse('TOKEN_REFERENCE_REPEATED');
  if (rejections.some(({ serialNumber = 1n }) => serialNumber <= 0n)) refuse('INVALID_TOKEN_NFT_SERIAL_NUMBER');
  await usableAccount(context, ownerId, 'INVALID_OWNER_ID');
  const units: TokenTransfers[] = [];
  for (const { tokenId, serialNumber } of rejections) {
    if (serialNumber === undefined) units.push(await returnedUnits(context, ownerId, tokenId));
  }
  const serials: TokenTransfers[] = [];
  for (const { tokenId, serialNumber } of rejections) {
    if (serialNumber !== undefined) serials.push(await returnedSerial(context, ownerId, tokenId, serialNumber));
  }
  await moveUnits(context, units, []);
  await moveSerials(context, serials);
};
