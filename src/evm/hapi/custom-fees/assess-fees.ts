/**
 * Custom fees of a transfer ([HIP-18](https://hips.hedera.com/hip/hip-18),
 * [HIP-573](https://hips.hedera.com/hip/hip-573)). Fees move value, and what they move may cost fees again: each round
 * of this is a level.
 */
import type { EntityId } from '../../../ledger/entity-id.ts';
import type { TokenRecord } from '../../state/records.ts';
import { BALANCE_CHANGES_WITH_FEES, CUSTOM_FEE_DEPTH } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { usableToken } from '../token-checks.ts';
import type { AssessedFee, TokenTransfers, Transfers } from '../transfers/transfers.ts';
import { FeeLevel } from './fee-level.ts';
import { assessFixedFees } from './fixed-fees.ts';
import { assessFractionalFees } from './fractional-fees.ts';
import { assessRoyaltyFees } from './royalty-fees.ts';

export interface FeeAssessment {
  /** The given transfers with fees applied, then those that fees caused, in the order in which they are to be made. */
  readonly levels: readonly Transfers[];
  readonly assessed: readonly AssessedFee[];
}

const hasFees = ({ customFees }: TokenRecord): boolean =>
  customFees.fixed.length + customFees.fractional.length + customFees.royalty.length > 0;

/** Refuses payers that could not pay whatever they have: accounts this transfer creates, and those without relation. */
const checkPayers = async (
  { world }: OperationContext,
  level: FeeLevel,
  createdIds: ReadonlySet<EntityId>,
): Promise<void> => {
  for (const [denomination, accountId] of level.causedDebits()) {
    if (denomination === undefined) {
      if (createdIds.has(accountId)) refuse('INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE');
      continue;
    }
    if ((await world.tokenRelation(accountId, denomination)) !== undefined) continue;
    if (createdIds.has(accountId)) refuse('INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE');
    const account = await world.entity(accountId);
    const receives = (level.given.get(denomination)?.get(accountId) ?? 0n) > 0n;
    // Unlimited slots don't count here: so the network has it.
    const hasSlot = account !== undefined && account.maxAutomaticAssociations > account.usedAutomaticAssociations;
    if (!receives || !hasSlot) refuse('TOKEN_NOT_ASSOCIATED_TO_ACCOUNT');
  }
};

const assessToken = async (
  context: OperationContext,
  level: FeeLevel,
  { tokenId, adjustments, serials }: TokenTransfers,
  createdIds: ReadonlySet<EntityId>,
): Promise<void> => {
  const token = await usableToken(context, tokenId, { pausedAllowed: true });
  if (!hasFees(token)) return;
  const fungible = token.type === 'FUNGIBLE_COMMON';
  for (const { party, amount } of adjustments) {
    if (!fungible && amount !== 0n) refuse('ACCOUNT_AMOUNT_TRANSFERS_ONLY_ALLOWED_FOR_FUNGIBLE_COMMON');
    if (amount >= 0n || party === token.treasuryId) continue;
    assessFixedFees(level, token, party);
    await checkPayers(context, level, createdIds);
    assessFractionalFees(level, token, party);
    await checkPayers(context, level, createdIds);
  }
  if (fungible && serials.length > 0) refuse('NFT_TRANSFERS_ONLY_ALLOWED_FOR_NON_FUNGIBLE_UNIQUE');
  for (const { sender, receiver } of serials) {
    if (sender === token.treasuryId) continue;
    assessFixedFees(level, token, sender);
    await checkPayers(context, level, createdIds);
    assessRoyaltyFees(level, token, sender, receiver);
    await checkPayers(context, level, createdIds);
  }
};

const balanceChanges = (levels: readonly Transfers[]): number => {
  const distinct = new Set<string>();
  let serialCount = 0;
  for (const { hbar, tokens } of levels) {
    for (const { party } of hbar) distinct.add(`${party}`);
    for (const { tokenId, adjustments, serials } of tokens) {
      for (const { party } of adjustments) distinct.add(`${party} ${tokenId}`);
      serialCount += serials.length;
    }
  }
  return distinct.size + serialCount;
};

/**
 * Finds the fees of transfers between accounts; `createdIds` are those that the same transfer creates. Changes nothing.
 * Refuses: CUSTOM_FEE_CHARGING_EXCEEDED_MAX_RECURSION_DEPTH, CUSTOM_FEE_CHARGING_EXCEEDED_MAX_ACCOUNT_AMOUNTS,
 * INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE, CUSTOM_FEE_OUTSIDE_NUMERIC_RANGE, ...
 */
export const assessCustomFees = async (
  context: OperationContext,
  transfers: Transfers,
  createdIds: ReadonlySet<EntityId>,
): Promise<FeeAssessment> => {
  const levels: Transfers[] = [];
  const assessed: AssessedFee[] = [];
  let current = transfers;
  for (let depth = 0; ; depth++) {
    if (depth > CUSTOM_FEE_DEPTH) refuse('CUSTOM_FEE_CHARGING_EXCEEDED_MAX_RECURSION_DEPTH');
    const level = new FeeLevel(current);
    for (const list of current.tokens) await assessToken(context, level, list, createdIds);
    if (level.assessed.length === 0) break;
    levels.push(level.revisedTransfers());
    assessed.push(...level.assessed);
    current = level.causedTransfers();
    if (current.tokens.length === 0) break;
  }
  if (current.hbar.length > 0 || current.tokens.length > 0) levels.push(current);
  if (assessed.length > 0 && balanceChanges(levels) > BALANCE_CHANGES_WITH_FEES) {
    refuse('CUSTOM_FEE_CHARGING_EXCEEDED_MAX_ACCOUNT_AMOUNTS');
  }
  return { levels, assessed };
};
