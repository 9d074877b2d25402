/** Whether the caller may move what is an owner's: allowances of tinybars and units, spenders of serials. */
import type { EntityId } from '../../../ledger/entity-id.ts';
import type { NftRecord } from '../../state/records.ts';
import { noteAllowance } from '../allowance-count.ts';
import { type OperationContext, refuse } from '../operation.ts';
import type { Denomination } from './transfers.ts';

/** What an allowance leaves. Refuses: SPENDER_DOES_NOT_HAVE_ALLOWANCE, AMOUNT_EXCEEDS_ALLOWANCE. */
export const remainingAllowance = async (
  { world, callerId }: OperationContext,
  denomination: Denomination,
  ownerId: EntityId,
  amount: bigint,
): Promise<bigint> => {
  const allowance =
    denomination === undefined
      ? await world.hbarAllowance(ownerId, callerId)
      : await world.tokenAllowance(ownerId, callerId, denomination);
  if (allowance === 0n) refuse('SPENDER_DOES_NOT_HAVE_ALLOWANCE');
  return allowance < amount ? refuse('AMOUNT_EXCEEDS_ALLOWANCE') : allowance - amount;
};

/** Spends an allowance. Refuses: SPENDER_DOES_NOT_HAVE_ALLOWANCE, AMOUNT_EXCEEDS_ALLOWANCE. */
export const spendAllowance = async (
  context: OperationContext,
  denomination: Denomination,
  ownerId: EntityId,
  amount: bigint,
): Promise<void> => {
  const { world, callerId } = context;
  const left = await remainingAllowance(context, denomination, ownerId, amount);
  if (denomination === undefined) world.putHbarAllowance(ownerId, callerId, left);
  else world.putTokenAllowance(ownerId, callerId, denomination, left);
  await noteAllowance(world, { ownerId, had: true, has: left > 0n });
};

/** Refuses: SPENDER_DOES_NOT_HAVE_ALLOWANCE. */
export const checkSpender = async (
  { world, callerId }: OperationContext,
  ownerId: EntityId,
  nft: NftRecord,
): Promise<void> => {
  if (nft.spenderId === callerId) return;
  if (!(await world.approvedForAll(ownerId, callerId, nft.tokenId))) refuse('SPENDER_DOES_NOT_HAVE_ALLOWANCE');
};
