/** Approvals of spenders (CryptoApproveAllowance, CryptoDeleteAllowance); paused tokens are fine. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { TokenRecord } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { usableAccount } from './account-checks.ts';
import { noteAllowance, noteApproval } from './allowance-count.ts';
import { type OperationContext, refuse } from './operation.ts';
import { relationOf } from './relation-checks.ts';
import { usableToken } from './token-checks.ts';

interface Approval {
  readonly tokenId: EntityId;
  readonly ownerId: EntityId;
  /** An id that no account has is as good as any that is unknown. */
  readonly spenderId: EntityId;
}

const existingSpender = (context: OperationContext, spenderId: EntityId) =>
  usableAccount(context, spenderId, 'INVALID_ALLOWANCE_SPENDER_ID');

const existingOwner = (context: OperationContext, ownerId: EntityId) =>
  usableAccount(context, ownerId, 'INVALID_ALLOWANCE_OWNER_ID');

const nftToken = async (context: OperationContext, tokenId: EntityId): Promise<TokenRecord> => {
  const token = await usableToken(context, tokenId, { pausedAllowed: true });
  return token.type === 'NON_FUNGIBLE_UNIQUE' ? token : refuse('FUNGIBLE_TOKEN_IN_NFT_ALLOWANCES');
};

const existingSerial = async ({ world }: OperationContext, tokenId: EntityId, serialNumber: bigint) => {
  const nft = serialNumber > 0n ? await world.nft(tokenId, serialNumber) : undefined;
  return nft ?? refuse('INVALID_TOKEN_NFT_SERIAL_NUMBER');
};

/** Amounts are limited in number only where one is given, not where it is taken back. */
const noteAmount = (
  world: World,
  { ownerId, had, amount }: { readonly ownerId: EntityId; readonly had: boolean; readonly amount: bigint },
): Promise<void> =>
  amount > 0n ? noteApproval(world, { ownerId, had, has: true }) : noteAllowance(world, { ownerId, had, has: false });

/** Lets a spender move tinybars of an owner, as many as given in all from now on; 0 ends that. */
export const approveHbar = async (
  context: OperationContext,
  { ownerId, spenderId, amount }: Omit<Approval, 'tokenId'> & { readonly amount: bigint },
): Promise<void> => {
  const { world } = context;
  if (amount < 0n) refuse('NEGATIVE_ALLOWANCE_AMOUNT');
  await existingOwner(context, ownerId);
  if (amount > 0n) await existingSpender(context, spenderId);
  if (spenderId === ownerId) refuse('SPENDER_ACCOUNT_SAME_AS_OWNER');
  const had = (await world.hbarAllowance(ownerId, spenderId)) > 0n;
  await noteAmount(world, { ownerId, had, amount });
  world.putHbarAllowance(ownerId, spenderId, amount);
};

/** Lets a spender, maybe the owner itself, move units of a fungible token; 0 ends that. */
export const approveUnits = async (
  context: OperationContext,
  { tokenId, ownerId, spenderId, amount }: Approval & { readonly amount: bigint },
): Promise<void> => {
  const { world } = context;
  if (amount < 0n) refuse('NEGATIVE_ALLOWANCE_AMOUNT');
  const token = await usableToken(context, tokenId, { pausedAllowed: true });
  await existingOwner(context, ownerId);
  if (token.type !== 'FUNGIBLE_COMMON') refuse('NFT_IN_FUNGIBLE_TOKEN_ALLOWANCES');
  if (amount > 0n) await existingSpender(context, spenderId);
  if (token.supplyType === 'FINITE' && amount > token.maxSupply) refuse('AMOUNT_EXCEEDS_TOKEN_MAX_SUPPLY');
  await relationOf(context, ownerId, tokenId);
  const had = (await world.tokenAllowance(ownerId, spenderId, tokenId)) > 0n;
  await noteAmount(world, { ownerId, had, amount });
  world.putTokenAllowance(ownerId, spenderId, tokenId, amount);
};

/**
 * Makes an account the spender of a serial. A delegating spender does so in the owner's place, being approved for all
 * of the owner's serials.
 */
export const approveSerial = async (
  context: OperationContext,
  approval: Approval & { readonly serialNumber: bigint; readonly delegatingSpenderId?: EntityId },
): Promise<void> => {
  const { world } = context;
  const { tokenId, ownerId, spenderId, serialNumber, delegatingSpenderId } = approval;
  await nftToken(context, tokenId);
  await existingSpender(context, spenderId);
  await existingOwner(context, ownerId);
  if (spenderId === ownerId) refuse('SPENDER_ACCOUNT_SAME_AS_OWNER');
  await relationOf(context, ownerId, tokenId);
  if (delegatingSpenderId !== undefined && !(await world.approvedForAll(ownerId, delegatingSpenderId, tokenId))) {
    refuse('DELEGATING_SPENDER_DOES_NOT_HAVE_APPROVE_FOR_ALL');
  }
  const nft = await existingSerial(context, tokenId, serialNumber);
  if (nft.ownerId !== ownerId) refuse('SENDER_DOES_NOT_OWN_NFT_SERIAL_NO');
  world.putNft({ ...nft, spenderId, delegatingSpenderId });
};

/** Lets a spender move all serials of an owner, or ends that. */
export const approveForAll = async (
  context: OperationContext,
  { tokenId, ownerId, spenderId, approved }: Approval & { readonly approved: boolean },
): Promise<void> => {
  const { world } = context;
  await nftToken(context, tokenId);
  if (approved) await existingSpender(context, spenderId);
  await existingOwner(context, ownerId);
  if (spenderId === ownerId) refuse('SPENDER_ACCOUNT_SAME_AS_OWNER');
  await relationOf(context, ownerId, tokenId);
  const had = await world.approvedForAll(ownerId, spenderId, tokenId);
  await noteApproval(world, { ownerId, had, has: approved });
  world.putApprovedForAll(ownerId, spenderId, tokenId, approved);
};

/** Takes the spender from a serial. */
export const revokeSerial = async (
  context: OperationContext,
  { tokenId, ownerId, serialNumber }: Omit<Approval, 'spenderId'> & { readonly serialNumber: bigint },
): Promise<void> => {
  await nftToken(context, tokenId);
  await existingOwner(context, ownerId);
  await relationOf(context, ownerId, tokenId);
  const nft = await existingSerial(context, tokenId, serialNumber);
  if (nft.ownerId !== ownerId) refuse('SENDER_DOES_NOT_OWN_NFT_SERIAL_NO');
  context.world.putNft({ ...nft, spenderId: undefined, delegatingSpenderId: undefined });
};
