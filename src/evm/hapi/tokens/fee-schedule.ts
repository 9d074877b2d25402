import type { EntityId } from '../../../ledger/entity-id.ts';
import type { CustomFees } from '../../state/records.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { usableToken } from '../token-checks.ts';
import { checkCustomFees } from './custom-fee-checks.ts';

const countOf = ({ fixed, fractional, royalty }: CustomFees): number =>
  fixed.length + fractional.length + royalty.length;

/** Puts other custom fees in place of a token's own (TokenFeeScheduleUpdate). */
export const updateFeeSchedule = async (
  context: OperationContext,
  { tokenId, customFees }: { readonly tokenId: EntityId; readonly customFees: CustomFees },
): Promise<void> => {
  const token = await usableToken(context, tokenId);
  if (token.keys.feeSchedule === undefined) refuse('TOKEN_HAS_NO_FEE_SCHEDULE_KEY');
  if (countOf(token.customFees) === 0 && countOf(customFees) === 0) refuse('CUSTOM_SCHEDULE_ALREADY_HAS_NO_FEES');
  await checkCustomFees(context, token, customFees, { isNew: false });
  context.world.putToken({ ...token, customFees });
};
